"""A run folder survives torn writes, and belongs to one process at a time."""

import errno
import fcntl
import subprocess
import sys

import pytest

from saved import metrics_line
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder


@pytest.fixture
def run(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.create({"recipe": "x"})
    return folder


def test_a_manifest_that_could_not_be_read_back_is_not_written(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(UserError, match="would have 20,000,0"):
        folder.create({"recipe": "x", "split": {"test": "1" * 20_000_000}})
    assert not folder.path.exists()


def test_a_torn_last_line_of_metrics_does_not_count(run):
    run.append_metrics(metrics_line(1))
    run.append_metrics(metrics_line(2))
    with run.metrics.open("a") as file:
        file.write('{"step": 3, "tr')
    assert [row["step"] for row in run.read_metrics()] == [1, 2]


def test_rewinding_forgets_later_steps_and_torn_lines(run):
    for step in (1, 2, 3):
        run.append_metrics(metrics_line(step, seconds=0.1 * step))
    with run.metrics.open("a") as file:
        file.write('{"step"')
    kept = "".join(run.metrics.read_text().splitlines(keepends=True)[:2])
    run.rewind_metrics(2)
    assert run.metrics.read_text() == kept


def test_what_a_killed_process_left_half_written_is_removed(run):
    (run.checkpoints / ".step-00000003.99.tmp").mkdir()
    (run.checkpoints / ".step-00000003.99.tmp" / "model.safetensors").write_bytes(b"half")
    (run.path / ".result.json.99.tmp").write_text("{")
    run.remove_leftovers()
    assert not list(run.path.rglob("*.tmp"))
    assert run.manifest.exists()


HOLD = "import sys, time; from pathlib import Path; from unrandom.core.run_folder import RunFolder\n"
HOLD += "with RunFolder(Path(sys.argv[1])).lock(): print('held', flush=True); time.sleep(600)"


def test_a_second_process_is_refused_and_a_lock_left_by_a_killed_one_is_not_in_the_way(run):
    with subprocess.Popen([sys.executable, "-c", HOLD, str(run.path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="another process is working"), run.lock():
            pass
        holder.kill()
    assert (run.path / "lock").exists()
    with run.lock():
        pass


def test_a_lock_that_the_system_cannot_give_is_not_called_busy(run, monkeypatch):
    def refuse(*_arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(UserError, match=r"locks cannot be trusted \(No locks available\)"), run.lock():
        pass


def test_a_folder_that_is_no_run_is_said_to_be_none(tmp_path):
    with pytest.raises(UserError, match="not a run folder"):
        RunFolder.open(tmp_path)
