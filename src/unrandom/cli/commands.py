"""What does each command do? Calls the floors below and prints what they return: words, or one JSON object.

Drawing and benchmarks are imported where they are used: training should not wait for them. Lists are elsewhere.
"""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from unrandom.cli.answer import print_answer
from unrandom.cli.cost import Costs
from unrandom.cli.numbers import Reliability, last_numbers, predict_sequences, read_sequences
from unrandom.cli.progress import TrainingProgress, counting, working
from unrandom.cli.words import comparison_words, evaluation_words, result_words
from unrandom.core.config import parse_integer
from unrandom.core.errors import ChecksFailed, UserError
from unrandom.core.files import make_folder
from unrandom.runs.execution import create_run, execute
from unrandom.runs.finding import find_run
from unrandom.runs.measurement import evaluate_run
from unrandom.runs.recipes import RECIPES, recipe
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.tasks import check_task, load_task
from unrandom.training import RunConfig, run_id
from unrandom.training.checkpoint import checkpoint_to_load
from unrandom.training.distributed import is_leading_process
from unrandom.training.machine import choose_device

if TYPE_CHECKING:
    from unrandom.bench.device import Outcome

Tree = dict[str, Any]


def run(arguments: Namespace) -> None:
    """Carry out one parsed command and print its answer."""
    if getattr(arguments, "task", None) is not None:
        load_task(arguments.task)
    answer, words = COMMANDS[arguments.command](arguments)
    if is_leading_process():
        print_answer(arguments, answer, words)
        if failed := answer.get("not_passed"):  # `bench device` answers with the names of failed checks.
            raise ChecksFailed(f"not passed: {', '.join(failed)}")


