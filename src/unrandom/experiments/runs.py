"""How does a configuration become a finished run folder? Split, batches, training, result; or the same, resumed."""

import platform
import shlex
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from unrandom import __version__
from unrandom.core.errors import Busy, UserError
from unrandom.core.files import read_json, write_json
from unrandom.core.run_folder import RunFolder
from unrandom.evaluation import TrainingMeasure
from unrandom.models import Transformer, parameter_count
from unrandom.models.numerics import choose_precision
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Batches, Split, make_batches
from unrandom.training import Progress, RunConfig, train
from unrandom.training.checkpoint import checkpoint_to_load, checkpoint_to_resume, set_aside_later
from unrandom.training.distributed import Ranks, joined_ranks, launched_device
from unrandom.training.loop import Observer
from unrandom.training.machine import choose_device, describe, prepare
from unrandom.training.stacked import train_together
from unrandom.training.trainee import Trainee

Announce = Callable[["Run", int], None]

PACKAGES = ("torch", "numpy", "pydantic", "safetensors")
MEASURED = ("train_loss", "test_loss", "token_accuracy", "number_accuracy", "last_number_accuracy")  # last, in a result


@dataclass(frozen=True)
class Run:
    """A run folder together with what its manifest says."""

    folder: RunFolder
    recipe: str
    config: RunConfig

    @classmethod
    def open(cls, path: Path | str) -> "Run":
        """An existing run. Raises UserError when the folder is none or its configuration cannot be read."""
        folder = RunFolder.open(Path(path))
        manifest = folder.read_manifest()
        try:
            config = RunConfig.parse(manifest["config"])
        except UserError as error:
            if own := manifest.get("task"):
                raise UserError(f"{folder.path}: {error} (it was {own['path']})") from None
            raise
        return cls(folder, manifest["recipe"], config)

    @property
    def id(self) -> str:
        return self.folder.path.name

    def ancestors(self) -> list["Run"]:
        """The runs that this one's weights come from, in the same parent folder, the first of all first."""
        start = self.config.start
        if start is None:
            return []
        parent = Run(RunFolder(self.folder.path.parent / start.run_id), start.recipe, start.config)
        return [*parent.ancestors(), parent]

    def split(self) -> Split:
        return split_of(self.config)

    def check_code(self) -> None:
        """UserError where the run has a task of the user's own whose code is not what it was when the run was made."""
        now = self.config.data.source
        if now is not None and self.folder.read_manifest()["task"]["sha256"] != now.sha256:
            raise UserError(f"{self.folder.path} was made by other code than {now.path} now has; train it anew")

    def result(self) -> dict[str, Any]:
        """``result.json``, once the run is finished, naming the folder where it is now; what it lacks is None."""
        result = read_json(self.folder.result)
        if not isinstance(result, dict) or "steps" not in result:
            raise UserError(f"{self.folder.result} is not the result of a run")
        unknown = dict.fromkeys(("precision", "train_seconds", *MEASURED))
        return {**unknown, "data_mode": self.config.data.mode, **result, "run": str(self.folder.path)}

    def load_model(self, device: torch.device | None = None) -> Transformer:
        """The newest whole checkpoint's model, eager and with explicit attention. UserError when there is none."""
        checkpoint = checkpoint_to_load(self.folder)
        model = checkpoint.load_model(device)
        if model.config != self.config.transformer:
            raise UserError(f"{checkpoint.folder} holds a model of another shape than {self.folder.manifest} describes")
        return model

    def predictor(self, device: torch.device | None = None) -> TransformerPredictor:
        return TransformerPredictor(self.load_model(device), self.config.data.tokenizer)


def split_of(config: RunConfig) -> Split:
    """What training may see and what is held out, from the runs that this one's weights come from, too.

    An earlier run held out what its own ancestors could not see, and may have seen the rest.
    """
    split, start = config.data.split(config.split_seed), config.start
    while start is not None:
        split = split.unseen_by(split_of(start.config))
        start = start.config.start
    return split


def create_run(recipe: str, config: RunConfig, out: Path, command: list[str]) -> Run:
    """The run of this configuration under ``out``: a new folder, or the one it has had before.

    Raises Busy, a UserError, when another process makes it at the same moment.
    """
    run = Run(RunFolder(out / f"{recipe}-{config.digest()}"), recipe, config)
    if not run.folder.exists:
        split = run.split()  # bad data settings end here, before anything is written
        try:
            run.folder.create(_manifest(run, split, command))
        except FileNotFoundError:
            if not run.folder.exists:
                raise
            raise Busy(f"another process made {run.folder.path} at the same moment") from None
    return run


def execute(
    run: Run,
    *,
    max_minutes: float | None = None,
    stop: Callable[[], bool] | None = None,
    observers: tuple[Observer, ...] = (),
    announce: Announce | None = None,
) -> dict[str, Any]:
    """Train ``run`` from where it stands, or until it has to stop; returns its result. A finished run is not run again.

    Runs whose weights it begins with are trained before; if the time is up in one of these, the result names it as
    ``waits_for``. ``announce`` is called with each run to be trained, and its step, before its data are made.
    Raises Busy, a UserError, when another process holds the folder, NonFiniteLoss when training breaks down.
    """
    device = choose_device(launched_device())
    prepare(device)
    until = None if max_minutes is None else time.monotonic() + 60 * max_minutes
    with joined_ranks(device) as ranks:
        control = _Control(until, stop, observers, announce) if ranks.is_main else _Control(until, stop)
        ranks.check_batch(run.config.batch_size, run.config.micro_batches)
        for ancestor in run.ancestors() if ranks.broadcast(_needs_ancestors(run), device) else ():
            if ranks.is_main:
                command = shlex.split(run.folder.read_manifest()["command"])
                create_run(ancestor.recipe, ancestor.config, ancestor.folder.path.parent, command)
            result = _execute(ancestor, device, ranks, control)
            if not result["finished"]:
                return {**_result(run, Progress()), "waits_for": result["run"]}
        return _execute(run, device, ranks, control)


