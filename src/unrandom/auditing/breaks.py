"""Follows a generator beyond a break of its stream: to the same generator after a jump, or to a new state.

Outputs are lost, inserted or changed: then the generator predicts again once some of its own outputs, and
some outputs of the input, have been passed over. Otherwise the search begins again after the break.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from math import ceil

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import COMPARED_OUTPUTS, Family, Generator
from unrandom.auditing.findings import Found
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.proof import MULTIPLE_TESTING_BITS, SIGNIFICANCE_BITS
from unrandom.auditing.search import Search
from unrandom.auditing.verdict import Break

MAX_SKIPPED = 16  # successive outputs of the input that may be foreign to the generator
MAX_LOST = 4096  # successive outputs of the generator that may be missing in the input
LEAST_SECONDS = 2.0  # time to follow a generator, even if the time of the search has passed
MAX_BREAKS = 1000  # breaks after which a generator is no longer followed


@dataclass
class Trace:
    """A stream followed as far as possible: from index `first` to before `last`, through the breaks, whose positions
    are indices of the stream, too. `found` is the last stretch, and `outputs` continue it after its end. If `cut`, the
    time limit came before the end.
    """

    stream: Stream
    found: Found
    first: int
    last: int
    outputs: Iterator[Number]
    breaks: list[Break] = field(default_factory=list)
    cut: bool = False


def follow(search: Search, stream: Stream, start: int, found: Found) -> Trace:
    """Follow a generator found in the part of the stream from index `start` on, forwards and backwards."""
    deadline = Deadline(max(search.deadline.left, LEAST_SECONDS))
    breaks, first = _backwards(found.generator, stream, start, deadline)
    while True:
        part = stream.part(start)
        more, end, outputs = _forwards(found.generator, part, found.correct, deadline)
        breaks += [Break(start + one.after, one.skipped, one.lost) for one in more]
        start += end
        again = None
        if start < len(stream) and len(breaks) < MAX_BREAKS and search.deadline.left > 0:
            again = _restart(search, stream.part(start), found)
        if again is None:
            cut = deadline.left < 0 and (first > 0 or start < len(stream))
            return Trace(stream, found, first, start, outputs, breaks, cut)
        breaks.append(Break(start, reseeded=True))
        found = again


def _restart(search: Search, stream: Stream, found: Found) -> Found | None:
    """A generator of the outputs after a break: of the same family, or else of any that is not slow."""
    families = ([found.family] if isinstance(found.family, Family) else [], search.families)
    trials = (Search(some, search.deadline, search.watch, search.checked) for some in families)
    return next((again for trial in trials if (again := trial.find_from_start(stream))), None)


def _forwards(
    generator: Generator, stream: Stream, position: int, deadline: Deadline
) -> tuple[list[Break], int, Iterator[Number]]:
    """The breaks from `position` on, the index before which the generator predicts, and its outputs from there on."""
    outputs: Iterator[Number] = islice(generator.outputs(), position, None)
    breaks: list[Break] = []
    while position < len(stream) and len(breaks) < MAX_BREAKS and deadline.left > 0:
        ahead = list(islice(outputs, MAX_LOST + _width(stream)))
        joint = _joint(stream, position, ahead, 1)
        if joint is None:
            outputs = chain(ahead, outputs)
            break
        skipped, lost = joint
        breaks.append(Break(position, skipped, lost))
        position += skipped
        outputs = chain(ahead[lost:], outputs)
        position, outputs = _agreeing(stream, position, outputs)
    return breaks, position, outputs


def _agreeing(stream: Stream, position: int, outputs: Iterator[Number]) -> tuple[int, Iterator[Number]]:
    """The index of the next output that differs, and the generator's outputs from there on."""
    while position < len(stream):
        predicted = list(islice(outputs, min(COMPARED_OUTPUTS, len(stream) - position)))
        same = stream.matches(position, predicted)
        position += same
        if same < len(predicted):
            return position, chain(predicted[same:], outputs)
    return position, outputs


def _backwards(generator: Generator, stream: Stream, start: int, deadline: Deadline) -> tuple[list[Break], int]:
    """The breaks before index `start`, in order, and the index from which on the generator predicts."""
    before = (generator.previous(start + MAX_LOST) if start else None) or []
    earlier, passed, position = before[::-1], 0, start - 1
    breaks: list[Break] = []
    while position >= 0 and passed < len(earlier) and deadline.left > 0:
        if stream.matches(position, [earlier[passed]]):
            position, passed = position - 1, passed + 1
            continue
        joint = _joint(stream, position, earlier[passed : passed + MAX_LOST + _width(stream)], -1)
        if joint is None:
            break
        skipped, lost = joint
        position -= skipped
        breaks.insert(0, Break(position + 1, skipped, lost))
        passed += lost
    return breaks, position + 1


def _width(stream: Stream) -> int:
    """Outputs that must agree after a jump."""
    return ceil((SIGNIFICANCE_BITS + MULTIPLE_TESTING_BITS) / max(stream.bits_per_output, 2**-6))


def _joint(stream: Stream, position: int, ahead: Sequence[Number], step: int) -> tuple[int, int] | None:
    """How many outputs of the stream and how many of the generator to pass over, so that the following ones agree. The
    stream is read from index `position` on, forwards (`step` = 1) or backwards (−1).
    """
    width = _width(stream)
    for skipped in range(MAX_SKIPPED + 1):
        begin, end = position + step * skipped, position + step * (skipped + width - 1)
        if not (0 <= begin < len(stream) and 0 <= end < len(stream)):
            return None
        for lost in range(len(ahead) - width + 1):
            if all(stream.matches(begin + step * k, [ahead[lost + k]]) for k in range(width)):
                return skipped, lost
    return None
