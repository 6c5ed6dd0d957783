"""Which options do several commands share? It imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Any, NoReturn

TASK = "a task of your own, as my_task.py:MyTask: its code is imported only where it is named"
RUN = "a run folder, a recipe's name (its newest run), a unique beginning of a run's name, or latest"


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def add_assignments(command: Parser) -> None:
    """Lets ``--set`` change keys of the configuration."""
    command.add_argument(
        "--set",
        metavar="KEY=VALUE",
        dest="assignments",
        action="append",
        default=[],
        help="change a configuration key, e.g. model.depth=2 (repeatable)",
    )


def add_configuration(command: Parser) -> None:
    """What decides the configuration of a run, and where its folder is."""
    add_assignments(command)
    command.add_argument("--seed", type=at_least(int, 0), help="root seed; the same as --set seed=S")
    command.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")


def add_run(command: Parser) -> None:
    """The run that a command is about, and the user's task that it may have."""
    command.add_argument("run", metavar="RUN", help=RUN)
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)


def add_max_minutes(command: Parser, then: str = "resume goes on from there") -> None:
    """Lets ``--max-minutes`` end training early."""
    command.add_argument(
        "--max-minutes",
        type=at_least(float, 0.0),
        metavar="X",
        help=f"save and stop after this long; {then}",
    )


def add_workers(command: Parser, then: str = "the same command goes on") -> None:
    """Where and how many runs are trained at a time."""
    engines = ("local", "ray", "slurm")
    command.add_argument("--engine", choices=engines, default="local", help="where the runs are trained (local)")
    command.add_argument("--workers", type=at_least(int, 1), metavar="N", help="runs at a time (as many as fit)")
    command.add_argument("--threads", type=at_least(int, 1), metavar="N", help="threads of each (1; one worker: all)")
    command.add_argument("--gpus-per-run", type=at_least(float, 0.0), metavar="F", help="GPUs of each, e.g. 0.25")
    command.add_argument("--pack", type=at_least(int, 1), default=1, metavar="N", help="tiny runs stacked in each (1)")
    add_max_minutes(command, then=then)
    command.add_argument(
        "--slurm",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="for --engine slurm, e.g. partition=gpu or timeout_min=240 (repeatable)",
    )


def add_scale(command: Parser) -> None:
    """Lets ``--scale`` choose how large experiments are."""
    scales = ("smoke", "laptop", "gpu", "paper")
    command.add_argument("--scale", choices=scales, default="laptop", help="how large (laptop)")


def add_results(command: Parser) -> None:
    """Lets ``--results`` say where results are kept."""
    folder = Path("results")
    command.add_argument("--results", type=Path, default=folder, metavar="DIR", help="where results are kept (results)")


def at_least(kind: type, least: int | float) -> Any:
    """A type of argument: a number that is not below ``least``."""

    def convert(text: str) -> Any:
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text} was given; {least} or more is allowed")
        return value

    convert.__name__ = kind.__name__  # argparse names it in "invalid int value"
    return convert
