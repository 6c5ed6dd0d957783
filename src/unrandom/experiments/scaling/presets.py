"""Which runs do the scaling experiments need? A model a modulus, in base-b digits, at four scales.

The paper's own recipe repeats about a million full-period sequences under AdamW. The smaller scales draw fresh ones
and use Muon; a large modulus begins with the weights of a smaller one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from unrandom.experiments.scale import Scale
from unrandom.generators.known import KNOWN
from unrandom.runs.recipes import recipe
from unrandom.runs.spec import RunSpec
from unrandom.tasks import lcg_task
from unrandom.training import RunConfig

# the best of 256 full-period multipliers by the spectral test, in 2 to 8 dimensions (generators.best_multipliers)
SPECTRALLY_GOOD: dict[int, tuple[int, ...]] = {
    2**4: (13,),
    2**6: (29, 53),
    2**8: (105, 121, 137, 185, 197, 201, 217, 233),
    2**10: (77, 109, 133, 349, 357, 381, 649, 697, 757, 777, 825, 857, 905, 953, 981, 985),
    2**12: (213, 381, 597, 1277, 1397, 1833, 2117, 2213, 2281, 2361, 2701, 2781, 2857, 3397, 3433, 3877),
    2**14: (649, 1141, 2037, 2933, 3097, 3165, 3789, 4645, 7885, 8069, 8773, 9333, 9477, 10985, 12133, 16229),
    2**16: (
        *(1777, 10733, 17257, 21653, 32177, 36585, 39673, 41553),
        *(43525, 44053, 46637, 49609, 52269, 56933, 59545, 60177),
    ),
    2**32: tuple(lcg.a for name, lcg in KNOWN.items() if name.startswith("steele-vigna")),
}


@dataclass(frozen=True)
class Size:
    """How one modulus 2^exponent is trained."""

    exponent: int
    context: int  # numbers
    steps: int
    batch_size: int = 64
    digits: int | None = None  # tokens a number; none: what the modulus needs
    start: "Size | None" = None  # the run whose weights it begins with
    most_seeds: int | None = None  # none: as many as asked for
    changes: tuple[str, ...] = ()  # of the configuration, beyond those of the scale

    @property
    def modulus(self) -> int:
        return 2**self.exponent


# It reads the tokens of a larger modulus, whose low digits are the same.
THREE_DIGITS = Size(16, 192, 5_000, 256, digits=3)
# At laptop scale contexts from 2^10 on end where a block of 16, 32, 64 or 128 numbers does: each position learns by
# itself where to look back to, and in a last block of few numbers it would learn that from those alone.
SIZES: dict[Scale, tuple[Size, ...]] = {
    "smoke": (Size(4, 8, 8), Size(6, 10, 8), Size(8, 12, 8, start=Size(6, 10, 8, digits=4))),
    "laptop": (
        Size(8, 48, 400),
        Size(10, 95, 1_200),
        Size(12, 95, 900),
        Size(14, 255, 2_400, 16, changes=("model.n_heads=2",)),
        Size(16, 383, 4_000, 8, most_seeds=1, changes=("model.n_heads=2",)),
    ),
    "gpu": (
        Size(16, 192, 8_000, 256),
        Size(18, 224, 5_000, 256, start=THREE_DIGITS),
        Size(20, 256, 6_000, 256, start=THREE_DIGITS),
        Size(22, 288, 6_000, 256, start=THREE_DIGITS),
        Size(24, 320, 7_000, 256, start=THREE_DIGITS),
        Size(32, 256, 20_000, 128),
    ),
    "paper": tuple(Size(exponent, 511, 200_000, 512, changes=("micro_batches=8",)) for exponent in range(16, 33, 2)),
}
# (multipliers, increments): small moduli have few, and training should see some too
HELD_OUT = {4: (1, 2), 6: (4, 4), 8: (16, 32), 10: (32, 64)}

LAPTOP = (
    "data.base=16",
    "data.mode=streaming",
    "data.n_a=none",
    "data.n_c=none",
    "data.n_test_a=64",
    "model.depth=2",
    "model.n_heads=4",
    "model.d_model=128",
    "optimizer.name=muon",
    "optimizer.lr=1e-3",
    "optimizer.weight_decay=0.1",
    "optimizer.muon_lr=0.02",
    "warmup_steps=100",
    "evaluate_every=100",
    "checkpoint_every=100",
    "test_sequences=256",
)
SMOKE = (
    *LAPTOP,
    "data.base=4",
    "model.d_model=16",
    "model.n_heads=2",
    "warmup_steps=2",
    "evaluate_every=4",
    "checkpoint_every=8",
    "test_sequences=32",
    "precision=fp32",
)
GPU = (
    *LAPTOP,
    "data.base=256",
    "data.n_test_a=512",
    "model.n_heads=8",
    "model.d_model=512",
    "warmup_steps=500",
    "evaluate_every=250",
    "checkpoint_every=1000",
    "test_sequences=512",
)
CHANGES: dict[Scale, tuple[str, ...]] = {"smoke": SMOKE, "laptop": LAPTOP, "gpu": GPU, "paper": ()}


def size_of(scale: Scale, exponent: int) -> Size:
    return next(size for size in SIZES[scale] if size.exponent == exponent)


def planned(scale: Scale, size: Size, seed: int, changes: Sequence[str] = ()) -> RunSpec:
    """The run of one modulus, with changes of the configuration."""
    return RunSpec(_name(size), _config(scale, size, seed).override(changes))


def _name(size: Size) -> str:
    return f"fm-2p{size.exponent}"


def _config(scale: Scale, size: Size, seed: int) -> RunConfig:
    config = recipe("fm-base256").build().override(CHANGES[scale])
    n_test_a, n_test_c = HELD_OUT.get(size.exponent, (lcg_task(config.data).n_test_a, lcg_task(config.data).n_test_c))
    start = None
    if size.start is not None:
        start = {"recipe": _name(size.start), "config": _config(scale, size.start, seed).tree()}
    return config.override(
        [
            f"data.modulus={size.modulus}",
            f"data.context={size.context}",
            f"data.digits={json.dumps(size.digits)}",
            f"data.n_test_a={n_test_a}",
            f"data.n_test_c={n_test_c}",
            f"data.extra_test_multipliers={list(SPECTRALLY_GOOD.get(size.modulus, ()))}",
            f"batch_size={size.batch_size}",
            f"steps={size.steps}",
            f"seed={seed}",
            f"start={json.dumps(start)}",
            *size.changes,
        ]
    )
