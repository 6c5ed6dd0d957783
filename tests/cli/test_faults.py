"""After a kill or a full disk, nothing is lost, and a resumed run equals an uninterrupted one."""

import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sweeping import PATIENCE
from unrandom.cli import main
from unrandom.core.run_folder import RunFolder

KILLS = 20


@pytest.fixture
def arguments(tiny_settings):
    """The command line of a run that saves a checkpoint after every step."""
    return ["train", "fm-256", *tiny_settings(steps=200, evaluate_every=2, checkpoint_every=1)]


# Trains in forks of a process that has imported everything. The first fork is killed at once, each later one after a
# random number of steps and a random additional time.
FORKS = """
import os, random, signal, sys, time
from pathlib import Path
import torch, torch._dynamo  # the first optimiser imports it
torch.set_num_threads(1)
from unrandom.cli import commands, main
out, arguments, chance = sys.argv[1], sys.argv[3:], random.Random(int(sys.argv[2]))

def newest():
    return max((int(path.name[5:]) for path in Path(out).glob("*/checkpoints/step-*")), default=0)

for kill in range({kills}):
    wanted = newest() + chance.randint(1, 7) if kill else 0
    child = os.fork()
    if child == 0:
        sys.stderr = sys.stdout = open(os.devnull, "w")
        os._exit(main([*arguments, "--runs", out]))
    deadline = time.monotonic() + 600
    while newest() < wanted and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(chance.uniform(0, 0.05))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(newest())
"""


def metrics(out: Path) -> list[dict]:
    (run,) = out.iterdir()
    return [{k: v for k, v in row.items() if k != "seconds"} for row in RunFolder(run).read_metrics()]


def unrandom(*arguments: str | Path, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "unrandom", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **options)


@pytest.mark.nightly
def test_killed_at_random_moments_a_run_ends_as_one_that_was_never_killed(tmp_path, arguments):
    seed = random.SystemRandom().randrange(2**32)
    print(f"the moments are those of seed {seed}")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert unrandom(*arguments, "--runs", whole).returncode == 0
    forks = [sys.executable, "-c", FORKS.format(kills=KILLS), str(killed), str(seed), *arguments]
    reached = subprocess.run(forks, check=True, timeout=PATIENCE, capture_output=True, text=True).stdout.split()
    steps = [int(step) for step in reached]
    assert steps == sorted(set(steps)), f"not every part of the run made headway: {steps}"
    assert steps[-1] < 200, "the run was over before the last kill"
    done = unrandom(*arguments, "--runs", killed)
    assert done.returncode == 0, done.stderr
    assert metrics(killed) == metrics(whole)
    weights = [next(out.glob("*/checkpoints/step-00000200/model.safetensors")).read_bytes() for out in (whole, killed)]
    assert weights[0] == weights[1]
    assert not list(killed.rglob("*.tmp"))


@pytest.fixture
def small_disk(tmp_path, arguments):
    """A file system of one megabyte."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(mounted)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("2026-11-21: a file system of its own can be mounted by root alone")
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


@pytest.mark.slow
def test_a_full_disk_ends_with_one_line_and_nothing_corrupt(small_disk, tmp_path, arguments, capfd):
    def train(out: Path) -> tuple[int, str]:
        """The status and what is said on standard error."""
        status = main([*arguments, "--runs", str(out)])
        return status, capfd.readouterr().err

    arguments = [*arguments, "--set", "model.d_model=32", "--set", "checkpoint_every=2"]
    filler = small_disk / "filler"
    filler.write_bytes(bytes(450_000))
    for _ in range(20):  # fill the disk gradually, so that different writes fail
        status, said = train(small_disk / "runs")
        if status:
            break
        filler.write_bytes(bytes(filler.stat().st_size + 150_000))
        shutil.rmtree(small_disk / "runs")
    assert status, "the disk never filled up"
    assert status == 1
    last = [line for line in said.splitlines() if not line.startswith(("step ", "about ", "memory ", "making "))]
    assert len(last) == 1, said
    assert "No space left on device" in last[0]
    filler.unlink()
    assert train(small_disk / "runs")[0] == 0
    assert train(tmp_path / "runs")[0] == 0
    assert metrics(small_disk / "runs") == metrics(tmp_path / "runs")


def test_an_interrupted_audit_ends_at_once():
    """Standard input holds more than a pipe does, so that the audit has begun when all of it is written."""
    numbers = "".join(f"{secrets.randbits(64)}\n" for _ in range(20_000))
    command = [sys.executable, "-m", "unrandom", "audit", "-", "--max-seconds", "300"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, **pipes) as running:
        running.stdin.write(numbers)
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert err.splitlines()[-1].startswith("unrandom: interrupted")
    assert "Traceback" not in err


@pytest.mark.slow
def test_json_is_alone_on_standard_output(tmp_path, arguments):
    done = unrandom(*arguments, "--set", "steps=4", "--runs", tmp_path, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["steps"] == 4
    assert done.stdout.count("\n") == 1


def test_a_folder_that_may_not_be_written_is_named(tmp_path, arguments):
    if os.geteuid() == 0:  # root may write to all folders except those of /proc
        blocked = Path("/proc/runs")
    else:
        blocked = tmp_path / "blocked"
        blocked.mkdir(mode=0o500)
    done = unrandom(*arguments, "--runs", blocked)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "cannot" in done.stderr
