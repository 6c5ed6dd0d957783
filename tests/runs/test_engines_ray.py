"""Ray tasks: each run once, a killed worker's task goes on from its checkpoint, nothing listens to other machines."""

import importlib.util
import os
from contextlib import suppress
from pathlib import Path

import pytest

from rounding import assert_agree
from sweeping import children, killing, losses, planned, steps_measured
from unrandom.core.errors import UserError
from unrandom.runs.engines import EngineOptions, load_engine, run_jobs
from unrandom.runs.plan import Job, pack_jobs
from unrandom.runs.worker import WorkerOptions, run_job

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray's own
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="2026-11-21: the sweep extra is not installed"),
]


def listening() -> set[str]:
    """Where this process and those below it take TCP connections: addresses in the kernel's hexadecimal."""
    held = set()
    for process in (os.getpid(), *children(os.getpid())):
        for descriptor in Path(f"/proc/{process}/fd").glob("*"):
            with suppress(OSError):  # it ended, or closed it
                held.add(os.readlink(descriptor))
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in held:
                found.add(words[1].rpartition(":")[0])
    return found


def test_part_of_a_second_gpu_is_refused():
    with pytest.raises(UserError, match="whole number"):
        load_engine("ray", EngineOptions(gpus_per_run=1.5))


def test_runs_are_finished_and_a_killed_worker_s_run_goes_on(tiny, tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    (long,) = planned(tiny, 1, steps=120, checkpoint_every=10)
    short = planned(tiny, 2)[1]
    engine = load_engine("ray", EngineOptions(workers=2))
    with killing(tmp_path / long.id, most=1) as killed:
        outcomes, opened = [], set()
        for outcome in run_jobs(engine, pack_jobs([long, short]), WorkerOptions(tmp_path)):
            outcomes.append((outcome.run, outcome.status))
            opened |= listening()
    assert opened  # or nobody looked
    assert opened <= {"0100007F", "0000000000000000FFFF00000100007F"}
    assert set(outcomes) == {(long.id, "finished"), (short.id, "finished")}
    assert len(killed) == 1
    run_job(Job((long,)), WorkerOptions(tmp_path / "whole"))
    assert_agree(losses(tmp_path / long.id), losses(tmp_path / "whole" / long.id))
    assert steps_measured(tmp_path / short.id) == [4, 8, 12]
    folder = engine._folder
    assert folder is not None
    assert not folder.exists()
