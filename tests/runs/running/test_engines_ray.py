"""Ray tasks: each run once, a killed worker's task goes on from its checkpoint, nothing listens to other machines."""

import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from rounding import assert_agree
from sweeping import PATIENCE, children, killing, losses, planned, steps_measured, synchronize
from unrandom.core.leftovers import users_of
from unrandom.runs.running.engines import EngineOptions, load_engine, run_jobs
from unrandom.runs.running.plan import Job, pack_jobs
from unrandom.runs.running.worker import WorkerOptions, run_job

pytestmark = [
    pytest.mark.slow,
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


@pytest.mark.parametrize("moment", [random.Random(seed).uniform(0, 6) for seed in range(3)])
def test_a_killed_sweep_leaves_no_process_of_ray_and_no_folder(moment, tmp_path, tiny_settings):
    temporary = tmp_path / "t"  # short, as names of sockets have a limit
    temporary.mkdir()
    grid = ["--grid", "optimizer.lr=1e-3,2e-3", "--workers", "2", "--engine", "ray", "--runs", str(tmp_path / "runs")]
    sweep = subprocess.Popen(
        [sys.executable, "-m", "unrandom", "sweep", "fm-256", *tiny_settings(steps=300_000), *grid],
        env={name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"} | {"TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    (folder,) = synchronize(lambda: list(temporary.glob("unrandom-*")))
    time.sleep(moment)
    os.killpg(sweep.pid, signal.SIGKILL)
    sweep.wait(PATIENCE)
    synchronize(lambda: not users_of(folder))
    synchronize(lambda: not folder.exists())
