"""Counters under Speck32/64 of few rounds, with unseen keys: how many rounds make a cipher unpredictable.

The t-th number is the lowest bits of the high word of the encrypted block start + t. With all 22 rounds nothing is
known to predict it; with few, the counter shines through. It is the negative control for other tasks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import UInt64
from pydantic import Field

from unrandom.generators import speck
from unrandom.generators.full_period import draw_below, first_distinct
from unrandom.tasks.examples import Parameters
from unrandom.tasks.facts import COPY, Baseline
from unrandom.tasks.held_values import HeldValuesTask, Values
from unrandom.tasks.task import TestCount


@dataclass(frozen=True)
class CounterParameters(Parameters):
    """The key and the first block of every sequence."""

    units: ClassVar[Mapping[str, str]] = {"key": "keys"}

    rounds: int
    bits: int
    key: UInt64[np.ndarray, " rows"]
    start: UInt64[np.ndarray, " rows"]

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """The lowest bits of the high word of each encrypted block."""
        blocks = (self.start[:, None] + np.arange(length, dtype=np.uint64)) & np.uint64(2**32 - 1)
        encrypted = speck.encrypt(blocks, self.key[:, None], self.rounds)
        return (encrypted >> np.uint64(16)) & np.uint64(2**self.bits - 1)

    @property
    def labels(self) -> Mapping[str, Any]:
        """key, start, and rounds."""
        return {"key": self.key, "start": self.start, "rounds": np.full(len(self), self.rounds)}


class ReducedSpeck(HeldValuesTask):
    """Consecutive blocks, encrypted by some rounds of Speck32/64 under a key that training never has."""

    name: ClassVar[str] = "reduced-speck"

    rounds: Annotated[int, Field(ge=0, le=speck.ROUNDS)] = 2
    bits: Annotated[int, Field(ge=1, le=16)] = 4  # lowest bits of the high word, as one number
    n_test_keys: TestCount = 64  # keys held out for the test

    @property
    def vocabulary(self) -> int:
        return 1 << self.bits

    def held_values(self, rng: np.random.Generator) -> Values:
        return {"key": first_distinct(lambda size: draw_below(rng, 2**64, size), self.n_test_keys)}

    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> CounterParameters:
        key = given["key"] if "key" in given else draw_below(rng, 2**64, rows)
        return CounterParameters(self.rounds, self.bits, key, draw_below(rng, 2**32, rows))

    def baselines(self) -> Mapping[str, Baseline]:
        return {"copy": COPY}

    @property
    def rule(self) -> str:
        return f"t → {self.bits} bits of Speck32/64 with {self.rounds} of {speck.ROUNDS} rounds, of the block start + t"

    @property
    def scope(self) -> str:
        return f"of a counter under {self.rounds} rounds of Speck"

    @property
    def unseen(self) -> str:
        return "key"
