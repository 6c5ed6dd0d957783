"""Recovers Mersenne twisters whose numbers below N come from drawing bits until the number is small enough, by finding
which words were dropped, and then solving dense linear equations for the state.

Python's randrange, randint and choice draw as many top bits of a word as N has; numpy's RandomState.randint and Ruby's
rand draw as many low bits as N − 1 has. Only numbers of 19 bits or more tell which words were dropped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import ceil, inf

import numpy as np
from jaxtyping import Bool, Int64

from unrandom.auditing.algebra.dropped_words import UNKNOWN, places
from unrandom.auditing.algebra.mod_two_dense import Solution, solve_dense
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.linear_words import Rows
from unrandom.auditing.generators.mersenne import MT19937
from unrandom.auditing.layouts.linear_engines import Twister
from unrandom.core.files import JsonObject

ENGINE = Twister(MT19937)

LEAST_BITS = 19  # bits of an output below which nothing tells which words were dropped
OUTPUTS_BEFORE = 16  # outputs before the first one that a solution determines
HELD_BACK = 20  # outputs left to prove a solution, if there are few


@dataclass(frozen=True)
class Draw:
    """Drawing `bits` bits of a word, the top or the lowest ones, until the number is below n."""

    n: int
    bits: int
    top: bool

    @property
    def dropped(self) -> float:
        """Fraction of words dropped."""
        return 1 - self.n / 2**self.bits

    @property
    def shift(self) -> int:
        """Bits of a word below those drawn."""
        return ENGINE.bits - self.bits if self.top else 0

    @property
    def about(self) -> str:
        where = "top" if self.top else "lowest"
        return f"the {where} {self.bits} bits of a word, drawn until they are below {self.n}"

    def drawn(self, words: Iterator[int]) -> Iterator[tuple[int, int]]:
        """Index and number of each word that is not dropped."""
        mask = (1 << self.bits) - 1
        for index, word in enumerate(words):
            number = (word >> self.shift) & mask
            if number < self.n:
                yield index, number


class Redrawn(Family):
    """Python's randrange(N), numpy's RandomState.randint(0, N), Ruby's rand(N) for large N."""

    name = "mersenne-twister"
    about = "a Mersenne twister whose words are drawn until a number is in range"
    slow = True
    seconds = 10.0
    max_outputs = 0

    def needs(self, stream: Stream) -> int | None:
        counts = [_outputs_needed(draw) for draw in _draws(stream)]
        if not counts:
            return None
        return max(min(counts), min(3 * max(counts), len(stream) - HELD_BACK))

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for draw in _draws(stream):
            deadline.check()
            lost = [bit for bit in range(ENGINE.bits) if not draw.shift <= bit < draw.shift + draw.bits]
            words = stream.values.astype(np.uint64) << np.uint64(draw.shift)
            found = places(MT19937, words, lost, draw.dropped, deadline.check)
            if found is None or (found != UNKNOWN).sum() * draw.bits < ENGINE.unknowns:
                continue
            first = int(np.flatnonzero(found != UNKNOWN)[0])
            lead = ceil(1.3 * (first + 2 * OUTPUTS_BEFORE) / (1 - draw.dropped)) + 64
            solution = solve_dense(
                _equations(draw, stream, found, lead - int(found[first])),
                ENGINE.unknowns,
                deadline.check,
                ENGINE.silent,
            )
            if solution is not None:
                generator = RedrawnNumbers(draw, solution, lead, first)
                if generator.skipped is not None:
                    yield generator


def _draws(stream: Stream) -> list[Draw]:
    n = stream.bounded
    if n is None:
        return []
    draws = [Draw(n, n.bit_length(), True), Draw(n, (n - 1).bit_length(), False)]
    return [draw for draw in draws if LEAST_BITS <= draw.bits <= ENGINE.bits and draw.dropped]


def _outputs_needed(draw: Draw) -> int:
    """The number of outputs that give enough equations."""
    return int((1400 if draw.bits > 24 else 1700) + 3000 * draw.dropped)


def _equations(
    draw: Draw, stream: Stream, found: Int64[np.ndarray, " outputs"], offset: int
) -> Iterator[tuple[Rows, Bool[np.ndarray, " _"]]]:
    """The bits of the outputs whose places are known, and which lie `offset` words on from there."""
    known = np.flatnonzero(found != UNKNOWN).tolist()
    bits = list(range(draw.shift, draw.shift + draw.bits))
    wanted = ((int(found[i]) + offset, bits) for i in known)
    for i, rows in zip(known, ENGINE.forms(wanted), strict=True):
        number = int(stream.values[i])
        yield rows, np.array([(number >> k) & 1 for k in range(draw.bits)], dtype=bool)


@dataclass(frozen=True)
class RedrawnNumbers:
    """A twister with a solved state; the output with index `first` is made of word `lead`."""

    draw: Draw
    solution: Solution
    lead: int
    first: int

    @cached_property
    def skipped(self) -> int | None:
        """Numbers drawn before the first output; None if word `lead` is dropped, or if they are too few."""
        indices = [index for index, _ in self.draw.drawn(islice(ENGINE.words(self.solution), 1, self.lead + 1))]
        skipped = len(indices) - 1 - self.first
        return skipped if skipped >= OUTPUTS_BEFORE and indices[-1] == self.lead - 1 else None

    @property
    def free_bits(self) -> float:
        """Bits of the state and of two ways to draw; endless if the equations do not determine the state."""
        return inf if self.solution.free > ENGINE.silent else ENGINE.unknowns + 1.0

    @cached_property
    def parameters(self) -> JsonObject:
        start, _ = next(islice(self._drawn(), self._before, None))
        state = ENGINE.state_at(self.solution, start + 1)
        return {"engine": ENGINE.name, "output": self.draw.about, "state": state}

    def outputs(self) -> Iterator[Number]:
        return (number for _, number in islice(self._drawn(), self._before, None))

    def previous(self, count: int) -> list[Number] | None:
        """None if the state is not determined, or for more than OUTPUTS_BEFORE outputs."""
        if self.solution.free > ENGINE.silent or count > OUTPUTS_BEFORE:
            return None
        return [number for _, number in islice(self._drawn(), self._before - count, self._before)]

    @property
    def _before(self) -> int:
        return self.skipped or 0

    def _drawn(self) -> Iterator[tuple[int, int]]:
        """The numbers from word 1 on, as silent bits affect word 0."""
        return self.draw.drawn(islice(ENGINE.words(self.solution), 1, None))
