"""A checkpoint is whole or it is passed over; nothing else than safetensors is ever loaded."""

import pickle
import shutil

import pytest
import torch

from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.models import Transformer
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.training import checkpoint as checkpoints
from unrandom.training.checkpoint import (
    checkpoint_to_load,
    checkpoint_to_resume,
    kept_checkpoints,
    load_model,
    save_checkpoint,
    saved_step,
    set_aside_damaged,
    write_model,
)


@pytest.fixture
def model(tiny):
    return Transformer(tiny.transformer, seed=5)


@pytest.fixture
def run(tmp_path, model):
    run = RunFolder(tmp_path / "run")
    run.create({})
    for step in (3, 6, 9):
        save_checkpoint(run, step, model, {"a|x": torch.ones(2)}, {"train_seconds": 0.5})
    return run


def test_the_newest_two_are_kept(run):
    assert sorted(path.name for path in run.checkpoints.iterdir()) == ["step-00000006", "step-00000009"]


def test_checkpoints_of_chosen_steps_are_never_removed(tmp_path, model):
    run = RunFolder(tmp_path / "run")
    run.create({})
    for step in range(2, 16, 2):
        save_checkpoint(run, step, model, {"a|x": torch.ones(2)}, {}, keep_every=4)
    assert sorted(path.name[-2:] for path in run.checkpoints.iterdir()) == ["04", "08", "12", "14"]
    assert [checkpoint.step for checkpoint in kept_checkpoints(run, 4)] == [4, 8, 12]


def test_a_run_that_is_cut_short_is_the_beginning_of_the_whole(tiny, tmp_path):
    """Same weights after every kept step, bit for bit, although the whole run has a longer schedule."""
    whole = RunSpec("whole", tiny.replace(keep_every=3))
    beginning = RunSpec("beginning", tiny.replace(steps=6, schedule_steps=tiny.steps, keep_every=3))
    kept = []
    for spec in (whole, beginning):
        run = create_run(spec, tmp_path, [])
        execute(run)
        kept.append({checkpoint.step: checkpoint.load_model() for checkpoint in kept_checkpoints(run.folder, 3)})
    assert [list(each) for each in kept] == [[3, 6, 9, 12], [3, 6]]
    for step, model in kept[1].items():
        for one, other in zip(model.parameters(), kept[0][step].parameters(), strict=True):
            assert torch.equal(one, other)


def test_only_checkpoints_that_are_made_can_be_kept(tiny):
    with pytest.raises(UserError, match="keep_every=4 must be a multiple of checkpoint_every=3"):
        tiny.replace(keep_every=4)


def test_what_was_saved_is_what_is_loaded(run, model):
    found = checkpoint_to_resume(run)
    assert (found.step, found.progress) == (9, {"train_seconds": 0.5})
    assert found.optimizer_state()["a|x"].tolist() == [1, 1]
    loaded = found.load_model()
    assert loaded.config == model.config
    for there, here in zip(model.parameters(), loaded.parameters(), strict=True):
        assert torch.equal(there, here)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def flip_a_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def empty(path):
    path.write_bytes(b"")


def remove(path):
    path.unlink()


@pytest.mark.parametrize("damage", [truncate, flip_a_bit, empty, remove])
@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "optimizer.safetensors", "state.json"])
def test_a_damaged_checkpoint_is_passed_over_with_a_warning(run, damage, name, caplog):
    damage(run.checkpoints / "step-00000009" / name)
    assert checkpoint_to_resume(run).step == 6
    assert "damaged checkpoint skipped" in caplog.text
    assert "step-00000009" in caplog.text


def test_a_half_written_folder_does_not_count(run):
    shutil.copytree(run.checkpoints / "step-00000009", run.checkpoints / ".step-00000012.999.tmp")
    (run.checkpoints / "step-00000015").mkdir()
    assert checkpoint_to_resume(run).step == 9


