"""What do ``reproduce`` and ``claims`` do? Carry out experiments one by one, and show what came of them."""

import sys
from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import Any

from unrandom.cli.progress import working
from unrandom.cli.timed import FITTED, train_fitted
from unrandom.cli.work import train_all
from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, write_atomically
from unrandom.experiments.catalogue import CATALOGUE
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.registry import EXPERIMENTS, experiment
from unrandom.experiments.reproduce import (
    all_judgements,
    carry_out,
    draw_and_judge,
    is_measured,
    kept_folder,
    missing_runs,
)
from unrandom.experiments.timed_plan import TimedPlan
from unrandom.report.claims import ORIGINS, tally
from unrandom.report.results import results_page
from unrandom.runs.archive import keep_runs, open_kept
from unrandom.runs.run import Run

Tree = dict[str, Any]


def reproduce(arguments: Namespace) -> tuple[Tree, str]:
    """Train what is missing, then measure, draw and judge each experiment."""
    if not arguments.all and not arguments.experiments:
        raise UserError(
            f"name an experiment, or --all, or --scale gpu --max-minutes X; there are {', '.join(CATALOGUE)}"
        )
    chosen = list(EXPERIMENTS.values()) if arguments.all else [experiment(name) for name in arguments.experiments]
    scale, results = arguments.scale, arguments.results
    if arguments.run:  # its verdicts are not those of the experiment's own runs, and must not take their place
        own, results = _own_run(arguments.run, chosen), arguments.run / "experiments"
        rows = [row for each in chosen for row in _measured(each, [own], arguments, results, f"--run {arguments.run}")]
    elif arguments.from_tables:
        chosen = _with_tables(chosen, arguments)
        rows = [row for each in chosen for row in draw_and_judge(each, scale, results)]
    else:
        left = 0 if arguments.kept else _train(chosen, arguments)
        if left:
            print(f"the time is up; {left} runs are left, and the same command goes on", file=sys.stderr)
            return {"scale": scale, "results": str(results), "claims": [], "left": left}, ""
        rows = []
        for each in chosen:
            runs, how = _runs(each, arguments), f"--seeds {arguments.seeds}" + " --kept" * arguments.kept
            rows += _measured(each, runs, arguments, results, how)
            keep_runs(runs, each.kept_seeds, kept_folder(scale, results))
    every = all_judgements(list(EXPERIMENTS.values()), scale, results)
    index = results / scale / "index.html"
    write_atomically(index, results_page(every, scale, results, index))
    made = {each.name: _made(results / scale / each.name) for each in chosen}
    answer = {"scale": scale, "results": str(results), "claims": rows, "made": made, "page": str(index)}
    return answer, "\n".join([_table(rows), "", *_places(made), f"page      {index.resolve().as_uri()}"]).lstrip("\n")


def _with_tables(chosen: list[Experiment], arguments: Namespace) -> list[Experiment]:
    """Those that were measured; with ``--all`` the others are named, and without it they are an error."""
    missing = [each for each in chosen if not is_measured(each, arguments.scale, arguments.results)]
    if missing and not arguments.all:
        folder, measure = arguments.results / arguments.scale, missing[0].command(arguments.scale)
        raise UserError(f"{missing[0].name} has no tables in {folder}; measure it with: {measure}")
    if missing:
        names = ", ".join(each.name for each in missing)
        print(f"left out, as they were not measured: {names}", file=sys.stderr, flush=True)
    return [each for each in chosen if each not in missing]


def _measured(each: Experiment, runs: list[Run], arguments: Namespace, results: Path, how: str) -> list[Tree]:
    """The verdicts on one experiment, and a line on standard error that counts them."""
    command = f"{each.command(arguments.scale)} {how}"
    with working(each.name):
        rows = carry_out(each, arguments.scale, runs, results, command)
    counts = Counter(row["verdict"] for row in rows)
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "nothing to judge"
    print(f"{each.name}: {said}", file=sys.stderr, flush=True)
    return rows


