"""Which (m, a, c) may training see, and which are kept for testing?

The test moduli, test multipliers and test increments are drawn first, without replacement; training draws from what
is left. So no a, no c and (in UM) no test modulus is ever shared: by construction, and ``check`` looks all the same.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import UInt64

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.data.config import FixedModulus, UnseenModulus
from unrandom.data.parameters import Parameters
from unrandom.generators.full_period import (
    count_increments,
    count_multipliers,
    sample_distinct,
    sample_increments,
    sample_multipliers,
)
from unrandom.generators.primitive_roots import sample_primitive_roots


@dataclass(frozen=True)
class HeldOut:
    """The multipliers and increments kept for testing one modulus; every pair has full period, or period m − 1."""

    modulus: int
    multipliers: UInt64[np.ndarray, " n_a"]
    increments: UInt64[np.ndarray, " n_c"]


@dataclass(frozen=True)
class Split:
    """What training may draw from (everything not held out) and what testing draws from."""

    config: FixedModulus | UnseenModulus
    seed: int
    held_out: tuple[HeldOut, ...]
    train_moduli: tuple[int, ...]

    @property
    def held_out_a(self) -> UInt64[np.ndarray, " values"]:
        return np.unique(np.concatenate([part.multipliers for part in self.held_out]))

    @property
    def held_out_c(self) -> UInt64[np.ndarray, " values"]:
        return np.unique(np.concatenate([part.increments for part in self.held_out]))

    def test_parameters(self, modulus: int, sequences: int, *, name: str = "test") -> Parameters:
        """Rows of a test modulus: its (a, c) pairs in random order, each as often as another, and x0 uniform."""
        part = next((part for part in self.held_out if part.modulus == modulus), None)
        if part is None:
            raise UserError(f"modulus {modulus} is not a test modulus; those are {list(self.config.test_moduli)}")
        rng = stream(self.seed, name, modulus)
        n_a, n_c = len(part.multipliers), len(part.increments)
        repeats = -(-sequences // (n_a * n_c))
        pairs = np.concatenate([rng.permutation(n_a * n_c) for _ in range(repeats)])[:sequences]
        x0 = rng.integers(0, modulus - 1, size=sequences, dtype=np.uint64, endpoint=True)
        drawn = Parameters(modulus, part.multipliers[pairs // n_c], part.increments[pairs % n_c], x0)
        if self.config.test_multipliers == "full-period":
            return drawn
        # a primitive root leaves one seed where it is; the next one runs through all the others
        stuck = drawn.periods() == 1
        return replace(drawn, x0=np.where(stuck, (x0 + np.uint64(1)) % np.uint64(modulus), x0))

    def check(self, parameters: Parameters) -> None:
        """Raise RuntimeError if training parameters hold anything that is kept for testing. They never should."""
        seen_a, seen_c = np.isin(parameters.a, self.held_out_a), np.isin(parameters.c, self.held_out_c)
        moduli = set() if isinstance(parameters.m, int) else set(np.unique(parameters.m).tolist())
        if seen_a.any() or seen_c.any() or moduli & set(self.config.test_moduli):
            raise RuntimeError("training parameters and test parameters overlap")

    def manifest(self) -> dict[str, Any]:
        """The split as JSON, for the run folder."""
        return {
            "seed": self.seed,
            "test": [
                {"modulus": part.modulus, "a": part.multipliers.tolist(), "c": part.increments.tolist()}
                for part in self.held_out
            ],
            "train_moduli": list(self.train_moduli),
        }


def make_split(config: FixedModulus | UnseenModulus, seed: int) -> Split:
    """Draw the split of ``config`` under a root seed. Raises UserError where a modulus has too few parameters."""
    moduli = tuple(dict.fromkeys(config.test_moduli))
    unseen = isinstance(config, UnseenModulus)
    held_out = tuple(hold_out(config, modulus, seed, at_most_half=unseen) for modulus in moduli)
    if isinstance(config, FixedModulus):
        return Split(config, seed, held_out, moduli)
    low, high = config.smallest_modulus, config.largest_modulus
    offsets = sample_distinct(
        stream(seed, "train moduli"),
        high - low + 1,
        high - low + 1 if config.n_m is None else min(high - low + 1, config.n_m + len(moduli)),
    )
    drawn = [low + int(offset) for offset in offsets if low + int(offset) not in moduli]
    return Split(config, seed, held_out, tuple(sorted(drawn[: config.n_m])))


def hold_out(config: FixedModulus | UnseenModulus, modulus: int, seed: int, *, at_most_half: bool) -> HeldOut:
    """Draw the test parameters of one modulus. Raises UserError when it has fewer than asked for.

    ``at_most_half`` of what exists: what is held out for one modulus is held out for all, and others need some too.
    The multiplier 1, which only counts, is then left to training: for most moduli it is the one of full period.
    """
    n_a, n_c = config.n_test_a, config.n_test_c
    if at_most_half:
        n_a, n_c = (
            min(n, (count(modulus) + 1) // 2) for n, count in ((n_a, count_multipliers), (n_c, count_increments))
        )
    rng = stream(seed, "held out", modulus)
    if config.test_multipliers == "primitive-root":
        multipliers = sample_primitive_roots(rng, modulus, n_a)
    else:
        left = (1,) if at_most_half and count_multipliers(modulus) > 1 else ()
        multipliers = sample_multipliers(rng, modulus, n_a, exclude=left)
    return HeldOut(modulus, multipliers, sample_increments(rng, modulus, n_c))
