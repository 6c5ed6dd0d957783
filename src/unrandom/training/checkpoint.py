"""Saves and loads checkpoints atomically, with checksums, as safetensors; nothing is ever unpickled.

``checkpoints/step-00000500/`` holds ``model.safetensors`` with ``config.json``, ``optimizer.safetensors``, and last
``state.json`` with the checksum of each. The folder is written under a temporary name, synced and renamed.
"""

import hashlib
import json
import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import safetensors.torch
import torch
from pydantic import Field, field_validator
from torch import Tensor, nn

from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.core.files import sync_folder, write_atomically, write_json
from unrandom.core.reading import about, check_schema, read_json, sha256
from unrandom.core.run_files import MetricsLine, Seconds, Step
from unrandom.core.run_folder import RunFolder
from unrandom.models import Transformer, TransformerConfig
from unrandom.models.tensor_files import check_size, largest_file, read_tensors

log = logging.getLogger(__name__)

CHECKPOINTS_KEPT = 2  # the newest, and the one before it in case the newest is damaged
WEIGHTS, MODEL_CONFIG, OPTIMIZER, STATE = "model.safetensors", "config.json", "optimizer.safetensors", "state.json"
MORE_WEIGHTS = "model-*.safetensors"  # the second and later files of weights that are split
LARGEST_FILE = 2**24  # bytes per file of ``small`` weights


class SavedProgress(Config):
    """The progress of a run in its checkpoint; an archived one has the time alone."""

    train_seconds: Seconds | None = None
    precision: str = ""
    losses: list[float] = Field([])
    latest: dict[str, Any] = Field({})

    @field_validator("latest")
    @classmethod
    def _is_a_line(cls, latest: dict[str, Any]) -> dict[str, Any]:
        if latest:  # there was an evaluation
            MetricsLine.parse(latest)
        return latest


