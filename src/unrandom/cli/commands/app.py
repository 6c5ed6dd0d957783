"""What does `unrandom app` do? It serves the app on this machine: play, audit, results and runs in the browser."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_results, add_runs, at_least
from unrandom.core.errors import UserError

EXAMPLE = """unrandom app --open
unrandom app --port 8000"""


def add(command: Parser) -> None:
    """Register the arguments."""
    command.add_argument("--port", type=at_least(int, 1), metavar="N", help="port (the first free one from 7860 on)")
    command.add_argument("--open", action="store_true", help="open the page in the browser")
    add_runs(command)
    add_results(command)


def run(arguments: Namespace) -> Answer:
    """Serve until interrupted (Ctrl-C). Nothing but 127.0.0.1 can reach the app."""
    from importlib.util import find_spec

    if find_spec("gradio") is None:
        raise UserError("the app needs a package: pip install 'unrandom[app]'")
    from unrandom.app.server import serve
    from unrandom.cli.progress import say

    def ready(address: str) -> None:
        say(f"the app is at {address}; end it with Ctrl-C")

    try:
        serve(arguments.runs, arguments.results, port=arguments.port, open_browser=arguments.open, ready=ready)
    except OSError as error:
        if arguments.port is None:
            raise
        raise UserError(f"--port {arguments.port} cannot be used: {error}") from None
    return {"ended": True}, "the app has ended"
