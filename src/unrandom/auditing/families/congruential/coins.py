"""Are coins the top bits of the states of drand48 or java.util.Random? By a Fourier transform of sums of four outputs.

java.util.Random.nextBoolean() and ⌊2 u⌋ show one bit of 48, for which the lattice of `truncated` would be too large.
"""

from collections.abc import Iterator

from unrandom.auditing.families.recovery import lcg_machine, lcg_parameters
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.stream import Stream
from unrandom.core.deadline import Deadline
from unrandom.generators.java import JAVA
from unrandom.predictors.fourier import MAX_OUTPUTS, states_by_fourier

LEAST_OUTPUTS = 500  # with fewer, the state was found in less than half of all trials


class Coins(Family):
    """Tosses of a fair coin, by the linear congruential generator that drand48 and java.util.Random share."""

    name = "lcg-coins"
    about = "java.util.Random.nextBoolean(), and coins by drand48: the top bit of each state"
    slow = True
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        coins = stream.bounded == 2 or (stream.bits == 1 and not stream.in_range)
        return LEAST_OUTPUTS if coins and not stream.fractions else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if self.needs(stream) is None or len(stream) < LEAST_OUTPUTS:
            return
        half = JAVA.m // 2
        bounds = [(half * y, half * (y + 1) - 1) for y in stream.values.tolist()]
        for state in states_by_fourier(JAVA, bounds, deadline.check):
            parameters = lcg_parameters("drand48, java.util.Random", JAVA, state)
            yield lcg_machine(parameters, JAVA, state, lambda x: x // half)
