"""How are xorshift generators learned, x ^= x << a, x ^= x >> b, x ^= x << c? With unseen triples of shifts (a, b, c).

The step is linear modulo 2 and invertible, and maps 0 alone to 0, so that states are not 0. The shifts are arbitrary
(Marsaglia 2003 chose those of full period), so that some triples have short periods; by default, sequences whose state
returns within the context, which copying predicts, are not drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from jaxtyping import Bool, Integer, UInt64
from pydantic import Field, model_validator

from unrandom.core.errors import UserError
from unrandom.generators.full_period import draw_below, first_distinct
from unrandom.predictors.enumeration import CHUNK, FOR_REPORTS, MAX_HYPOTHESES, EnumeratedPosterior, Hypotheses
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Parameters, in_symbols
from unrandom.tasks.facts import COPY, Baseline
from unrandom.tasks.held_values import ATTEMPTS, HeldValuesTask, Values
from unrandom.tasks.task import TestCount


def _step(x: np.ndarray, shifts: tuple[np.ndarray, ...], mask: np.unsignedinteger) -> np.ndarray:
    """The next states, all arrays of one type of unsigned integers."""
    a, b, c = shifts
    x = x ^ ((x << a) & mask)
    x = x ^ (x >> b)
    return x ^ ((x << c) & mask)


BASE = 64  # above every shift, so that a triple has one code at every size of the state


def _shifts(triple: Integer[np.ndarray, " rows"], base: int = BASE) -> tuple[Integer[np.ndarray, " rows"], ...]:
    """The shifts (a, b, c) of triples that are encoded as (a base + b) base + c."""
    a, rest = np.divmod(triple, np.uint64(base * base))
    return (a, *np.divmod(rest, np.uint64(base)))


@dataclass(frozen=True)
class XorshiftParameters(Parameters):
    """Shifts and first states of generators of ``size`` bits that output the top ``bits`` of their state."""

    units: ClassVar[Mapping[str, str]] = {"triple": "triples of shifts"}

    size: int
    bits: int
    triple: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        shifts, mask = _shifts(self.triple), np.uint64(2**self.size - 1)
        numbers = np.empty((len(self), length), dtype=np.uint64)
        x = self.x0
        for t in range(length):
            numbers[:, t] = x >> np.uint64(self.size - self.bits)
            x = _step(x, shifts, mask)
        return numbers

    def return_within(self, steps: int) -> Bool[np.ndarray, " rows"]:
        """Which sequences return to their first state within some steps."""
        shifts, mask = _shifts(self.triple), np.uint64(2**self.size - 1)
        x, returned = self.x0, np.zeros(len(self), dtype=bool)
        for _ in range(steps):
            x = _step(x, shifts, mask)
            returned |= x == self.x0
        return returned

    def text(self, row: int) -> str:
        a, b, c = (int(shift[0]) for shift in _shifts(self.triple[row : row + 1]))
        return in_symbols({"a": a, "b": b, "c": c, "x0": int(self.x0[row])})


class Xorshift(HeldValuesTask):
    """Xorshift generators of one size of state."""

    name: ClassVar[str] = "xorshift"

    size: Annotated[int, Field(ge=8, le=64)] = 16  # bits of the state
    bits: Annotated[int, Field(ge=1, le=64)] = 8  # number of its top bits in the output
    repeats: bool = False  # whether a state may return within the context
    n_test_triples: TestCount = 32  # triples held out for the test

    @property
    def vocabulary(self) -> int:
        return 1 << self.bits

    @property
    def _triples(self) -> int:
        return (self.size - 1) ** 3

    def _triple(self, which: UInt64[np.ndarray, " rows"]) -> UInt64[np.ndarray, " rows"]:
        """The triples with these numbers, from 0 on; every shift is from 1 to size − 1."""
        base = np.uint64(BASE)
        a, b, c = (shift + np.uint64(1) for shift in _shifts(which, self.size - 1))
        return (a * base + b) * base + c

    def may_have(self, name: str, values: UInt64[np.ndarray, " values"]) -> Bool[np.ndarray, " values"]:
        return np.logical_and.reduce([shift < np.uint64(self.size) for shift in _shifts(values)])

    def held_values(self, rng: np.random.Generator) -> Values:
        if self.n_test_triples >= self._triples:
            raise UserError(
                f"{self.size} bits have {self._triples} triples; n_test_triples={self.n_test_triples} leaves none"
            )
        return {"triple": first_distinct(lambda rows: self.draw(rng, rows).triple, self.n_test_triples)}

    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> XorshiftParameters:
        drawn = self._draw_any(rng, rows, **given)
        if self.repeats:
            return drawn
        for _ in range(ATTEMPTS):
            if not len(returning := np.flatnonzero(drawn.return_within(self.context))):
                return drawn
            kept = {name: values[returning] for name, values in given.items()}
            drawn.put(returning, self._draw_any(rng, len(returning), **kept))
        raise UserError(f"states return within {self.context} steps too often; set data.repeats=true")

    def _draw_any(
        self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]
    ) -> XorshiftParameters:
        triple = self._triple(draw_below(rng, self._triples, rows))
        x0 = np.uint64(1) + draw_below(rng, 2**self.size - 1, rows)
        return XorshiftParameters(self.size, self.bits, given.get("triple", triple).copy(), x0)

    def in_phase(self, phase: Phase) -> "Xorshift":
        """A smaller state, of which at most as many bits are in the output."""
        size = phase.bits(8, self.size - 1)
        return self.replace(size=size, bits=min(self.bits, size), curriculum=())

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying and, if there are few enough states for one output, the posterior."""

        found = {"copy": COPY}
        if (count := self._triples << (self.size - self.bits)) <= MAX_HYPOTHESES:
            about = "tries all shifts and states"
            found["bayes"] = Baseline(about, self._posterior, in_reports=count <= FOR_REPORTS)
        return found

    def _posterior(self) -> EnumeratedPosterior:
        hidden, kind = self.size - self.bits, np.min_scalar_type(2**self.size - 1).type
        mask = kind(2**self.size - 1)
        shifts = tuple(shift.astype(kind) for shift in _shifts(self._triple(np.arange(self._triples, dtype=np.uint64))))

        def begin(seen: Sequence[int]) -> Iterator[Hypotheses]:
            states = np.arange(max(1, seen[0] << hidden), (seen[0] + 1) << hidden, dtype=np.uint64).astype(kind)
            for some in np.array_split(np.arange(self._triples), -(-len(states) * self._triples // CHUNK) or 1):
                yield np.tile(states, len(some)), *(np.repeat(shift[some], len(states)) for shift in shifts)

        def step(states: Hypotheses) -> Hypotheses:
            x, *given = states
            return _step(x, (given[0], given[1], given[2]), mask), *given

        return EnumeratedPosterior(
            begin,
            step,
            lambda states: states[0] >> kind(hidden),
            vocabulary=self.vocabulary,
            assumes=f"that shifts of {self.size} bits and states other than 0 are uniform",
        )

    @property
    def rule(self) -> str:
        seen = "" if self.bits == self.size else f", of which the top {self.bits} are seen"
        return f"x ^= x << a, x ^= x >> b, x ^= x << c of {self.size} bits{seen}"

    @property
    def scope(self) -> str:
        return f"of a xorshift generator of {self.size} bits"

    @property
    def unseen(self) -> str:
        return "triple of shifts (a, b, c)"

    @model_validator(mode="after")
    def _window(self) -> "Xorshift":
        if self.bits > self.size:
            raise ValueError(f"bits={self.bits} were asked for; a state has {self.size}")
        return self
