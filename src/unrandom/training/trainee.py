"""The state of a run in training: model, optimisers, progress, and the folder they are saved to."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from unrandom.core.errors import NonFiniteLoss
from unrandom.core.reading import about
from unrandom.core.run_folder import RunFolder
from unrandom.core.seeds import torch_seed
from unrandom.models import Transformer, grow
from unrandom.models.numerics import choose_attention
from unrandom.training.checkpoint import Checkpoint, save_checkpoint
from unrandom.training.config import RunConfig
from unrandom.training.optimizers import Optimizers
from unrandom.training.schedule import learning_rate_factor

log = logging.getLogger(__name__)

Measure = Callable[[Transformer], dict[str, Any]]

CHECKPOINT_REMAINS = "the last good checkpoint is kept"


@dataclass
class Progress:
    """How far a run is. Every field is saved in checkpoints, so that a resumed run continues from the same values."""

    step: int = 0  # updates made so far
    train_seconds: float = 0.0  # time in steps and batches, without evaluations and checkpoints
    precision: str = ""  # number format of the forward pass: bf16 or fp32
    losses: list[float] = field(default_factory=list)  # per step, since the last evaluation
    latest: dict[str, Any] = field(default_factory=dict)  # last line of the metrics

    @property
    def train_loss(self) -> float:
        """Mean training loss since the last evaluation, in nats per token."""
        return math.fsum(self.losses) / len(self.losses)


def build_model(config: RunConfig, device: torch.device) -> Transformer:
    """A model of this configuration with initial weights, on a device."""
    model = Transformer(config.transformer, seed=torch_seed(config.seed, "init"))
    if config.wave_positions and model.pos_embed is not None:
        model.pos_embed.fill_with_waves(torch.Generator().manual_seed(torch_seed(config.seed, "waves")))
    model = model.to(device)
    model.recompute = config.recompute
    return model.use_attention(choose_attention(config.transformer, device))


@dataclass
class Trainee:
    """One run in training: its folder, how it is evaluated, and the state that changes with every step."""

    folder: RunFolder
    config: RunConfig
    measure: Measure
    model: Transformer
    optimizers: Optimizers
    progress: Progress

    @classmethod
    def begin(
        cls,
        folder: RunFolder,
        config: RunConfig,
        measure: Measure,
        device: torch.device,
        start: Checkpoint | None,
        parent: Transformer | None = None,
    ) -> "Trainee":
        """A trainee with initial weights, with a ``parent``'s (`models.grow`), or with a checkpoint's (``start``).

        ``measure`` maps a model to one line of metrics.
        """
        model = build_model(config, device)
        if parent is not None:
            grow(parent, model)
        optimizers = Optimizers(model, config.optimizer)
        if start is None:
            return cls(folder, config, measure, model, optimizers, Progress())
        start.load_weights(model)
        with about(start.folder):
            optimizers.load_state(start.optimizer_state())
        saved = {name: value for name, value in start.progress.items() if value is not None}
        return cls(folder, config, measure, model, optimizers, Progress(start.step, **saved))

    def set_precision(self, precision: str) -> None:
        """Set the precision of the coming steps; log a warning if it changes within a run."""
        before, step = self.progress.precision, self.progress.step
        if before not in ("", precision):
            log.warning("this run continues in %s; up to step %d it was %s", precision, step, before)
        self.progress.precision = precision

    def write_metrics(self) -> None:
        """Evaluate the model and append a line to the metrics. Raises NonFiniteLoss if a value is not finite."""
        progress = self.progress
        self.model.eval()
        measured = self.measure(self.model)
        if any(isinstance(value, float) and not math.isfinite(value) for value in measured.values()):
            raise NonFiniteLoss(f"a metric after step {progress.step} is not finite; {CHECKPOINT_REMAINS}")
        progress.latest = {
            "step": progress.step,
            "train_loss": progress.train_loss,
            **measured,
            "learning_rate": self.config.optimizer.lr * learning_rate_factor(self.config, progress.step - 1),
            "seconds": round(progress.train_seconds, 3),
        }
        progress.losses.clear()
        self.model.train()
        self.folder.check_exists()
        self.folder.append_metrics(progress.latest)

    def save(self) -> None:
        """Write a checkpoint. Raises NonFiniteLoss if a weight is not finite, and RunsFailed if the folder is gone."""
        self.folder.check_exists()
        if not all(bool(parameter.isfinite().all()) for parameter in self.model.parameters()):
            raise NonFiniteLoss(f"a weight is not finite after step {self.progress.step}; {CHECKPOINT_REMAINS}")
        saved = {key: value for key, value in vars(self.progress).items() if key != "step"}
        state, keep_every = self.optimizers.state(), self.config.keep_every
        save_checkpoint(self.folder, self.progress.step, self.model, state, saved, keep_every=keep_every)
