"""What a worker makes of success, of failure of every kind, of time running out and of a folder in use."""

import errno
import json
import os
import threading
import time

import pytest
import torch

from rounding import assert_agree
from sweeping import losses, planned, steps_measured, synchronize
from unrandom.core.errors import NonFiniteLoss, UserError
from unrandom.core.run_folder import RunFolder
from unrandom.runs.running import worker as working
from unrandom.runs.running.execution import create_run
from unrandom.runs.running.grid_point import is_measured
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import WorkerOptions, failure, run_job


@pytest.fixture
def run(tiny):
    return planned(tiny, 1)[0]


def test_a_run_is_trained_and_measured(run, tmp_path):
    (outcome,) = run_job(Job((run,)), WorkerOptions(tmp_path, sequences=16, threads=1))
    assert (outcome.run, outcome.status, outcome.error) == (run.id, "finished", "")
    assert steps_measured(tmp_path / run.id) == [4, 8, 12]
    assert is_measured(tmp_path / run.id, 16)


def test_out_of_time_nothing_starts_and_told_to_stop_a_run_saves(run, tmp_path):
    (outcome,) = run_job(Job((run,)), WorkerOptions(tmp_path, deadline=time.time() - 1))
    assert outcome.status == "stopped"
    assert not (tmp_path / run.id).exists()
    asked = iter([False, False, False, False, True])
    (outcome,) = run_job(Job((run,)), WorkerOptions(tmp_path), stop=lambda: next(asked))
    assert outcome.status == "stopped"
    assert (tmp_path / run.id / "checkpoints" / "step-00000004").is_dir()
    (outcome,) = run_job(Job((run,)), WorkerOptions(tmp_path))
    assert outcome.status == "finished"


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (MemoryError(), "out of memory", "out of memory: MemoryError"),
        (torch.OutOfMemoryError("CUDA: tried to allocate 2 GiB"), "out of memory", "out of memory: CUDA"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory:\n you tried"), "out of memory", "can't allocate"),
        (NonFiniteLoss("the loss is nan at step 3"), "not finite", "the loss is nan at step 3"),
        (UserError("device 'cuda' cannot be used"), "user error", "device 'cuda'"),
        (RuntimeError("shapes do not fit"), "error", "shapes do not fit"),
        (ZeroDivisionError("division by zero"), "error", "division by zero"),
    ],
)
def test_a_failure_is_kept_and_the_next_run_goes_on(tiny, tmp_path, monkeypatch, error, kind, said):
    bad, good = planned(tiny, 2)
    real = working.execute

    def fail(run, **options):
        if run.id == bad.id:
            raise error
        return real(run, **options)

    monkeypatch.setattr(working, "execute", fail)
    outcomes = run_job(Job((bad,)), WorkerOptions(tmp_path)) + run_job(Job((good,)), WorkerOptions(tmp_path))
    assert [outcome.status for outcome in outcomes] == ["failed", "finished"]
    assert said in outcomes[0].error
    assert "\n" not in outcomes[0].error
    kept = failure(tmp_path / bad.id)
    assert kept["kind"] == kind
    assert (kept["traceback"] is not None) == (kind == "error")
    monkeypatch.setattr(working, "execute", real)
    assert run_job(Job((bad,)), WorkerOptions(tmp_path))[0].status == "finished"
    assert failure(tmp_path / bad.id) is None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_no_failure_of_the_run(run, tmp_path, monkeypatch, number):
    def full(*_arguments, **_options):
        raise OSError(number, os.strerror(number), "checkpoint")

    monkeypatch.setattr(working, "execute", full)
    (outcome,) = run_job(Job((run,)), WorkerOptions(tmp_path))
    assert (outcome.status, outcome.error) == ("full disk", f"{os.strerror(number)}: checkpoint")
    assert outcome.errno == number
    assert failure(tmp_path / run.id) is None


def test_a_disk_too_full_for_the_record_of_a_failure_is_a_full_disk(run, tmp_path, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(working, "execute", lambda *_arguments, **_options: 1 / 0)
    monkeypatch.setattr(working, "write_json", full)
    assert run_job(Job((run,)), WorkerOptions(tmp_path))[0].status == "full disk"


def test_a_folder_in_use_is_busy(run, tmp_path):
    create_run(run, tmp_path, [])
    with RunFolder(tmp_path / run.id).lock():
        (outcome,) = run_job(Job((run,)), WorkerOptions(tmp_path))
    assert outcome.status == "busy"
    assert failure(tmp_path / run.id) is None


@pytest.mark.parametrize("count", [1, 2])
def test_a_file_stops_workers_on_any_machine_and_what_they_saved_goes_on(tiny, tmp_path, count):
    runs = planned(tiny, count, steps=10_000, checkpoint_every=10_000, evaluate_every=100)
    options = WorkerOptions(tmp_path, sequences=16, stop_file=tmp_path / "stop")

    def stop():
        synchronize(lambda: steps_measured(tmp_path / runs[-1].id))
        options.stop_file.touch()

    thread = threading.Thread(target=stop)
    thread.start()
    outcomes = run_job(Job(tuple(runs)), options)
    thread.join()
    for run, outcome in zip(runs, outcomes, strict=True):
        assert (outcome.run, outcome.status) == (run.id, "stopped")
        (checkpoint,) = (tmp_path / run.id / "checkpoints").glob("step-*")
        assert checkpoint.name == f"step-{outcome.step:08d}"
        assert 100 <= outcome.step < 10_000


def test_a_run_that_is_trained_is_measured_another_time_if_it_has_to_stop(run, tmp_path):
    options = WorkerOptions(tmp_path, sequences=16)
    run_job(Job((run,)), WorkerOptions(tmp_path))
    (outcome,) = run_job(Job((run,)), options, stop=lambda: True)
    assert (outcome.status, outcome.step) == ("stopped", 12)
    assert not is_measured(tmp_path / run.id, 16)
    (outcome,) = run_job(Job((run,)), options)
    assert outcome.status == "finished"
    assert is_measured(tmp_path / run.id, 16)


def test_a_pack_ends_as_its_runs_alone_would(tiny, tmp_path):
    runs = planned(tiny, 3)
    together = run_job(Job(tuple(runs)), WorkerOptions(tmp_path / "together", sequences=16))
    assert [outcome.status for outcome in together] == ["finished"] * 3
    for run in runs:
        run_job(Job((run,)), WorkerOptions(tmp_path / "alone", sequences=16))
        assert_agree(losses(tmp_path / "together" / run.id), losses(tmp_path / "alone" / run.id))
        assert is_measured(tmp_path / "together" / run.id, 16)


def test_of_a_pack_that_breaks_only_the_cause_fails(tiny, tmp_path, monkeypatch):
    bad, good = planned(tiny, 2)
    real = working.execute

    def fail(run, **options):
        if run.id == bad.id:
            raise NonFiniteLoss("the loss is nan at step 3")
        return real(run, **options)

    def fail_together(runs, **_options):
        raise NonFiniteLoss("the loss is nan at step 3")

    monkeypatch.setattr(working, "execute", fail)
    monkeypatch.setattr(working, "execute_together", fail_together)
    outcomes = run_job(Job((bad, good)), WorkerOptions(tmp_path))
    assert [outcome.status for outcome in outcomes] == ["failed", "finished"]
    assert json.loads((tmp_path / bad.id / "error.json").read_text())["kind"] == "not finite"