def test_what_is_damaged_and_newer_is_set_aside_and_not_counted_as_kept(run, model):
    for step in (6, 9):
        truncate(run.checkpoints / f"step-{step:08d}" / "model.safetensors")
    save_checkpoint(run, 3, model, {}, {})  # the damaged ones count as newer, and it would be removed at once
    assert saved_step(run) == 0
    remove_all = [path for path in run.checkpoints.iterdir() if path.name != "step-00000009"]
    for path in remove_all:
        shutil.rmtree(path)
    with pytest.raises(UserError, match=r"every checkpoint in .* is damaged"):
        checkpoint_to_resume(run)
    save_checkpoint(run, 4, model, {}, {})
    start = checkpoint_to_resume(run)
    assert start.step == 4
    set_aside_damaged(run, start)
    assert sorted(path.name for path in run.checkpoints.iterdir()) == ["damaged-step-00000009", "step-00000004"]
    for step in (5, 6, 7):
        save_checkpoint(run, step, model, {}, {})
    assert checkpoint_to_resume(run).step == 7


def test_no_checkpoint_is_none(tmp_path):
    run = RunFolder(tmp_path / "run")
    run.create({})
    assert checkpoint_to_resume(run) is None


def test_what_to_do_is_said_where_there_is_nothing_to_load(run, caplog):
    for path in run.checkpoints.iterdir():
        truncate(path / "model.safetensors")
    for find in (checkpoint_to_load, checkpoint_to_resume):
        with pytest.raises(UserError) as damaged:
            find(run)
        assert str(damaged.value) == (
            f"every checkpoint in {run.checkpoints} is damaged; to train again from the start, "
            f"remove what is in {run.checkpoints} and then: unrandom resume {run.path}"
        )
    run.result.write_text("{}")  # a run that is finished is not trained
    with pytest.raises(UserError, match=f"remove what is in {run.checkpoints}, and {run.result}, and then"):
        checkpoint_to_load(run)
    assert caplog.text == ""  # one line says it all
    shutil.rmtree(run.checkpoints)
    with pytest.raises(UserError, match=f"no checkpoint, though the run is finished; remove {run.result} and train"):
        checkpoint_to_load(run)
    run.result.unlink()
    assert checkpoint_to_resume(run) is None
    with pytest.raises(UserError, match=f"has no checkpoint yet; train it with: unrandom resume {run.path}"):
        checkpoint_to_load(run)


def test_a_folder_of_checkpoints_that_was_removed_is_made_again(run, model):
    shutil.rmtree(run.checkpoints)
    save_checkpoint(run, 12, model, {}, {})
    assert checkpoint_to_resume(run).step == 12


def test_a_failed_save_leaves_the_earlier_ones_and_no_rubbish(run, model, monkeypatch):
    def full(_path, _content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints, "write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(run, 12, model, {}, {})
    assert sorted(path.name for path in run.checkpoints.iterdir()) == ["step-00000006", "step-00000009"]


class Exploit:
    def __reduce__(self):
        return (pytest.fail, ("unpickled",))


def test_a_pickle_posing_as_weights_is_refused_unread(tmp_path, model):
    write_model(tmp_path, model)
    (tmp_path / "model.safetensors").write_bytes(pickle.dumps(Exploit()))
    with pytest.raises(UserError, match="not a safetensors file"):
        load_model(tmp_path)
    torch.save({"weights": torch.ones(3)}, tmp_path / "model.safetensors")
    with pytest.raises(UserError, match="not a safetensors file"):
        load_model(tmp_path)


def test_weights_of_another_shape_are_refused(tmp_path, tiny, model):
    write_model(tmp_path, Transformer(tiny.override(["model.d_model=32"]).transformer))
    (tmp_path / "config.json").write_text(model.config.model_dump_json())
    with pytest.raises(UserError, match=r"embed\.weight has shape \(64, 32\), expected \(64, 16\)"):
        load_model(tmp_path)
    write_model(tmp_path, Transformer(tiny.override(["model.depth=2"]).transformer))
    (tmp_path / "config.json").write_text(model.config.model_dump_json())
    with pytest.raises(UserError, match=r"blocks\.1\..* is in only one"):
        load_model(tmp_path)
