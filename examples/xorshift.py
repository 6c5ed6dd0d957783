"""Xorshift generators, x ^= x << a, x ^= x >> b, x ^= x << c, tested on unseen triples of shifts (a, b, c).

    unrandom train examples/xorshift.py:Xorshift --set steps=800 --set model.depth=2 --set model.n_heads=4 \\
        --set model.positions=rotary --set model.kv_shift=true
    unrandom evaluate Xorshift:newest --task examples/xorshift.py:Xorshift --predictors copy,bayes

Only 0 steps to 0, so states are not 0. Sequences whose state returns within the context are not drawn, because copying
predicts them. The model learns next to nothing (docs/families.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from unrandom.predictors import CopyPredictor, EnumeratedPosterior
from unrandom.tasks import Baseline, HeldValuesTask, Parameters


def step(x: np.ndarray, shifts: Sequence[np.ndarray], size: int) -> np.ndarray:
    """The next states of generators of ``size`` bits."""
    (a, b, c), mask = shifts, np.uint64(2**size - 1)
    x = x ^ (x << a & mask)
    x = x ^ (x >> b)
    return x ^ (x << c & mask)


def shifts_of(triple: np.ndarray, size: int) -> list[np.ndarray]:
    """The shifts a, b and c, each from 1 to size - 1, of triples that are numbered from 0 on."""
    return [np.uint64(1) + shift.astype(np.uint64) for shift in np.unravel_index(triple, (size - 1,) * 3)]


@dataclass(frozen=True)
class Shifts(Parameters):
    """Triples of shifts and first states."""

    units: ClassVar[Mapping[str, str]] = {"triple": "triples of shifts"}

    size: int
    triple: np.ndarray
    first: np.ndarray

    def numbers(self, length: int) -> np.ndarray:
        shifts, states = shifts_of(self.triple, self.size), [self.first]
        for _ in range(length - 1):
            states.append(step(states[-1], shifts, self.size))
        return np.stack(states, axis=1)


class Xorshift(HeldValuesTask):
    """Xorshift generators of ``size`` bits, which are all shown."""

    size: Annotated[int, Field(ge=9, le=16)] = 9
    context: Annotated[int, Field(ge=2, le=64)] = 32
    mode: Literal["fixed", "streaming"] = "streaming"
    held_out: Annotated[int, Field(ge=1, le=256)] = 32  # triples that occur only in the test

    @property
    def vocabulary(self) -> int:
        return 2**self.size

    def held_values(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        return {"triple": rng.permutation(np.unique(self.draw(rng, 4096).triple))[: self.held_out]}

    def draw(self, rng: np.random.Generator, rows: int, **given: np.ndarray) -> Shifts:
        drawn = self._draw_any(rng, rows, **given)
        while len(
            again := np.flatnonzero((drawn.numbers(self.context + 1)[:, 1:] == drawn.first[:, None]).any(axis=1))
        ):
            drawn.put(again, self._draw_any(rng, len(again), **{name: kept[again] for name, kept in given.items()}))
        return drawn

    def _draw_any(self, rng: np.random.Generator, rows: int, **given: np.ndarray) -> Shifts:
        triple = rng.integers(0, (self.size - 1) ** 3, rows, dtype=np.uint64)
        first = rng.integers(1, 2**self.size, rows, dtype=np.uint64)
        return Shifts(self.size, given.get("triple", triple).copy(), first)

    def baselines(self) -> dict[str, Baseline]:
        return {
            "copy": Baseline("repeats what followed the current number before", CopyPredictor),
            "bayes": Baseline("tries all shifts", self.posterior),
        }

    def posterior(self) -> EnumeratedPosterior:
        """The most probable next number if all triples are equally probable."""
        shifts = shifts_of(np.arange((self.size - 1) ** 3), self.size)

        def begin(seen: Sequence[int]) -> Iterator[tuple[np.ndarray, ...]]:
            if seen[0]:
                yield np.full(len(shifts[0]), seen[0], dtype=np.uint64), *shifts

        return EnumeratedPosterior(
            begin,
            lambda states: (step(states[0], states[1:], self.size), *states[1:]),
            lambda states: states[0],
            vocabulary=self.vocabulary,
            assumes=f"that shifts of {self.size} bits are uniform",
        )
