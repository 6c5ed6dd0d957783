"""Exports a run as a folder that other libraries load, and imports it again.

The folder has ``model.safetensors`` and ``config.json`` in one of three formats (`models.formats`), ``README.md`` (the
model card), and ``unrandom.json`` with the run's manifest, metrics and result, so that a run can be made of it again.
Both directions write to a temporary name and rename it at the end. Nothing is unpickled, and nothing is downloaded.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import safetensors.torch
import torch
from pydantic import Field

from unrandom.core.config import Config
from unrandom.core.errors import UserError, lookup
from unrandom.core.files import JsonObject, replaced_atomically, write_atomically, write_json
from unrandom.core.reading import MAX_JSON, MAX_LINES, about, read_json, sha256
from unrandom.core.run_files import Manifest, MetricsLine, Result
from unrandom.core.run_folder import RunFolder
from unrandom.core.version import __version__
from unrandom.models import Transformer, TransformerConfig
from unrandom.models.formats import Tensors, from_huggingface, from_plain, own_config, to_huggingface, to_plain
from unrandom.models.tensor_files import read_tensors
from unrandom.runs.run import Run, check_code
from unrandom.runs.sharing.card import model_card
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import checkpoint_to_load, save_checkpoint
from unrandom.training.config import StartFrom

log = logging.getLogger(__name__)

CONFIG, WEIGHTS, CARD, RECORD = "config.json", "model.safetensors", "README.md", "unrandom.json"
MAX_RECORD = MAX_JSON + 2 * MAX_LINES  # bytes of RECORD, which has the metrics, indented
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


@dataclass(frozen=True)
class Format:
    """How the model in an exported folder is written and read."""

    write: Callable[[Transformer], tuple[JsonObject, Tensors]]
    config_of: Callable[[JsonObject], TransformerConfig]  # of config.json
    read: Callable[[JsonObject, Tensors], Transformer]


HUGGINGFACE = Format(to_huggingface, own_config, from_huggingface)
FORMATS = {
    "huggingface": HUGGINGFACE,
    "transformerlens": HUGGINGFACE,  # it makes its bridge from what transformers loads; only the card differs
    "safetensors": Format(to_plain, TransformerConfig.parse, from_plain),
}


class Record(Config):
    """The content of ``unrandom.json``: all of the run's folder but its weights."""

    format: str
    unrandom: str  # version that wrote it
    weights_sha256: str  # of model.safetensors
    step: Annotated[int, Field(ge=0, le=2**32)]  # updates made
    train_seconds: Annotated[float, Field(ge=0)] | None
    manifest: JsonObject
    metrics: list[JsonObject]
    result: JsonObject | None  # None: the run is not finished


def export_run(run: Run, folder: Path, to: str = "huggingface") -> Path:
    """Write the run's newest checkpoint to ``folder``, in a format of `FORMATS`; returns the folder.

    Raises UserError for an unknown format, for a folder that exists and is not empty, where the run has no checkpoint,
    and for a model that the format cannot express (``kv_shift``).
    """
    chosen = lookup("format", to, FORMATS)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise UserError(f"{folder} exists already; name a folder that does not exist, or an empty one")
    checkpoint, model = checkpoint_to_load(run.folder), run.load_model(torch.device("cpu"))
    values, tensors = chosen.write(model)
    with replaced_atomically(folder) as made:
        write_json(made / CONFIG, values)
        write_atomically(made / WEIGHTS, safetensors.torch.save(tensors, metadata={"format": "pt"}))
        write_atomically(made / CARD, model_card(run, to, checkpoint.step, model, values, tensors))
        record = Record(
            format=to,
            unrandom=__version__,
            weights_sha256=sha256(made / WEIGHTS),
            step=checkpoint.step,
            train_seconds=checkpoint.progress.get("train_seconds"),
            manifest=run.folder.read_manifest(),
            metrics=run.folder.read_metrics(),
            result=run.result() if run.folder.finished else None,
        )
        write_json(made / RECORD, record.to_json())
    return folder


def import_exported(folder: Path, out: Path) -> Run:
    """Make a run folder ``out/<run id>`` of an exported folder, and return the run.

    Its manifest is the original one, with ``imported`` for where it came from. If its weights were changed since, a
    warning is logged, and the folder is ``out/<run id>-changed``, which does not pass for the run. Raises
    UserError if the run folder exists, and if ``folder`` is not what `export_run` writes, is damaged, or was changed to
    a model that this package cannot express.
    """
    record = _read_record(folder)
    spec = _spec_of(folder, record)
    model = _read_model(folder, record.format, spec.config.transformer)
    changed = sha256(folder / WEIGHTS) != record.weights_sha256
    target = out / (f"{spec.id}-changed" if changed else spec.id)
    if target.exists():
        raise UserError(f"{target} exists already; import into another folder with --runs")
    if changed:
        log.warning("%s has other weights than were exported: metrics and result are not theirs", folder)
    imported = {
        "from": str(folder),
        "format": record.format,
        "weights_changed": changed,
        "unrandom": __version__,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with replaced_atomically(target) as made:
        run = RunFolder(made)
        save_checkpoint(run, record.step, model, None, {"train_seconds": record.train_seconds})
        for row in record.metrics:
            run.append_metrics(row)
        if record.result is not None:
            write_json(run.result, record.result)
        run.create({**record.manifest, "imported": imported})  # last: a folder with a manifest is found as a run
    return Run.open(target)


def _read_record(folder: Path) -> Record:
    """``unrandom.json``, checked as far as commands rely on it."""
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder")
    if not (folder / RECORD).is_file():
        raise UserError(f"{folder} has no {RECORD}: it was not written by unrandom export")
    with about(folder / RECORD):
        record = Record.parse(read_json(folder / RECORD, most=MAX_RECORD))
        lookup("format", record.format, FORMATS)
        Manifest.parse(record.manifest)
        for line in record.metrics:
            MetricsLine.parse(line)
        if record.result is not None:
            Result.parse(record.result)
    return record


def _spec_of(folder: Path, record: Record) -> RunSpec:
    with about(folder / RECORD):
        spec = StartFrom.parse({key: record.manifest.get(key) for key in ("recipe", "config")})
        check_code(record.manifest, spec.config, "the run")
    return RunSpec(spec.recipe, spec.config)


def _read_model(folder: Path, written: str, expected: TransformerConfig) -> Transformer:
    """The model of a folder in the format ``written``. Raises UserError unless it has the expected configuration."""
    with about(folder):
        values, chosen = read_json(folder / CONFIG), FORMATS[written]
        if not isinstance(values, dict):
            raise UserError(f"{CONFIG} is not a JSON object")
        if chosen.config_of(values) != expected:
            raise UserError(f"{CONFIG} has another model than the configuration in {RECORD}")
        return chosen.read(values, _read_tensors(folder, expected))


def _read_tensors(folder: Path, config: TransformerConfig) -> Tensors:
    path = folder / WEIGHTS
    if not path.is_file():
        pickled = sorted(found.name for pattern in PICKLES for found in folder.glob(pattern))
        instead = f"; {pickled[0]} is not read, because unpickling can run code" if pickled else ""
        raise UserError(f"{WEIGHTS} does not exist{instead}")
    return read_tensors(path, config)
