"""Splits (m, a, c) into what training may see and what is held out for testing.

Test moduli, multipliers and increments are drawn first, without replacement. Training draws from the rest, by one of
two rules (``data.hold_out``): no *pair* (a, c) of the test at any modulus, or none of its *values*, no a and no c.
Unseen test moduli are never trained on. `Withheld` implements the rule, for drawing and for ``check``.

Source: the paper's section "Dataset Generation and Evaluation": "These 64^2 (a, c) pairs are not considered while
generating the training dataset".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import UInt64

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import count_multipliers
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Examples, Parameters
from unrandom.tasks.facts import FurtherTest, Part
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.held_out import HeldOut, Rows, Values, Withheld, hold_out
from unrandom.tasks.lcg.parameters import LCGParameters
from unrandom.tasks.lcg.training_draws import TrainingDraws
from unrandom.tasks.task import Split, different_task_error

MANY_MODULI = 4096  # more moduli take too long for a trial draw
ABOUT = {  # how test sequences are held out, by rule
    "values": "of which training saw no multiplier and no increment",
    "pairs": "of which training saw no pair (a, c)",
}


@dataclass(frozen=True)
class LCGSplit(Split):
    """What training draws from (everything not held out) and what is held out for testing."""

    task: LCGTask
    seed: int
    held_out: tuple[HeldOut, ...]
    train_moduli: tuple[int, ...]
    held_out_for_validation: tuple[HeldOut, ...] = ()
    extra_multipliers: tuple[int, ...] = ()  # also held out, and tested separately
    held_out_counting: tuple[HeldOut, ...] = ()  # primes with multiplier 1, tested separately
    is_held_out: bool = True  # False for a part that the configuration does not name: training may have seen it

    @property
    def parts(self) -> tuple[int, ...]:
        return tuple(part.modulus for part in self.held_out)

    @property
    def about(self) -> str:
        return ABOUT[self.task.hold_out] if self.is_held_out else "that training may have seen"

    @property
    def caution(self) -> str:
        if self.seen_moduli != set(self.parts) or self.withheld.a.tolist() != [1]:
            return ""
        only = "the only multiplier of the test is 1, whose sequences count"
        if count_multipliers(self.parts[0]) > 1:
            return f"{only}; set another data_seed, or a larger data.n_test_a"
        return f"{only}; modulo {self.parts[0]} no other has full period, but modulo 16, 27, 32, 64 and 100 others have"

    @cached_property
    def withheld(self) -> Withheld:
        """What training must not have."""
        extra = self.with_extra_multipliers().held_out if self.extra_multipliers else ()
        multipliers = [self._extra, *(part.multipliers for part in self._all_held_out)]
        return Withheld(
            self.task.hold_out == "values",
            np.unique(np.concatenate(multipliers)),
            np.unique(np.concatenate([part.increments for part in self._all_held_out])),
            (*self._all_held_out, *extra, *self.held_out_counting),
        )

    @property
    def _all_held_out(self) -> tuple[HeldOut, ...]:
        return (*self.held_out, *self.held_out_for_validation)

    @property
    def _extra(self) -> Values:
        return np.array(self.extra_multipliers, dtype=np.uint64)

    def validation_and_test(self) -> tuple["LCGSplit", "LCGSplit"]:
        """The validation moduli and the test moduli, if both exist; else halves of what is held out."""
        if self.held_out_for_validation:
            return replace(self, held_out=self.held_out_for_validation), self
        first, second = zip(*(part.halves() for part in self.held_out), strict=True)
        return replace(self, held_out=first), replace(self, held_out=second)

    @property
    def seen_moduli(self) -> set[int]:
        """The moduli of training, including the curriculum's."""
        return {*self.train_moduli, *(m for phase in self.task.curriculum for m in self.in_phase(phase).train_moduli)}

    def in_phase(self, phase: Phase) -> "LCGSplit":
        """The split of a phase's easier sequences, with the same parameters held out."""
        moduli = self.task.moduli_in_phase(phase, self.train_moduli)
        return replace(self, task=self.task.in_phase(phase), train_moduli=moduli)

    @cached_property
    def draws(self) -> TrainingDraws:
        """The sampler of training parameters; its pools are made at the first use."""
        return TrainingDraws(self.task, self.seed, self.train_moduli, self.withheld)

    def draw_training(self, rng: np.random.Generator, rows: int) -> LCGParameters:
        return self.draws.draw(rng, rows)

    def training_set(self, rng: np.random.Generator) -> LCGParameters:
        size = self.task.n_sequences
        return self.draws.product(rng) if size is None else self.draws.draw(rng, size)

    def try_drawing(self, rows: int) -> None:
        """The same as for any split, also for phases of a curriculum; skipped for very many moduli."""
        if len(self.train_moduli) > MANY_MODULI:
            return
        if (
            self.task.mode == "streaming" or self.task.n_sequences is not None
        ):  # otherwise parameters are listed, not drawn
            super().try_drawing(rows)
        for _, easier in self.curriculum():
            easier.draw_training(stream(self.seed, "plan"), 1)

    def check_batch(self, rows: int) -> None:
        self.draws.check_shares(rows)

    def with_extra_multipliers(self) -> "LCGSplit":
        """A copy whose test has the extra multipliers instead of the drawn ones."""
        return replace(self, held_out=tuple(replace(part, multipliers=self._extra) for part in self.held_out))

    def counting(self) -> "LCGSplit":
        """A copy that tests only primes, with multiplier 1 instead of primitive roots.

        By the Hull–Dobell theorem, 1 is the only full-period multiplier of a prime; its sequences count in steps of c.
        """
        return replace(self, held_out=self.held_out_counting, held_out_for_validation=(), extra_multipliers=())

    def unseen_by(self, earlier: Split) -> "LCGSplit":
        if not isinstance(earlier, LCGSplit):
            raise different_task_error(earlier)
        if self.task.unseen_moduli:
            for part in self._all_held_out:
                if part.modulus in earlier.seen_moduli:
                    raise UserError(f"the run to start from was trained on modulus {part.modulus}, which is held out")
        unseen = _unseen_values if self.withheld.by_values else _unseen_pairs
        counting = (
            _unseen_pairs(part, earlier) for part in self.held_out_counting
        )  # only their pairs can be unseen, as 1 is always trained on
        return replace(
            self,
            held_out=tuple(_not_empty(unseen(part, earlier)) for part in self.held_out),
            held_out_for_validation=tuple(_not_empty(unseen(part, earlier)) for part in self.held_out_for_validation),
            held_out_counting=tuple(part for part in counting if part.pairs),
            extra_multipliers=tuple(self._extra[_never_seen(self._extra, earlier, earlier.withheld.a)].tolist()),
        )

    def test(self, part: Part, sequences: int, *, name: str = "test") -> Examples[LCGParameters]:
        """All pairs (a, c) of a test modulus equally often, in random order, with uniform x0."""
        held = next((each for each in self.held_out if each.modulus == part), None)
        if held is None:
            raise UserError(f"modulus {part} is not a test modulus; test moduli are {list(self.parts)}")
        return Examples.of(self._test_parameters(held, sequences, name), self.task.context + 1)

    def _test_parameters(self, held: HeldOut, sequences: int, name: str) -> LCGParameters:
        modulus, n_a, n_c = held.modulus, len(held.multipliers), len(held.increments)
        rng = stream(self.seed, name, modulus)
        repeats = -(-sequences // (n_a * n_c))
        pairs = np.concatenate([rng.permutation(n_a * n_c) for _ in range(repeats)])[:sequences]
        x0 = rng.integers(0, modulus - 1, size=sequences, dtype=np.uint64, endpoint=True)
        drawn = LCGParameters(modulus, held.multipliers[pairs // n_c], held.increments[pairs % n_c], x0)
        if not self.task.tested_by_primitive_roots(modulus):
            return drawn
        # a primitive root has one fixed point; its neighbour is on the cycle of all others
        stuck = drawn.periods() == 1
        return replace(drawn, x0=np.where(stuck, (x0 + np.uint64(1)) % np.uint64(modulus), x0))

    def testing(self, part: Part) -> "LCGSplit":
        """A copy that tests full-period parameters of any modulus that the tokens can write, trained on or not."""
        if part in self.parts:
            return self
        limit = self.task.tokenizer.limit
        if not (isinstance(part, int) and 2 <= part <= limit):
            raise UserError(f"modulus {part} was given; this model writes numbers below {limit}")
        return replace(self, held_out=(hold_out(self.task, part, self.seed, or_fewer=True),), is_held_out=False)

    def further_tests(self, part: Part, sequences: int, *, seed: int) -> Sequence[FurtherTest]:
        """Arbitrary (a, c) and, for a prime tested by primitive roots, a = 1, whose sequences only count."""
        assert isinstance(part, int), "an LCG's parts are moduli"
        rng = stream(seed, "by period", part)
        last = part - 1
        a = rng.integers(1, max(1, last), size=sequences, dtype=np.uint64, endpoint=True)
        c, x0 = (rng.integers(0, last, size=sequences, dtype=np.uint64, endpoint=True) for _ in range(2))
        drawn = Examples.of(LCGParameters(part, a, c, x0), self.task.context + 1, independent=True)
        tests = [FurtherTest("arbitrary", "arbitrary (a, c), which training may have seen", drawn)]
        if part in (counting := self.counting()).parts:
            about = "a = 1, the one multiplier of full period, which only counts in steps of c"
            tests.append(FurtherTest("counting", about, counting.test(part, sequences)))
        return tests

    def followed(self, part: Part, sequences: int) -> Mapping[str, Parameters]:
        """For a prime tested by primitive roots, sequences with multiplier 1."""
        if part not in (counting := self.counting()).parts:
            return {}
        return {"counting": counting.test(part, sequences, name="monitor").parameters}

    def check(self, parameters: Parameters) -> None:
        assert isinstance(parameters, LCGParameters), "an LCG's rows"
        moduli = set() if isinstance(parameters.m, int) else set(np.unique(parameters.m).tolist())
        withheld = self.withheld.rows(parameters.a, parameters.c)
        if withheld.any() or moduli & {part.modulus for part in self._all_held_out}:
            raise RuntimeError("training parameters and test parameters overlap")

    def manifest(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "test": [part.to_json() for part in self.held_out],
            "validation": [part.to_json() for part in self.held_out_for_validation],
            **({"extra_multipliers": list(self.extra_multipliers)} if self.extra_multipliers else {}),
            "train_moduli": list(self.train_moduli),
        }


def _unseen_values(part: HeldOut, earlier: LCGSplit) -> HeldOut:
    """The test parameters whose a and c are both unseen by an earlier run."""
    return HeldOut(
        part.modulus,
        part.multipliers[_never_seen(part.multipliers, earlier, earlier.withheld.a)],
        part.increments[_never_seen(part.increments, earlier, earlier.withheld.c)],
    )


def _unseen_pairs(part: HeldOut, earlier: LCGSplit) -> HeldOut:
    """Test parameters whose pairs are unseen by an earlier run: the largest of several such blocks."""
    m, a, c, withheld = part.modulus, part.multipliers, part.increments, earlier.withheld
    blocks = [
        HeldOut(m, a[_never_seen(a, earlier, withheld.a)], c),
        HeldOut(m, a, c[_never_seen(c, earlier, withheld.c)]),
        *(HeldOut(m, a[np.isin(a, same.multipliers)], c[np.isin(c, same.increments)]) for same in withheld.tested),
    ]
    return max(blocks, key=lambda block: block.pairs)


def _not_empty(part: HeldOut) -> HeldOut:
    if not part.pairs:
        raise UserError(f"the run to start from may have seen every (a, c) that is held out for {part.modulus}")
    return part


def _never_seen(values: Values, earlier: LCGSplit, held_out: UInt64[np.ndarray, " held"]) -> Rows:
    """A mask of the multipliers (or increments) that were too large for an earlier run, or held out from it."""
    too_large = values >= np.uint64(earlier.task.largest_modulus)
    return too_large | np.isin(values, held_out) if earlier.withheld.by_values else too_large
