"""Worker processes: each run once, a killed worker is replaced, and none outlives its parent."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from sweeping import holder, killing, losses, planned, steps_measured, synchronize
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.runs.running.engines import Death, EngineOptions, load_engine, run_jobs
from unrandom.runs.running.engines.local import device_of, physical_cores, workers_and_threads
from unrandom.runs.running.execution import create_run
from unrandom.runs.running.plan import Job, pack_jobs
from unrandom.runs.running.worker import Outcome, WorkerOptions, failure, record_death, run_job
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.tasks import load_task

EXAMPLE = Path(__file__).parents[3] / "examples" / "second_order.py"


def local(workers: int = 2):
    return load_engine("local", EngineOptions(workers=workers, threads=1))


def test_every_run_is_finished_once(tiny, tmp_path):
    runs = planned(tiny, 4)
    outcomes = list(run_jobs(local(), pack_jobs(runs), WorkerOptions(tmp_path, sequences=16)))
    assert {outcome.run for outcome in outcomes} == {run.id for run in runs}
    assert {outcome.status for outcome in outcomes} == {"finished"}
    assert all(steps_measured(tmp_path / run.id) == [4, 8, 12] for run in runs)


def test_a_worker_says_why_it_cannot_unpack_its_job(tiny, tmp_path):
    own = tmp_path / "own.py"
    own.write_text(EXAMPLE.read_text())
    changed = tiny.replace(data=load_task(f"{own}:SecondOrder").parse({"context": 10}))
    own.write_text(EXAMPLE.read_text() + "# changed\n")
    (outcome,) = run_jobs(local(1), pack_jobs([RunSpec("own", changed)]), WorkerOptions(tmp_path))
    assert outcome.status == "failed"
    assert outcome.error.endswith("own.py:SecondOrder was changed while the command ran")


def test_a_run_waits_for_the_one_whose_weights_it_begins_with(tiny, tmp_path):
    shape = tiny.override(["data.base=4", "model.positions=abacus"])
    start = json.dumps({"recipe": "small", "config": shape.to_json()})
    children = [RunSpec("large", shape.override([f"start={start}", f"seed={seed}"])) for seed in (0, 1)]
    runs = with_ancestors(children)
    assert [run.recipe for run in runs] == ["small", "large", "large"]
    outcomes = list(run_jobs(local(), pack_jobs(runs[::-1]), WorkerOptions(out=tmp_path)))
    assert outcomes[0].run == runs[0].id
    assert {outcome.status for outcome in outcomes} == {"finished"}
    assert steps_measured(tmp_path / runs[0].id) == [4, 8, 12]


def test_workers_and_threads_fill_the_cores():
    cores = physical_cores()
    assert workers_and_threads(EngineOptions()) == (cores, 1)
    assert workers_and_threads(EngineOptions(workers=1)) == (1, cores)
    assert workers_and_threads(EngineOptions(threads=cores)) == (1, cores)
    assert workers_and_threads(EngineOptions(workers=3, threads=2)) == (3, 2)


def test_options_of_another_engine_are_refused():
    with pytest.raises(UserError, match="goes with --engine slurm"):
        load_engine("local", EngineOptions(slurm=("partition=gpu",)))


@pytest.mark.slow
def test_after_the_deadline_what_runs_saves_and_nothing_starts(tiny, tmp_path):
    runs = planned(tiny, 3, steps=100_000, checkpoint_every=100_000, evaluate_every=100_000)
    for turn in range(2):  # the second one shows how long a worker needs to start beside whatever else is running
        began = time.time()
        list(run_jobs(local(), pack_jobs(planned(tiny, 1)), WorkerOptions(tmp_path / f"other-{turn}")))
    options = WorkerOptions(tmp_path, deadline=time.time() + 3 + 4 * (time.time() - began))
    outcomes = {outcome.run: outcome for outcome in run_jobs(local(1), pack_jobs(runs), options)}
    assert {outcome.status for outcome in outcomes.values()} == {"stopped"}
    assert list((tmp_path / runs[0].id / "checkpoints").glob("step-*"))
    assert not (tmp_path / runs[2].id).exists()


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_its_run_goes_on(tiny, tmp_path):
    (run,) = planned(tiny, 1, steps=120, checkpoint_every=10)
    engine = local(1)
    engine.start(pack_jobs([run]), WorkerOptions(tmp_path))
    synchronize(lambda: list((tmp_path / run.id).glob("checkpoints/step-*")))
    os.kill(holder(tmp_path / run.id) or 0, signal.SIGKILL)
    (answer,) = synchronize(lambda: engine.ended(1))
    assert answer[1].message == "killed by signal 9, as the kernel does when memory runs out"
    left = max(int(path.name[5:]) for path in (tmp_path / run.id / "checkpoints").glob("step-*"))
    assert left > 0
    (outcome,) = run_jobs(engine, pack_jobs([run]), WorkerOptions(tmp_path))
    assert outcome.status == "finished"
    run_job(pack_jobs([run])[0], WorkerOptions(tmp_path / "whole"))
    assert losses(tmp_path / run.id) == losses(tmp_path / "whole" / run.id)


def test_a_worker_that_is_killed_again_is_recorded_as_killed(tiny, tmp_path):
    long, short = planned(tiny, 1, steps=400_000)[0], planned(tiny, 1)[0]
    with killing(tmp_path / long.id):
        outcomes = {each.run: each for each in run_jobs(local(1), pack_jobs([long, short]), WorkerOptions(tmp_path))}
    assert outcomes[short.id].status == "finished"
    assert outcomes[long.id].status == "failed"
    assert outcomes[long.id].error == "killed by signal 9, as the kernel does when memory runs out"
    assert failure(tmp_path / long.id)["kind"] == "killed"


def test_of_a_pack_whose_worker_dies_each_run_is_tried_alone(tiny, tmp_path):
    runs = planned(tiny, 3)

    class OnePackDies:
        places, tries = 1, 1

        def __init__(self):
            self.started = []

        def start(self, jobs, options):
            self.started += jobs

        def ended(self, seconds):
            job = self.started[-1]
            alone = len(job.runs) == 1 and job.runs[0] != runs[1]
            return [(job, [Outcome(job.runs[0].id, "finished")] if alone else Death("killed"))]

        def close(self):
            pass

    engine = OnePackDies()
    outcomes = {each.run: each.status for each in run_jobs(engine, pack_jobs(runs, pack=3), WorkerOptions(tmp_path))}
    assert [job.runs for job in engine.started] == [tuple(runs), *((run,) for run in runs)]
    assert [outcomes[run.id] for run in runs] == ["finished", "failed", "finished"]


def test_a_run_that_is_done_is_not_called_killed(tiny, tmp_path):
    (run,) = planned(tiny, 1)
    run_job(Job((run,)), WorkerOptions(tmp_path, sequences=16))
    for sequences, status in ((None, "finished"), (16, "finished"), (32, "failed")):
        assert record_death(run, WorkerOptions(tmp_path, sequences=sequences), "killed").status == status


@pytest.mark.parametrize(
    ("visible", "devices", "names"),
    [(None, 2, ["0", "0", "1", "1"]), ("3, 5", 2, ["3", "3", "5", "5"]), ("GPU-abc", 1, ["GPU-abc"] * 4)],
)
def test_workers_share_the_gpus_that_were_left_to_us(monkeypatch, visible, devices, names):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert [device_of(place, 0.5, devices) for place in range(4)] == names


def test_several_gpus_a_run_are_refused():
    with pytest.raises(UserError, match="takes 1 at most"):
        load_engine("local", EngineOptions(gpus_per_run=2))


@pytest.mark.slow
def test_a_run_that_another_process_holds_is_waited_for(tiny, tmp_path):
    first, second = planned(tiny, 2)
    create_run(first, tmp_path, [])
    with RunFolder(tmp_path / first.id).lock():
        outcomes = run_jobs(local(), pack_jobs([first, second]), WorkerOptions(tmp_path))
        assert next(outcomes).run == second.id
    assert [(outcome.run, outcome.status) for outcome in outcomes] == [(first.id, "finished")]


def test_an_interrupted_parent_ends_its_workers_at_once(tiny, tmp_path):
    (run,) = planned(tiny, 1, steps=400_000)
    engine = local(1)
    engine.start(pack_jobs([run]), WorkerOptions(tmp_path))
    worker = synchronize(lambda: holder(tmp_path / run.id))
    engine.close()
    assert not Path(f"/proc/{worker}").exists()
