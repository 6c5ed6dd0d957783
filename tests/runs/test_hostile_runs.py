"""What may a run folder do to those who read it? Nothing outside is written, nothing is built before it is checked."""

import json
import shutil

import pytest
import safetensors.torch
import torch

from unrandom.core.errors import RunsFailed, UserError
from unrandom.runs import run as runs
from unrandom.runs.finding import find_run
from unrandom.runs.run import Run, split_of
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.training import StartFrom, checkpoint


@pytest.fixture
def copied(finished_run, tmp_path) -> Run:
    """A finished run that may be damaged."""
    shutil.copytree(finished_run.folder.path, tmp_path / "runs" / finished_run.id)
    return Run.open(tmp_path / "runs" / finished_run.id)


@pytest.mark.parametrize("name", ["checkpoints", "figures", "metrics.jsonl", "report.html", "lock"])
def test_a_run_folder_with_a_link_is_refused(copied, name, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    path = copied.folder.path / name
    if path.exists():
        path.rename(outside / name)
    path.symlink_to(outside / name)
    with pytest.raises(UserError, match=f"{name} is a symbolic link"):
        Run.open(copied.folder.path)
    with pytest.raises(UserError, match=f"{name} is a symbolic link"), copied.folder.lock():
        pass


def test_a_folder_that_is_removed_during_training_is_not_made_again(tiny, tmp_path):
    run = create_run(RunSpec("tiny", tiny), tmp_path, [])

    def remove(progress):
        if progress.step == 5:
            shutil.rmtree(run.folder.path)

    with pytest.raises(RunsFailed, match="was removed or moved while it was in training"):
        execute(run, observers=(remove,))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["manifest.json", "lock"])
def test_a_damaged_folder_beside_others_does_not_hide_them(copied, name):
    bad = copied.folder.path.with_name("bad")
    bad.mkdir()
    (bad / "manifest.json").write_text("[" * 9999)
    (bad / name).unlink(missing_ok=True)
    (bad / name).symlink_to("/dev/zero")
    assert find_run("latest", copied.folder.path.parent).id == copied.id
    assert find_run("tiny", copied.folder.path.parent).id == copied.id


def test_a_model_is_compared_with_its_weights_before_it_is_built(copied, monkeypatch):
    (folder,) = copied.folder.checkpoints.glob("step-00000012")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "depth": 2**31}))
    monkeypatch.setattr(checkpoint, "Transformer", None)
    with pytest.raises(UserError, match=r"describes a model of [\d,]+ parameters, but [\d,]+ numbers are stored"):
        checkpoint.load_model(folder)


@pytest.mark.parametrize("value", [torch.zeros(3), torch.zeros(3, dtype=torch.int64), torch.zeros(0)])
def test_optimiser_state_of_another_shape_or_type_is_refused(tiny, tmp_path, value):
    run = create_run(RunSpec("tiny", tiny), tmp_path, [])
    execute(run, max_minutes=0.0)
    (path,) = run.folder.checkpoints.glob("*/optimizer.safetensors")
    tensors = safetensors.torch.load_file(path)
    safetensors.torch.save_file({**tensors, min(tensors): value}, path)
    state = json.loads((path.parent / "state.json").read_text())
    state["files"][path.name] = checkpoint.sha256(path)
    state.pop("sha256")
    (path.parent / "state.json").write_text(json.dumps({**state, "sha256": checkpoint._checksum(state)}))
    with pytest.raises(UserError, match="has another shape or type than needed"):
        execute(run)


def test_a_model_that_would_fill_memory_is_refused(tiny, tmp_path):
    for settings in ("model.depth=2^31", "model.d_model=2^20", "batch_size=2^20"):
        run = create_run(RunSpec("tiny", tiny.override([settings, "data.context=1000"])), tmp_path, [])
        with pytest.raises(UserError, match=r"this run needs .*B of memory, and .*B are free; "):
            execute(run)


def test_a_run_with_more_evaluations_than_could_be_read_back_does_not_begin(tiny, tmp_path):
    with pytest.raises(UserError, match=r"steps=1000000 are over 131,072 evaluations; raise evaluate_every=1$"):
        create_run(RunSpec("tiny", tiny.replace(steps=10**6, evaluate_every=1)), tmp_path, ["unrandom"])
    assert not list(tmp_path.iterdir())


def test_a_line_of_ancestors_is_split_once_each(tiny, monkeypatch):
    config, made = tiny, []
    for seed in range(20):
        config = config.replace(start=StartFrom(recipe="tiny", config=config), seed=seed + 1, data_seed=0)
    split = type(config.data).split
    monkeypatch.setattr(type(config.data), "split", lambda *given: made.append(1) or split(*given))
    split_of(config)
    assert len(made) == 21
    assert runs.RunConfig.parse(config.to_json()) == config
