"""What does `unrandom reproduce` do? It trains, measures, draws and judges experiments, or lists them."""

from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer
from unrandom.cli.options import COUNT, PATH, RUN, Parser, add_results, add_scale, add_workers

EXAMPLE = "unrandom reproduce fm-staircase fm-primes --scale laptop --seeds 3"


def add(command: Parser) -> None:
    """Register the arguments."""
    command.add_argument("experiments", metavar="NAME", nargs="*", help="names of experiments (see --list)")
    command.add_argument("--list", action="store_true", help="list the experiments")
    command.add_argument("--all", action="store_true", help="reproduce every experiment")
    add_scale(command)
    command.add_argument("--seeds", type=COUNT, default=3, metavar="K", help="seeds per configuration (3)")
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--run", metavar="RUN", help=f"measure this run instead and write the results into its folder: {RUN}"
    )
    source.add_argument(
        "--archived", action="store_true", help="measure the archived models beside the results, without training"
    )
    source.add_argument(
        "--from-tables", action="store_true", help="draw and judge again from the saved tables, without measuring"
    )
    command.add_argument("--out", type=PATH, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
    add_results(command)
    add_workers(
        command,
        then="the same command continues. With --scale gpu, runs are shortened to fit the time, by measured speed; "
        "without names, the runs of highest priority are trained first",
    )


def run(arguments: Namespace) -> Answer:
    """Train the missing runs, then measure, draw and judge each experiment; with ``--list``, list the experiments."""
    if arguments.list:
        return list_experiments(arguments.experiments, arguments.results)
    from unrandom.experiments.timed_training import WITHOUT_NAMES

    measures = arguments.run is not None or arguments.archived or arguments.from_tables
    named = arguments.all or arguments.experiments or measures
    if arguments.max_minutes is not None and arguments.scale in WITHOUT_NAMES and not named:
        return by_priority(arguments)  # imports no drawing packages: a borrowed GPU machine may lack them
    from unrandom.cli.reproduction import reproduce

    return reproduce(arguments)


def list_experiments(names: list[str], results: Path) -> Answer:
    """The named experiments, or all, with the paper's figures that each reproduces and the scales of its results."""
    from unrandom.experiments.catalogue import CATALOGUE, entry

    entries = [entry(name) for name in names] or list(CATALOGUE.values())
    listed = [
        {
            "name": each.name,
            "half": each.half,
            "about": each.about,
            "figures": list(each.figures),
            "measured": [path.parent.parent.name for path in sorted(results.glob(f"*/{each.name}/made.json"))],
        }
        for each in entries
    ]
    width = max(len(each.name) for each in entries)
    lines = [
        f"{each['name']:<{width}}  {each['about']} (measured: {', '.join(each['measured']) or 'nowhere yet'})"
        for each in listed
    ]
    return {"experiments": listed}, "\n".join(lines)


def by_priority(arguments: Namespace) -> Answer:
    """Train the runs of all experiments in order of priority until the time is up."""
    from unrandom.cli.launcher import launcher_of
    from unrandom.cli.progress import TrainingProgress, say
    from unrandom.experiments.timed_training import TimedCommand, train_by_priority

    command = TimedCommand(
        arguments.scale, arguments.results, arguments.seeds, launcher_of(arguments), say, TrainingProgress
    )
    answer = train_by_priority(command)
    lines = []
    for row in answer["runs"]:
        accuracy = row["last_number_accuracy"]
        measured = "nothing measured yet" if accuracy is None else f"{accuracy:.3f} of last numbers right"
        lines.append(f"{row['run']}  step {row['steps']:,} of {row['of']:,}  {measured}")
    return answer, "\n".join([*lines, f"plan  {answer['plan']}", f"archived  {answer['archived']}"])
