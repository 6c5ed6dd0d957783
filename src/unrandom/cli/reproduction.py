"""Reproduces experiments one after another, with one line for each, then a table of all claims."""

from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.copies import writable
from unrandom.cli.dry_run import dry_run
from unrandom.cli.launcher import launcher_of, train_shown
from unrandom.cli.progress import say, working
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, write_atomically
from unrandom.core.quantities import counted, duration
from unrandom.experiments.catalogue import CATALOGUE
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.registry import EXPERIMENTS, experiment
from unrandom.experiments.reproduce import (
    all_judgements,
    draw_and_judge,
    is_measured,
    measure_own,
    measure_planned,
    missing_runs,
    own_results,
    own_run,
    planned_runs,
    where_saved,
)
from unrandom.report.claims import is_point
from unrandom.report.results import results_page
from unrandom.runs.finding import find_run
from unrandom.runs.running.launcher import raise_failures
from unrandom.runs.spec import RunSpec
from unrandom.training.estimate import core_seconds


def reproduce(arguments: Namespace) -> Answer:
    """Train the missing runs, then measure, draw and judge each experiment; or say what the training would cost."""
    if arguments.all and arguments.experiments:
        raise UserError(f"--all is every experiment; leave it out, or {' '.join(arguments.experiments)}")
    if not arguments.all and not arguments.experiments:
        raise UserError(f"name an experiment, or --all; there are {', '.join(CATALOGUE)}")
    chosen = list(EXPERIMENTS.values()) if arguments.all else [experiment(name) for name in arguments.experiments]
    scale, results = arguments.scale, arguments.results
    if arguments.dry_run:
        return dry_run(_planned(chosen, arguments), arguments)
    if arguments.run is not None:
        own = writable(own_run(find_run(arguments.run, arguments.runs), chosen), arguments.runs)
        results = own_results(own)
        judge = partial(measure_own, scale=scale, run=own)
    elif arguments.from_tables:
        chosen = _with_tables(chosen, arguments)
        judge = partial(draw_and_judge, scale=scale, results=results)
    else:
        but = results if arguments.add else None
        missing = [] if arguments.archived else missing_runs(chosen, scale, arguments.seeds, arguments.runs, but=but)
        if not arguments.archived:
            say(_plan(chosen, missing, arguments))
        outcomes = train_shown(missing, launcher_of(arguments), what="run")
        raise_failures(outcomes)
        if left := sum(outcome.status == "stopped" for outcome in outcomes):
            say(f"the time is up; {left} runs are left, and the same command continues")
            if not arguments.add:
                return {"scale": scale, "results": str(results), "claims": [], "left": left}, ""
        how = {"archived": arguments.archived, "add": arguments.add}
        planned = {"seeds": arguments.seeds, "runs_folder": arguments.runs}
        judge = partial(measure_planned, scale=scale, results=results, **planned, **how)
    rows = [row for each in chosen for row in _verdicts(each, judge)]
    all_rows = all_judgements(list(EXPERIMENTS.values()), scale, results)
    page = results / scale / "index.html"
    write_atomically(page, results_page(all_rows, scale, results, page))
    made = {each.name: _files_made(results / scale / each.name) for each in chosen}
    answer = {"scale": scale, "results": str(results), "claims": rows, "made": made, "page": str(page)}
    lines = [*([claims_table(rows), ""] if rows else []), *_file_lines(made), f"page      {page.resolve().as_uri()}"]
    return answer, "\n".join(lines)


def _plan(chosen: list[Experiment], missing: list[RunSpec], arguments: Namespace) -> str:
    """What the command is about to do, in two lines."""
    planned = {run.id for run in _planned(chosen, arguments)}
    needed = len(planned | {run.id for run in missing})
    claims = sum(len(each.claims) for each in chosen)
    seconds = core_seconds(sum(run.flops for run in missing))
    time = f", roughly {duration(seconds)} of one core" if missing else ""
    folder = arguments.results / arguments.scale / (chosen[0].name if len(chosen) == 1 else "NAME")
    found = f"{needed - len(missing)} found in {arguments.runs}"
    return (
        f"plan      {counted(needed, 'run')}: {found}, {len(missing)} to train{time}\n"
        f"then      {counted(claims, 'claim')} to judge; pictures and tables in {folder}"
    )


def _planned(chosen: list[Experiment], arguments: Namespace) -> list[RunSpec]:
    """The runs of the experiments; with ``--add``, without those that their tables have."""
    but = arguments.results if arguments.add else None
    return [run for each in chosen for run in planned_runs(each, arguments.scale, arguments.seeds, but=but)]


def _with_tables(chosen: list[Experiment], arguments: Namespace) -> list[Experiment]:
    """The experiments that have saved tables.

    With ``--all``, the others are named on standard error. Otherwise they raise UserError.
    """
    missing = [each for each in chosen if not is_measured(each, arguments.scale, arguments.results)]
    if missing and not arguments.all:
        folder, measure = arguments.results / arguments.scale, missing[0].command(arguments.scale)
        saved = where_saved(arguments.scale, arguments.results)
        raise UserError(f"{missing[0].name} has no tables in {folder}{saved}; measure it with: {measure}")
    if missing:
        say(f"left out, as they were not measured: {', '.join(each.name for each in missing)}")
    return [each for each in chosen if each not in missing]


def _verdicts(each: Experiment, judge: Callable[[Experiment], list[JsonObject]]) -> list[JsonObject]:
    """Judge one experiment; prints one line that counts its verdicts."""
    with working(each.name):
        rows = judge(each)
    counts = Counter(row["verdict"] for row in rows)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "nothing to judge"
    say(f"{each.name}: {summary}")
    return rows


def _files_made(folder: Path) -> dict[str, list[str]]:
    return {kind: [str(path) for path in sorted(folder.glob(f"*.{kind}"))] for kind in ("parquet", "png")}


def _file_lines(made: dict[str, dict[str, list[str]]]) -> list[str]:
    """One line per folder of tables and one per picture."""
    lines = []
    for name, files in made.items():
        lines += [f"tables    {Path(files['parquet'][0]).parent}/*.parquet  ({name})"] if files["parquet"] else []
        lines += [f"picture   {picture}" for picture in files["png"]]
    return lines


def claims_table(rows: list[JsonObject]) -> str:
    """One line per claim; below it, if need be, the reason why it was not judged or why its number is only a bound."""
    shown = aligned(
        [[row["verdict"], _value_text(row), f"{row['experiment']}: {row['claim']} ({row['quantity']})"] for row in rows]
    )
    reasons = [f"\n{'':<16}because {row['reason']}" if row["reason"] else "" for row in rows]
    return "\n".join(line + reason for line, reason in zip(shown, reasons, strict=True))


def _value_text(row: JsonObject) -> str:
    if row["value"] is None:
        return f"(wanted {row['threshold']})"
    if is_point(row["interval"]):
        interval = f" in {row['units']} of {row['units']}"
    else:
        interval = "" if row["interval"] is None else f" [{row['interval'][0]:.3g}, {row['interval'][1]:.3g}]"
    return f"{row['bound']}{row['value']:.3g}{interval} (wanted {row['threshold']})"
