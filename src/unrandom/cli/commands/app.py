"""`unrandom app` serves the app on this machine: play, audit, results and runs in the browser."""

from argparse import ArgumentTypeError, Namespace
from typing import Any

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_results, add_runs
from unrandom.core.errors import UserError

MAX_PORT = 2**16 - 1
EXAMPLE = """unrandom app --open
unrandom app --port 8000"""


def add(command: Parser) -> None:
    command.add_argument("--port", type=_port, metavar="N", help="port (the first free one from 7860 on)")
    command.add_argument("--open", action="store_true", help="open the page in the browser")
    add_runs(command)
    add_results(command)


def run(arguments: Namespace) -> Answer:
    """Serves until interrupted (Ctrl-C), which is not a failure. Nothing but 127.0.0.1 can reach the app."""
    for name, folder in (("--runs", arguments.runs), ("--results", arguments.results)):
        if folder.exists() and not folder.is_dir():
            raise UserError(f"{name} {folder} is not a folder")
    from unrandom.app.server import leave_answers, serve
    from unrandom.cli.progress import say

    answer: dict[str, Any] = {}

    def ready(address: str) -> None:
        say(f"the app is at {address}\nend it with Ctrl-C")
        answer["address"] = address

    serve(arguments.runs, arguments.results, port=arguments.port, open_browser=arguments.open, ready=ready)
    leave_answers()
    return {**answer, "ended": True}, "the app has ended"


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= MAX_PORT:
        raise ArgumentTypeError(f"{text} was given; 1 to {MAX_PORT} are allowed")
    return port


_port.__name__ = "int"  # argparse prints it in "invalid int value"
