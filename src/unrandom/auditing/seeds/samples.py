"""How do programs draw without replacement? From a pool, in which the last number takes the place of the one drawn: R's
sample, and Python's random.sample if the pool is small.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unrandom.auditing.forms.layers import Affine, Grouped, Number
from unrandom.auditing.forms.stream import Stream

FEWEST = 3  # numbers drawn at once
LARGEST_POOL = 100_000


@dataclass(frozen=True)
class Sample(Grouped):
    """Each group of `count` numbers was drawn from 0 … pool − 1 without replacement, by the places in the pool."""

    pool: int

    @property
    def about(self) -> str:
        return f"samples of {self.count} from {self.pool}, without replacement"

    @property
    def ranges(self) -> tuple[int, ...]:
        """How many places each draw chooses from; also the last one from a pool, of 1 place, takes a word."""
        return tuple(range(self.pool, self.pool - self.count, -1))

    def places(self, numbers: Sequence[int]) -> list[int]:
        """Where each number was in the pool when it was drawn."""
        pool = list(range(self.pool))
        where, found = list(range(self.pool)), []
        for number in numbers:
            place, last = where[number], pool.pop()
            found.append(place)
            if last != number:
                pool[place], where[last] = last, place
        return found

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        drawn: list[Number] = []
        for i in range(0, len(numbers) - self.count + 1, self.count):
            pool = list(range(self.pool))
            for place in map(int, numbers[i : i + self.count]):
                drawn.append(pool[place])
                last = pool.pop()
                if place < len(pool):
                    pool[place] = last
        return drawn


def samples(stream: Stream) -> Iterator[Stream]:
    """The places of numbers from a range, if all of them are different, as those of one sample."""
    values, pool, layers = stream.values.tolist(), stream.bounded, stream.form.layers
    if pool is None or not FEWEST <= len(values) <= pool <= LARGEST_POOL or len(set(values)) < len(values):
        return
    if stream.known is None and all(isinstance(layer, Affine) for layer in layers):
        sample = Sample(pool=pool, count=len(values))
        places = np.array(sample.places(values), dtype=np.uint64)
        yield replace(stream, values=places, form=stream.form.within(sample), bounded=None, cycle=sample.ranges)
