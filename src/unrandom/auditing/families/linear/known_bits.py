"""Recovers generators linear modulo 2 of which each output shows some bits, by solving dense linear equations for the
state.

Each known bit of an output is a linear form of the unknown state, so about as many known bits as the state has bits
determine it, whichever bits they are. The state that the equations determine lies some words before the first output,
so that the outputs before the first one are known, too.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle, islice
from math import inf
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from unrandom.auditing.algebra.mod_two_dense import Solution, growth, solve_dense
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Undetermined
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.linear_words import Rows
from unrandom.auditing.generators.mersenne import MT19937, MT19937_64, MT19937_PHP5
from unrandom.auditing.layouts.layout import Layout
from unrandom.auditing.layouts.linear_engines import LARGE_ENGINES, SMALL_ENGINES, LinearEngine, Twister
from unrandom.auditing.layouts.readings import Known, Reading, readings
from unrandom.core.files import JsonObject

REDUNDANT = 64  # equations beyond the number of unknowns
OUTPUTS_BEFORE = 16  # outputs before the first one that a solution determines

SLACK = 2.4
"""Equations read at most, over the unknowns. Bits of twisters depend on each other: some need 2.3 times as
many equations as they have unknowns. No more are read than are needed.
"""

SAMPLE = 64  # outputs by which the number of known bits is estimated
SURE = 0.7  # if an estimate is that much below the known bits needed, a stream is too short
MOST_EQUATIONS = 4  # equations over the unknowns, beyond which outputs are not looked for that determine a state
READINGS_BITS = 4.0  # log2 of how many ways to show words are tried, at most
HELD_BACK_BITS = 160  # known bits left to prove a solution, if there are not enough outputs for SLACK
PIECE_ROWS = 256  # equations made at a time


@dataclass(eq=False)
class KnownBits(Family):
    """One engine; all readings of the stream, or only the one with this index, for engines with a large state."""

    engine: LinearEngine
    name: str
    about: str
    index: int | None = None
    slow: bool = False
    seconds: float = 0.3
    with_gaps = True
    max_outputs = 0  # recovery reads no more outputs than it needs

    def needs(self, stream: Stream) -> int | None:
        if stream.reordered and stream.likely:  # words in the range of all words
            return None
        counts = [self._needed(reading, stream) for reading in self._readings(stream)]
        return min((count for count in counts if count), default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator | Undetermined]:
        for reading in self._readings(stream):
            deadline.check()
            solution = solve_dense(
                _equations(self.engine, reading, stream), self.engine.unknowns, deadline.check, self.engine.silent
            )
            if solution is None or 2 * solution.free > self.engine.unknowns:
                continue
            used = _outputs_used(self.engine, reading, reading.known(stream), solution.equations)
            for one in (reading, *reading.alike):
                yield KnownWords(self.engine, one, solution, used)
            if solution.free > self.engine.silent and (found := self._agreeing(reading, stream, deadline)):
                yield found

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state, and of the readings of words."""
        return self.engine.unknowns + READINGS_BITS

    def undetermined(self, stream: Stream, deadline: Deadline) -> Undetermined | None:
        """Equations that agree, but leave bits of the state open, if there are half as many as the state has bits."""
        found = [
            one
            for reading in self._readings(stream)
            if 2 * int(_known_counts(self.engine, reading, stream).sum()) >= self.engine.unknowns
            and (one := self._agreeing(reading, stream, deadline))
        ]
        return min(found, key=lambda one: (-one.evidence, one.outputs), default=None)

    def _agreeing(self, reading: Reading, stream: Stream, deadline: Deadline) -> Undetermined | None:
        """What a stream tells whose equations agree. Which outputs determine the state depends on the bits that they
        show, not on what these are; outputs to come show what those given do. None if the equations contradict.
        """
        known, unknowns = reading.known(stream), self.engine.unknowns
        most = MOST_EQUATIONS * unknowns * len(known) // max(1, int(_known_counts(self.engine, reading, stream).sum()))
        both = list(islice(cycle(known), most))
        to_come = (rows for rows, _ in _equations_of(self.engine, reading, both, len(known)))
        equations = _equations(self.engine, reading, stream)
        grown = growth(equations, to_come, unknowns, deadline.check, self.engine.silent)
        if grown is None:
            return None
        outputs = most if grown.needed is None else _outputs_used(self.engine, reading, both, grown.needed)
        evidence = min(grown.read - grown.rank, float(stream.information.sum()))
        return Undetermined(max(outputs, len(stream) + 1), evidence)

    def _readings(self, stream: Stream) -> list[Reading]:
        possible = (reading for reading in readings(self.engine, stream) if _linear_bits(self.engine, reading.layout))
        return list(possible if self.index is None else islice(possible, self.index, self.index + 1))

    def _needed(self, reading: Reading, stream: Stream) -> int | None:
        """Outputs that determine the state, with some slack if the stream is long enough; None if they show nothing."""
        least = self.engine.unknowns + REDUNDANT
        sample = _known_counts(self.engine, reading, stream.head(SAMPLE))
        if not sample.any():
            return None
        average = float(sample.mean())
        enough, available = int(SLACK * least / average) + 1, len(stream) - int(np.ceil(HELD_BACK_BITS / average))
        if enough <= available:
            return enough
        if average * len(stream) < SURE * least:
            return int(np.ceil(least / average))
        totals = np.cumsum(_known_counts(self.engine, reading, stream))
        if totals[-1] < least:
            return max(len(stream), int(np.ceil(least * len(totals) / totals[-1])))
        return max(int(np.searchsorted(totals, least)) + 1, available)


