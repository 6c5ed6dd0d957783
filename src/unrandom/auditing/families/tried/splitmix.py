"""Recovers SplitMix64 in fractions, as Java's SplittableRandom.nextDouble(), by trying the 11 bits that are cut off.

The mixing function is a bijection, so that each completion of the first output gives one state of the counter.
"""

from collections.abc import Callable, Iterator

import numpy as np

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.splitmix import SplitMix64, mixed, unmixed
from unrandom.auditing.notation import hexadecimal

SHOWN, HIDDEN = 53, 11  # bits of a word that a fraction shows, and the other bits


class SplitMixFractions(Family):
    """The top 53 bits of SplitMix64 with its usual step."""

    name = "splitmix64-fractions"
    about = "SplitMix64 in fractions (Java's SplittableRandom.nextDouble())"
    max_outputs = 2

    def needs(self, stream: Stream) -> int | None:
        return 2 if any(view.bits == SHOWN for view in stream.views) else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the counter."""
        return float(SHOWN + HIDDEN)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        generator = SplitMix64()
        for view in stream.views:
            if view.bits != SHOWN or len(view.numbers) < 2:
                continue
            deadline.check()
            words = np.uint64(view.numbers[0] << HIDDEN) + np.arange(1 << HIDDEN, dtype=np.uint64)
            states = unmixed(words)
            following = mixed(states + np.uint64(generator.distance)) >> np.uint64(HIDDEN)
            for state in states[following == np.uint64(view.numbers[1])].tolist():
                parameters = {"generator": "SplitMix64", "state": hexadecimal([state], 64)[0]}
                yield Machine.of(parameters, generator, state, _shown(view))


def _shown(view: View) -> Callable[[int], Number]:
    return lambda word: view.show(word >> HIDDEN)
