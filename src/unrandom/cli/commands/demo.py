"""`unrandom demo` trains a small model in less than a minute and writes a report on it."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_configuration, add_log

EXAMPLE = "unrandom demo"
RECIPE = "fm-256-demo"


def add(command: Parser) -> None:
    add_configuration(command)
    add_log(command)


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.progress import working
    from unrandom.cli.text import evaluation_text
    from unrandom.cli.training import configured, train
    from unrandom.report import report_run
    from unrandom.runs.interface import prepare_run

    run = prepare_run(configured(RECIPE, arguments), runs=arguments.runs, command=arguments.command_line)
    result = train(run, None, arguments.log)
    with working("measuring and drawing"):
        measurements, page = report_run(run)
    (tested,) = measurements["evaluation"]
    answer = {
        **{key: result[key] for key in ("run", "steps", "train_seconds")},
        "report": str(page),
        "last_number_accuracy": tested["last_number_accuracy"]["value"],
        "number_accuracy_by_position": tested["by_position"]["value"],
    }
    text = evaluation_text(measurements["evaluation"])
    return answer, f"{text}\nrun     {run.folder.path}\nreport  {page.resolve().as_uri()}"
