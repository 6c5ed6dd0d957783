"""Archives small trained models beside the results, as run folders in bf16 without optimiser state.

An archived model can be evaluated and analysed like any run, so that experiments can be repeated without training.
"""

from collections.abc import Sequence
from pathlib import Path

from unrandom.core.errors import UserError
from unrandom.core.files import write_atomically
from unrandom.core.run_folder import RunFolder
from unrandom.models import parameter_count
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import checkpoint_to_load, save_checkpoint

LARGEST = 2_500_000  # parameters of a model that is archived


def archive_folder(scale: str, results: Path) -> Path:
    return results / scale / "weights"


def archive_runs(runs: Sequence[Run], seeds: int, folder: Path) -> None:
    """Archive the finished runs of seeds below ``seeds`` with at most LARGEST parameters, each once."""
    for run in runs:
        archived = RunFolder(folder / run.id)
        if run.config.seed < seeds and parameter_count(run.config.transformer) <= LARGEST and not archived.finished:
            _archive(run, archived)


def _archive(run: Run, archived: RunFolder) -> None:
    archived.create(run.folder.read_manifest())
    checkpoint = checkpoint_to_load(run.folder)
    seconds = {"train_seconds": checkpoint.progress.get("train_seconds")}
    save_checkpoint(archived, checkpoint.step, checkpoint.load_model(), None, seconds, small=True)
    for file in (run.folder.metrics, run.folder.result):
        if file.is_file():
            write_atomically(archived.path / file.name, file.read_bytes())


def open_archived(specs: Sequence[RunSpec], folder: Path) -> list[Run]:
    """The archived runs of these specifications, with their labels. UserError naming the first that is not archived."""
    for spec in specs:
        if not RunFolder(folder / spec.id).finished:
            raise UserError(
                f"{spec.id} is not archived in {folder} (a checkout has models there); "
                "leave out --archived to train it, or ask for fewer --seeds"
            )
    return [Run.open(folder / spec.id, spec.labels) for spec in specs]
