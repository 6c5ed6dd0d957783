"""The functions of ``import unrandom`` about runs: load, import, train, predict, evaluate; commands use them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unrandom.core.config import as_typed, dotted_items
from unrandom.core.errors import UserError, check_counts
from unrandom.runs.continuation import Continuation
from unrandom.runs.finding import RUNS, find_run
from unrandom.runs.loaded import LoadedRun, Numbers
from unrandom.runs.recipes import recipe as recipe_called
from unrandom.runs.running.execution import create_run
from unrandom.runs.sharing.exchange import import_exported
from unrandom.runs.sharing.public_models import PUBLIC_CODE, import_public, is_model_file
from unrandom.runs.spec import RunSpec
from unrandom.tasks import Part, check_task
from unrandom.training import RunConfig

if TYPE_CHECKING:
    import polars as pl

    from unrandom.runs.running.saved_sweep import SweepResult


def load(name: str | Path, *, runs: str | Path = RUNS, device: str | None = None) -> LoadedRun:
    """A model that comes with the package, or a run of one's own, by name or folder.

    ``name`` is a name in `unrandom.pretrained`; or the path of a run folder; or, among the folders in ``runs``, a run's
    name, the unique beginning of one, ``"RECIPE:newest"``, or ``"latest"``. Of an unfinished run, a warning is logged.
    The model is loaded when it is first used, onto ``device`` (such as ``"cpu"`` or ``"cuda:1"``; the best one if it is
    not given). Nothing is ever unpickled, and no code is imported: a run of a user-defined task needs
    ``unrandom.tasks.load_task("my_task.py:MyTask")`` before. Raises UserError, naming candidates or near misses, when
    the name fits no run or several.

    >>> import unrandom
    >>> run = unrandom.load("um-144")
    >>> run.id, run.recipe
    ('um-144-52178bd0', 'um-144')
    >>> numbers = unrandom.LCG(m=144, a=37, c=25).orbit(x0=5, length=40)
    >>> run.predict(numbers, n=5).numbers
    [141, 58, 11, 0, 25]
    """
    found = find_run(str(name), Path(runs))
    return LoadedRun(found.folder, found.spec, device)


def import_run(folder: str | Path, runs: str | Path = RUNS, *, recipe: str | None = None, **changes: Any) -> LoadedRun:
    """Make a run of a folder that `LoadedRun.export` wrote, in any of its formats; returns it.

    The run folder is ``runs/<run id>``, with the original manifest, metrics and result; the manifest's ``imported``
    says where it came from. Logits agree to rounding. Nothing is ever unpickled. Raises UserError if the run folder
    exists, and for a folder that is not an export, is damaged, or has a model that this package cannot express, such as
    one that had no biases and got some in further training.

    ``folder`` may also be a ``.safetensors`` file with a model of the paper's public code: docs/export.md. Only then,
    ``recipe`` and ``changes`` are the settings that neither its tensors nor its name tell, as in `train`.

    >>> import tempfile, unrandom
    >>> run = unrandom.load("um-144")
    >>> folder = run.export(tempfile.mkdtemp(), to="safetensors")
    >>> again = unrandom.import_run(folder, runs=tempfile.mkdtemp())
    >>> again.id, again.result() == {**run.result(), "run": str(again.folder.path)}
    ('um-144-52178bd0', True)
    """
    typed = [f"{key}={as_typed(value)}" for key, value in dotted_items(changes)]
    return import_path(Path(folder), Path(runs), recipe, typed)


def import_path(path: Path, runs: Path, recipe: str | None, assignments: Sequence[str]) -> LoadedRun:
    """`import_run` with settings as typed, ``KEY=VALUE``."""
    if is_model_file(path):
        found = import_public(path, runs, recipe=recipe, assignments=assignments)
    elif recipe is not None or assignments:
        raise UserError(f"{path}: a recipe and settings are for a file of {PUBLIC_CODE}; a folder has its own")
    else:
        found = import_exported(path, runs)
    return LoadedRun(found.folder, found.spec)


def train(
    recipe: str | RunSpec,
    *,
    runs: str | Path = RUNS,
    max_minutes: float | None = None,
    device: str | None = None,
    log: Sequence[str] = (),
    command: Sequence[str] | None = None,
    **changes: Any,
) -> LoadedRun:
    """Train the run of a recipe to its end, or for some minutes; an unfinished run continues from its checkpoint.

    ``recipe`` is a name of `unrandom.recipes`, a user-defined task as ``my_task.py:MyTask``, or a run specification.
    ``changes`` are fields of its configuration, with dictionaries for nested ones: ``steps=400, model={"depth": 2}``.
    ``device`` is where it is trained, such as ``"cpu"`` or ``"cuda:1"``; by default CUDA, else MPS, else the CPU.
    The run folder is ``runs/<recipe>-<hash of the configuration>``. ``log`` names where the curves are written, too:
    ``"csv"``, ``"tensorboard"``, ``"wandb"``. ``command`` is recorded in the manifest; by default
    the equivalent command line is. Raises UserError for an unknown recipe or field, naming near misses, and for values
    that do not fit.

    >>> import tempfile, unrandom
    >>> run = unrandom.train("quadratic-smoke", runs=tempfile.mkdtemp(), seed=1)
    >>> run.result()["steps"], run.config.seed
    (12, 1)
    """
    run = prepare_run(recipe, runs=runs, command=command, device=device, **changes)
    run.train(max_minutes=max_minutes, log=log)
    return run


def prepare_run(
    recipe: str | RunSpec,
    *,
    runs: str | Path = RUNS,
    command: Sequence[str] | None = None,
    device: str | None = None,
    **changes: Any,
) -> LoadedRun:
    """The run that `train` would train, with its folder made and nothing trained yet."""
    spec = _changed(recipe, changes)
    if spec.config.data.source is not None:
        check_task(spec.config.data, spec.config.split_seed)
    typed = _command_line(_spec_of(recipe), spec.config, runs) if command is None else list(command)
    run = create_run(spec, Path(runs), typed, device)
    return LoadedRun(run.folder, run.spec, device)


def _spec_of(recipe: str | RunSpec) -> RunSpec:
    if isinstance(recipe, RunSpec):
        return recipe
    chosen = recipe_called(recipe)
    return RunSpec(chosen.name, chosen.build())


def _changed(recipe: str | RunSpec, changes: dict[str, Any]) -> RunSpec:
    """The run specification with changed fields. Raises UserError for a change of the task."""
    base = _spec_of(recipe)
    config, task = base.config.replace(**changes), base.config.data.name
    if config.data.name != task:
        raise UserError(f"the task of {base.recipe} is {task}; for the task {config.data.name}, name another recipe")
    return RunSpec(base.recipe, config)


def _command_line(base: RunSpec, config: RunConfig, runs: str | Path) -> list[str]:
    """The command that trains a configuration that differs from a recipe's."""
    return ["unrandom", "train", *base.words_for(config), "--runs", str(runs)]


