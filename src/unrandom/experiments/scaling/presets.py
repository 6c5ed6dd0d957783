"""Runs of the scaling experiments: one model per modulus, with base-b tokens, at four scales.

The paper's own recipe repeats about a million full-period sequences and uses AdamW. The smaller scales draw fresh ones
and use Muon. Larger moduli are the recipes by rows that skip.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unrandom.experiments.scale import Scale, by_scale
from unrandom.generators.spectrally_good import SPECTRALLY_GOOD
from unrandom.runs.recipes import recipe
from unrandom.runs.spec import RunSpec
from unrandom.tasks import lcg_task
from unrandom.training import RunConfig, StartFrom

Settings = Mapping[str, Any]  # changes of a configuration, as ``Config.replace`` takes them


@dataclass(frozen=True)
class Size:
    """The training of the modulus 2^exponent."""

    exponent: int
    context: int  # numbers
    steps: int
    batch_size: int = 64
    digits: int | None = None  # tokens per number; None: as few as the modulus needs
    start: "Size | None" = None  # the size of the model whose weights it starts from
    changes: Settings = field(default_factory=dict)  # applied after the scale's
    of_recipe: bool = False  # whether the rest is as in the package's recipe of this modulus

    @classmethod
    def by_recipe(cls, exponent: int) -> "Size":
        """The size of the package's recipe for 2^exponent."""
        config = recipe(f"fm-2p{exponent}").build()
        return cls(exponent, config.data.context, config.steps, config.batch_size, of_recipe=True)

    @property
    def modulus(self) -> int:
        return 2**self.exponent

    @property
    def recipe(self) -> str:
        """The recipe name of its runs."""
        return f"fm-2p{self.exponent}"


# Below paper scale, contexts from m = 2^10 on are one less than a multiple of 16, 32, 64 or 128, so that sequences (one
# number longer) end with a whole block of that many numbers: each position learns its own look-back, and a short last
# block would have few numbers to learn it from.
_SMALL = (
    Size(exponent=8, context=48, steps=400),
    Size(exponent=10, context=95, steps=1_200),
    Size(exponent=12, context=95, steps=900),
)
SIZES: dict[Scale, tuple[Size, ...]] = by_scale(
    smoke=(
        Size(exponent=4, context=8, steps=8),
        Size(exponent=6, context=10, steps=8),
        Size(exponent=8, context=12, steps=8),
    ),
    laptop=(*_SMALL, *map(Size.by_recipe, (14, 16))),
    overnight=(*_SMALL, *map(Size.by_recipe, range(14, 25, 2))),
    paper=tuple(
        Size(exponent=exponent, context=511, steps=200_000, batch_size=512, changes={"micro_batches": 8})
        for exponent in range(16, 33, 2)
    ),
)
# Numbers of held-out (multipliers, increments) of small moduli, which have few, and training needs some of them, too.
HELD_OUT = {4: (1, 2), 6: (4, 4), 8: (16, 32), 10: (32, 64)}

LAPTOP: Settings = {
    "data": {"base": 16, "mode": "streaming", "n_a": None, "n_c": None, "n_test_a": 64},
    "model": {"depth": 2, "n_heads": 4, "d_model": 128},
    "optimizer": {"name": "muon", "lr": 1e-3, "weight_decay": 0.1, "muon_lr": 0.02},
    "warmup_steps": 100,
    "evaluate_every": 100,
    "checkpoint_every": 100,
    "test_sequences": 256,
}
SMOKE: Settings = {
    "data": {"base": 4},
    "model": {"d_model": 16, "n_heads": 2},
    "warmup_steps": 2,
    "evaluate_every": 4,
    "checkpoint_every": 8,
    "test_sequences": 32,
    "precision": "fp32",
}
# changes of the paper's recipe, applied in this order
CHANGES: dict[Scale, tuple[Settings, ...]] = by_scale(smoke=(LAPTOP, SMOKE), laptop=(LAPTOP,), paper=())


def size_of(scale: Scale, exponent: int) -> Size:
    """Return how 2^exponent is trained at a scale."""
    return next(size for size in SIZES[scale] if size.exponent == exponent)


def labels(config: RunConfig) -> dict[str, Any]:
    """Labels of a run, from its configuration: its modulus and the seed of its data."""
    return {"modulus": lcg_task(config.data).largest_modulus, "data_seed": config.split_seed}


def sized_run(scale: Scale, size: Size, seed: int, **changes: Any) -> RunSpec:
    """Return the run of one modulus and seed, with changes of the configuration."""
    config = _config(scale, size, seed).replace(**changes)
    return RunSpec(size.recipe, config, labels(config))


def _config(scale: Scale, size: Size, seed: int) -> RunConfig:
    if size.of_recipe:
        config = recipe(size.recipe).build().replace(data={"context": size.context}, batch_size=size.batch_size)
        return config.replace(steps=size.steps, seed=seed).replace(**size.changes)
    config = recipe("fm-base256").build()
    for changes in CHANGES[scale]:
        config = config.replace(**changes)
    n_test_a, n_test_c = HELD_OUT.get(size.exponent, (lcg_task(config.data).n_test_a, lcg_task(config.data).n_test_c))
    sized = config.replace(
        data={
            "modulus": size.modulus,
            "context": size.context,
            "digits": size.digits,
            "n_test_a": n_test_a,
            "n_test_c": n_test_c,
            "extra_test_multipliers": SPECTRALLY_GOOD.get(size.modulus, ()),
        },
        batch_size=size.batch_size,
        steps=size.steps,
        seed=seed,
    ).replace(**size.changes)
    if size.start is None:
        return sized
    return sized.replace(start=StartFrom(recipe=size.start.recipe, config=_config(scale, size.start, seed)))
