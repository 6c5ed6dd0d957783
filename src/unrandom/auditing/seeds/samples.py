"""Draws without replacement as programs do, from a pool in which the last number takes the place of the one drawn: R's
sample, and Python's random.sample if the pool is small.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unrandom.auditing.forms.layers import Affine, Grouped, Number
from unrandom.auditing.forms.shown import Cycle
from unrandom.auditing.forms.stream import Stream

FEWEST = 3  # numbers drawn at once
LARGEST = 100_000  # pool, or numbers of all samples, at most


@dataclass(frozen=True)
class Sample(Grouped):
    """Each group of `count` numbers was drawn from 0 … pool − 1 without replacement, by the places in the pool."""

    pool: int

    @property
    def about(self) -> str:
        return f"samples of {self.count} from {self.pool}, without replacement"

    @property
    def ranges(self) -> tuple[int, ...]:
        """How many places each draw chooses from; the last draw consumes a word, too."""
        return tuple(range(self.pool, self.pool - self.count, -1))

    def places(self, numbers: Sequence[int]) -> list[int]:
        """Where each number was in the pool when it was drawn."""
        at, where, found = dict[int, int](), dict[int, int](), []  # numbers that were moved, and their places
        for number, end in zip(numbers, range(self.pool - 1, -1, -1), strict=False):
            place, last = where.get(number, number), at.get(end, end)
            found.append(place)
            at[place], where[last] = last, place
        return found

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        drawn: list[Number] = []
        for i in range(0, len(numbers) - self.count + 1, self.count):
            at = dict[int, int]()
            for place, end in zip(map(int, numbers[i : i + self.count]), range(self.pool - 1, -1, -1), strict=False):
                drawn.append(at.get(place, place))
                at[place] = at.get(end, end)
        return drawn


def drawn(stream: Stream) -> list[int] | None:
    """The numbers that were drawn from one range, if a stream consists of such, or of the places of samples."""
    if isinstance(sample := next(iter(stream.form.layers), None), Sample):
        return [int(x) for x in sample.restore(stream.values.tolist())]
    return None if stream.bounded is None or stream.known is not None else [int(x) for x in stream.values.tolist()]


def resized(stream: Stream, size: int) -> Stream:
    """The same numbers as if their range had this size, which must be greater than all of them."""
    sample, numbers = next(iter(stream.form.layers), None), drawn(stream)
    if not isinstance(sample, Sample) or numbers is None:
        return stream.reduced(size)
    form = replace(stream.form, layers=stream.form.layers[1:])
    return _sampled(replace(stream, form=form, values=np.array(numbers)), Sample(sample.count, size))


def samples(stream: Stream) -> Iterator[Stream]:
    """The places of numbers from a range in one sample, or in several of each size that divides their number,
    if the numbers of each sample are different.
    """
    values, pool = stream.values.tolist(), stream.bounded
    if pool is None or max(pool, len(values)) > LARGEST or stream.known is not None:
        return
    if not all(isinstance(layer, Affine) for layer in stream.form.layers):
        return
    for size in range(min(pool, len(values)), FEWEST - 1, -1):
        if len(values) % size == 0 and all(len({*group}) == size for group in _groups(values, size)):
            yield _sampled(stream, Sample(size, pool))


def _groups(values: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (values[i : i + size] for i in range(0, len(values), size))


def _sampled(stream: Stream, sample: Sample) -> Stream:
    """The places of these numbers in the pool."""
    places = [place for group in _groups(stream.values.tolist(), sample.count) for place in sample.places(group)]
    form = stream.form.within(sample)
    shown = Cycle(sample.ranges, stream.bits)
    return replace(stream, values=np.array(places, dtype=np.uint64), form=form, shown=shown)
