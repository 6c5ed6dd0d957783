"""Recovers combined generators, such as Wichmann–Hill, L'Ecuyer's or MySQL's RAND(), by finding the first numbers of
the linear recurrence that each nearly is, in a lattice.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from math import ceil, log2

from unrandom.auditing.algebra.linear_states import first_numbers
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Replay
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.shown import Fractions, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.combined import COMBINED, Combined, Windows
from unrandom.core.files import JsonObject
from unrandom.predictors.hidden_state import Bounds

MAX_DIMENSION = 60  # largest dimension of a lattice
LOST_BITS = 0.4  # bits subtracted from the information of each output, because reduction needs more than the minimum


class CombinedGenerator(Family):
    """One combined generator, as fractions, as ⌊N u⌋, or as whole numbers."""

    name = "combined"
    max_outputs = MAX_DIMENSION

    def __init__(self, combined: Combined) -> None:
        self.combined = combined
        self.about = f"a combined linear generator: {combined.name}"

    @cached_property
    def _recurrence(self) -> tuple[int, list[int], int]:
        return self.combined.modulus, self.combined.coefficients, self.combined.constant

    def needs(self, stream: Stream) -> int | None:
        if not len(stream) or not (isinstance(stream.shown, Fractions | Range) or self._shows_words(stream)):
            return None
        modulus = self._recurrence[0]
        bounds = self._bounds(stream.head(MAX_DIMENSION))
        bits = sum(log2(modulus / (high - low + 1)) for low, high in bounds if high >= low) / len(bounds) - LOST_BITS
        state = self.combined.order * log2(modulus)
        needed = max(self.combined.order, ceil((state + 4) / bits)) if bits > 0 else MAX_DIMENSION + 1
        return needed if needed <= MAX_DIMENSION else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the first numbers of its recurrence."""
        return self.combined.order * log2(self._recurrence[0])

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        needed = self.needs(stream)
        if needed is None:
            return
        deadline.check()
        # small coefficients correlate neighbours, so that more outputs are needed than their bits suggest
        bounds = self._bounds(stream.head(MAX_DIMENSION))
        for used in dict.fromkeys(min(len(bounds), count) for count in (needed + needed // 2 + 1, MAX_DIMENSION)):
            for first in first_numbers(bounds, *self._recurrence, count=used):
                windows = self.combined.windows(first)
                yield _following(self.combined, windows, stream.bounded, self._shows_words(stream))
                return

    def _shows_words(self, stream: Stream) -> bool:
        return stream.shown == Words(self.combined.size.bit_length())

    def _bounds(self, stream: Stream) -> Bounds:
        modulus = self._recurrence[0]
        slack = ceil(self.combined.tolerance * modulus)
        if self._shows_words(stream):
            stream = stream.reduced(self.combined.size)
        return [(low - slack, high + slack) for low, high in stream.state_bounds(modulus) or []]


def _following(combined: Combined, state: Windows, bounded: int | None, words: bool) -> Replay:
    """A combined generator from the state whose oldest numbers make the first output."""

    def outputs(first: Windows) -> Iterator[Number]:
        if words:
            return combined.words(first)
        fractions = combined.outputs(first)
        return fractions if bounded is None else (int(u * bounded) for u in fractions)

    def previous(count: int) -> list[Number] | None:
        if not combined.invertible:
            return None
        earlier = state
        for _ in range(count):
            earlier = combined.back(earlier)
        return list(islice(outputs(earlier), count))

    parameters: JsonObject = {"generator": combined.name, "state": [list(window) for window in state]}
    return Replay(parameters, lambda: outputs(state), previous)


COMBINED_GENERATORS: tuple[CombinedGenerator, ...] = tuple(map(CombinedGenerator, COMBINED))
