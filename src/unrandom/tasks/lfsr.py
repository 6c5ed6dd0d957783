"""How are linear feedback shift registers learned? With unseen taps, each number being some consecutive bits.

The bits obey s[i + n] = ⊕ s[i + n − j] over the taps j, of which n, the size of the register, is always one, so that
the step is invertible. Bit j − 1 of the mask of taps selects the bit j places back, as in
``generators.shift_register``. The first bit of a number is its highest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Annotated, ClassVar

import numpy as np
from jaxtyping import Float, Shaped, UInt64
from pydantic import Field, model_validator

from unrandom.core.errors import UserError
from unrandom.generators.full_period import draw_below, first_distinct
from unrandom.predictors.enumeration import CHUNK, FOR_REPORTS, MAX_HYPOTHESES, EnumeratedPosterior, Hypotheses
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Grouping, Parameters
from unrandom.tasks.facts import COPY, Baseline
from unrandom.tasks.held_values import HeldValuesTask, Values
from unrandom.tasks.task import TestCount


def _step(window: np.ndarray, taps: np.ndarray, size: int, steps: int) -> np.ndarray:
    """The registers some bits later; both arrays have one type of unsigned integers, and the newest bit is bit 0."""
    mask = window.dtype.type(2**size - 1)
    for _ in range(steps):
        window = ((window << 1) | (np.bitwise_count(window & taps) & 1)) & mask
    return window


@dataclass(frozen=True)
class LFSRParameters(Parameters):
    """Taps and first states of registers of ``size`` bits; a number is ``bits`` of these."""

    units: ClassVar[Mapping[str, str]] = {"taps": "masks of taps"}

    size: int
    bits: int
    taps: UInt64[np.ndarray, " rows"]
    state: UInt64[np.ndarray, " rows"]  # the first bits, the first of them highest

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        numbers = np.empty((len(self), length), dtype=np.uint64)
        window = self.state
        for t in range(length):
            numbers[:, t] = window >> np.uint64(self.size - self.bits)
            window = _step(window, self.taps, self.size, self.bits)
        return numbers

    def groupings(self) -> list[Grouping]:
        """Groups by the number of taps."""
        return [Grouping.by_value("number of taps", "the bits whose exclusive or is the next", self._count())]

    def _count(self) -> Shaped[np.ndarray, " rows"]:
        return np.bitwise_count(self.taps)


class LFSR(HeldValuesTask):
    """Fibonacci shift registers of one size."""

    name: ClassVar[str] = "lfsr"

    size: Annotated[int, Field(ge=4, le=32)] = 8  # bits of the register
    bits: Annotated[int, Field(ge=1, le=16)] = 4  # bits in a number
    taps: Annotated[int, Field(ge=2, le=32)] | None = None  # taps of a register, the last included; None: any number
    n_test_taps: TestCount = 16  # masks of taps held out for the test

    @property
    def vocabulary(self) -> int:
        return 1 << self.bits

    @property
    def _masks(self) -> int:
        """The number of masks of taps."""
        return 2 ** (self.size - 1) if self.taps is None else comb(self.size - 1, self.taps - 1)

    def _draw_taps(self, rng: np.random.Generator, rows: int) -> UInt64[np.ndarray, " rows"]:
        last = np.uint64(1 << (self.size - 1))
        if self.taps is None:
            return last | draw_below(rng, 2 ** (self.size - 1), rows)
        others = rng.permuted(np.tile(2 ** np.arange(self.size - 1, dtype=np.uint64), (rows, 1)), axis=1)
        return last | others[:, : self.taps - 1].sum(axis=1, dtype=np.uint64)

    def held_values(self, rng: np.random.Generator) -> Values:
        if self.n_test_taps >= self._masks:
            raise UserError(
                f"a register of {self.size} bits has {self._masks} masks of taps; "
                f"n_test_taps={self.n_test_taps} leaves none"
            )
        return {"taps": first_distinct(lambda count: self._draw_taps(rng, count), self.n_test_taps)}

    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> LFSRParameters:
        taps = given["taps"] if "taps" in given else self._draw_taps(rng, rows)
        return LFSRParameters(self.size, self.bits, taps, np.uint64(1) + draw_below(rng, 2**self.size - 1, rows))

    def in_phase(self, phase: Phase) -> "LFSR":
        """A smaller register."""
        return self.replace(size=phase.bits(max(4, self.bits, self.taps or 0), self.size - 1), curriculum=())

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying, the shortest recurrence and, if there are few enough taps, the posterior."""
        from unrandom.predictors.recurrence import RecurrencePredictor

        found = {
            "copy": COPY,
            "recurrence": Baseline(
                "continues the shortest linear recurrence of the bits", lambda: RecurrencePredictor(self.bits)
            ),
        }
        if self.size <= 24 and (count := self._masks << self._unknown) <= MAX_HYPOTHESES:
            about = "tries all taps that fit the numbers"
            found["bayes"] = Baseline(about, self._posterior, in_reports=count <= FOR_REPORTS)
        return found

    @property
    def _unknown(self) -> int:
        """How many bits of the first state are not in the first whole numbers."""
        return self.size % self.bits

    def _posterior(self) -> EnumeratedPosterior:
        """The posterior, begun when at most the bits of one number of the first state are unknown."""
        size, bits, unknown, after = self.size, self.bits, self._unknown, self.size // self.bits
        every = np.arange(2 ** (size - 1), 2**size, dtype=np.uint32)
        masks = every if self.taps is None else every[np.bitwise_count(every) == self.taps]

        def begin(seen: Sequence[int]) -> Iterator[Hypotheses]:
            known = sum(number << (size - bits * (t + 1)) for t, number in enumerate(seen))
            states = np.arange(max(1, known), known + (1 << unknown), dtype=np.uint64).astype(np.uint32)
            for some in np.array_split(masks, -(-len(states) * len(masks) // CHUNK) or 1):
                taps = np.repeat(some, len(states))
                yield _step(np.tile(states, len(some)), taps, size, bits * (after - 1)), taps

        def early(seen: Sequence[int]) -> Float[np.ndarray, " vocabulary"]:
            """All states but 0 are equally probable."""
            states = np.full(1 << bits, 2.0 ** (size - bits * (len(seen) + 1)))
            states[0] -= not any(seen)
            return states

        return EnumeratedPosterior(
            begin,
            lambda states: (_step(states[0], states[1], size, bits), states[1]),
            lambda states: states[0] >> np.uint32(size - bits),
            vocabulary=self.vocabulary,
            assumes=f"that taps of a register of {size} bits and states other than 0 are uniform",
            after=after,
            early=early,
        )

    @property
    def rule(self) -> str:
        return f"{self.bits} bits at a time of a shift register of {self.size} bits"

    @property
    def scope(self) -> str:
        return f"of a shift register of {self.size} bits"

    @property
    def unseen(self) -> str:
        return "mask of taps"

    @model_validator(mode="after")
    def _register(self) -> "LFSR":
        if self.bits > self.size:
            raise ValueError(f"bits={self.bits} were asked for; a register has {self.size}")
        if self.taps is not None and self.taps > self.size:
            raise ValueError(f"taps={self.taps} were asked for; a register of {self.size} bits has {self.size}")
        return self