def _needs_ancestors(run: Run) -> bool:
    """Whether it has yet to take over the weights of another run."""
    begun = run.folder.finished or run.config.start is None or checkpoint_to_resume(run.folder) is not None
    return not begun


@dataclass(frozen=True)
class _Control:
    """When training has to stop, and what observes it."""

    until: float | None  # on the monotonic clock
    stop: Callable[[], bool] | None
    observers: tuple[Observer, ...] = ()
    announce: Announce | None = None


def _seconds_left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())


def _execute(run: Run, device: torch.device, ranks: Ranks, control: _Control) -> dict[str, Any]:
    run.check_code()
    ranks.check_batch(run.config.batch_size, run.config.micro_batches)
    if ranks.broadcast(run.folder.finished, device):
        return run.result()
    with run.folder.lock() if ranks.is_main else nullcontext():
        if ranks.broadcast(run.folder.finished, device):  # by another process, which has let go of it meanwhile
            return run.result()
        trainee, batches = _begin(run, device, ranks, control.announce)
        seconds = _seconds_left(control.until)
        train(
            trainee,
            batches,
            device=device,
            ranks=ranks,
            max_seconds=seconds,
            stop=control.stop,
            observers=control.observers,
        )
        return _conclude(run, trainee.progress) if ranks.is_main else _result(run, trainee.progress)


def execute_together(
    runs: list[Run], *, max_minutes: float | None = None, stop: Callable[[], bool] | None = None
) -> list[dict[str, Any]]:
    """Train unfinished runs of one shape side by side in this process; returns their results.

    Runs that stand at different steps are trained in groups that stand at the same one; the time is that of all groups
    together. Raises what `execute` raises; whatever ends one run ends all.
    """
    until = None if max_minutes is None else time.monotonic() + 60 * max_minutes
    device = choose_device()
    prepare(device)
    with ExitStack() as locks:
        for run in runs:
            if _needs_ancestors(run) and not all(ancestor.folder.finished for ancestor in run.ancestors()):
                raise UserError(f"{run.id} begins with the weights of a run that is not finished")
            locks.enter_context(run.folder.lock())
        begun = [_begin(run, device) for run in runs if not run.folder.finished]
        for index, step in enumerate(sorted({trainee.progress.step for trainee, _ in begun})):
            seconds = _seconds_left(until)
            if index and (seconds == 0 or (stop is not None and stop())):
                break
            trainees, batches = zip(*(each for each in begun if each[0].progress.step == step), strict=True)
            train_together(trainees, batches, device=device, max_seconds=seconds, stop=stop)
        progress = {trainee.folder.path: trainee.progress for trainee, _ in begun}
        return [
            _conclude(run, progress[run.folder.path]) if run.folder.path in progress else run.result() for run in runs
        ]


def _begin(
    run: Run, device: torch.device, ranks: Ranks | None = None, announce: Announce | None = None
) -> tuple[Trainee, Batches]:
    """The run where it stands: its newest whole checkpoint, and the folder without what came later."""
    config, split = run.config, run.split()
    start = checkpoint_to_resume(run.folder)
    if start is not None:
        start.check_shape(config.transformer)
    if announce is not None:
        announce(run, start.step if start else 0)
    batches = make_batches(split, config.batch_size, config.seed)
    precision = choose_precision(config.precision, device)
    measure = TrainingMeasure(split, batches, test_sequences=config.test_sequences, precision=precision)
    if ranks is None or ranks.is_main:
        run.folder.remove_leftovers()
        set_aside_later(run.folder, start)
        run.folder.rewind_metrics(start.step if start else 0)
    parent = run.ancestors()[-1].load_model() if start is None and config.start is not None else None
    return Trainee.begin(run.folder, config, measure, device, start, parent), batches


def _conclude(run: Run, progress: Progress) -> dict[str, Any]:
    result = _result(run, progress)
    if result["finished"]:
        write_json(run.folder.result, result)
    return result


def _result(run: Run, progress: Progress) -> dict[str, Any]:
    return {
        "run": str(run.folder.path),
        "recipe": run.recipe,
        "steps": progress.step,
        "finished": progress.step == run.config.steps,
        "data_mode": run.config.data.mode,
        "precision": progress.precision,
        "train_seconds": round(progress.train_seconds, 2),
        **{name: progress.latest.get(name) for name in MEASURED},
    }


def _manifest(run: Run, split: Split, command: list[str]) -> dict[str, Any]:
    return {
        "recipe": run.recipe,
        "config": run.config.tree(),
        "parameters": parameter_count(run.config.transformer),
        "split": split.manifest(),
        **({} if run.config.data.source is None else {"task": run.config.data.source.tree()}),
        "command": shlex.join(command),
        "device": describe(choose_device(launched_device())),
        "versions": {"unrandom": __version__, "python": platform.python_version()}
        | {package: metadata.version(package) for package in PACKAGES},
        "commit": _commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit() -> str | None:
    """The commit of the checkout this package runs from; None when it was installed from a wheel."""
    folder = Path(__file__).parent
    try:
        asked = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        inside = ["git", "-C", str(folder), "ls-files", "--error-unmatch", __file__]
        subprocess.run(inside, capture_output=True, check=True)
        return subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
