"""A run: a run folder and its configuration, from which its model, split and result can be loaded."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.reading import about
from unrandom.core.run_files import Result
from unrandom.core.run_folder import RunFolder
from unrandom.core.shown import Shown
from unrandom.models import Transformer
from unrandom.models.predictor import TransformerPredictor
from unrandom.runs.spec import RunSpec
from unrandom.tasks import Split
from unrandom.training import RunConfig
from unrandom.training.checkpoint import checkpoint_to_load


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """A run folder with the specification in its manifest."""

    folder: RunFolder
    spec: RunSpec

    @classmethod
    def open(cls, path: Path | str, labels: Mapping[str, Any] | None = None) -> "Run":
        """An existing run, with labels for tables. Raises UserError if the folder or its configuration cannot be
        read as a run."""
        folder = RunFolder.open(Path(path))
        manifest = folder.read_manifest()
        try:
            config = RunConfig.parse(manifest["config"])
        except UserError as error:
            was = f" (it was {manifest['task']['path']})" if manifest.get("task") else ""
            raise UserError(f"{folder.manifest}: {error}{was}") from None
        check_code(manifest, config, str(folder.path))
        return cls(folder, RunSpec(manifest["recipe"], config, labels or {}))

    @property
    def id(self) -> str:
        return self.folder.path.name

    @property
    def recipe(self) -> str:
        return self.spec.recipe

    @property
    def config(self) -> RunConfig:
        return self.spec.config

    @property
    def labels(self) -> Mapping[str, Any]:
        return self.spec.labels

    def shown(self) -> dict[str, str]:
        """The run, what it predicts with which model, how far it is and how good."""
        shape, metrics = self.config.model, self.folder.read_metrics()
        task, sizes = self.config.data.scope.rstrip(","), f"heads {shape.n_heads}, width {shape.d_model}"
        last = metrics[-1] if metrics else None
        how_good = f", last number right in {last['last_number_accuracy']:.3f} of the test" if last else ""
        return {
            "run": self.id,
            "model": f"predicts the next number {task}; depth {shape.depth}, {sizes}",
            "trained": f"{last['step'] if last else 0:,} of {self.config.steps:,} steps{how_good}",
        }

    def ancestors(self) -> list["Run"]:
        """The runs whose weights this one starts from, in the same parent folder, oldest first."""
        return [Run(RunFolder(self.folder.path.parent / each.id), each) for each in self.spec.ancestors()]

    def split(self) -> Split:
        """The held-out data of the run. Raises UserError, naming the manifest, for settings that allow no split."""
        with about(self.folder.manifest):
            return split_of(self.config)

    @property
    def task_option(self) -> str:
        """The ``--task`` option that a command about this run needs; empty unless its task is user-defined."""
        source = self.config.data.source
        return "" if source is None else f" --task {source.path}"

    def result(self) -> dict[str, Any]:
        """``result.json`` of a finished run, with the folder's present path; missing fields are None."""
        return {**dict.fromkeys(Result.model_fields), **self.folder.read_result(), "run": str(self.folder.path)}

    def load_model(self, device: torch.device | None = None) -> Transformer:
        """The model of the newest intact checkpoint, eager, with explicit attention. Raises UserError without one."""
        checkpoint = checkpoint_to_load(self.folder)
        model = checkpoint.load_model(device)
        if model.config != self.config.transformer:
            raise UserError(
                f"{checkpoint.folder} holds a model with another configuration than {self.folder.manifest} describes"
            )
        return model

    def predictor(self, device: torch.device | None = None) -> TransformerPredictor:
        return TransformerPredictor(self.load_model(device), self.config.data.tokenizer)


def check_code(manifest: JsonObject, config: RunConfig, run: str) -> None:
    """Raise UserError if the run has a user-defined task whose code has changed since the run was created."""
    now = config.data.source
    if now is not None and (manifest.get("task") or {}).get("sha256") != now.sha256:
        raise UserError(f"{run} was made by other code than {now.path} now has: what it held out may differ")


def split_of(config: RunConfig) -> Split:
    """The split of a run: what is held out from its training and from its ancestors' training.

    An ancestor may have seen all that its own split does not hold out.
    """
    lineage = [config]  # youngest first
    while (start := lineage[-1].start) is not None:
        lineage.append(start.config)
    splits: list[Split] = []  # of the ancestors so far, youngest first
    for each in reversed(lineage):
        split = each.data.split(each.split_seed)
        for ancestor in splits:
            split = split.unseen_by(ancestor)
        splits.insert(0, split)
    return splits[0]
