"""Slurm jobs, with submitit's stand-in for a cluster: each run once; pre-empted ones save, are requeued and finish."""

import os
import signal
import threading

import pytest

from sweeping import holder, losses, planned, steps_measured, synchronize
from unrandom.core.errors import UserError
from unrandom.runs.running.engines import EngineOptions, load_engine, run_jobs
from unrandom.runs.running.plan import Job, pack_jobs
from unrandom.runs.running.worker import WorkerOptions, run_job

pytest.importorskip("submitit", reason="the sweep extra is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # submitit's own


def slurm(*settings: str):
    return load_engine("slurm", EngineOptions(workers=2, threads=1, slurm=("cluster=local", *settings)))


@pytest.mark.slow
def test_a_preempted_job_saves_is_requeued_and_finishes_as_if_nothing_had_happened(tiny, tmp_path):
    (long,) = planned(tiny, 1, steps=600, checkpoint_every=1_000, evaluate_every=100)
    short = planned(tiny, 2)[1]
    preempted: list[int] = []

    def preempt() -> None:
        synchronize(lambda: steps_measured(tmp_path / long.id))
        preempted.append(holder(tmp_path / long.id))
        os.kill(preempted[0], signal.SIGUSR2)

    slurm_says = threading.Thread(target=preempt)
    slurm_says.start()
    outcomes = list(run_jobs(slurm(), pack_jobs([long, short]), WorkerOptions(tmp_path)))
    slurm_says.join()
    assert {(outcome.run, outcome.status) for outcome in outcomes} == {(long.id, "finished"), (short.id, "finished")}
    assert any("Requeued" in log.read_text() for log in (tmp_path / "slurm").glob("*_log.*"))
    saved = sorted(int(path.name[5:]) for path in (tmp_path / long.id / "checkpoints").glob("step-*"))
    assert 0 < saved[0] < saved[-1] == 600
    run_job(Job((long,)), WorkerOptions(tmp_path / "whole"))
    assert losses(tmp_path / long.id) == losses(tmp_path / "whole" / long.id)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("cluster=moon",), "slurm and local are allowed"),
        (("partition",), "--slurm takes KEY=VALUE"),
        (("cluster=local", "partitoin=gpu"), "partitoin"),
        (("cluster=local", "timeout_min=soon"), "timeout_min"),
        (("partition=gpu",), "needs sbatch"),
    ],
)
def test_settings_that_do_not_fit_are_refused_before_anything_runs(settings, said, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match=said):
        load_engine("slurm", EngineOptions(slurm=settings))


def test_an_sbatch_that_fails_is_one_line(tiny, tmp_path, monkeypatch):
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text("#!/bin/sh\necho 'sbatch: error: invalid partition specified: moon' >&2\nexit 1\n")
    sbatch.chmod(0o700)
    sbatch.with_name("srun").symlink_to(sbatch)
    monkeypatch.setenv("PATH", str(sbatch.parent), prepend=os.pathsep)
    engine = load_engine("slurm", EngineOptions(slurm=("partition=moon",)))
    assert engine.places == 1000
    with pytest.raises(UserError, match=r"not submitted: .*invalid partition specified: moon$"):
        list(run_jobs(engine, pack_jobs(planned(tiny, 1)), WorkerOptions(tmp_path)))
