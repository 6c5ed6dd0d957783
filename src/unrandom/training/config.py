"""One configuration determines a run: task, model, optimiser, steps (the paper's appendix "Training Details")."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.models import ModelConfig, TransformerConfig, incompatibility, training_flops
from unrandom.tasks import AnyTask
from unrandom.tasks.task import NAME_KEY

Count = Annotated[int, Field(ge=1, le=2**32)]
Rate = Annotated[float, Field(ge=0, le=1000)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Beta = Annotated[float, Field(ge=0, lt=1)]


class OptimizerConfig(Config):
    """AdamW for every parameter, or Muon for the matrices inside the blocks and AdamW for the rest."""

    name: Literal["adamw", "muon"] = "adamw"
    lr: Rate = 3e-4  # learning rate of AdamW
    weight_decay: Rate = 1.0  # decoupled; not applied to vectors, such as LayerNorm gains
    beta1: Beta = 0.9
    beta2: Beta = 0.99
    muon_lr: Rate = 0.02
    muon_momentum: Beta = 0.95


class StartFrom(Config):
    """The run whose final weights another run starts from: its whole configuration, so that it can be trained again."""

    recipe: Annotated[str, Field(pattern=r"^[\w.-]+$", max_length=200)]
    config: "RunConfig"


def run_id(recipe: str, config: "RunConfig") -> str:
    """The name of a run and of its folder: the recipe's name and the hash of the configuration."""
    return f"{recipe}-{config.digest()}"


class RunConfig(Config):
    """Everything that decides what a run computes. The machine, the time limit and the folder are not part of it."""

    data: AnyTask
    model: ModelConfig = ModelConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    batch_size: Annotated[int, Field(ge=1, le=2**20)] = 256  # sequences
    steps: Count = 100_000
    warmup_steps: Annotated[int, Field(ge=0)] = 2048
    # Learning rate after the warm-up. trapezoid: constant, and in the last third of the schedule linearly to 0.
    schedule: Literal["constant", "cosine", "trapezoid"] = "constant"
    # Updates after which the rate reaches 0; None: ``steps``. A run of fewer steps is the beginning of a longer one.
    schedule_steps: Count | None = None
    gradient_clip: Annotated[float, Field(gt=0)] | None = 1.0  # largest global gradient norm; None: no clipping
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # auto: bf16 where the device has units for it
    evaluate_every: Count = 1000  # steps between evaluations
    checkpoint_every: Count = 1000  # steps between checkpoints
    keep_every: Count | None = None  # steps between checkpoints that are never removed; None: only the newest remain
    # Sequences per evaluation during training, over all parts of the test.
    test_sequences: Annotated[int, Field(ge=1, le=2**20)] = 1024
    seed: Seed = 0
    data_seed: Seed | None = None  # seed of the split and of a fixed training set; None: the same as seed
    start: StartFrom | None = None  # None: random initial weights
    wave_positions: bool = False  # the vectors of the positions start as waves, and not at random
    micro_batches: Count = 1  # gradient accumulation: parts of each batch, run one after another to save memory
    recompute: bool = False  # activation checkpointing: less memory, a third more operations

    added_later: ClassVar[frozenset[str]] = frozenset(
        {"data_seed", "start", "wave_positions", "schedule_steps", "keep_every"}
    )
    # They change memory and time, not results.
    not_hashed: ClassVar[frozenset[str]] = frozenset({"micro_batches", "recompute"})

    @property
    def split_seed(self) -> int:
        return self.seed if self.data_seed is None else self.data_seed

    @property
    def transformer(self) -> TransformerConfig:
        """The model's configuration with the sizes that the task determines."""
        tokenizer = self.data.tokenizer
        return TransformerConfig(
            **self.model.model_dump(),
            vocab_size=tokenizer.vocab_size,
            context=self.data.context_tokens,
            digits=tokenizer.width,
        )

    @property
    def step_flops(self) -> int:
        """Floating-point operations of one training step, in closed form."""
        return training_flops(self.transformer, sequences=self.batch_size, tokens=self.data.context_tokens)

    @property
    def flops(self) -> int:
        """Floating-point operations of all steps."""
        return self.steps * self.step_flops

    def replace(self, **changes: Any) -> "RunConfig":
        """`Config.replace`; a run that it starts from keeps having the same seeds, unless ``start`` is changed, too."""
        changed = super().replace(**changes)
        return changed if "start" in changes else changed._seeding_parent_of(self)

    def override(self, assignments: Sequence[str]) -> "RunConfig":
        """The configuration with settings as typed, ``key=value``; seeds as by `replace`. The task's kind is fixed."""
        keys = [assignment.partition("=")[0].strip() for assignment in assignments]
        if f"data.{NAME_KEY}" in keys:
            task = self.data.name
            raise UserError(f"data.{NAME_KEY} cannot be set: the task of a recipe is {task}; name another recipe")
        changed = super().override(assignments)
        return changed if any(key.startswith("start") for key in keys) else changed._seeding_parent_of(self)

    def _seeding_parent_of(self, before: "RunConfig") -> "RunConfig":
        """This configuration with its own seeds in the parent, too, wherever the parent had a seed of ``before``."""
        if self.start is None:
            return self
        parent = self.start.config
        seeds = {
            name: getattr(self, name)
            for name in ("seed", "data_seed")
            if getattr(parent, name) == getattr(before, name) != getattr(self, name)
        }
        return self.replace(start=self.start.replace(config=parent.replace(**seeds))) if seeds else self

    def stack_key(self) -> str:
        """A key that is equal for runs that can be stacked, trained together in one process: models of one shape that
        make the same steps. Their data, seeds, initial weights and optimiser numbers may differ.
        """
        if self.micro_batches > 1 or self.recompute:
            return f"{self.digest()} {self.seed}"  # a run that saves memory is trained alone
        steps = (self.batch_size, self.steps, self.evaluate_every, self.checkpoint_every)
        shared = [self.transformer.to_json(), self.optimizer.name, self.precision, steps]
        return json.dumps(shared, sort_keys=True)

    @model_validator(mode="after")
    def _consistent(self) -> "RunConfig":
        if self.data.mode == "fixed" and self.data.n_sequences is not None and self.data.n_sequences < self.batch_size:
            raise ValueError(f"data.n_sequences={self.data.n_sequences} is less than one batch of {self.batch_size}")
        if self.batch_size % self.micro_batches:
            raise ValueError(f"batch_size={self.batch_size} must be a multiple of micro_batches={self.micro_batches}")
        if self.schedule_steps is not None and self.schedule_steps < self.steps:
            raise ValueError(f"schedule_steps={self.schedule_steps} must be at least steps={self.steps}")
        if self.keep_every is not None and self.keep_every % self.checkpoint_every:
            raise ValueError(
                f"keep_every={self.keep_every} must be a multiple of checkpoint_every={self.checkpoint_every}"
            )
        if self.wave_positions and self.model.positions == "rotary":
            raise ValueError("wave_positions=true needs vectors of positions, and model.positions=rotary has none")
        if self.start is not None and (problem := incompatibility(self.start.config.transformer, self.transformer)):
            raise ValueError(f"start: {problem}")
        return self
