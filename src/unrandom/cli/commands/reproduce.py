"""`unrandom reproduce` trains, measures, draws and judges experiments, or lists them."""

from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.options import COUNT, RUN, Parser, add_results, add_runs, add_scale, add_workers
from unrandom.core.files import JsonObject

EXAMPLE = "unrandom reproduce fm-staircase fm-primes --scale laptop --seeds 3"


def add(command: Parser) -> None:
    command.add_argument("experiments", metavar="NAME", nargs="*", help="names of experiments (see --list)")
    command.add_argument("--list", action="store_true", help="list the experiments")
    command.add_argument("--all", action="store_true", help="reproduce every experiment")
    add_scale(command)
    command.add_argument("--seeds", type=COUNT, default=3, metavar="K", help="seeds per configuration (3)")
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--run", metavar="RUN", help=f"apply them to this trained run, and write the results into its folder: {RUN}"
    )
    source.add_argument(
        "--archived", action="store_true", help="measure the archived models beside the results, without training"
    )
    source.add_argument(
        "--from-tables", action="store_true", help="draw and judge again from the saved tables, without measuring"
    )
    source.add_argument(
        "--add",
        action="store_true",
        help="keep what the saved tables have of each run; train the other runs only, and measure the finished ones",
    )
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="print what training the missing runs would cost, computed from their operations; train and write nothing",
    )
    add_runs(command)
    add_results(command)
    add_workers(command, then="the same command continues the run that was stopped, and then judges")


def run(arguments: Namespace) -> Answer:
    if arguments.list:
        return list_experiments(arguments.experiments, arguments.results)
    from unrandom.cli.reproduction import reproduce

    return reproduce(arguments)


def list_experiments(names: list[str], results: Path) -> Answer:
    """The named experiments, or all: what each is about, the minutes of its runs, the scales of its results."""
    from unrandom.core.quantities import duration
    from unrandom.experiments.catalogue import CATALOGUE, entry

    entries = [entry(name) for name in names] or list(CATALOGUE.values())
    listed: list[JsonObject] = [
        {
            "name": each.name,
            "half": each.section,
            "about": each.about,
            "figures": list(each.figures),
            "core_minutes": each.minutes,
            "measured": [path.parent.parent.name for path in sorted(results.glob(f"*/{each.name}/made.json"))],
        }
        for each in entries
    ]
    places = [f" (measured: {', '.join(each['measured'])})" if each["measured"] else "" for each in listed]
    minutes = [duration(60 * each.minutes) if each.minutes else "-" for each in entries]
    table = [
        [each.name, time, f"{each.about}{place}"] for each, time, place in zip(entries, minutes, places, strict=True)
    ]
    note = (
        "times are for training at scale laptop with three seeds, on one core of a CPU, within a factor of two; "
        "experiments share runs, and --dry-run says what is left to train"
    )
    return {"experiments": listed}, "\n".join([*aligned(table), note])
