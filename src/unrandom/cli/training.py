"""Trains a run for a command: builds the configuration, prints cost estimates and shows progress."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from unrandom.cli.cost import Costs
from unrandom.cli.progress import TrainingProgress, say
from unrandom.core.errors import UserError
from unrandom.core.files import resolved
from unrandom.runs.finding import find_run
from unrandom.runs.loaded import LoadedRun
from unrandom.runs.recipes import recipe
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import is_pretrained
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig, StartFrom, run_id
from unrandom.training.checkpoint import checkpoint_to_load
from unrandom.training.distributed import is_main_process


def configured(name: str, arguments: Namespace) -> RunSpec:
    """The run specification of a recipe, with the settings that the arguments change."""
    chosen = recipe(name)
    seed = [] if arguments.seed is None else [f"seed={arguments.seed}"]
    config = chosen.build().override([*arguments.assignments, *seed])
    parent = getattr(arguments, "start_from", None)
    if parent is not None:
        config = _starting_from(find_run(parent, arguments.runs, unfinished=True), config, arguments)
    return RunSpec(chosen.name, config)


def _starting_from(parent: Run, config: RunConfig, arguments: Namespace) -> RunConfig:
    """The configuration of a run that starts from the weights of ``parent``; both must be in the same parent folder."""
    refuse_pretrained(parent, arguments.start_from)
    config = config.replace(start=StartFrom(recipe=parent.recipe, config=parent.config))
    expected = arguments.runs / run_id(parent.recipe, parent.config)
    if resolved(parent.folder.path) != resolved(expected):
        raise UserError(
            f"--start-from {parent.folder.path}: it must be {expected}; set --runs, or rename the folder back"
        )
    return config


def refuse_pretrained(run: Run, name: str) -> None:
    """Raises UserError for a model that comes with the package: its training cannot be continued."""
    if is_pretrained(run.folder.path):
        raise UserError(
            f"{name} is a finished model that comes with the package, without what training goes on from; a run of "
            f"your own is named by its folder, or as {run.recipe}:newest"
        )


def train(run: LoadedRun, max_minutes: float | None, log: Sequence[str] = ()) -> dict[str, Any]:
    """Train the run and return its result, with the cost estimate of its remaining steps.

    ``log`` names where the curves are written, too (`Curves`). A run that it starts from is trained first if it is not
    finished. The cost of each is printed before its training.
    """
    if run.folder.finished:
        return {**_finished(run), "estimate": None}
    if caution := run.split().caution:
        say(caution)
    costs = Costs(run.device)

    def on_start(started: Run, step: int) -> None:
        is_ancestor = started.id != run.id
        costs.begin(started, step, f"first {started.id}, from whose weights it starts: " if is_ancestor else "")
        progress.begin(started.config.steps)

    with TrainingProgress(run.config.steps) as progress:
        result = run.train(max_minutes=max_minutes, log=log, observers=(progress, costs), on_start=on_start)
    return {**result, "estimate": costs.estimates[run.id].to_json() if run.id in costs.estimates else None}


def _finished(run: Run) -> dict[str, Any]:
    """The result of a finished run. Raises UserError, with what to do, if it has no intact checkpoint."""
    result = run.result()
    path, step = run.folder.path, checkpoint_to_load(run.folder).step
    if not is_main_process():
        return result
    if step == run.config.steps:
        say(f"{path} is finished; nothing to train")
    else:
        say(
            f"{path} is finished, but its newest intact checkpoint is of step {step}; to train the rest again, "
            f"remove {run.folder.result} and then: unrandom resume {path}{run.task_option}"
        )
    return result
