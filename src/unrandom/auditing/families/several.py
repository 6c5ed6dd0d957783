"""Recovers several generators of one kind that make the numbers in turn, as workers that are started with different
seeds: each from every second number, every third one, and so on.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import CountsBits, Family, Generator, Replay, Undetermined, agreement
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream

MOST = 8  # generators in turn


class Several(Family):
    """Two to eight generators of one family."""

    def __init__(self, kind: Family) -> None:
        self.kind = kind
        self.name, self.about = kind.name, f"several generators in turn, each of them {kind.about}"
        self.max_outputs, self.any_width = MOST * max(kind.max_outputs, 2), kind.any_width

    def needs(self, stream: Stream) -> int | None:
        needs = self.kind.needs(stream)
        return None if needs is None or stream.cycle or not stream.likely else 2 * needs

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for count in range(2, MOST + 1):
            deadline.check()
            found = list[Generator]()
            for part in (_every(stream, place, count) for place in range(count)):
                generator = self._first(part, deadline)
                if generator is None:
                    break
                found.append(generator)
            else:
                yield _in_turn(found, self._free(found, stream))

    def _first(self, part: Stream, deadline: Deadline) -> Generator | None:
        """The first generator of a part that makes all of it."""
        needs = self.kind.needs(part)
        if needs is None or len(part) < needs:
            return None
        for one in self.kind.recover(part.head(max(needs, self.kind.max_outputs)), deadline):
            if not isinstance(one, Undetermined) and agreement(one, part, deadline) == len(part):
                return one
        return None

    def _free(self, found: Sequence[Generator], stream: Stream) -> float | None:
        """Bits of all generators, and of their number."""
        bits = [one.free_bits if isinstance(one, CountsBits) else None for one in found]
        counted = [self.kind.free_bits(stream) if one is None else one for one in bits]
        return None if None in counted else 3.0 + sum(one for one in counted if one is not None)


def _every(stream: Stream, place: int, count: int) -> Stream:
    """Every `count`-th output from one on."""
    return stream.at(slice(place, None, count))


def _in_turn(found: Sequence[Generator], free_bits: float | None) -> Replay:
    def outputs() -> Iterator[Number]:
        return chain.from_iterable(zip(*(one.outputs() for one in found), strict=True))

    def previous(count: int) -> list[Number] | None:
        each = -(-count // len(found))
        before = [one.previous(each) for one in found]
        if any(one is None for one in before):
            return None
        return [x for turn in zip(*(one or [] for one in before), strict=True) for x in turn][-count:]

    parameters = {"in turn": len(found), "state": [one.parameters for one in found]}
    return Replay(parameters, outputs, previous, free_bits)
