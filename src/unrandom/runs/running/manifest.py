"""The manifest of a run: configuration, split, versions, device, command and commit."""

import platform
import shlex
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from unrandom.core.version import __version__
from unrandom.models import parameter_count
from unrandom.runs.spec import RunSpec
from unrandom.tasks import Split
from unrandom.training.machine import describe
from unrandom.training.optimizers import precisions

PACKAGES = ("torch", "numpy", "pydantic", "safetensors")


def manifest(spec: RunSpec, split: Split, command: list[str], device: torch.device) -> dict[str, Any]:
    return {
        "recipe": spec.recipe,
        "config": spec.config.to_json(),
        "parameters": parameter_count(spec.config.transformer),
        "split": split.manifest(),
        **({} if spec.config.data.source is None else {"task": spec.config.data.source.to_json()}),
        "command": shlex.join(command),
        "device": describe(device),
        "precision": precisions(spec.config, device),
        "versions": {"unrandom": __version__, "python": platform.python_version()}
        | {package: metadata.version(package) for package in PACKAGES},
        "commit": _commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit() -> str | None:
    """The git commit of the checkout that this package is imported from; None for an installed wheel."""
    folder = Path(__file__).parent
    try:
        asked = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        inside = ["git", "-C", str(folder), "ls-files", "--error-unmatch", __file__]
        subprocess.run(inside, capture_output=True, check=True)
        return subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