def sweep(
    recipe: str | RunSpec,
    grid: Mapping[str, Sequence[object]],
    *,
    seeds: int = 1,
    sequences: int = 1024,
    runs: str | Path = RUNS,
    workers: int | None = None,
    max_minutes: float | None = None,
    **changes: Any,
) -> "SweepResult":
    """Train every combination of settings in processes of this machine; what `unrandom sweep` does, in Python.

    ``grid`` has the values of configuration keys, with dots: ``{"model.depth": [1, 2], "optimizer.muon_lr": [0.02]}``;
    ``recipe`` and ``changes`` are as in `train`. Each combination is trained with the seeds ``seed``, ``seed + 1``,
    …, and evaluated with ``sequences`` per part of the test; grid points that are finished are not trained again.
    ``workers`` is how many processes train at a time (by default one per core). The result has ``points`` (a table
    with one row per grid point), ``best`` (the best settings in validation) and ``folder`` (tables, heat map, curves).
    Raises UserError for settings that do not fit, before anything is trained, and RunsFailed if no run could be
    trained.

    >>> import tempfile, unrandom
    >>> found = unrandom.sweep("quadratic-smoke", {"model.d_model": [8, 16]}, runs=tempfile.mkdtemp(), steps=4)
    >>> found.points["model.d_model"].to_list(), found.best is not None
    ([8, 16], True)
    """
    from unrandom.runs.running.engines import EngineOptions
    from unrandom.runs.running.launcher import Launcher, raise_failures, train_runs  # training does not wait for tables
    from unrandom.runs.running.plan import grid_points, parse_grid
    from unrandom.runs.running.saved_sweep import save_sweep
    from unrandom.runs.running.sweep import Sweep

    check_counts(seeds=seeds, sequences=sequences, workers=1 if workers is None else workers)
    lists = list(grid.values()) if isinstance(grid, Mapping) else []
    if not lists or any(isinstance(each, str) or not isinstance(each, Sequence) or not each for each in lists):
        raise UserError('grid must have a list of values for each key, such as {"model.depth": [1, 2]}')
    base, folder = _changed(recipe, changes), Path(runs)
    typed = [f"{key}={','.join(map(as_typed, values))}" for key, values in grid.items()]
    chosen = parse_grid(typed)
    asked = Sweep(base.recipe, base.config, chosen, grid_points(base.recipe, base.config, chosen, seeds), sequences)
    settings = [*_spec_of(recipe).words_for(base.config), *(f"--grid={each}" for each in typed)]
    counts = ["--seeds", str(seeds), "--sequences", str(sequences)]
    command = ["unrandom", "sweep", *settings, *counts, "--runs", str(folder)]
    options = EngineOptions(workers, None, None, ())
    launcher = Launcher(out=folder, command=tuple(command), options=options, minutes=max_minutes)
    outcomes = [ended.outcome for ended in train_runs(asked.unfinished(folder), launcher, sequences=sequences)]
    found = save_sweep(asked, folder, command)
    if found.best is None:
        raise_failures(outcomes)
    return found


def evaluate(
    run: str | Path | LoadedRun, *, sequences: int = 1024, part: Part | None = None, predictors: Sequence[str] = ()
) -> "pl.DataFrame":
    """Accuracy of a run, given by name, path or itself, on its test: see `LoadedRun.evaluate`.

    >>> import unrandom
    >>> accuracy = unrandom.evaluate("um-144", sequences=64)
    >>> accuracy["part"].unique().sort().to_list()
    [96, 108, 144]
    """
    return _loaded(run).evaluate(sequences=sequences, part=part, predictors=predictors)


def predict(run: str | Path | LoadedRun, numbers: Numbers, n: int = 1) -> Continuation:
    """The numbers after a sequence by the model of a run, given by name, path or itself: see `LoadedRun.predict`.

    >>> import unrandom
    >>> numbers = unrandom.LCG(m=144, a=37, c=25).orbit(x0=5, length=40)
    >>> unrandom.predict("um-144", numbers, n=2).numbers
    [141, 58]
    """
    return _loaded(run).predict(numbers, n)


def _loaded(run: str | Path | LoadedRun) -> LoadedRun:
    return run if isinstance(run, LoadedRun) else load(run)