def _demo(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.report import report_run

    name = "fm-256"
    config = _configure(recipe(name).build(), arguments)
    run = create_run(RunSpec(name, config), arguments.out, arguments.command_line)
    result = _execute(run, None)
    with working("measuring and drawing"):
        measurements, page = report_run(run)
    (tested,) = measurements["evaluation"]
    answer = {
        **{key: result[key] for key in ("run", "steps", "train_seconds")},
        "report": str(page),
        "last_number_accuracy": tested["last_number_accuracy"]["value"],
        "number_accuracy_by_position": tested["by_position"]["value"],
    }
    words = (
        f"{evaluation_words(measurements['evaluation'])}\nrun     {run.folder.path}\nreport  {page.resolve().as_uri()}"
    )
    return answer, words


def _train(arguments: Namespace) -> tuple[Tree, str]:
    if arguments.recipe is None:
        raise UserError(f"name a recipe: {', '.join(RECIPES)}")
    chosen = recipe(arguments.recipe)
    config = _configure(chosen.build(), arguments)
    run = create_run(RunSpec(chosen.name, config), arguments.out, arguments.command_line)
    return _trained(run, arguments)


def _resume(arguments: Namespace) -> tuple[Tree, str]:
    return _trained(find_run(arguments.run), arguments)


def _trained(run: Run, arguments: Namespace) -> tuple[Tree, str]:
    result = _execute(run, arguments.max_minutes)
    return result, result_words(result, run.config.steps)


def _evaluate(arguments: Namespace) -> tuple[Tree, str]:
    run = find_run(arguments.run)
    part = None if arguments.modulus is None else parse_integer(arguments.modulus)
    if arguments.predictors is not None:
        return _compare(run, part, arguments)
    with working("evaluating"):
        tested = evaluate_run(run, run.predictor(choose_device()), part=part, sequences=arguments.sequences)
    return {"run": str(run.folder.path), "evaluation": tested}, evaluation_words(tested)


def _compare(run: Run, part: int | None, arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.figures.comparison import save_comparison
    from unrandom.runs.comparison import compare
    from unrandom.tasks import make_predictors

    names = [name.strip() for name in arguments.predictors.split(",") if name.strip()]
    with working("evaluating"):
        predictors = [run.predictor(choose_device()), *make_predictors(list(dict.fromkeys(names)), run.config.data)]
        compared = compare(run, predictors, part=part, sequences=arguments.sequences)
        picture = save_comparison(compared, make_folder(run.folder.path / "figures") / "predictors")
    words = f"{comparison_words(compared)}\npicture {picture}"
    return {"run": str(run.folder.path), "comparison": compared, "picture": str(picture)}, words


def _predict(arguments: Namespace) -> tuple[Tree, str]:
    run = find_run(arguments.run)
    sequences = read_sequences(arguments.file, limit=run.config.data.vocabulary)
    predictor = run.predictor(choose_device())
    used = last_numbers(sequences, run.config.data.context)
    reliability = Reliability.of(run.folder.read_metrics())
    print(reliability.words(run.folder.path, fewest=min(map(len, used))), file=sys.stderr, flush=True)
    with counting("predicting", len(used) * arguments.count) as count:
        predictions, probabilities = predict_sequences(predictor, used, arguments.count, count)
    answer = {
        "predictions": predictions,
        "probabilities": probabilities,
        "reliable_from": reliability.start,
        "numbers_used": [len(numbers) for numbers in used],
    }
    lines = [
        "\n".join(f"{number}\t{probability:.3f}" for number, probability in zip(*row, strict=True))
        for row in zip(predictions, probabilities, strict=True)
    ]
    return answer, "\n\n".join(lines)


def _report(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.report import report_run

    run = find_run(arguments.run)
    with working("measuring and drawing"):
        _, page = report_run(run)
    return {"run": str(run.folder.path), "report": str(page)}, f"report  {page.resolve().as_uri()}"


def _bench(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom import bench

    if arguments.what == "device":
        chosen = bench.for_this_device() if arguments.recipe is None else recipe(arguments.recipe).build()
        return _checked(bench.bench_device(chosen.override(arguments.assignments)))
    scaling = arguments.what == "scaling"
    name = arguments.recipe or ("fm-base256" if scaling else "fm-256")
    smaller = bench.on_this_machine() if scaling and arguments.recipe is None else []
    config = recipe(name).build().override([*smaller, *arguments.assignments])
    benches = {
        "data": bench.bench_data,
        "train": lambda: bench.bench_training(config),
        "evaluate": lambda: bench.bench_evaluation(config),
        "sweep": lambda: bench.bench_sweep(config),
        "scaling": lambda: bench.bench_scaling(config),
        "predictors": bench.bench_predictors,
    }
    with working("measuring"):
        measured = benches[arguments.what]()
    width = max(map(len, measured))
    return measured, "\n".join(f"{key:<{width}}  {value}" for key, value in measured.items())


def _checked(outcomes: Iterator["Outcome"]) -> tuple[Tree, str]:
    """A line for each check of a device; what came of each is also said on standard error as it comes."""
    done = []
    for outcome in outcomes:
        done.append(outcome)
        print(f"{outcome.check}: {outcome.result}", file=sys.stderr, flush=True)
    width = max(len(outcome.check) for outcome in done)
    words = "\n".join(f"{outcome.result:<10}  {outcome.check:<{width}}  {outcome.words}" for outcome in done)
    failed = [outcome.check for outcome in done if outcome.result == "not passed"]
    return {"checks": [vars(outcome) for outcome in done], "not_passed": failed}, words


def _configure(config: RunConfig, arguments: Namespace) -> RunConfig:
    seed = [] if arguments.seed is None else [f"seed={arguments.seed}"]
    config = config.override([*arguments.assignments, *seed])
    if config.data.source is not None:
        check_task(config.data, config.split_seed)
    name = getattr(arguments, "start_from", None)
    return config if name is None else _starting_from(find_run(name, arguments.out), config, arguments)


def _starting_from(parent: Run, config: RunConfig, arguments: Namespace) -> RunConfig:
    """The configuration of a run that begins with the weights of another, in the same parent folder."""
    config = RunConfig.parse({**config.tree(), "start": {"recipe": parent.recipe, "config": parent.config.tree()}})
    assert config.start is not None, "it was just set"
    expected = arguments.out / run_id(config.start.recipe, config.start.config)
    if parent.folder.path.resolve() != expected.resolve():
        raise UserError(
            f"--start-from {parent.folder.path}: it must be {expected}; set --out, or undo a change of name"
        )
    return config


def _execute(run: Run, max_minutes: float | None) -> Tree:
    """The result, with what was expected of the steps that were left. Says before each training what it will cost."""
    if run.folder.finished:
        return {**_finished(run), "estimate": None}
    costs = Costs()

    def announce(each: Run, step: int) -> None:
        costs.begin(each, step, "" if each.id == run.id else f"first {each.id}, whose weights it begins with: ")
        progress.begin(each.config.steps)

    with TrainingProgress(run.config.steps) as progress:
        result = execute(run, max_minutes=max_minutes, observers=(progress, costs), announce=announce)
    return {**result, "estimate": costs.estimates[run.id].tree() if run.id in costs.estimates else None}


def _finished(run: Run) -> Tree:
    """The result of a finished run. UserError, saying what to do, where no whole checkpoint of it is left."""
    result = run.result()
    path, step = run.folder.path, checkpoint_to_load(run.folder).step
    if not is_leading_process():
        return result
    if step == run.config.steps:
        print(f"{path} is finished; nothing to train", file=sys.stderr)
    else:
        print(
            f"{path} is finished, but its newest whole checkpoint is that of step {step}; to train the rest again, "
            f"remove {run.folder.result} and then: unrandom resume {path}",
            file=sys.stderr,
        )
    return result


def _sweep(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.cli import sweep

    chosen = recipe(arguments.recipe)
    return sweep.sweep(arguments, chosen.name, _configure(chosen.build(), arguments))


def _reproduce(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.cli import timed

    if timed.names_nothing(arguments):  # apart from the rest, which draws: where a GPU is lent, that may be missing
        return timed.train_most_worth(arguments)
    from unrandom.cli import reproduction

    if arguments.run is not None:
        arguments.run = find_run(arguments.run, arguments.out).folder.path
    return reproduction.reproduce(arguments)


def _claims(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.cli import reproduction

    return reproduction.claims(arguments)


def _speedrun(arguments: Namespace) -> tuple[Tree, str]:
    from unrandom.cli import speedrun

    return speedrun.speedrun(arguments)


COMMANDS: dict[str, Callable[[Namespace], tuple[Tree, str]]] = {
    "demo": _demo,
    "train": _train,
    "resume": _resume,
    "sweep": _sweep,
    "evaluate": _evaluate,
    "predict": _predict,
    "report": _report,
    "reproduce": _reproduce,
    "claims": _claims,
    "speedrun": _speedrun,
    "bench": _bench,
}
