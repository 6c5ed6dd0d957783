"""The first Ctrl-C ends training after a step, saves it and says where it stood; the second one ends it at once."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sweeping import PATIENCE, children, steps_measured, synchronize
from tiers import nightly_but, slow
from unrandom.core.interrupts import NOTICE, Interrupted, interruptible, raised_once
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
    with started([*arguments, "--runs", out]) as running:
        synchronize(lambda: training(out))
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    assert NOTICE in said
    return said.splitlines()[-1]


@pytest.mark.parametrize(
    "command",
    ["train", *slow("sweep", "demo", "resume", "stacked sweep", "reproduce", "speedrun")],
)
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


@pytest.mark.slow
def test_an_interrupt_while_workers_are_made_is_one_line(tmp_path, tiny_settings):
    """The server that forks workers imports torch at first, for seconds."""
    arguments = ["sweep", "fm-256", *tiny_settings(**ENDLESS), "--grid", "optimizer.lr=1e-3,2e-3", "--runs", tmp_path]
    with started(arguments) as running:
        synchronize(lambda: children(running.pid))
        time.sleep(0.3)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, said
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("unrandom: interrupted: ")


@pytest.mark.nightly
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(tmp_path, tiny_settings):
    arguments = ["train", "fm-256", *tiny_settings(steps=1000, evaluate_every=10, checkpoint_every=10**6)]

    def losses(out: Path) -> list[dict]:
        (run,) = training(out)
        return [{**row, "seconds": 0} for row in RunFolder(run).read_metrics()]

    with started([*arguments, "--runs", tmp_path / "cut"]) as running:
        (run,) = synchronize(lambda: training(tmp_path / "cut"))
        synchronize(lambda: steps_measured(run))
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert 10 <= max(int(path.name[5:]) for path in run.glob("checkpoints/step-*")) < 1000
    for out in ("cut", "whole"):
        with started([*arguments, "--runs", tmp_path / out]) as running:
            _, said = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, said
    assert losses(tmp_path / "cut") == losses(tmp_path / "whole")


@pytest.mark.slow
def test_a_second_interrupt_does_not_wait_for_the_step(tmp_path, tiny_settings):
    arguments = ["train", "fm-256", *tiny_settings(), "--runs", tmp_path]
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


# Says when SIGINT has its handler, at which the command line is imported.
STARTED = """
import os, sys
def watch(event, arguments):
    if event == "import" and arguments[0] == "unrandom.cli":
        os.close(os.open(os.environ["STARTED"], os.O_CREAT))
sys.addaudithook(watch)
"""
SCRIPT = "import sys; from unrandom.__main__ import main; sys.exit(main())"  # as an installed one
MOMENTS = 12  # in all, of the commands in turn


def at_random_moments() -> list[tuple[str, str, float]]:
    """A command, how it is started, and the moment of an interrupt, as a share of its time."""
    drawn, commands = random.Random(7), ("train", "report", "sweep", "audit", "slurm", "evaluate")
    return [
        (commands[index % len(commands)], drawn.choice(("module", "script")), drawn.random() ** 2)
        for index in range(MOMENTS)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "how", "moment"),
    nightly_but(
        [moment for moment in at_random_moments() if moment[0] in ("report", "audit")][:2], at_random_moments()
    ),
)
def test_an_interrupt_at_any_moment_is_status_130_and_one_line(
    command, how, moment, tmp_path, tiny_settings, finished_run
):
    grid = ["--grid", "optimizer.lr=1e-3,2e-3", "--workers", 2]
    arguments, seconds = {
        "train": (["train", "fm-256", *tiny_settings(**ENDLESS | {"evaluate_every": 50})], 12),
        "report": (["report", finished_run.folder.path], 4),
        "sweep": (["sweep", "fm-256", *tiny_settings(**ENDLESS), *grid], 12),
        "slurm": (["sweep", "fm-256", *tiny_settings(**ENDLESS), *grid, "--engine", "slurm"], 12),
        "audit": (["audit", tmp_path / "numbers"], 3),
        "evaluate": (["evaluate", finished_run.folder.path, "--sequences", 100_000], 5),
    }[command]
    if command == "slurm":
        pytest.importorskip("submitit", reason="the sweep extra is not installed")
        arguments += ["--slurm", "cluster=local"]
    if command in ("train", "sweep", "slurm"):
        arguments += ["--runs", tmp_path / "runs"]
    drawn = random.Random(3)
    (tmp_path / "numbers").write_text("\n".join(str(drawn.getrandbits(31)) for _ in range(3000)))
    (tmp_path / "sitecustomize.py").write_text(STARTED)
    program = ["-m", "unrandom"] if how == "module" else ["-c", SCRIPT]
    paths = filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")])
    with subprocess.Popen(
        [sys.executable, "-P", *program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "STARTED": str(tmp_path / "started"), "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
    ) as running:
        synchronize((tmp_path / "started").exists)
        with suppress(subprocess.TimeoutExpired):
            running.wait(moment * seconds)
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGINT)
        out, said = running.communicate(timeout=PATIENCE)
    results = [line for line in said.splitlines() if line.startswith("unrandom: ") and line != NOTICE]
    if not results:  # it had done its work, and an audit's verdict is a status
        assert out
        assert running.returncode not in (1, 2, 130, -signal.SIGINT), said
    else:
        assert running.returncode == 130, said
        assert len(results) == 1, said
        assert results[0].startswith("unrandom: interrupted")
    assert "Traceback" not in said
    assert "Exception ignored" not in said


def test_an_interrupt_that_python_only_reports_is_raised_again():
    class Closed:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with raised_once() as interrupted:
            Closed()
            with pytest.raises(KeyboardInterrupt):
                time.sleep(PATIENCE)
            assert interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


SWALLOWED = """
import signal, sys
from unrandom.__main__ import main
class Command:
    @staticmethod
    def run(arguments):
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            pass
        {then}
import unrandom.cli
unrandom.cli.module_of = lambda name: Command
sys.exit(main())
"""


@pytest.mark.parametrize(
    "then", ["return None", "raise ImportError('no such thing')", "signal.raise_signal(signal.SIGINT)"]
)
def test_an_interrupt_that_a_library_loses_still_counts(then):
    """As a bare `except`, an import that fails instead, and one that is followed by a second one."""
    program = SWALLOWED.format(then=then)
    command = [sys.executable, "-c", program, "models"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert answer.returncode == 130, answer.stderr
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.startswith("unrandom: interrupted; the same command continues")


def test_an_interrupt_in_executed_text_leaves_the_exit_status():
    """Python would end itself by the signal instead, as one went through the last text that it executed."""
    then = "exec('signal.raise_signal(signal.SIGINT)')"
    program = SWALLOWED.replace("            signal.raise_signal(signal.SIGINT)", "            pass").format(then=then)
    answer = subprocess.run([sys.executable, "-c", program, "models"], capture_output=True, text=True, timeout=PATIENCE)
    assert answer.returncode == 130, answer.stderr
    assert answer.stderr.startswith("unrandom: interrupted; ")
