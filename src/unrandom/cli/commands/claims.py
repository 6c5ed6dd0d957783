"""`unrandom claims` lists every claim with its value and verdict, and can write them as a page."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from unrandom.cli.answer import Answer
from unrandom.cli.options import PATH, Parser, add_results, add_scale

if TYPE_CHECKING:
    from unrandom.report.claims import VerdictSign

EXAMPLE = "unrandom claims --scale laptop --write docs/results.md"


def add(command: Parser) -> None:
    add_scale(command)
    add_results(command)
    command.add_argument(
        "--experiment", metavar="NAME", action="append", help="only the claims of this experiment (repeatable)"
    )
    command.add_argument(
        "--write", type=PATH, metavar="FILE", help="write all claims with their figures as Markdown, or as HTML (.html)"
    )


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.reproduction import claims_table
    from unrandom.core.errors import UserError
    from unrandom.core.files import make_folder, write_atomically
    from unrandom.experiments.registry import EXPERIMENTS, experiment
    from unrandom.experiments.reproduce import all_judgements
    from unrandom.report.claims import ORIGINS, counted
    from unrandom.report.results import results_page

    if arguments.write and arguments.experiment:
        raise UserError("--write makes a page of all experiments; leave out --experiment")
    chosen = EXPERIMENTS if arguments.experiment is None else {each: experiment(each) for each in arguments.experiment}
    judged = all_judgements(list(EXPERIMENTS.values()), arguments.scale, arguments.results)
    rows = [row for row in judged if row["experiment"] in chosen]
    if arguments.write:
        page: Path = arguments.write
        make_folder(page.parent)
        write_atomically(page, results_page(rows, arguments.scale, arguments.results, page))
    counts = {origin: counted([row for row in rows if row["origin"] == origin]) for origin in ORIGINS}
    lines = [
        f"{origin}: {', '.join(_count(*each) for each in of if each[1]) or 'none'}" for origin, of in counts.items()
    ]
    about = "(n after): n of them were written after the first look at their results"
    summary = {origin: {verdict.name: count for verdict, count, _ in of} for origin, of in counts.items()}
    written_after = {origin: {verdict.name: after for verdict, _, after in of} for origin, of in counts.items()}
    text = "\n".join([claims_table(rows), "", *lines, about])
    return {"scale": arguments.scale, "summary": summary, "written_after": written_after, "claims": rows}, text


def _count(verdict: "VerdictSign", count: int, after: int) -> str:
    return f"{count} {verdict.name}" + (f" ({after} after)" if after else "")
