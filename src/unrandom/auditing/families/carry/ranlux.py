"""Recovers RANLUX, as in C++ or GSL, by two successive blocks of outputs: each shows its state except for one word, and
discarding multiplies the state by a constant, so that a lattice of two dimensions finds both missing words.
"""

from collections.abc import Iterator

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.shown import Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.ranlux import RANLUX3, RANLUX4, RANLUX24, RANLUX48, Ranlux
from unrandom.predictors.hidden_state import states_within

GENERATORS = (RANLUX24, RANLUX48, RANLUX3, RANLUX4)


class Ranluxes(Family):
    """Words of the luxury levels in use, beginning anywhere in a block."""

    name = "ranlux"
    about = "RANLUX, a subtract-with-borrow generator that discards most of its numbers"
    max_outputs = 3 * RANLUX3.used

    def needs(self, stream: Stream) -> int | None:
        return min((3 * one.used - 1 for one in GENERATORS if _shows(stream, one)), default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for generator in GENERATORS:
            for start in range(generator.used if _shows(stream, generator) else 0):
                deadline.check()
                yield from _recovered(generator, [int(x) for x in stream.values.tolist()], start)


def _shows(stream: Stream, generator: Ranlux) -> bool:
    return stream.shown == Words(generator.bits)


def _recovered(generator: Ranlux, numbers: list[int], start: int) -> Iterator[Generator]:
    """The generator, if a block begins at this output."""
    used, m = generator.used, generator.modulus
    if len(numbers) < start + 2 * used:
        return
    words = generator.far - 1
    first, second = (generator.partial(numbers[end - words : end]) for end in (start + used, start + 2 * used))
    factor = generator.multiplier(generator.block)
    missing = (0, 1 << generator.bits)  # a word and the borrow
    for rest in states_within([1, factor], [0, (factor * first - second) % m], m, [missing, missing]):
        state = ((first + rest) * generator.multiplier(-used) % m, 0)
        if generator.output(state) != numbers[start]:
            continue
        for _ in range(start):
            state = generator.back(state)
        parameters = {"generator": generator.name, "state": {"X": state[0], "place": state[1]}}
        yield Machine.of(parameters, generator, state, int)