class State(Config):
    """The content of ``state.json``."""

    step: Step
    progress: dict[str, Any]
    files: dict[Annotated[str, Field(pattern=r"^[\w-]+\.(safetensors|json)$")], str]  # checksum of each by its name
    sha256: str


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint on disk whose checksums were verified."""

    folder: Path
    step: int  # updates made
    progress: dict[str, Any]

    def check_config(self, config: TransformerConfig) -> None:
        """Raise UserError unless the saved model has this configuration."""
        if read_model_config(self.folder) != config:
            raise UserError(f"{self.folder} does not fit this model: it holds a model with another configuration")

    def load_model(self, device: torch.device | None = None) -> Transformer:
        """The saved model, in evaluation mode."""
        return load_model(self.folder, device)

    def load_weights(self, model: nn.Module) -> None:
        fill_weights(model, _read_weights(self.folder, read_model_config(self.folder)), self.folder / WEIGHTS)

    def optimizer_state(self) -> dict[str, Tensor]:
        return read_tensors(self.folder / OPTIMIZER, read_model_config(self.folder))


def save_checkpoint(
    run: RunFolder,
    step: int,
    model: Transformer,
    optimizer_state: dict[str, Tensor] | None,
    progress: dict[str, Any],
    *,
    small: bool = False,
    keep_every: int | None = None,
) -> None:
    """Save a checkpoint, then remove all but the newest two and the steps that ``keep_every`` divides.

    A failure (a full disk) leaves earlier ones intact. Training cannot resume without the optimiser state (None).
    ``small`` saves bf16 weights, in files of at most LARGEST_FILE bytes.
    """
    final = run.checkpoints / f"step-{step:08d}"
    folder = run.checkpoints / f".{final.name}.{os.getpid()}.tmp"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(parents=True)
        write_model(folder, model, small=small)
        if optimizer_state is not None:
            write_atomically(folder / OPTIMIZER, safetensors.torch.save(_on_cpu(optimizer_state)))
        files = {path.name: sha256(path) for path in sorted(folder.iterdir())}
        state = {"step": step, "progress": progress, "files": files}
        write_json(folder / STATE, {**state, "sha256": _checksum(state)})
        shutil.rmtree(final, ignore_errors=True)
        folder.rename(final)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    sync_folder(run.checkpoints)
    for old in _folders(run)[CHECKPOINTS_KEPT:]:
        if keep_every is None or int(old.name.removeprefix("step-")) % keep_every:
            shutil.rmtree(old, ignore_errors=True)


def kept_checkpoints(run: RunFolder, every: int) -> list[Checkpoint]:
    """The checkpoints of steps that ``every`` divides, oldest first. Raises UserError for a wrong checksum."""
    found = (_verified(folder) for folder in reversed(_folders(run)))
    return [checkpoint for checkpoint in found if checkpoint.step % every == 0]


def saved_step(run: RunFolder) -> int:
    """The step of the newest intact checkpoint; 0 for a run without any."""
    found, _ = _newest_intact(run)
    return found.step if found else 0


def checkpoint_to_resume(run: RunFolder) -> Checkpoint | None:
    """The newest intact checkpoint, or None for a run without any. Raises UserError when all of them are damaged."""
    found, problems = _newest_intact(run)
    if found is None and problems:
        remove = f"what is in {run.checkpoints}" + (f", and {run.result}," if run.finished else "")
        raise UserError(
            f"every checkpoint in {run.checkpoints} is damaged; to train again from the start, remove {remove} "
            f"and then: unrandom resume {run.path}"
        )
    _warn(problems)
    return found


def checkpoint_to_load(run: RunFolder) -> Checkpoint:
    """The newest intact checkpoint. Raises UserError, with advice, when the run has none."""
    found = checkpoint_to_resume(run)
    if found is None:
        again = (
            f", though the run is finished; remove {run.result} and train again" if run.finished else " yet; train it"
        )
        raise UserError(f"{run.path} has no checkpoint{again} with: unrandom resume {run.path}")
    return found


def set_aside_damaged(run: RunFolder, intact: Checkpoint | None) -> None:
    """Rename the damaged checkpoints, which are newer than ``intact``, so that they are not found again."""
    if intact is None:
        return
    for folder in _folders(run):
        if folder.name > intact.folder.name:
            shutil.rmtree(folder.with_name(f"damaged-{folder.name}"), ignore_errors=True)
            folder.rename(folder.with_name(f"damaged-{folder.name}"))


def write_model(folder: Path, model: Transformer, *, small: bool = False) -> None:
    """Write ``model.safetensors`` and ``config.json``, from which `load_model` builds the model again.

    ``small`` weights are bf16, split into numbered files of at most LARGEST_FILE bytes.
    """
    weights = _on_cpu(dict(model.named_parameters()))
    parts = _parts({name: tensor.bfloat16() for name, tensor in weights.items()}) if small else [weights]
    for number, part in enumerate(parts, start=1):
        name = WEIGHTS if number == 1 else MORE_WEIGHTS.replace("*", str(number))
        write_atomically(folder / name, safetensors.torch.save(part))
    write_json(folder / MODEL_CONFIG, model.config.to_json())


def _parts(tensors: dict[str, Tensor]) -> list[dict[str, Tensor]]:
    """The tensors in their order, grouped so that each group fits into one file; a tensor is never split."""
    parts: list[dict[str, Tensor]] = [{}]
    room = LARGEST_FILE - 2**16  # the rest is for the header
    for name, tensor in tensors.items():
        if parts[-1] and sum(each.nbytes for each in parts[-1].values()) + tensor.nbytes > room:
            parts.append({})
        parts[-1][name] = tensor
    return parts


def load_model(folder: Path, device: torch.device | None = None) -> Transformer:
    """The model that ``write_model`` saved in a folder. Raises UserError when files are missing or do not fit."""
    config = read_model_config(folder)
    weights = _read_weights(folder, config)
    check_size(config, weights, folder)
    model = Transformer(config)
    fill_weights(model, weights, folder / WEIGHTS)
    return model.to(device or torch.device("cpu")).eval()


def read_model_config(folder: Path) -> TransformerConfig:
    """The configuration of the saved model. Raises UserError for a file that has none."""
    path = folder / MODEL_CONFIG
    with about(path):
        return TransformerConfig.parse(read_json(path))


def fill_weights(model: nn.Module, weights: dict[str, Tensor], source: Path) -> None:
    """Copy weights by name. Raises UserError, naming the first parameter that is missing or of another shape."""
    parameters = dict(model.named_parameters())
    if wrong := sorted(set(parameters) ^ set(weights)):
        raise UserError(f"{source} does not fit this model: {wrong[0]} is in only one of them")
    for name, parameter in parameters.items():
        found, expected = tuple(weights[name].shape), tuple(parameter.shape)
        if found != expected:
            raise UserError(f"{source} does not fit this model: {name} has shape {found}, expected {expected}")
        if not weights[name].is_floating_point():
            raise UserError(f"{source} does not fit this model: {name} has {weights[name].dtype}, not floats")
        if not weights[name].isfinite().all():
            raise UserError(f"{source} has values in {name} that are not finite")
        parameter.data.copy_(weights[name])


def _on_cpu(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().contiguous().cpu() for name, tensor in tensors.items()}


def _read_weights(folder: Path, config: TransformerConfig) -> dict[str, Tensor]:
    weights = read_tensors(folder / WEIGHTS, config)
    for more in sorted(folder.glob(MORE_WEIGHTS)):
        weights |= read_tensors(more, config)
    return weights


def _folders(run: RunFolder) -> list[Path]:
    """Checkpoint folders, newest first."""
    return sorted(run.checkpoints.glob("step-*"), reverse=True)


def _newest_intact(run: RunFolder) -> tuple[Checkpoint | None, list[UserError]]:
    """The newest intact checkpoint, if any, and the problem of each newer one."""
    problems: list[UserError] = []
    for folder in _folders(run):
        try:
            return _verified(folder), problems
        except UserError as problem:
            problems.append(problem)
    return None, problems


def _warn(problems: list[UserError]) -> None:
    for problem in problems:
        log.warning("damaged checkpoint skipped: %s", problem)


def _verified(folder: Path) -> Checkpoint:
    state = read_json(folder / STATE, State)
    claimed = state.pop("sha256")
    most = largest_file(read_model_config(folder))
    if claimed != _checksum(state) or any(sha256(folder / name, most) != s for name, s in state["files"].items()):
        raise UserError(f"{folder} does not match its checksums")
    check_schema(SavedProgress, state["progress"], str(folder / STATE))
    return Checkpoint(folder, state["step"], state["progress"])


def _checksum(state: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
