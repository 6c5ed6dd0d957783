"""Executes a run: its folder is locked, the newest checkpoint resumed, the model trained, the result written."""

import shlex
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import torch

from unrandom.core.errors import Busy, UserError
from unrandom.core.files import write_json
from unrandom.core.interrupts import Interrupted, either, interruptible
from unrandom.core.run_files import MEASURED
from unrandom.core.run_folder import RunFolder
from unrandom.evaluation import TrainingMeasure
from unrandom.models.numerics import choose_precision
from unrandom.runs.run import Run, split_of
from unrandom.runs.running.manifest import manifest
from unrandom.runs.spec import RunSpec
from unrandom.tasks import Batches, make_batches
from unrandom.training import Progress, train
from unrandom.training.checkpoint import checkpoint_to_resume, set_aside_damaged
from unrandom.training.distributed import Ranks, joined_ranks
from unrandom.training.estimate import check_memory
from unrandom.training.loop import Observer
from unrandom.training.machine import choose_device, configure_process, training_device
from unrandom.training.stacked import train_together
from unrandom.training.trainee import Trainee

OnStart = Callable[["Run", int], None]

MAX_EVALUATIONS = 2**17
"""The most evaluations of a run: each is a line of its metrics, which must be readable (`reading.MAX_LINES`)."""


def create_run(spec: RunSpec, out: Path, command: list[str], device: str | None = None) -> Run:
    """The run of a specification, with its folder under ``out``, which is created unless it exists.

    ``command`` and the name of the ``device`` that will train it are recorded in the manifest.
    Raises Busy, a UserError, when another process creates it at the same moment, and UserError for a new run with more
    than MAX_EVALUATIONS.
    """
    run = Run(RunFolder(out / spec.id), spec)
    if not run.folder.exists:
        steps, every = spec.config.steps, spec.config.evaluate_every
        if steps > MAX_EVALUATIONS * every:
            raise UserError(f"steps={steps} are over {MAX_EVALUATIONS:,} evaluations; raise evaluate_every={every}")
        split = split_of(spec.config)  # raises UserError for bad task settings before anything is written
        try:
            run.folder.create(manifest(spec, split, command, training_device(device)))
        except FileNotFoundError:
            if not run.folder.exists:
                raise
            raise Busy(f"another process created {run.folder.path} at the same moment") from None
    return run


def execute(
    run: Run,
    *,
    device: str | None = None,
    max_minutes: float | None = None,
    stop: Callable[[], bool] | None = None,
    observers: tuple[Observer, ...] = (),
    on_start: OnStart | None = None,
) -> dict[str, Any]:
    """Train ``run`` from its newest checkpoint to its end, or until time is up; returns its result so far.

    ``device`` is the name of the device that trains (None: the best one). A finished run is not trained again.
    Ancestors (runs whose weights it starts from) are trained first; if time is up in one of them, the result names it
    as ``waits_for``. ``on_start(run, step)`` is called before each run's data are built. Raises Busy, a UserError, when
    another process has locked the folder, NonFiniteLoss for NaN or infinity, and Interrupted, after a checkpoint, if
    SIGINT came (`interruptible`).
    """
    place = training_device(device)
    configure_process(place)
    until = None if max_minutes is None else time.monotonic() + 60 * max_minutes
    with interruptible() as interrupted, joined_ranks(place) as ranks:
        ends = either(interrupted, stop)
        if not ranks.is_main:
            observers, on_start = (), None
        ranks.check_batch(run.config.batch_size, run.config.micro_batches)
        for each in (*(run.ancestors() if ranks.broadcast(_needs_ancestors(run), place) else ()), run):
            if each is not run and ranks.is_main:
                create_run(
                    each.spec, each.folder.path.parent, shlex.split(run.folder.read_manifest()["command"]), device
                )
            result = _train_alone(each, place, ranks, until, ends, observers, on_start)
            if interrupted():
                raise Interrupted.at([(result["run"], result["steps"], each.config.steps)])
            if each is not run and not result["finished"]:
                return {**_result(run, Progress()), "waits_for": result["run"]}
        return result


