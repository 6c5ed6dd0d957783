"""Linear feedback shift registers that show a few bits at a time, tested on unseen masks of taps.

    unrandom train examples/shift_register.py:ShiftRegister --set steps=250 --set model.depth=2 \\
        --set model.n_heads=4 --set model.positions=rotary --set model.kv_shift=true
    unrandom evaluate ShiftRegister:newest --task examples/shift_register.py:ShiftRegister \\
        --predictors copy,copy:2,bayes

The next bit is the exclusive or of the bits that a mask selects; its highest bit is set, so that a step can be
undone. The model learns little more than to repeat what followed the last two numbers (docs/families.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from unrandom.predictors import CopyPredictor, EnumeratedPosterior
from unrandom.tasks import Baseline, Grouping, HeldValuesTask, Parameters

BITS = 4  # bits in a number, the oldest of them highest


def shifted(state: np.ndarray, taps: np.ndarray, size: int) -> np.ndarray:
    """Registers of ``size`` bits one number later; the newest bit is the lowest."""
    for _ in range(BITS):
        new = np.bitwise_count(state & taps).astype(np.uint64) & np.uint64(1)
        state = (state << np.uint64(1) | new) & np.uint64(2**size - 1)
    return state


@dataclass(frozen=True)
class Registers(Parameters):
    """Masks of taps and first states."""

    units: ClassVar[Mapping[str, str]] = {"taps": "masks of taps"}

    size: int
    taps: np.ndarray
    state: np.ndarray

    def numbers(self, length: int) -> np.ndarray:
        states = [self.state]
        for _ in range(length - 1):
            states.append(shifted(states[-1], self.taps, self.size))
        return np.stack(states, axis=1) >> np.uint64(self.size - BITS)

    def groupings(self) -> list[Grouping]:
        count = np.bitwise_count(self.taps)
        return [Grouping.by_value("number of taps", "the bits whose exclusive or is the next", count)]


class ShiftRegister(HeldValuesTask):
    """Shift registers of ``size`` bits."""

    size: Annotated[int, Field(ge=6, le=12)] = 8
    context: Annotated[int, Field(ge=2, le=2**12)] = 96
    mode: Literal["fixed", "streaming"] = "streaming"
    held_out: Annotated[int, Field(ge=1, le=24)] = 16  # masks of taps that occur only in the test

    @property
    def vocabulary(self) -> int:
        return 2**BITS

    def held_values(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        return {"taps": rng.permutation(self._masks())[: self.held_out]}

    def _masks(self) -> np.ndarray:
        return np.arange(2 ** (self.size - 1), 2**self.size, dtype=np.uint64)

    def draw(self, rng: np.random.Generator, rows: int, **given: np.ndarray) -> Registers:
        taps, state = rng.choice(self._masks(), rows), rng.integers(1, 2**self.size, rows, dtype=np.uint64)
        return Registers(self.size, given.get("taps", taps), state)

    def baselines(self) -> dict[str, Baseline]:
        return {
            "copy": Baseline("repeats what followed the current number before", CopyPredictor),
            "bayes": Baseline("tries all taps and states", self.posterior),
        }

    def posterior(self) -> EnumeratedPosterior:
        """The most probable next number if all masks, and all states but 0, are equally probable."""
        masks, hidden = self._masks(), self.size - BITS

        def begin(seen: Sequence[int]) -> Iterator[tuple[np.ndarray, ...]]:
            states = np.arange(max(1, seen[0] << hidden), (seen[0] + 1) << hidden, dtype=np.uint64)
            yield np.tile(states, len(masks)), np.repeat(masks, len(states))

        return EnumeratedPosterior(
            begin,
            lambda states: (shifted(*states, self.size), states[1]),
            lambda states: states[0] >> np.uint64(hidden),
            vocabulary=self.vocabulary,
            assumes=f"that taps of a register of {self.size} bits are uniform",
        )
