"""What does `unrandom reproduce` do? It trains, measures, draws and judges experiments, or lists them."""

from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer
from unrandom.cli.options import RUN, Parser, add_results, add_scale, add_workers, at_least

EXAMPLE = "unrandom reproduce fm-staircase fm-primes --scale laptop --seeds 3"


def add(command: Parser) -> None:
    """What can be typed."""
    command.add_argument("experiments", metavar="NAME", nargs="*", help="experiments (see --list)")
    command.add_argument("--list", action="store_true", help="list the experiments")
    command.add_argument("--all", action="store_true", help="every experiment")
    add_scale(command)
    command.add_argument("--seeds", type=at_least(int, 1), default=3, metavar="K", help="seeds of each run (3)")
    source = command.add_mutually_exclusive_group()
    source.add_argument("--run", metavar="RUN", help=f"measure this run instead, into its own folder: {RUN}")
    source.add_argument(
        "--archived", action="store_true", help="measure the models saved beside the results; train nothing"
    )
    source.add_argument(
        "--from-tables", action="store_true", help="draw and judge again from the saved tables; measure nothing"
    )
    command.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
    add_results(command)
    add_workers(
        command,
        then="the same command goes on. With --scale gpu, what fits is planned by measured speed; without "
        "names, the runs most worth having come first",
    )


def run(arguments: Namespace) -> Answer:
    """Train what is missing, then measure, draw and judge each experiment; or list them."""
    if arguments.list:
        return list_experiments(arguments.results)
    from unrandom.experiments.timed_training import WITHOUT_NAMES

    named = arguments.all or arguments.experiments or arguments.run or arguments.archived or arguments.from_tables
    if arguments.max_minutes is not None and arguments.scale in WITHOUT_NAMES and not named:
        return by_priority(arguments)  # apart from the rest, which draws: where a GPU is lent, that may be missing
    from unrandom.cli.reproduction import reproduce

    return reproduce(arguments)


def list_experiments(results: Path) -> Answer:
    """Every experiment with the paper's figures that it answers to, and the scales at which it was measured."""
    from unrandom.experiments.catalogue import CATALOGUE

    listed = [
        {
            "name": entry.name,
            "half": entry.half,
            "about": entry.about,
            "figures": list(entry.figures),
            "measured": [path.parent.parent.name for path in sorted(results.glob(f"*/{entry.name}/made.json"))],
        }
        for entry in CATALOGUE.values()
    ]
    width = max(len(entry.name) for entry in CATALOGUE.values())
    lines = [
        f"{entry['name']:<{width}}  {entry['about']} (measured: {', '.join(entry['measured']) or 'nowhere yet'})"
        for entry in listed
    ]
    return {"experiments": listed}, "\n".join(lines)


def by_priority(arguments: Namespace) -> Answer:
    """Without names, and with a time: the runs that are most worth having."""
    from unrandom.cli.launcher import launcher_of
    from unrandom.cli.progress import TrainingProgress, say
    from unrandom.experiments.timed_training import TimedCommand, train_by_priority

    asked = TimedCommand(
        arguments.scale, arguments.results, arguments.seeds, launcher_of(arguments), say, TrainingProgress
    )
    answer = train_by_priority(asked)
    lines = []
    for row in answer["runs"]:
        accuracy = row["last_number_accuracy"]
        said = "nothing measured yet" if accuracy is None else f"{accuracy:.3f} of last numbers right"
        lines.append(f"{row['run']}  step {row['steps']:,} of {row['of']:,}  {said}")
    return answer, "\n".join([*lines, f"plan  {answer['plan']}", f"archived  {answer['archived']}"])
