"""What does `unrandom speedrun` do? It shows the records of a track, or races a candidate against one and keeps it."""

from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_assignments, add_max_minutes, add_results, at_least

EXAMPLE = "unrandom speedrun fm-256 --set steps=400 --set optimizer.muon_lr=0.1"


def add(command: Parser) -> None:
    """What can be typed."""
    command.add_argument("track", metavar="TRACK", nargs="?", help="a track (all of them are shown)")
    add_assignments(command)
    command.add_argument(
        "--from",
        dest="begin_with",
        metavar="NAME",
        help="the candidate begins as this record, as the paper's recipe (paper) or as today's (house), and --set "
        "changes it (the standing record)",
    )
    command.add_argument(
        "--against", metavar="NAME", help="what to race: a record, paper or house (the standing record)"
    )
    command.add_argument("--seeds", type=at_least(int, 1), metavar="K", help="seeds of both (what the track asks for)")
    command.add_argument("--pack", type=at_least(int, 1), metavar="N", help="seeds side by side (1)")
    command.add_argument("--threads", type=at_least(int, 1), metavar="N", help="threads (as many as torch takes)")
    command.add_argument("--name", metavar="NAME", help="what the race is to be called, if it is kept")
    command.add_argument(
        "--keep", metavar="WORDS", help="keep the race with the records; say in words what was changed"
    )
    command.add_argument("--write", type=Path, metavar="FILE", help="write the page of all records as Markdown")
    command.add_argument("--out", type=Path, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
    add_results(command)
    add_max_minutes(command, then="the same command goes on")


def run(arguments: Namespace) -> Answer:
    """Show, race, or write the page."""
    from unrandom.cli.speedrun import speedrun

    return speedrun(arguments)
