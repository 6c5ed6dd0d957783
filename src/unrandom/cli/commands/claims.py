"""What does `unrandom claims` do? It lists every claim with its value and verdict, and can write them as a page."""

from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer
from unrandom.cli.options import PATH, Parser, add_results, add_scale

EXAMPLE = "unrandom claims --scale laptop --write docs/results.md"


def add(command: Parser) -> None:
    add_scale(command)
    add_results(command)
    command.add_argument(
        "--write", type=PATH, metavar="FILE", help="write the claims with their figures as Markdown, or as HTML (.html)"
    )


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.reproduction import claims_table
    from unrandom.core.files import make_folder, write_atomically
    from unrandom.experiments.registry import EXPERIMENTS
    from unrandom.experiments.reproduce import all_judgements
    from unrandom.report.claims import ORIGINS, tally
    from unrandom.report.results import results_page

    rows = all_judgements(list(EXPERIMENTS.values()), arguments.scale, arguments.results)
    if arguments.write:
        page: Path = arguments.write
        make_folder(page.parent)
        write_atomically(page, results_page(rows, arguments.scale, arguments.results, page))
    summary = {
        origin: {verdict.name: count for verdict, count in tally(row for row in rows if row["origin"] == origin)}
        for origin in ORIGINS
    }
    summary_lines = [
        f"{origin}: {', '.join(f'{count} {verdict}' for verdict, count in counts.items() if count)}"
        for origin, counts in summary.items()
    ]
    text = "\n".join([claims_table(rows), "", *summary_lines])
    return {"scale": arguments.scale, "summary": summary, "claims": rows}, text
