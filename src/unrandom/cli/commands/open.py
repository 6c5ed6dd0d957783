"""`unrandom open` opens the report of a run in the browser, and makes it first if there is none."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import add_run

EXAMPLE = """unrandom open latest
unrandom open fm-256"""
add = add_run


def run(arguments: Namespace) -> Answer:
    """Open the report; where no browser can be opened, the path of the report is the answer."""
    import webbrowser

    import unrandom
    from unrandom.cli.copies import writable
    from unrandom.cli.progress import working
    from unrandom.report import report_run

    run = writable(unrandom.load(arguments.run, runs=arguments.runs), arguments.runs)
    page = run.folder.path / "report.html"
    if not page.is_file():
        with working("measuring and drawing"):
            _, page = report_run(run)
    opened = webbrowser.open(page.resolve().as_uri())
    text = "" if opened else "; no browser could be opened here"
    return {"report": str(page), "opened": opened}, f"report  {page.resolve().as_uri()}{text}"
