"""Options that several commands share: of configurations, runs, workers, scales and results.

This module imports nothing heavy.
"""

import argparse
from pathlib import Path
from typing import Any, NoReturn

from unrandom.core.errors import one_line
from unrandom.core.names import ENGINES, LOGS, SCALES

LONGEST_NUMBER = 40  # characters


def within(kind: type, least: int | float, most: int | float) -> Any:
    """An argparse type: a number from ``least`` to ``most``."""

    def convert(text: str) -> Any:
        if len(text) > LONGEST_NUMBER:
            raise argparse.ArgumentTypeError(f"{text[:LONGEST_NUMBER]}... is no number of an option")
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} was given; {least:,} to {most:,} are allowed")
        return value

    convert.__name__ = kind.__name__  # argparse prints it in "invalid int value"
    return convert


def PATH(text: str) -> Path:
    """An argparse type: a path, which an empty text is not."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; a path is needed")
    return Path(text)


SEED = within(int, 0, 2**32 - 1)
COUNT = within(int, 1, 100_000)  # seeds, grid points, workers, threads or runs together
GPUS = within(float, 0.0, 100_000.0)
SEQUENCES = within(int, 1, 2**20)  # of a test, whose predictions are all in memory
PREDICTED = within(int, 1, 100_000)  # numbers
MINUTES = within(float, 0.0, 527_040.0)  # up to a year
SECONDS = within(float, 0.0, 60 * 527_040.0)

TASK = "a user-defined task, as my_task.py:MyTask; its code is imported only if it is named here"
RUN = (
    "a model that comes with the package (see unrandom models), or a run of your own: its folder, its id or a unique "
    "prefix of it, RECIPE:newest, or latest"
)


class Parser(argparse.ArgumentParser):
    """An argparse parser that prints errors as one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{one_line(f'{self.prog}: {message}')} (see {self.prog} --help)\n")


def add_assignments(command: Parser) -> None:
    command.add_argument(
        "--set",
        metavar="KEY=VALUE",
        dest="assignments",
        action="append",
        default=[],
        help="change a configuration key, e.g. model.depth=2 (repeatable)",
    )


def add_configuration(command: Parser) -> None:
    add_assignments(command)
    command.add_argument("--seed", type=SEED, metavar="S", help="root seed, the same as --set seed=S")
    add_runs(command)


def add_run(command: Parser) -> None:
    command.add_argument("run", metavar="RUN", help=RUN)
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)
    add_runs(command)


def add_device(command: Parser) -> None:
    command.add_argument(
        "--device", metavar="D", help="train on it: cpu, cuda, cuda:1 or mps (CUDA if there is any, else MPS, else CPU)"
    )


def add_reading(command: Parser, *, audits: bool = False) -> None:
    """Add the options of reading numbers; some of them only for a command that ``audits`` these."""
    from unrandom.auditing.reading.options import options

    group = command.add_argument_group("reading")
    for one in options():
        if one.metadata.get("of_audits", False) and not audits:
            continue
        about: dict[str, Any] = {key: one.metadata.get(key) for key in ("metavar", "choices")}
        if one.default is False:
            about = {"action": "store_true"}
        group.add_argument(f"--{one.name}", help=one.metadata["help"], **about)


def add_max_minutes(command: Parser, then: str = "resume continues from there") -> None:
    """Add ``--max-minutes``, which ends training early; ``then`` says how to continue."""
    command.add_argument(
        "--max-minutes", type=MINUTES, metavar="X", help=f"save and stop training after X minutes; {then}"
    )


def add_log(command: Parser) -> None:
    command.add_argument(
        "--log",
        metavar="NAME",
        choices=LOGS,
        action="append",
        default=[],
        help="also write each evaluation, in the run folder, as csv, for tensorboard, or for wandb (offline unless "
        "WANDB_MODE says otherwise; repeatable)",
    )


def add_workers(command: Parser, then: str = "the same command continues") -> None:
    command.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="what trains the runs: processes of this machine, a Ray cluster or Slurm (local)",
    )
    command.add_argument("--workers", type=COUNT, metavar="N", help="worker processes at a time (as many as fit)")
    command.add_argument(
        "--threads", type=COUNT, metavar="N", help="torch threads per worker (1; with one worker: all)"
    )
    command.add_argument("--gpus-per-run", type=GPUS, metavar="F", help="GPUs per worker, e.g. 0.25")
    command.add_argument(
        "--pack", type=COUNT, default=1, metavar="N", help="small runs trained together in one process (1)"
    )
    add_max_minutes(command, then=then)
    command.add_argument(
        "--slurm",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="submitit parameter for --engine slurm, e.g. partition=gpu or timeout_min=240 (repeatable)",
    )


def add_scale(command: Parser) -> None:
    command.add_argument("--scale", choices=SCALES, default="laptop", help="size of the experiments (laptop)")


def add_results(command: Parser) -> None:
    about = "folder of saved results (results)"
    command.add_argument("--results", type=PATH, default=Path("results"), metavar="DIR", help=about)


def add_runs(command: Parser) -> None:
    command.add_argument("--runs", type=PATH, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
