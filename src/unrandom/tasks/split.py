"""Which (m, a, c) may training see, and which are kept for testing?

The test moduli, test multipliers and test increments are drawn first, without replacement; training draws from what
is left, by one of two rules (``data.hold_out``): no (a, c) *pair* of the test at any modulus, or none of its *values*,
no a and no c. A test modulus of UM is never trained on. ``withheld`` is the rule, for the draws and for ``check``.

Source: section 3.1, "these 64^2 (a, c) pairs are not considered while generating the training dataset".
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.arithmetic import is_prime
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import (
    count_increments,
    count_multipliers,
    full_period_multipliers,
    sample_distinct,
    sample_increments,
    sample_multipliers,
)
from unrandom.generators.primitive_roots import count_primitive_roots, sample_primitive_roots
from unrandom.tasks.config import FixedModulus, Phase, UnseenModulus
from unrandom.tasks.parameters import Parameters

Values = UInt64[np.ndarray, " values"]
Rows = Bool[np.ndarray, " values"]
ONE = np.ones(1, dtype=np.uint64)


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

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.multipliers) * len(self.increments)

    def has(self, a: Values, c: Values) -> Rows:
        """Which rows are one of the pairs."""
        return np.isin(a, self.multipliers) & np.isin(c, self.increments)

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
    held_out_counting: tuple[HeldOut, ...] = ()  # primes with the multiplier 1, tested apart, too

    @cached_property
    def held_out_a(self) -> UInt64[np.ndarray, " values"]:
        """The multipliers of the test, all moduli together; by the rule ``values`` training has none of them."""
        return np.unique(np.concatenate([self._extra, *(part.multipliers for part in self._all_held_out)]))

    @cached_property
    def held_out_c(self) -> UInt64[np.ndarray, " values"]:
        """The increments, likewise."""
        return np.unique(np.concatenate([part.increments for part in self._all_held_out]))

    @property
    def by_values(self) -> bool:
        """Whether training is kept from every single a and c of the test, and not only from its pairs."""
        return self.config.hold_out == "values"

    def withheld(self, a: Values, c: Values) -> Rows:
        """Which rows training must not have, whatever their modulus."""
        if self.by_values:
            return np.isin(a, self.held_out_a) | np.isin(c, self.held_out_c)
        return np.logical_or.reduce([part.has(a, c) for part in self._tested])

    @cached_property
    def tested_a(self) -> UInt64[np.ndarray, " values"]:
        """Every multiplier that is tested: those of ``held_out_a``, and 1 where a prime is tested on counting."""
        return np.unique(np.concatenate([part.multipliers for part in self._tested]))

    @cached_property
    def _tested(self) -> tuple[HeldOut, ...]:
        """All that is tested: drawn for testing or validation, the extra multipliers, and primes on counting."""
        extra = self.with_extra_multipliers().held_out if self.extra_multipliers else ()
        return (*self._all_held_out, *extra, *self.held_out_counting)

    @property
    def _all_held_out(self) -> tuple[HeldOut, ...]:
        return (*self.held_out, *self.held_out_for_validation)

    @property
    def _extra(self) -> Values:
        return np.array(self.extra_multipliers, dtype=np.uint64)

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
        return replace(self, held_out=tuple(replace(part, multipliers=self._extra) for part in self.held_out))

    def counting(self) -> "Split":
        """The other reading of the primes that are tested by primitive roots, and nothing else to test.

        Hull and Dobell's theorem leaves a prime the one multiplier 1, whose sequences only count in steps of c. It
        takes the place of the roots, with the same increments.
        """
        return replace(self, held_out=self.held_out_counting, held_out_for_validation=(), extra_multipliers=())

    def unseen_by(self, earlier: "Split") -> "Split":
        """The same without what a run could train on that this one's weights come from, by ``earlier``'s split.

        UserError where a modulus has nothing left to test.
        """
        if isinstance(self.config, UnseenModulus):
            for part in self._all_held_out:
                if part.modulus in earlier.seen_moduli:
                    raise UserError(f"the run to start from was trained on modulus {part.modulus}, which is held out")
        unseen = _unseen_values if self.by_values else _unseen_pairs
        counting = (_unseen_pairs(part, earlier) for part in self.held_out_counting)  # 1 itself is never unseen
        return replace(
            self,
            held_out=tuple(_kept(unseen(part, earlier)) for part in self.held_out),
            held_out_for_validation=tuple(_kept(unseen(part, earlier)) for part in self.held_out_for_validation),
            held_out_counting=tuple(part for part in counting if part.pairs),
            extra_multipliers=tuple(self._extra[_never_seen(self._extra, earlier, earlier.held_out_a)].tolist()),
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
        moduli = set() if isinstance(parameters.m, int) else set(np.unique(parameters.m).tolist())
        if self.withheld(parameters.a, parameters.c).any() or moduli & {part.modulus for part in self._all_held_out}:
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
    held_out = tuple(hold_out(config, modulus, seed, or_fewer=unseen) for modulus in dict.fromkeys(config.test_moduli))
    primes = (part for part in held_out if _by_primitive_roots(config, part.modulus))
    counting = tuple(replace(part, multipliers=ONE) for part in primes)
    if isinstance(config, FixedModulus):
        extra = _extra_multipliers(config)
        return Split(config, seed, held_out, config.test_moduli, (), extra, counting)
    validation = tuple(
        hold_out(config, modulus, seed, or_fewer=True) for modulus in dict.fromkeys(config.validation_moduli)
    )
    low, high, moduli = config.smallest_modulus, config.largest_modulus, config.held_out_moduli
    offsets = sample_distinct(
        stream(seed, "train moduli"),
        high - low + 1,
        high - low + 1 if config.n_m is None else min(high - low + 1, config.n_m + len(moduli)),
    )
    drawn = [low + int(offset) for offset in offsets if low + int(offset) not in moduli]
    return Split(config, seed, held_out, tuple(sorted(drawn[: config.n_m])), validation, (), counting)


def hold_out(config: FixedModulus | UnseenModulus, modulus: int, seed: int, *, or_fewer: bool) -> HeldOut:
    """Draw the test parameters of one modulus, as many as asked for, ``or_fewer`` where it has not as many.

    Then the multiplier 1, which only counts, is not tested if there is another: for most moduli it is the one of full
    period. And by the rule ``values`` at most half of what exists is held out, as other moduli need some too.
    Raises UserError when there are fewer than asked for.
    """
    n_a, n_c, left_out = config.n_test_a, config.n_test_c, _extra_multipliers(config)
    by_roots = _by_primitive_roots(config, modulus)
    if or_fewer:
        all_a = count_primitive_roots(modulus) if by_roots else count_multipliers(modulus)
        left_out = (1,) if not by_roots and all_a > 1 else ()
        most_a, most_c = all_a - len(left_out), count_increments(modulus)
        if config.hold_out == "values":
            most_a, most_c = (all_a + 1) // 2, (most_c + 1) // 2
        n_a, n_c = min(n_a, most_a), min(n_c, most_c)
    rng = stream(seed, "held out", modulus)
    if by_roots:
        multipliers = sample_primitive_roots(rng, modulus, n_a)
    else:
        multipliers = sample_multipliers(rng, modulus, n_a, exclude=left_out)
    return HeldOut(modulus, multipliers, sample_increments(rng, modulus, n_c))


def _unseen_values(part: HeldOut, earlier: Split) -> HeldOut:
    """Test parameters of which an earlier run has seen no a and no c."""
    return HeldOut(
        part.modulus,
        part.multipliers[_never_seen(part.multipliers, earlier, earlier.held_out_a)],
        part.increments[_never_seen(part.increments, earlier, earlier.held_out_c)],
    )


def _unseen_pairs(part: HeldOut, earlier: Split) -> HeldOut:
    """Test parameters of which an earlier run has seen no pair: of several such blocks the largest."""
    m, a, c = part.modulus, part.multipliers, part.increments
    blocks = [
        HeldOut(m, a[_never_seen(a, earlier, earlier.held_out_a)], c),
        HeldOut(m, a, c[_never_seen(c, earlier, earlier.held_out_c)]),
        *(HeldOut(m, a[np.isin(a, same.multipliers)], c[np.isin(c, same.increments)]) for same in earlier._tested),
    ]
    return max(blocks, key=lambda block: block.pairs)


def _kept(part: HeldOut) -> HeldOut:
    if not part.pairs:
        raise UserError(f"the run to start from may have seen every (a, c) that is held out for {part.modulus}")
    return part


def _never_seen(values: Values, earlier: Split, held_out: UInt64[np.ndarray, " held"]) -> Rows:
    """Which multipliers (or increments) were too large for an earlier run, or each held out from it."""
    too_large = values >= np.uint64(earlier.config.largest_modulus)
    return too_large | np.isin(values, held_out) if earlier.by_values else too_large


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