def _known_counts(engine: LinearEngine, reading: Reading, stream: Stream) -> Int64[np.ndarray, " outputs"]:
    """Linear equations for each output, of which no more are counted than its words have fresh bits."""
    if stream.known is not None:  # outputs that were not printed show nothing
        counts = np.zeros(len(stream), dtype=np.int64)
        counts[stream.known] = _known_counts(engine, reading, _printed(stream, stream.known))
        return counts
    linear = _linear_bits(engine, reading.layout)
    shown = [(one.mask & linear).bit_count() + one.run for one in reading.known(stream)]
    return np.minimum(np.array(shown, dtype=np.int64), engine.fresh * reading.layout.words)


def _printed(stream: Stream, known: Bool[np.ndarray, " outputs"]) -> Stream:
    """The outputs that were printed, without the gaps between them."""
    return replace(stream.at(known), known=None)


def _linear_bits(engine: LinearEngine, layout: Layout) -> int:
    """Mask of the bits of X that are linear in the state."""
    return sum(1 << k for k, (_, bit) in enumerate(layout.places) if (engine.linear >> bit) & 1)


def _lead(reading: Reading) -> int:
    """Words from the unknown state to the first output: a multiple of 4, the parts of an output of SFMT."""
    return 4 * (OUTPUTS_BEFORE // 4 * reading.layout.words + 1)


def _equations(engine: LinearEngine, reading: Reading, stream: Stream) -> Iterator[tuple[Rows, Bool[np.ndarray, " _"]]]:
    return _equations_of(engine, reading, reading.known(stream))


def _equations_of(
    engine: LinearEngine, reading: Reading, known: Sequence[Known], start: int = 0
) -> Iterator[tuple[Rows, Bool[np.ndarray, " _"]]]:
    """The equations of outputs of which this is known, from the one with index `start` on."""
    asked: deque[_Asked] = deque()

    def wanted() -> Iterator[tuple[int, list[int]]]:
        for one in _asked(engine, reading, known, start):
            asked.append(one)
            yield one.word, one.bits

    pieces: list[Rows] = []
    values: list[bool] = []
    for rows in engine.forms(wanted()):
        one = asked.popleft()
        if one.plain < len(one.bits):
            rows = np.concatenate([rows[: one.plain], rows[one.plain + 1 :] ^ rows[one.plain]])
        pieces.append(rows)
        values += one.values
        if len(values) >= PIECE_ROWS:
            yield np.concatenate(pieces), np.array(values, dtype=bool)
            pieces, values = [], []
    if values:
        yield np.concatenate(pieces), np.array(values, dtype=bool)


def _outputs_used(engine: LinearEngine, reading: Reading, known: Sequence[Known], equations: int) -> int:
    """How many of the first outputs, of which this is known, give that many `equations`."""
    for one in _asked(engine, reading, known):
        equations -= len(one.values)
        if equations <= 0:
            return one.output + 1
    return len(known)


class _Asked(NamedTuple):
    """Bits of a word of an output, of which the first `plain` are known. If there are more, these are the opposites of
    the first one of them, which is unknown.
    """

    output: int
    word: int
    bits: list[int]
    values: list[bool]  # the known bits; then the exclusive or of each other bit with the first of these
    plain: int


def _asked(engine: LinearEngine, reading: Reading, all_known: Sequence[Known], start: int = 0) -> Iterator[_Asked]:
    layout, places, lead = reading.layout, reading.layout.places, _lead(reading)
    linear = _linear_bits(engine, layout)
    for i, known in enumerate(islice(all_known, start, None), start):
        group, part = divmod(i, layout.share)
        shown = known.mask & linear
        for word in range(layout.words):
            plain = [k for k, (of, _) in enumerate(places) if of == word and (shown >> k) & 1]
            run = [k for k in range(known.top - known.run, known.top) if known.run and places[k][0] == word]
            bits, values = plain, [bool((known.x >> k) & 1) for k in plain]
            if run and places[known.top][0] == word:
                bits, values = [*plain, known.top, *run], values + [True] * len(run)
            if bits:
                bits = [places[k][1] + part * layout.size for k in bits]
                yield _Asked(i, lead + group * layout.words + word, bits, values, len(plain))


@dataclass(frozen=True)
class KnownWords:
    """A generator given by an engine, a solved state, and the reading of its words."""

    engine: LinearEngine
    reading: Reading
    solution: Solution
    outputs_used: int

    @property
    def free_bits(self) -> float:
        """Bits of the state and of the readings of words; endless if the equations do not determine the state."""
        return inf if self.solution.free > self.engine.silent else self.engine.unknowns + READINGS_BITS

    @cached_property
    def parameters(self) -> JsonObject:
        """Engine, output, and the state whose words begin with the first output."""
        state = self.engine.state_at(self.solution, _lead(self.reading) + self.reading.shift)
        return {"engine": self.engine.name, "output": self.reading.about, "state": state}

    def outputs(self) -> Iterator[Number]:
        return self._shown(0)

    def previous(self, count: int) -> list[Number] | None:
        """None if unknowns that matter are undetermined, or for more than OUTPUTS_BEFORE outputs."""
        if self.solution.free > self.engine.silent or count > OUTPUTS_BEFORE:
            return None
        groups = -(-count // self.reading.layout.share)
        before = list(islice(self._shown(-groups), groups * self.reading.layout.share))
        return before[len(before) - count :]

    def _shown(self, group: int) -> Iterator[Number]:
        """The outputs, beginning with this group of words; the stream begins with group 0."""
        layout, show = self.reading.layout, self.reading.show
        first = _lead(self.reading) + group * layout.words + self.reading.shift
        words = islice(self.engine.words(self.solution), first, None)
        for used in zip(*[words] * layout.words, strict=False):
            for part in range(layout.share):
                yield show(layout.joined(used, part))


def _large(engine: LinearEngine, count: int, name: str, about: str, seconds: float = 3.0) -> list[KnownBits]:
    return [KnownBits(engine, name, about, index, slow=True, seconds=seconds) for index in range(count)]


TWISTER_ABOUT = "a Mersenne twister that shows some bits of its words"

SMALL = tuple(
    KnownBits(engine, "known-bits", f"{engine.name}: linear modulo 2, some bits of each word known")
    for engine in SMALL_ENGINES
)

TWISTERS = (
    *_large(Twister(MT19937), 8, "mersenne-twister", TWISTER_ABOUT),
    *_large(Twister(MT19937_64), 5, "mersenne-twister", TWISTER_ABOUT),
    *_large(Twister(MT19937_PHP5), 1, "mersenne-twister", TWISTER_ABOUT),
)

LARGE = tuple(
    one
    for engine in LARGE_ENGINES
    for one in _large(engine, 2, "known-bits", f"{engine.name}: linear modulo 2, some bits of each word known", 6.0)
)
"""Rare generators, some of which take ten seconds for each reading."""
