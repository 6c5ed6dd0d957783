"""The first Ctrl-C ends training after a step, saves it and says where it stood; the second one ends it at once."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sweeping import PATIENCE, children, steps_measured, synchronize
from unrandom.core.interrupts import NOTICE, Interrupted, interruptible
from unrandom.core.run_folder import RunFolder

ROOT = Path(__file__).parents[2]
STOOD = re.compile(r"(\S+) is saved at step ([\d,]+) of [\d,]+")
ENDLESS = {"steps": 10**6, "evaluate_every": 10**6, "checkpoint_every": 10**6}

# A step that no signal ends, as on a slow machine.
STUCK = """
import sys, time
from unrandom.cli import main
from unrandom.training.loop import SingleStepper
SingleStepper.advance = lambda self: time.sleep(10_000)
sys.exit(main(sys.argv[1:]))
"""


def started(arguments, *, program=("-m", "unrandom")):
    """The command in a process group of its own, as in a terminal."""
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def training(out: Path) -> list[Path]:
    """The folders of runs that have begun; their metrics file is made before the first step."""
    return [path.parent for path in out.rglob("metrics.jsonl")]


def interrupted(arguments, out: Path) -> str:
    """What a command says that is interrupted in its training, as Ctrl-C does it: in all processes of the terminal."""
    with started([*arguments, "--out", out]) as running:
        synchronize(lambda: training(out))
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    assert NOTICE in said
    return said.splitlines()[-1]


@pytest.mark.parametrize("command", ["train", "demo", "resume", "sweep", "stacked sweep", "reproduce", "speedrun"])
def test_a_command_that_is_interrupted_saves_and_says_where_it_stood(command, tmp_path, tiny_settings):
    settings, grid = tiny_settings(**ENDLESS), ["--grid", "optimizer.lr=1e-3,2e-3"]
    arguments = {
        "train": ["train", "fm-256", *settings],
        "demo": ["demo", *settings],
        "resume": ["train", "fm-256", *settings],
        "sweep": ["sweep", "fm-256", *settings, *grid, "--workers", 2],
        "stacked sweep": ["sweep", "fm-256", *settings, *grid, "--workers", 1, "--pack", 2],
        "reproduce": ["reproduce", "fm-staircase", "--seeds", 1, "--results", tmp_path / "results"],
        "speedrun": ["speedrun", "fm-256", "--set", "gradient_clip=2", "--seeds", 1, "--results", ROOT / "results"],
    }[command]
    runs = tmp_path / "runs"
    last = interrupted(arguments, runs)
    assert last.startswith("unrandom: interrupted: "), last
    assert last.endswith("; the same command continues")
    stood = {name.rpartition("/")[2]: int(step.replace(",", "")) for name, step in STOOD.findall(last)}
    assert stood, last
    for name, step in stood.items():
        (checkpoint,) = runs.rglob(f"{name}/checkpoints/step-*")
        assert checkpoint.name == f"step-{step:08d}" != "step-00000000"
    assert not list(runs.glob(".stop-*"))
    if command == "resume":  # what was saved is where it goes on
        (run,) = training(runs)
        with started(["resume", run]) as again:
            next(line for line in again.stderr if line.startswith("making the data"))
            os.killpg(again.pid, signal.SIGINT)
            _, said = again.communicate(timeout=PATIENCE)
        assert int(STOOD.findall(said)[0][1].replace(",", "")) > stood[run.name]


def test_an_interrupt_while_workers_are_made_is_one_line(tmp_path, tiny_settings):
    """The server that forks workers imports torch at first, for seconds."""
    arguments = ["sweep", "fm-256", *tiny_settings(**ENDLESS), "--grid", "optimizer.lr=1e-3,2e-3", "--out", tmp_path]
    with started(arguments) as running:
        synchronize(lambda: children(running.pid))
        time.sleep(0.3)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("unrandom: interrupted: ")


def test_a_run_that_was_interrupted_ends_as_one_that_was_not(tmp_path, tiny_settings):
    arguments = ["train", "fm-256", *tiny_settings(steps=1000, evaluate_every=10, checkpoint_every=10**6)]

    def losses(out: Path) -> list[dict]:
        (run,) = training(out)
        return [{**row, "seconds": 0} for row in RunFolder(run).read_metrics()]

    with started([*arguments, "--out", tmp_path / "cut"]) as running:
        (run,) = synchronize(lambda: training(tmp_path / "cut"))
        synchronize(lambda: steps_measured(run))
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert 10 <= max(int(path.name[5:]) for path in run.glob("checkpoints/step-*")) < 1000
    for out in ("cut", "whole"):
        with started([*arguments, "--out", tmp_path / out]) as running:
            _, said = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, said
    assert losses(tmp_path / "cut") == losses(tmp_path / "whole")


def test_a_second_interrupt_does_not_wait_for_the_step(tmp_path, tiny_settings):
    arguments = ["train", "fm-256", *tiny_settings(), "--out", tmp_path]
    with started(arguments, program=("-c", STUCK)) as running:
        synchronize(lambda: training(tmp_path))
        os.killpg(running.pid, signal.SIGINT)
        next(line for line in running.stderr if NOTICE in line)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert said.splitlines()[-1].startswith("unrandom: interrupted; the same command continues")


def test_the_first_signal_asks_and_the_second_raises(capsys):
    before, answers = signal.getsignal(signal.SIGINT), []

    def two_signals():
        with interruptible() as asked:
            answers.append(asked())
            signal.raise_signal(signal.SIGINT)
            answers.append(asked())
            signal.raise_signal(signal.SIGINT)

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt):
            two_signals()
        assert answers == [False, True]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert capsys.readouterr().err == f"{NOTICE}\n"
    finally:
        signal.signal(signal.SIGINT, before)


def test_signals_that_others_handle_or_ignore_are_left_to_them():
    before, caught = signal.getsignal(signal.SIGINT), []
    try:
        for handler in (signal.SIG_IGN, lambda *_: caught.append(1)):
            signal.signal(signal.SIGINT, handler)
            with interruptible() as asked:
                signal.raise_signal(signal.SIGINT)
                assert not asked()
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught == [1]


def test_a_thread_can_train():
    found = []

    def work():
        with interruptible() as asked:
            found.append(asked())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]


def test_many_runs_are_counted():
    said = str(Interrupted.at([(f"run-{index}", index, 100) for index in range(1, 12)]))
    assert said.startswith("interrupted: run-1 is saved at step 1 of 100; run-2 ")
    assert said.endswith("run-8 is saved at step 8 of 100; 3 more runs are saved; the same command continues")
    assert str(Interrupted.at([])) == "interrupted: no run was saved since it began; the same command continues"
