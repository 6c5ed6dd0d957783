"""Which trained models are archived beside the results? Small ones, as run folders in bf16 without optimiser state.

An archived model can be evaluated and analysed like any run, so that experiments can be repeated without training. Of a
model that is too large, only the metrics are archived.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from unrandom.core.errors import UserError
from unrandom.core.files import write_atomically
from unrandom.core.run_folder import RunFolder
from unrandom.models import parameter_count
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import checkpoint_to_load, save_checkpoint, saved_step

LARGEST = 1_000_000  # parameters of a model that an experiment archives
LARGEST_BY_NAME = 16_000_000  # parameters of a model that is archived alone, by `archive_run`


def archive_folder(scale: str, results: Path) -> Path:
    """The folder of the archived models of a scale."""
    return results / scale / "weights"


def archive_runs(runs: Sequence[Run], seeds: int, folder: Path) -> None:
    """Archive the finished runs of seeds below ``seeds`` with at most LARGEST parameters."""
    for run in runs:
        if run.config.seed < seeds and parameter_count(run.config.transformer) <= LARGEST:
            archive_run(run, folder / run.id)


def archive_run(run: Run, path: Path) -> None:
    """Archive a run at its newest checkpoint, unless an archived copy has as many steps."""
    archived, checkpoint = RunFolder(path), checkpoint_to_load(run.folder)
    if archived.finished or (not run.folder.finished and steps_trained(archived) >= checkpoint.step):
        return
    archived.create(run.folder.read_manifest())
    if parameter_count(run.config.transformer) <= LARGEST_BY_NAME:
        seconds = {"train_seconds": checkpoint.progress.get("train_seconds")}
        save_checkpoint(archived, checkpoint.step, checkpoint.load_model(), None, seconds, small=True)
        for older in sorted(archived.checkpoints.glob("step-*"))[:-1]:
            shutil.rmtree(older)
    for file in (run.folder.metrics, run.folder.result):
        if file.is_file():
            write_atomically(archived.path / file.name, file.read_bytes())


def steps_trained(folder: RunFolder) -> int:
    """The steps a run was trained for, by its newest checkpoint or, without weights, by its metrics."""
    metrics = folder.read_metrics()
    return max(saved_step(folder), metrics[-1]["step"] if metrics else 0)


def open_archived(specs: Sequence[RunSpec], folder: Path) -> list[Run]:
    """The archived runs of these specifications, with their labels. UserError naming the first that is not archived."""
    for spec in specs:
        if not RunFolder(folder / spec.id).finished:
            raise UserError(
                f"{spec.id} is not archived in {folder}; leave out --archived to train it, or ask for fewer --seeds"
            )
    return [Run.open(folder / spec.id, spec.labels) for spec in specs]
