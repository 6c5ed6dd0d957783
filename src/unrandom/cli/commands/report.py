"""`unrandom report` measures a run and writes its report, one HTML file."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import add_run

EXAMPLE = "unrandom report fm-256"
add = add_run


def run(arguments: Namespace) -> Answer:
    import unrandom
    from unrandom.cli.copies import writable
    from unrandom.cli.progress import working
    from unrandom.report import report_run

    run = writable(unrandom.load(arguments.run, runs=arguments.runs), arguments.runs)
    with working("measuring and drawing"):
        _, page = report_run(run)
    return {"run": str(run.folder.path), "report": str(page)}, f"report  {page.resolve().as_uri()}"
