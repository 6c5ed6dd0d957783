"""`unrandom evaluate` measures a model's accuracy on held-out sequences, alone or beside baselines."""

from argparse import Namespace
from typing import TYPE_CHECKING

from unrandom.cli.answer import Answer
from unrandom.cli.options import SEQUENCES, Parser, add_run

if TYPE_CHECKING:
    from unrandom.runs.loaded import LoadedRun

EXAMPLE = "unrandom evaluate fm-256 --sequences 4096"


def add(command: Parser) -> None:
    add_run(command)
    command.add_argument("--modulus", metavar="M", help="evaluate on this modulus instead of the run's test moduli")
    command.add_argument(
        "--predictors",
        metavar="NAME,NAME,...",
        help="compare the model with baselines of its task, e.g. copy,lookback:3,bayes, and draw the comparison (an "
        "unknown name is answered with the names of the task)",
    )
    command.add_argument(
        "--sequences", type=SEQUENCES, default=1024, metavar="N", help="sequences per part of the test (1024)"
    )


def run(arguments: Namespace) -> Answer:
    """Accuracy on the test of the run, or on one modulus; with ``--predictors``, beside baselines."""
    import unrandom
    from unrandom.cli.progress import working
    from unrandom.cli.text import evaluation_text
    from unrandom.runs.measurement import evaluate_run
    from unrandom.training.machine import choose_device

    run = unrandom.load(arguments.run, runs=arguments.runs)
    part = None if arguments.modulus is None else _part(run, arguments.modulus)
    if arguments.predictors is not None:
        return compared(run, part, arguments)
    with working("evaluating"):
        tested = evaluate_run(run, run.predictor(choose_device()), part=part, sequences=arguments.sequences)
    return {"run": str(run.folder.path), "evaluation": tested}, evaluation_text(tested)


def _part(run: "LoadedRun", modulus: str) -> int:
    """The part of the test that ``--modulus`` names. Raises UserError where the task cannot test it."""
    from unrandom.core.config import parse_integer
    from unrandom.core.reading import about

    with about(f"--modulus {modulus}"):
        part = parse_integer(modulus)
        run.split().testing(part)
    return part


def compared(run: "LoadedRun", part: int | None, arguments: Namespace) -> Answer:
    """The accuracies of the model and of baselines on the same sequences, with a picture."""
    from unrandom.cli.copies import writable
    from unrandom.cli.progress import working
    from unrandom.cli.text import comparison_text
    from unrandom.core.errors import UserError
    from unrandom.core.files import make_folder
    from unrandom.core.reading import about
    from unrandom.figures.comparison import save_comparison
    from unrandom.tasks.predictors import make_predictors

    names = [name.strip() for name in arguments.predictors.split(",") if name.strip()]
    if not names:
        raise UserError(f"--predictors takes names such as copy,lookback:3,bayes, not {arguments.predictors!r}")
    with about("--predictors"):
        make_predictors(names, run.config.data)  # before anything is made for them
    run = writable(run, arguments.runs)
    with working("evaluating"):
        found = run.compare(names, part=part, sequences=arguments.sequences)
        picture = save_comparison(found, make_folder(run.folder.path / "figures") / "predictors")
    answer = {"run": str(run.folder.path), "comparison": found, "picture": str(picture)}
    return answer, f"{comparison_text(found)}\npicture {picture}"
