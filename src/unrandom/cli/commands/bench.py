"""What does `unrandom bench` do? It measures speed relative to baselines, or checks that a device trains correctly."""

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_assignments

if TYPE_CHECKING:
    from unrandom.bench.device import Outcome

EXAMPLE = "unrandom bench train --recipe fm-2048 --set batch_size=8"


def add(command: Parser) -> None:
    """Register the arguments."""
    command.add_argument(
        "what",
        choices=("data", "train", "evaluate", "sweep", "scaling", "predictors", "device"),
        help="what to benchmark; device checks instead that all operations of training work correctly on this machine",
    )
    command.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="recipe to benchmark; ignored by data and predictors (fm-256; for scaling fm-base256, narrower on a CPU; "
        "for device fm-2048 on a GPU)",
    )
    add_assignments(command)


def run(arguments: Namespace) -> Answer:
    """Run one benchmark, or the checks of the device."""
    from unrandom import bench
    from unrandom.cli.progress import working
    from unrandom.runs.recipes import recipe

    if arguments.what == "device":
        chosen = bench.for_this_device() if arguments.recipe is None else recipe(arguments.recipe).build()
        return _device_answer(bench.bench_device(chosen.override(arguments.assignments)))
    scaling = arguments.what == "scaling"
    name = arguments.recipe or ("fm-base256" if scaling else "fm-256")
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
    width = max(map(len, measured))
    return measured, "\n".join(f"{key:<{width}}  {value}" for key, value in measured.items())


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