def _needs_ancestors(run: Run) -> bool:
    """Whether the run has to start from the weights of another run, and has not done so yet."""
    return not run.folder.finished and run.config.start is not None and checkpoint_to_resume(run.folder) is None


def _seconds_left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())


def _train_alone(
    run: Run,
    device: torch.device,
    ranks: Ranks,
    until: float | None,
    stop: Callable[[], bool],
    observers: tuple[Observer, ...],
    on_start: OnStart | None,
) -> dict[str, Any]:
    """Lock the folder, train from the newest checkpoint, and write the result if the run is finished."""
    ranks.check_batch(run.config.batch_size, run.config.micro_batches)
    if ranks.broadcast(run.folder.finished, device):
        return run.result()
    with run.folder.lock() if ranks.is_main else nullcontext():
        if ranks.broadcast(run.folder.finished, device):  # another process finished it before this one got the lock
            return run.result()
        trainee, batches = _prepare_trainee(run, device, ranks, on_start)
        left = _seconds_left(until)
        train(trainee, batches, device=device, ranks=ranks, max_seconds=left, stop=stop, observers=observers)
        return _write_result(run, trainee.progress) if ranks.is_main else _result(run, trainee.progress)


def execute_together(
    runs: list[Run], *, max_minutes: float | None = None, stop: Callable[[], bool] | None = None
) -> list[dict[str, Any]]:
    """Train unfinished runs of one shape stacked in this process; returns their results.

    Runs at different steps are trained in groups at the same step; the time limit is for all groups together. Raises
    what `execute` raises; an error in one run ends all of them.
    """
    until = None if max_minutes is None else time.monotonic() + 60 * max_minutes
    device = choose_device()
    configure_process(device)
    with ExitStack() as locks:
        for run in runs:
            if _needs_ancestors(run) and not all(ancestor.folder.finished for ancestor in run.ancestors()):
                raise UserError(f"{run.id} starts from the weights of a run that is not finished")
            locks.enter_context(run.folder.lock())
        begun = [_prepare_trainee(run, device) for run in runs if not run.folder.finished]
        for index, step in enumerate(sorted({trainee.progress.step for trainee, _ in begun})):
            seconds = _seconds_left(until)
            if index and (seconds == 0 or (stop is not None and stop())):
                break
            trainees, batches = zip(*(each for each in begun if each[0].progress.step == step), strict=True)
            train_together(trainees, batches, device=device, max_seconds=seconds, stop=stop)
        progress = {trainee.folder.path: trainee.progress for trainee, _ in begun}
        return [
            _write_result(run, progress[run.folder.path]) if run.folder.path in progress else run.result()
            for run in runs
        ]


def _prepare_trainee(
    run: Run, device: torch.device, ranks: Ranks | None = None, on_start: OnStart | None = None
) -> tuple[Trainee, Batches]:
    """The run at its newest intact checkpoint; later metrics are removed, damaged checkpoints renamed."""
    config = run.config
    check_memory(config, device, 1 if ranks is None else ranks.count)
    split = run.split()
    start = checkpoint_to_resume(run.folder)
    if start is not None:
        start.check_config(config.transformer)
        if start.step > config.steps:
            raise UserError(f"{start.folder} is of step {start.step:,}, but the run has {config.steps:,} steps")
    if on_start is not None:
        on_start(run, start.step if start else 0)
    batches = make_batches(split, config.batch_size, config.seed)
    precision = choose_precision(config.precision, device)
    measure = TrainingMeasure(split, batches, test_sequences=config.test_sequences, precision=precision)
    if ranks is None or ranks.is_main:
        run.folder.remove_leftovers()
        set_aside_damaged(run.folder, start)
        run.folder.rewind_metrics(start.step if start else 0)
    parent = run.ancestors()[-1].load_model() if start is None and config.start is not None else None
    return Trainee.begin(run.folder, config, measure, device, start, parent), batches


def _write_result(run: Run, progress: Progress) -> dict[str, Any]:
    """The result; written to the folder if the run is finished."""
    result = _result(run, progress)
    if result["finished"]:
        run.folder.check_exists()
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
