"""A run that begins with another's weights trains that one first, begins where it ended, and goes on like any run."""

import json

import pytest
import torch

from rounding import assert_agree
from unrandom.cli import main
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.training.trainee import build_model

SHAPE = ("data.base=4", "data.modulus=64", "model.positions=abacus")


def grown(tiny, **changes):
    small = tiny.override([*SHAPE, "data.digits=4"])
    start = json.dumps({"recipe": "small", "config": small.to_json()})
    values = {"data.modulus": 256, "data.context": 16, "start": start, **changes}
    return tiny.override([*SHAPE, *(f"{key}={value}" for key, value in values.items())])


def test_the_smaller_run_is_trained_first_and_its_function_is_taken_over(tiny, tmp_path):
    run = create_run(RunSpec("large", grown(tiny, **{"optimizer.lr": 0, "optimizer.muon_lr": 0})), tmp_path, ["test"])
    assert execute(run)["finished"]
    (parent,) = run.ancestors()
    assert RunFolder(parent.folder.path).finished
    tokens = torch.randint(4, (3, 48))
    assert_agree(run.load_model()(tokens), parent.load_model()(tokens))


def test_a_run_stopped_in_its_parent_goes_on_to_the_same_end(tiny, tmp_path):
    config = grown(tiny)
    whole = create_run(RunSpec("large", config), tmp_path / "whole", ["test"])
    execute(whole)
    parts = create_run(RunSpec("large", config), tmp_path / "parts", ["test"])
    calls = iter(range(1000))
    first = execute(parts, stop=lambda: next(calls) == 4)
    assert (first["finished"], first["recipe"], first["steps"]) == (False, "large", 0)
    assert "small-" in first["waits_for"]
    while not execute(parts, stop=lambda: next(calls) % 5 == 0)["finished"]:
        pass
    theirs, ours = (dict(run.load_model().named_parameters()) for run in (whole, parts))
    assert all(torch.equal(theirs[name], ours[name]) for name in theirs)
    assert whole.folder.read_metrics()[-1]["test_loss"] == parts.folder.read_metrics()[-1]["test_loss"]


def test_waves_replace_the_positions_vectors_alone(tiny):
    config = tiny.override(SHAPE)
    plain, waves, again = (
        dict(build_model(each, torch.device("cpu")).named_parameters())
        for each in (config, *2 * [config.replace(wave_positions=True)])
    )
    assert [name for name in plain if not torch.equal(plain[name], waves[name])] == ["pos_embed.W_int"]
    assert torch.equal(waves["pos_embed.W_int"], again["pos_embed.W_int"])
    assert (
        config.digest() == config.replace(wave_positions=False).digest() != config.replace(wave_positions=True).digest()
    )
    with pytest.raises(UserError, match=r"wave_positions=true needs vectors of positions, and model.positions=rotary"):
        config.replace(wave_positions=True, model={"positions": "rotary"})


@pytest.mark.parametrize(
    ("change", "said"),
    [({"model.depth": 2}, "start: model.depth is 2, and it was 1"), ({"data.base": 2}, "vocab size shrinks")],
)
def test_shapes_that_do_not_fit_are_refused_before_anything_runs(tiny, change, said):
    with pytest.raises(UserError, match=said):
        grown(tiny, **change)


def test_from_the_command_line(tiny, tmp_path, capsys):
    small = create_run(RunSpec("fm-256", tiny.override([*SHAPE, "data.digits=4"])), tmp_path, ["test"])
    tree = grown(tiny).to_json()
    plain = ("batch_size", "steps", "warmup_steps", "precision", "evaluate_every", "checkpoint_every", "test_sequences")
    values = {key: tree[key] for key in plain} | {
        f"{section}.{key}": value
        for section in ("data", "model", "optimizer")
        for key, value in tree[section].items()
        if key != "regime"
    }
    sets = [f"--set={key}={json.dumps(value)}" for key, value in values.items()]
    folder = str(small.folder.path)
    assert main(["train", "fm-256", *sets, "--start-from", folder, "--runs", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert Run.open(tmp_path / answer["run"].split("/")[-1]).spec.ancestors()[-1].id == small.id
    assert main(["train", "fm-256", *sets, "--start-from", folder, "--runs", str(tmp_path / "elsewhere")]) == 2
    assert "set --runs" in capsys.readouterr().err
