"""`unrandom speedrun` shows the records, or races a candidate against the standing one."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import COUNT, Parser, add_assignments, add_max_minutes, add_results, add_runs

EXAMPLE = "unrandom speedrun fm-256 --set steps=200 --set optimizer.muon_lr=0.2"


def add(command: Parser) -> None:
    command.add_argument("track", metavar="TRACK", nargs="?", help="the track to race on, or to show alone")
    add_assignments(command)
    command.add_argument("--seeds", type=COUNT, metavar="K", help="seeds per side (default: what a record needs)")
    command.add_argument("--threads", type=COUNT, metavar="N", help="torch threads (torch's default)")
    command.add_argument(
        "--keep", nargs=2, metavar=("NAME", "TEXT"), help="save the race under this name; TEXT says what was changed"
    )
    add_runs(command)
    add_results(command)
    add_max_minutes(command, then="the same command continues")


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.speedrun import speedrun

    return speedrun(arguments)
