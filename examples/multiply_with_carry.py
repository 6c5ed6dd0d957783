"""Multiply-with-carry generators, x[t+1] = (a x[t] + carry) mod 2^k, tested on unseen multipliers a.

    unrandom train examples/multiply_with_carry.py:MultiplyWithCarry --set steps=150 --set batch_size=64 \\
        --set model.depth=2 --set model.n_heads=4 --set model.d_model=64 --set model.positions=rotary \\
        --set model.kv_shift=true
    unrandom evaluate MultiplyWithCarry:newest --task examples/multiply_with_carry.py:MultiplyWithCarry \\
        --predictors copy,copy:2,bayes

The hidden carry is the quotient of the division by 2^k; it stays below a if it starts there. The states
(x, carry) = (0, 0) and (2^k - 1, a - 1) step to themselves, and are not drawn. The model only repeats what followed
the last two numbers (docs/families.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from unrandom.predictors import CopyPredictor, EnumeratedPosterior
from unrandom.tasks import Baseline, HeldValuesTask, Parameters


def following(x: np.ndarray, carry: np.ndarray, a: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """The next numbers and carries."""
    carry, x = np.divmod(a * x + carry, np.uint64(2**bits))
    return x, carry


@dataclass(frozen=True)
class Multipliers(Parameters):
    """Multipliers and first states."""

    units: ClassVar[Mapping[str, str]] = {"a": "multipliers"}

    bits: int
    a: np.ndarray
    first: np.ndarray
    carry: np.ndarray

    def numbers(self, length: int) -> np.ndarray:
        found, carry = [self.first], self.carry
        for _ in range(length - 1):
            x, carry = following(found[-1], carry, self.a, self.bits)
            found.append(x)
        return np.stack(found, axis=1)


class MultiplyWithCarry(HeldValuesTask):
    """Multiply-with-carry generators modulo 2^bits, with multipliers from 2 to 2^bits - 1."""

    bits: Annotated[int, Field(ge=3, le=10)] = 6
    context: Annotated[int, Field(ge=2, le=2**12)] = 256
    mode: Literal["fixed", "streaming"] = "streaming"
    held_out: Annotated[int, Field(ge=1, le=128)] = 16  # multipliers that occur only in the test

    @property
    def vocabulary(self) -> int:
        return 2**self.bits

    def held_values(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        return {"a": rng.permutation(np.arange(2, self.vocabulary, dtype=np.uint64))[: self.held_out]}

    def draw(self, rng: np.random.Generator, rows: int, **given: np.ndarray) -> Multipliers:
        a = given.get("a", rng.integers(2, self.vocabulary, rows, dtype=np.uint64))
        state = rng.integers(1, a * np.uint64(self.vocabulary) - np.uint64(1), dtype=np.uint64)
        carry, first = np.divmod(state, np.uint64(self.vocabulary))
        return Multipliers(self.bits, a, first, carry)

    def baselines(self) -> dict[str, Baseline]:
        return {
            "copy": Baseline("repeats what followed the current number before", CopyPredictor),
            "bayes": Baseline("tries all multipliers and carries", self.posterior),
        }

    def posterior(self) -> EnumeratedPosterior:
        """The most probable next number if multipliers are equally probable, and the states of each."""
        a, carry = (each.ravel() for each in np.indices((self.vocabulary,) * 2, dtype=np.uint64))
        possible = (a > 1) & (carry < a)
        a, carry = a[possible], carry[possible]

        def begin(seen: Sequence[int]) -> Iterator[tuple[np.ndarray, ...]]:
            x = np.full(len(a), seen[0], dtype=np.uint64)
            state = x + carry * np.uint64(self.vocabulary)
            moves = (state > 0) & (state < a * np.uint64(self.vocabulary) - np.uint64(1))
            yield x[moves], carry[moves], a[moves]

        return EnumeratedPosterior(
            begin,
            lambda states: (*following(*states, self.bits), states[2]),
            lambda states: states[0],
            vocabulary=self.vocabulary,
            assumes=f"that multipliers below 2^{self.bits} are uniform, and so are the states of each",
            weights=lambda states: 1 / (states[2] * float(self.vocabulary) - 2),
        )
