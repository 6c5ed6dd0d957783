"""`unrandom bench` measures relative speed, checks that a device trains correctly, and tests what audits find."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.commands import BENCHMARKS_OF_AUDITS
from unrandom.cli.options import COUNT, PATH, SECONDS, Parser, add_assignments
from unrandom.core.errors import UserError

if TYPE_CHECKING:
    from unrandom.bench.device import Outcome

EXAMPLE = "unrandom bench train --recipe fm-2048 --set batch_size=8"

TRAINING = ("data", "train", "evaluate", "sweep", "scaling", "predictors")  # benchmarks that need a recipe, or nothing
OPTIONS = {
    "data": (),
    "predictors": (),
    "audit": ("--count", "--only", "--out"),
    "false-positives": ("--count", "--short", "--max-seconds", "--out"),
}
"""The options of the benchmarks that have other ones than ``--recipe`` and ``--set``."""

STREAMS, AUDIT_SECONDS = 2000, 0.1  # of false-positives: streams, and the time limit of an audit


def add(command: Parser) -> None:
    command.add_argument(
        "what",
        choices=(*TRAINING, "device", *BENCHMARKS_OF_AUDITS),
        help="what to benchmark; device checks instead that all operations of training work correctly on this machine, "
        "audit measures what audits need to find known programs, false-positives whether they find nothing in "
        "unpredictable numbers",
    )
    command.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="recipe to benchmark (fm-256; for scaling fm-base256, narrower on a CPU; for device fm-2048 on a GPU)",
    )
    add_assignments(command)
    audits = command.add_argument_group("audit and false-positives")
    audits.add_argument("--count", type=COUNT, metavar="N", help="seeds per row (30), or streams (2000)")
    audits.add_argument("--only", default="", metavar="TEXT", help="only rows whose name contains this (audit)")
    audits.add_argument("--short", action="store_true", help="streams of 3 to 30 numbers (false-positives)")
    audits.add_argument(
        "--max-seconds", type=SECONDS, metavar="S", help="time limit of an audit (false-positives: 0.1)"
    )
    audits.add_argument(
        "--out", type=PATH, metavar="FILE", help="JSON file of the results; one that exists is completed"
    )


def run(arguments: Namespace) -> Answer:
    _check_options(arguments)
    if arguments.what == "audit":
        return _audit(arguments)
    if arguments.what == "false-positives":
        return _false_positives(arguments)
    from unrandom import bench
    from unrandom.cli.progress import working
    from unrandom.runs.recipes import recipe

    if arguments.what == "device":
        chosen = bench.for_this_device() if arguments.recipe is None else recipe(arguments.recipe).build()
        return _device_answer(bench.bench_device(chosen.override(arguments.assignments)))
    scaling = arguments.what == "scaling"
    usual = "fm-base256" if scaling else "fm-256"
    name = usual if arguments.recipe is None else arguments.recipe
    smaller = bench.on_this_machine() if scaling and arguments.recipe is None else {}
    config = recipe(name).build().replace(**smaller).override(arguments.assignments)
    benches = {
        "data": bench.bench_data,
        "train": lambda: bench.bench_training(config),
        "evaluate": lambda: bench.bench_evaluation(config),
        "sweep": lambda: bench.bench_sweep(config),
        "scaling": lambda: bench.bench_scaling(config),
        "predictors": bench.bench_predictors,
    }
    with working("measuring"):
        measured = benches[arguments.what]()
    return measured, _lines(measured)


def _check_options(arguments: Namespace) -> None:
    given = {
        "--recipe": arguments.recipe,
        "--set": arguments.assignments,
        "--count": arguments.count,
        "--only": arguments.only,
        "--short": arguments.short or None,
        "--max-seconds": arguments.max_seconds,
        "--out": arguments.out,
    }
    used = OPTIONS.get(arguments.what, ("--recipe", "--set"))
    if unused := [option for option, value in given.items() if value not in (None, "", []) and option not in used]:
        raise UserError(f"bench {arguments.what} does not use {unused[0]}; it has {', '.join(used) or 'no options'}")


def _audit(arguments: Namespace) -> Answer:
    from unrandom.auditing.benchmark.audits import RUNS, bench_audit
    from unrandom.cli.progress import say

    results = bench_audit(arguments.count or RUNS, arguments.only, arguments.out, say)
    lines = {
        name: f"{row['predicted']} of {row['runs']} predicted, {row['wrong']} wrong; outputs needed {row['needed']}, "
        f"seconds {row['seconds']} (median and worst), {row['memory_mb']} MB"
        for name, row in results["audits"].items()
    } | {
        name: f"{row['right']} of {row['runs']} right; {row['seconds']} s, an audit {row['audit_seconds']} s"
        if row["installed"]
        else "not installed"
        for name, row in results["peers"].items()
    }
    return results, _lines(lines)


def _false_positives(arguments: Namespace) -> Answer:
    from unrandom.auditing.benchmark.false_positives import bench_false_positives, predicted
    from unrandom.cli.progress import counting

    count = arguments.count or STREAMS
    seconds = AUDIT_SECONDS if arguments.max_seconds is None else arguments.max_seconds
    with counting("auditing", count) as watch:
        results = bench_false_positives(count, seconds, arguments.out, watch, short=arguments.short)
    forms = len(next(iter(results["verdicts"].values())))
    text = f"{results['streams']} streams in {forms} forms each: {len(predicted(results))} called predictable"
    return results, "\n".join([text, *predicted(results)])


def _lines(measured: Mapping[str, object]) -> str:
    return "\n".join(aligned([[key, str(value)] for key, value in measured.items()]))


def _device_answer(outcomes: Iterator["Outcome"]) -> Answer:
    """One line per check of the device; each outcome is also printed on standard error as soon as it is known."""
    from unrandom.cli.progress import say

    done = []
    for outcome in outcomes:
        done.append(outcome)
        say(f"{outcome.check}: {outcome.result}")
    width = max(len(outcome.check) for outcome in done)
    text = "\n".join(f"{outcome.result:<10}  {outcome.check:<{width}}  {outcome.message}" for outcome in done)
    failed = [outcome.check for outcome in done if outcome.result == "not passed"]
    return {"checks": [vars(outcome) for outcome in done], "not_passed": failed}, text
