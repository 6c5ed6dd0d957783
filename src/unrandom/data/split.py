"""Which (m, a, c) may training see, and which are kept for testing?

The test moduli, test multipliers and test increments are drawn first, without replacement; training draws from what
is left. So no a, no c and (in UM) no test modulus is ever shared: by construction, and ``check`` looks all the same.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.arithmetic import is_prime
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.data.config import FixedModulus, Phase, UnseenModulus
from unrandom.data.parameters import Parameters
from unrandom.generators.full_period import (
    count_increments,
    count_multipliers,
    full_period_multipliers,
    sample_distinct,
    sample_increments,
    sample_multipliers,
)
from unrandom.generators.primitive_roots import count_primitive_roots, sample_primitive_roots

Values = UInt64[np.ndarray, " values"]


@dataclass(frozen=True)
class HeldOut:
    """The multipliers and increments kept for testing one modulus; every pair has full period, or period m − 1."""

    modulus: int
    multipliers: UInt64[np.ndarray, " n_a"]
    increments: UInt64[np.ndarray, " n_c"]

    def halves(self) -> tuple["HeldOut", "HeldOut"]:
        """Two parts that share no increment, and no multiplier where there are two or more."""
        a, c = self.multipliers, self.increments
        if len(c) < 2:
            raise UserError(f"modulus {self.modulus} has {len(c)} held-out increment; choosing by validation needs 2")
        first_a, second_a = (a[: len(a) // 2], a[len(a) // 2 :]) if len(a) > 1 else (a, a)
        middle = len(c) // 2
        return HeldOut(self.modulus, first_a, c[:middle]), HeldOut(self.modulus, second_a, c[middle:])

    def tree(self) -> dict[str, Any]:
        """As JSON values."""
        return {"modulus": self.modulus, "a": self.multipliers.tolist(), "c": self.increments.tolist()}


@dataclass(frozen=True)
class Split:
    """What training may draw from (everything not held out) and what testing draws from."""

    config: FixedModulus | UnseenModulus
    seed: int
    held_out: tuple[HeldOut, ...]
    train_moduli: tuple[int, ...]
    held_out_for_validation: tuple[HeldOut, ...] = ()
    extra_multipliers: tuple[int, ...] = ()  # held out as well, and tested apart

    @property
    def held_out_a(self) -> UInt64[np.ndarray, " values"]:
        extra = np.array(self.extra_multipliers, dtype=np.uint64)
        return np.unique(np.concatenate([*(part.multipliers for part in self._all_held_out), extra]))

    @property
    def held_out_c(self) -> UInt64[np.ndarray, " values"]:
        return np.unique(np.concatenate([part.increments for part in self._all_held_out]))

    @property
    def _all_held_out(self) -> tuple[HeldOut, ...]:
        return (*self.held_out, *self.held_out_for_validation)

    def for_choosing(self) -> tuple["Split", "Split"]:
        """One split to choose settings by and one to test the choice on, with nothing in common.

        The validation moduli and the test moduli where the configuration has both; else two halves of the held-out
        multipliers and increments. UserError where there are too few to halve.
        """
        if self.held_out_for_validation:
            return replace(self, held_out=self.held_out_for_validation), self
        first, second = zip(*(part.halves() for part in self.held_out), strict=True)
        return replace(self, held_out=first), replace(self, held_out=second)

    @property
    def seen_moduli(self) -> set[int]:
        """Those of training, the easier ones of a curriculum too."""
        return {*self.train_moduli, *(phase.modulus for phase in self._phases)}

    @property
    def _phases(self) -> tuple[Phase, ...]:
        return self.config.curriculum if isinstance(self.config, FixedModulus) else ()

    def of_phase(self, phase: Phase) -> "Split":
        """Training on the easier sequences of a phase, with the same held out."""
        if isinstance(self.config, FixedModulus):
            easier = self.config.model_copy(update={"modulus": phase.modulus, "curriculum": ()})
            return replace(self, config=easier, train_moduli=(phase.modulus,))
        return replace(self, train_moduli=tuple(m for m in self.train_moduli if m <= phase.modulus))

    def with_extra_multipliers(self) -> "Split":
        """The same with the extra multipliers in the place of those drawn for testing."""
        extra = np.array(self.extra_multipliers, dtype=np.uint64)
        return replace(self, held_out=tuple(replace(part, multipliers=extra) for part in self.held_out))

    def unseen_by(self, earlier: "Split") -> "Split":
        """The same without what a run could train on that this one's weights come from, by ``earlier``'s split.

        UserError where a modulus has nothing left to test.
        """
        if isinstance(self.config, UnseenModulus):
            for part in self._all_held_out:
                if part.modulus in earlier.seen_moduli:
                    raise UserError(f"the run to start from was trained on modulus {part.modulus}, which is held out")
        extra = np.array(self.extra_multipliers, dtype=np.uint64)
        return replace(
            self,
            held_out=tuple(_unseen_part(part, earlier) for part in self.held_out),
            held_out_for_validation=tuple(_unseen_part(part, earlier) for part in self.held_out_for_validation),
            extra_multipliers=tuple(extra[_unseen(extra, earlier, earlier.held_out_a)].tolist()),
        )

    def test_parameters(self, modulus: int, sequences: int, *, name: str = "test") -> Parameters:
        """Rows of a test modulus: its (a, c) pairs in random order, each as often as another, and x0 uniform."""
        part = next((part for part in self.held_out if part.modulus == modulus), None)
        if part is None:
            moduli = [part.modulus for part in self.held_out]
            raise UserError(f"modulus {modulus} is not a test modulus; those are {moduli}")
        rng = stream(self.seed, name, modulus)
        n_a, n_c = len(part.multipliers), len(part.increments)
        repeats = -(-sequences // (n_a * n_c))
        pairs = np.concatenate([rng.permutation(n_a * n_c) for _ in range(repeats)])[:sequences]
        x0 = rng.integers(0, modulus - 1, size=sequences, dtype=np.uint64, endpoint=True)
        drawn = Parameters(modulus, part.multipliers[pairs // n_c], part.increments[pairs % n_c], x0)
        if not _by_primitive_roots(self.config, modulus):
            return drawn
        # a primitive root leaves one seed where it is; the next one runs through all the others
        stuck = drawn.periods() == 1
        return replace(drawn, x0=np.where(stuck, (x0 + np.uint64(1)) % np.uint64(modulus), x0))

    def check(self, parameters: Parameters) -> None:
        """Raise RuntimeError if training parameters hold anything that is kept for testing. They never should."""
        seen_a, seen_c = np.isin(parameters.a, self.held_out_a), np.isin(parameters.c, self.held_out_c)
        moduli = set() if isinstance(parameters.m, int) else set(np.unique(parameters.m).tolist())
        if seen_a.any() or seen_c.any() or moduli & {part.modulus for part in self._all_held_out}:
            raise RuntimeError("training parameters and test parameters overlap")

    def manifest(self) -> dict[str, Any]:
        """The split as JSON, for the run folder."""
        return {
            "seed": self.seed,
            "test": [part.tree() for part in self.held_out],
            "validation": [part.tree() for part in self.held_out_for_validation],
            **({"extra_multipliers": list(self.extra_multipliers)} if self.extra_multipliers else {}),
            "train_moduli": list(self.train_moduli),
        }


def make_split(config: FixedModulus | UnseenModulus, seed: int) -> Split:
    """Draw the split of ``config`` under a root seed. Raises UserError where a modulus has too few parameters."""
    unseen = isinstance(config, UnseenModulus)
    held_out = tuple(
        hold_out(config, modulus, seed, at_most_half=unseen) for modulus in dict.fromkeys(config.test_moduli)
    )
    if isinstance(config, FixedModulus):
        return Split(config, seed, held_out, config.test_moduli, extra_multipliers=_extra_multipliers(config))
    validation = tuple(
        hold_out(config, modulus, seed, at_most_half=True) for modulus in dict.fromkeys(config.validation_moduli)
    )
    low, high, moduli = config.smallest_modulus, config.largest_modulus, config.held_out_moduli
    offsets = sample_distinct(
        stream(seed, "train moduli"),
        high - low + 1,
        high - low + 1 if config.n_m is None else min(high - low + 1, config.n_m + len(moduli)),
    )
    drawn = [low + int(offset) for offset in offsets if low + int(offset) not in moduli]
    return Split(config, seed, held_out, tuple(sorted(drawn[: config.n_m])), validation)


def hold_out(config: FixedModulus | UnseenModulus, modulus: int, seed: int, *, at_most_half: bool) -> HeldOut:
    """Draw the test parameters of one modulus. Raises UserError when it has fewer than asked for.

    ``at_most_half`` of what exists: what is held out for one modulus is held out for all, and others need some too.
    The multiplier 1, which only counts, is then left to training: for most moduli it is the one of full period.
    """
    n_a, n_c = config.n_test_a, config.n_test_c
    by_roots = _by_primitive_roots(config, modulus)
    if at_most_half:
        n_multipliers = count_primitive_roots(modulus) if by_roots else count_multipliers(modulus)
        n_a, n_c = (min(n, (count + 1) // 2) for n, count in ((n_a, n_multipliers), (n_c, count_increments(modulus))))
    rng = stream(seed, "held out", modulus)
    if by_roots:
        multipliers = sample_primitive_roots(rng, modulus, n_a)
    else:
        left = (1,) if at_most_half and count_multipliers(modulus) > 1 else _extra_multipliers(config)
        multipliers = sample_multipliers(rng, modulus, n_a, exclude=left)
    return HeldOut(modulus, multipliers, sample_increments(rng, modulus, n_c))


def _unseen_part(part: HeldOut, earlier: Split) -> HeldOut:
    """What is left of the parameters of a modulus for testing."""
    kept = HeldOut(
        part.modulus,
        part.multipliers[_unseen(part.multipliers, earlier, earlier.held_out_a)],
        part.increments[_unseen(part.increments, earlier, earlier.held_out_c)],
    )
    if not len(kept.multipliers) or not len(kept.increments):
        raise UserError(f"the run to start from may have seen every (a, c) that is held out for {part.modulus}")
    return kept


def _unseen(values: Values, earlier: Split, held_out: UInt64[np.ndarray, " kept"]) -> Bool[np.ndarray, " values"]:
    """Which multipliers (or increments) were too large for an earlier run, or held out from it, too."""
    return (values >= np.uint64(earlier.config.largest_modulus)) | np.isin(values, held_out)


def _extra_multipliers(config: FixedModulus | UnseenModulus) -> tuple[int, ...]:
    """Those that the configuration names. UserError for one that has no full period."""
    named = config.extra_test_multipliers if isinstance(config, FixedModulus) else ()
    for a in named:
        if a not in full_period_multipliers(config.largest_modulus):
            raise UserError(f"extra test multiplier {a} has no full period modulo {config.largest_modulus}")
    return named


def _by_primitive_roots(config: FixedModulus | UnseenModulus, modulus: int) -> bool:
    """In UM the test moduli may be prime or composite, and only the prime ones have primitive roots for multipliers."""
    asked = config.test_multipliers == "primitive-root"
    return asked and (isinstance(config, FixedModulus) or is_prime(modulus))
