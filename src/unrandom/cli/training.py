"""How does a command train a run? It builds the configuration, prints cost estimates and shows progress."""

from argparse import Namespace
from typing import Any

from unrandom.cli.cost import Costs
from unrandom.cli.progress import TrainingProgress, say
from unrandom.core.errors import UserError
from unrandom.runs.finding import find_run
from unrandom.runs.loaded import LoadedRun
from unrandom.runs.recipes import recipe
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig, StartFrom, run_id
from unrandom.training.checkpoint import checkpoint_to_load
from unrandom.training.distributed import is_main_process


def configured(name: str, arguments: Namespace) -> RunSpec:
    """The run of a recipe with the settings that the arguments change."""
    chosen = recipe(name)
    seed = [] if arguments.seed is None else [f"seed={arguments.seed}"]
    config = chosen.build().override([*arguments.assignments, *seed])
    parent = getattr(arguments, "start_from", None)
    if parent is not None:
        config = _starting_from(find_run(parent, arguments.out), config, arguments)
    return RunSpec(chosen.name, config)


def _starting_from(parent: Run, config: RunConfig, arguments: Namespace) -> RunConfig:
    """The configuration of a run that begins with the weights of another, in the same parent folder."""
    config = config.replace(start=StartFrom(recipe=parent.recipe, config=parent.config))
    expected = arguments.out / run_id(parent.recipe, parent.config)
    if parent.folder.path.resolve() != expected.resolve():
        raise UserError(
            f"--start-from {parent.folder.path}: it must be {expected}; set --out, or undo a change of name"
        )
    return config


def train(run: LoadedRun, max_minutes: float | None) -> dict[str, Any]:
    """The result, with what was expected of the steps that were left. Says before each training what it will cost."""
    if run.folder.finished:
        return {**_finished(run), "estimate": None}
    costs = Costs()

    def on_start(each: Run, step: int) -> None:
        costs.begin(each, step, "" if each.id == run.id else f"first {each.id}, whose weights it begins with: ")
        progress.begin(each.config.steps)

    with TrainingProgress(run.config.steps) as progress:
        result = run.train(max_minutes=max_minutes, observers=(progress, costs), on_start=on_start)
    return {**result, "estimate": costs.estimates[run.id].to_json() if run.id in costs.estimates else None}


def _finished(run: Run) -> dict[str, Any]:
    """The result of a finished run. UserError, saying what to do, where no whole checkpoint of it is left."""
    result = run.result()
    path, step = run.folder.path, checkpoint_to_load(run.folder).step
    if not is_main_process():
        return result
    if step == run.config.steps:
        say(f"{path} is finished; nothing to train")
    else:
        say(
            f"{path} is finished, but its newest whole checkpoint is that of step {step}; to train the rest again, "
            f"remove {run.folder.result} and then: unrandom resume {path}{run.task_option}"
        )
    return result
