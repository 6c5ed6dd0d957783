"""Training learns, ends in its time, stops at nonsense, and resumes as if nothing had happened."""

import json
from pathlib import Path

import pytest
import torch

from rounding import assert_agree
from saved import measured
from unrandom.core.errors import NonFiniteLoss
from unrandom.core.run_folder import RunFolder
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.tasks import make_batches
from unrandom.training import train
from unrandom.training.checkpoint import checkpoint_to_resume
from unrandom.training.trainee import Trainee, build_model

GOLDEN = Path(__file__).parents[1] / "golden" / "tiny_losses.json"
CPU = torch.device("cpu")


def metrics_of(run):
    """The metrics without the clock."""
    return [{key: value for key, value in row.items() if key != "seconds"} for row in run.folder.read_metrics()]


@pytest.fixture
def whole(tiny, tmp_path):
    run = create_run(RunSpec("tiny", tiny), tmp_path / "whole", [])
    execute(run)
    return run


def test_the_loss_curve_is_what_it_has_always_been(whole):
    golden = json.loads(GOLDEN.read_text())
    found = [[row["train_loss"], row["test_loss"]] for row in metrics_of(whole)]
    assert_agree(
        found, golden["losses"]
    )  # instruction sets differ by 3e-6, a rate of Muon of .03 instead of .02 by 9e-4


@pytest.mark.parametrize("mode", ["streaming", "fixed"])
@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_run_stopped_and_resumed_is_the_run_never_stopped(tiny, tmp_path, mode, optimizer):
    config = tiny.override([f"data.mode={mode}", "data.n_sequences=40", f"optimizer.name={optimizer}"])
    whole, parts = (create_run(RunSpec("tiny", config), tmp_path / name, []) for name in ("whole", "parts"))
    execute(whole)
    for _ in range(30):
        if execute(parts, max_minutes=0.0)["finished"]:  # one step at a time
            break
    assert metrics_of(parts) == metrics_of(whole)
    for there, here in zip(whole.load_model().parameters(), parts.load_model().parameters(), strict=True):
        assert torch.equal(there, here)


def test_resuming_from_a_damaged_checkpoint_repeats_from_the_one_before(tiny, tmp_path, whole):
    run = create_run(RunSpec("tiny", tiny), tmp_path / "damaged", [])
    execute(run)
    run.folder.result.unlink()
    newest = checkpoint_to_resume(run.folder).folder / "model.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1])
    execute(run)
    assert metrics_of(run) == metrics_of(whole)


def test_a_finished_run_is_not_run_again(whole):
    before = whole.folder.metrics.stat().st_mtime_ns
    assert execute(whole) == whole.result()
    assert whole.folder.metrics.stat().st_mtime_ns == before


def test_one_batch_is_learned_by_heart(tiny, tmp_path):
    config = tiny.override(
        ["steps=150", "data.mode=fixed", "data.n_sequences=16", "evaluate_every=150", "model.d_model=32"]
    )
    run = create_run(RunSpec("tiny", config), tmp_path, [])
    execute(run)
    model = run.load_model()
    tokens = torch.from_numpy(make_batches(run.split(), 16).tokens(0)).long()
    accuracy = (model(tokens[:, :-1]).argmax(-1) == tokens[:, 1:])[:, 1:].float().mean()
    assert accuracy > 0.99


def test_a_loss_that_is_not_finite_stops_the_run_and_keeps_the_last_good_checkpoint(tiny, tmp_path, monkeypatch):
    run = RunFolder(tmp_path / "run")
    run.create({})
    batches = make_batches(tiny.data.split(0), tiny.batch_size)

    def poison(progress):
        if progress.step == 8:
            with torch.no_grad():
                poisoned[0].embed.weight[0] = float("nan")

    poisoned = []
    monkeypatch.setattr(
        "unrandom.training.trainee.build_model", lambda *args: poisoned.append(build_model(*args)) or poisoned[0]
    )
    trainee = Trainee.begin(run, tiny, lambda _model: measured(), CPU, None)
    with pytest.raises(NonFiniteLoss, match="nan at step 9"):
        train(trainee, batches, device=CPU, observers=(poison,))
    good = checkpoint_to_resume(run)
    assert good.step == 6
    assert all(parameter.isfinite().all() for parameter in good.load_model().parameters())


def test_a_change_of_precision_between_parts_of_a_run_is_said(tiny, tmp_path, monkeypatch, caplog):
    config = tiny.override(["precision=auto"])
    run = create_run(RunSpec("tiny", config), tmp_path, [])
    monkeypatch.setattr("unrandom.models.numerics.has_fast_bf16", lambda _device: False)
    assert execute(run, max_minutes=0)["precision"] == "fp32"
    monkeypatch.setattr("unrandom.models.numerics.has_fast_bf16", lambda _device: True)
    assert execute(run, max_minutes=0)["precision"] == "bf16"
    assert "continues in bf16; up to step 1 it was fp32" in caplog.text


def test_the_observers_see_every_step(tiny, tmp_path):
    seen = []
    run = create_run(RunSpec("tiny", tiny), tmp_path, [])
    execute(run, observers=(lambda progress: seen.append(progress.step),))
    assert seen == list(range(1, 13))
