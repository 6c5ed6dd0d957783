"""Tiny runs and what is known of them, for the tests of sweeps."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unrandom.core.run_folder import RunFolder
from unrandom.runs.running.plan import grid_points, parse_grid
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig


def planned(config: RunConfig, count: int = 3, **changes: object) -> list[RunSpec]:
    """A few runs that differ in their learning rate."""
    changed = config.replace(**changes)
    rates = ",".join(f"{rate}e-3" for rate in range(1, count + 1))
    return grid_points("tiny", changed, parse_grid([f"optimizer.lr={rates}"]), 1)


def steps_measured(folder: Path) -> list[int]:
    """The steps in a run's metrics: each once, in order, unless something trained it twice."""
    return [row["step"] for row in RunFolder(folder).read_metrics()]


def losses(folder: Path) -> list[float]:
    return [row["train_loss"] for row in RunFolder(folder).read_metrics()]


PATIENCE = 600.0
"""Seconds to wait for another process: beside busy ones it takes many times as long as alone."""


def synchronize(condition, seconds: float = PATIENCE):
    """What the condition gives, once it gives anything."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)
    return found


def children(of: int) -> list[int]:
    """The processes below one, workers among them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, parent = int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == of:
            found += [pid, *children(pid)]
    return found


def holder(folder: Path) -> int | None:
    """The process that holds a run folder's lock."""
    if not (folder / "lock").exists():
        return None
    inode = str((folder / "lock").stat().st_ino)
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] == "FLOCK" and words[5].rpartition(":")[2] == inode:
            return int(words[4])
    return None


@contextmanager
def killing(folder: Path, most: int = 1_000) -> Iterator[list[int]]:
    """Meanwhile, kill whoever holds a run folder and has saved a checkpoint; gives the list of those killed."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.05) and len(killed) < most:
            held_by = holder(folder)
            if held_by and held_by not in killed and list(folder.glob("checkpoints/step-*")):
                os.kill(held_by, signal.SIGKILL)
                killed.append(held_by)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()
