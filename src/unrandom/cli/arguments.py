"""What can be typed? Every command with its options and an example. It imports nothing heavy."""

import argparse
import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from unrandom import __version__

TASK = "a task of your own, as my_task.py:MyTask: its code is imported only where it is named"
RUN = "a run folder, a recipe's name (its newest run), a unique beginning of a run's name, or latest"


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command. No command at all is answered with the help."""
    parser = Parser(
        prog="unrandom",
        description="Teach Transformers to predict pseudo-random numbers, and look at how they do it.",
        epilog="Start with: unrandom demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"unrandom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for add in (
        _demo,
        _train,
        _resume,
        _sweep,
        _evaluate,
        _predict,
        _report,
        _reproduce,
        _claims,
        _speedrun,
        _audit,
        _bench,
    ):
        add(commands)
    if not argv:
        parser.print_help()
        parser.exit(0)
    if not argv[0].startswith("-") and argv[0] not in commands.choices:
        parser.error(_no_such_command(argv[0], commands.choices))
    return parser.parse_args(argv)


def _no_such_command(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    return f"no command is called {word!r}" + (f"; near misses: {', '.join(near)}" if near else "")


def _command(commands: Any, name: str, about: str, example: str) -> Parser:
    command = commands.add_parser(
        name,
        help=about,
        description=about,
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("--json", action="store_true", help="print one JSON object on standard output, nothing else")
    return command


def _assignments(command: Parser) -> None:
    command.add_argument(
        "--set",
        metavar="KEY=VALUE",
        dest="assignments",
        action="append",
        default=[],
        help="change a configuration key, e.g. model.depth=2 (repeatable)",
    )


def _configuration(command: Parser) -> None:
    _assignments(command)
    command.add_argument("--seed", type=_at_least(int, 0), help="root seed; the same as --set seed=S")
    command.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")


def _run_folder(command: Parser) -> None:
    command.add_argument("run", metavar="RUN", help=RUN)
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)


def _demo(commands: Any) -> None:
    example = "unrandom demo"
    command = _command(commands, "demo", "train a model in about a minute and write a report of its insides", example)
    _configuration(command)


def _train(commands: Any) -> None:
    example = "unrandom train fm-256 --set model.depth=2 --seed 1"
    command = _command(commands, "train", "train a recipe; go on where an earlier try stopped", example)
    command.add_argument(
        "recipe", metavar="RECIPE", nargs="?", help="a recipe's name (see --list), or a task as my_task.py:MyTask"
    )
    command.add_argument("--list", action="store_true", help="list the recipes with their cost")
    _configuration(command)
    command.add_argument(
        "--start-from",
        metavar="RUN",
        help=f"begin with the weights of this run (trained first if need be), of a smaller modulus, say: {RUN}",
    )
    _max_minutes(command)


def _resume(commands: Any) -> None:
    command = _command(commands, "resume", "go on with a run that was stopped", "unrandom resume runs/fm-256-1a2b3c4d")
    _run_folder(command)
    _max_minutes(command)


def _max_minutes(command: Parser, then: str = "resume goes on from there") -> None:
    command.add_argument(
        "--max-minutes",
        type=_at_least(float, 0.0),
        metavar="X",
        help=f"save and stop after this long; {then}",
    )


def _sweep(commands: Any) -> None:
    example = "unrandom sweep fm-256 --grid model.depth=1,2 --grid model.n_heads=1,2,4 --seeds 2"
    about = "train every combination of settings, choose by validation, and draw a map of the test"
    command = _command(commands, "sweep", about, example)
    command.add_argument(
        "recipe", metavar="RECIPE", help="a recipe's name (see train --list), or a task as my_task.py:MyTask"
    )
    command.add_argument(
        "--grid",
        metavar="KEY=V1,V2,...",
        action="append",
        required=True,
        help="values of a configuration key; the first two keys are the map's axes, the others are tuned (repeatable)",
    )
    _configuration(command)
    command.add_argument("--seeds", type=_at_least(int, 1), default=1, metavar="K", help="seeds of each cell (1)")
    _workers(command)
    command.add_argument(
        "--sequences", type=_at_least(int, 1), default=1024, metavar="N", help="sequences a modulus, to measure (1024)"
    )
    command.add_argument("--dry-run", action="store_true", help="say what would run and what it costs; write nothing")


def _workers(command: Parser, then: str = "the same command goes on") -> None:
    engines = ("local", "ray", "slurm")
    command.add_argument("--engine", choices=engines, default="local", help="where the runs are trained (local)")
    command.add_argument("--workers", type=_at_least(int, 1), metavar="N", help="runs at a time (as many as fit)")
    command.add_argument("--threads", type=_at_least(int, 1), metavar="N", help="threads of each (1; one worker: all)")
    command.add_argument("--gpus-per-run", type=_at_least(float, 0.0), metavar="F", help="GPUs of each, e.g. 0.25")
    command.add_argument("--pack", type=_at_least(int, 1), default=1, metavar="N", help="tiny runs stacked in each (1)")
    _max_minutes(command, then=then)
    command.add_argument(
        "--slurm",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="for --engine slurm, e.g. partition=gpu or timeout_min=240 (repeatable)",
    )


def _evaluate(commands: Any) -> None:
    example = "unrandom evaluate runs/fm-256-1a2b3c4d --sequences 4096"
    about = "accuracy by position, by digit, and by how hard sequences are, on what training never saw"
    command = _command(commands, "evaluate", about, example)
    _run_folder(command)
    command.add_argument(
        "--modulus", metavar="M", help="one modulus, of your own perhaps, instead of the run's test moduli"
    )
    command.add_argument(
        "--predictors",
        metavar="NAME,NAME,...",
        help="set the model beside these, and draw it: copy, lookback-copy, lookback, lookback:J (order J, as in "
        "lookback:3), algebraic, bayes",
    )
    command.add_argument("--sequences", type=_at_least(int, 1), default=1024, metavar="N", help="sequences (1024)")


def _predict(commands: Any) -> None:
    example = "seq 3 7 255 | unrandom predict fm-256 - -n 3"
    command = _command(commands, "predict", "the next numbers of a sequence, with probabilities", example)
    _run_folder(command)
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="numbers, one a line; or one sequence a line, separated by spaces or commas; - is standard input",
    )
    command.add_argument("-n", type=_at_least(int, 1), default=1, dest="count", metavar="K", help="how many (1)")


def _report(commands: Any) -> None:
    about = "measure a run and write its report, one HTML file"
    command = _command(commands, "report", about, "unrandom report runs/fm-256-1a2b3c4d")
    _run_folder(command)


def _reproduce(commands: Any) -> None:
    example = "unrandom reproduce fm-ladder fm-primes --scale laptop --seeds 3"
    command = _command(commands, "reproduce", "make a figure of the paper, its numbers, and a verdict", example)
    command.add_argument("experiments", metavar="NAME", nargs="*", help="experiments (see --list)")
    command.add_argument("--list", action="store_true", help="list the experiments")
    command.add_argument("--all", action="store_true", help="every experiment")
    _scale(command)
    command.add_argument("--seeds", type=_at_least(int, 1), default=3, metavar="K", help="seeds of each run (3)")
    source = command.add_mutually_exclusive_group()
    source.add_argument("--run", metavar="RUN", help=f"measure this run instead, into its own folder: {RUN}")
    source.add_argument(
        "--kept", action="store_true", help="measure the models saved beside the results; train nothing"
    )
    source.add_argument(
        "--from-tables", action="store_true", help="draw and judge again from the saved tables; measure nothing"
    )
    command.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
    _results(command)
    _workers(
        command,
        then="the same command goes on. With --scale gpu, what fits is planned by measured speed; without "
        "names, the runs most worth having come first",
    )


def _claims(commands: Any) -> None:
    example = "unrandom claims --scale laptop --write docs/results.md"
    command = _command(commands, "claims", "every claim of the paper with its measured value and verdict", example)
    _scale(command)
    _results(command)
    command.add_argument(
        "--write", type=Path, metavar="FILE", help="write the claims with their figures as Markdown, or as HTML (.html)"
    )


def _speedrun(commands: Any) -> None:
    example = "unrandom speedrun fm-256 --set steps=400 --set optimizer.muon_lr=0.1"
    about = "the least training compute to a fixed target: show the records, or race a candidate against one"
    command = _command(commands, "speedrun", about, example)
    command.add_argument("track", metavar="TRACK", nargs="?", help="a track (all of them are shown)")
    _assignments(command)
    command.add_argument(
        "--from",
        dest="begin_with",
        metavar="NAME",
        help="the candidate begins as this record, as the paper's recipe (paper) or as today's (house), and --set "
        "changes it (the standing record)",
    )
    command.add_argument(
        "--against", metavar="NAME", help="what to race: a record, paper or house (the standing record)"
    )
    command.add_argument("--seeds", type=_at_least(int, 1), metavar="K", help="seeds of both (what the track asks for)")
    command.add_argument("--pack", type=_at_least(int, 1), metavar="N", help="seeds side by side (1)")
    command.add_argument("--threads", type=_at_least(int, 1), metavar="N", help="threads (as many as torch takes)")
    command.add_argument("--name", metavar="NAME", help="what the race is to be called, if it is kept")
    command.add_argument(
        "--keep", metavar="WORDS", help="keep the race with the records; say in words what was changed"
    )
    command.add_argument("--write", type=Path, metavar="FILE", help="write the page of all records as Markdown")
    command.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
    _results(command)
    _max_minutes(command, then="the same command goes on")


def _scale(command: Parser) -> None:
    scales = ("smoke", "laptop", "gpu", "paper")
    command.add_argument("--scale", choices=scales, default="laptop", help="how large (laptop)")


def _results(command: Parser) -> None:
    folder = Path("results")
    command.add_argument("--results", type=Path, default=folder, metavar="DIR", help="where results are kept (results)")


def _audit(commands: Any) -> None:
    example = "unrandom audit outputs.txt --max-seconds 20"
    about = "can a stream of numbers be predicted, by what, from how many, and what comes next"
    command = _command(commands, "audit", about, example)
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="whole numbers, 0x numbers or fractions from 0 to 1, in their order; - is standard input",
    )
    command.add_argument("--modulus", metavar="M", help="the modulus of the generator, if it is known, e.g. 2^32")
    command.add_argument("--bits", metavar="B", help="the width of the numbers (that of the largest one)")
    command.add_argument("--bounded", metavar="N", help="outputs were reduced to 0 ... N-1, as by x %% N or nextInt(N)")
    command.add_argument("--family", metavar="NAME", help="try this family of generators only")
    command.add_argument("--raw", choices=("u32", "u64"), help="little-endian words instead of text")
    command.add_argument("--column", metavar="C", help="of a table, the column with this heading or number")
    command.add_argument(
        "--max-seconds", type=_at_least(float, 0.0), default=60.0, metavar="S", help="time for the search (60)"
    )


def _bench(commands: Any) -> None:
    example = "unrandom bench train --recipe fm-2048 --set batch_size=8"
    command = _command(commands, "bench", "measure speed as ratios to baselines and ceilings of the same run", example)
    command.add_argument(
        "what",
        choices=("data", "train", "evaluate", "sweep", "scaling", "predictors", "device"),
        help="device: not how fast, but whether all that training needs works here, and is right",
    )
    command.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="for all but data and predictors (fm-256; for scaling fm-base256, smaller on a CPU; for device fm-2048 "
        "on a GPU)",
    )
    _assignments(command)


def _at_least(kind: type, least: int | float) -> Any:
    def convert(text: str) -> Any:
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text} was given; {least} or more is allowed")
        return value

    convert.__name__ = kind.__name__  # argparse names it in "invalid int value"
    return convert
