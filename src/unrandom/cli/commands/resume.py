"""`unrandom resume` continues training a run that was stopped."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_device, add_log, add_max_minutes, add_run

EXAMPLE = """unrandom resume latest
unrandom resume fm-256:newest"""


def add(command: Parser) -> None:
    add_run(command)
    add_device(command)
    add_max_minutes(command)
    add_log(command)


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.text import result_text
    from unrandom.cli.training import refuse_pretrained, train
    from unrandom.runs.finding import find_run
    from unrandom.runs.loaded import LoadedRun

    found = find_run(arguments.run, arguments.runs, unfinished=True)
    refuse_pretrained(found, arguments.run)
    run = LoadedRun(found.folder, found.spec, arguments.device)
    result = train(run, arguments.max_minutes, arguments.log)
    return result, result_text(result, run)
