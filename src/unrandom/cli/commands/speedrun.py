"""What does `unrandom speedrun` do? It shows the records of a track, or races a candidate against one of them."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import COUNT, PATH, Parser, add_assignments, add_max_minutes, add_results, add_runs

EXAMPLE = "unrandom speedrun fm-256 --set steps=400 --set optimizer.muon_lr=0.1"


def add(command: Parser) -> None:
    command.add_argument("track", metavar="TRACK", nargs="?", help="a track (default: show all tracks)")
    add_assignments(command)
    command.add_argument(
        "--from",
        dest="begin_with",
        metavar="NAME",
        help="configuration that --set changes to make the candidate: a record's name, paper (the paper's recipe) or "
        "house (this project's recipe) (the standing record)",
    )
    command.add_argument(
        "--against", metavar="NAME", help="opponent: a record's name, paper or house (the standing record)"
    )
    command.add_argument("--seeds", type=COUNT, metavar="K", help="seeds per side (as many as the track requires)")
    command.add_argument("--pack", type=COUNT, metavar="N", help="seeds trained together in one process (1)")
    command.add_argument("--threads", type=COUNT, metavar="N", help="torch threads (torch's default)")
    command.add_argument("--name", metavar="NAME", help="name under which the race is saved")
    command.add_argument(
        "--keep", metavar="TEXT", help="save the race with the records; TEXT describes what was changed"
    )
    command.add_argument("--write", type=PATH, metavar="FILE", help="write the page of all records as Markdown")
    add_runs(command)
    add_results(command)
    add_max_minutes(command, then="the same command continues")


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.speedrun import speedrun

    return speedrun(arguments)