def _made(folder: Path) -> dict[str, list[str]]:
    """The tables and pictures in an experiment's folder."""
    return {kind: [str(path) for path in sorted(folder.glob(f"*.{kind}"))] for kind in ("parquet", "png")}


def _places(made: dict[str, dict[str, list[str]]]) -> list[str]:
    """Where tables and pictures are, a line for each picture."""
    lines = []
    for name, files in made.items():
        lines += [f"tables    {Path(files['parquet'][0]).parent}/*.parquet  ({name})"] if files["parquet"] else []
        lines += [f"picture   {picture}" for picture in files["png"]]
    return lines


def _train(chosen: list[Experiment], arguments: Namespace) -> int:
    """Train what is missing; returns how many runs are left when the time was up."""
    if arguments.scale in FITTED and arguments.max_minutes is not None:
        return train_fitted(chosen, arguments)
    plan = TimedPlan(arguments.scale, arguments.results)
    missing = missing_runs(chosen, arguments.scale, arguments.seeds, arguments.out, plan)
    return train_all(missing, arguments, what="run")


def _runs(each: Experiment, arguments: Namespace) -> list[Run]:
    """The experiment's runs: those that were trained, or those that are saved beside the results."""
    plan = TimedPlan(arguments.scale, arguments.results)
    planned = plan.runs(each.name, each.runs(arguments.scale, arguments.seeds))
    if arguments.kept:
        return open_kept(planned, kept_folder(arguments.scale, arguments.results))
    return [Run.open(arguments.out / spec.id, spec.labels) for spec in planned]


def _own_run(path: Path, chosen: list[Experiment]) -> Run:
    """A run of the user's own that the chosen analyses can read."""
    run = Run.open(path)
    if run.config.data.base is not None:
        raise UserError(f"{path} cannot be measured so: a run with one token a number is needed")
    for each in chosen:
        if each.compares:
            raise UserError(f"{each.name} compares runs of its own; --run {path} cannot take their place")
        if each.task is None or each.task.name != run.config.data.name:
            needed = "no run" if each.task is None else f"a run of {each.task.kind}"
            raise UserError(f"{path} cannot be measured by {each.name}, which needs {needed}")
    return run


def claims(arguments: Namespace) -> tuple[Tree, str]:
    """The table of all claims at one scale; with ``--write``, as a page (Markdown or HTML) with the figures."""
    rows = all_judgements(list(EXPERIMENTS.values()), arguments.scale, arguments.results)
    if arguments.write:
        page: Path = arguments.write
        make_folder(page.parent)
        write_atomically(page, results_page(rows, arguments.scale, arguments.results, page))
    summary = {
        origin: {verdict.name: count for verdict, count in tally(row for row in rows if row["origin"] == origin)}
        for origin in ORIGINS
    }
    said = [
        f"{origin}: {', '.join(f'{count} {verdict}' for verdict, count in counts.items() if count)}"
        for origin, counts in summary.items()
    ]
    return {"scale": arguments.scale, "summary": summary, "claims": rows}, "\n".join([_table(rows), "", *said])


def _table(rows: list[Tree]) -> str:
    """A line for each claim, and below it why it was not judged, or why its number is a bound."""
    lines, width = [], max((len(_value(row)) for row in rows), default=0)
    for row in rows:
        said = f"{row['experiment']}: {row['claim']} ({row['quantity']})"
        lines.append(f"{row['verdict']:<15} {_value(row):<{width}}  {said}")
        if row["reason"]:
            lines.append(f"{'':<15} because {row['reason']}")
    return "\n".join(lines)


def _value(row: Tree) -> str:
    if row["value"] is None:
        return f"(wanted {row['threshold']})"
    interval = "" if row["interval"] is None else f" [{row['interval'][0]:.3g}, {row['interval'][1]:.3g}]"
    return f"{row['bound']}{row['value']:.3g}{interval} (wanted {row['threshold']})"
