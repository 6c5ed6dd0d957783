"""Recovers java.util.Random from coins, or from numbers below 3 or 5, by a Fourier transform of sums of four outputs.

java.util.Random.nextBoolean() and ⌊2 u⌋ show one bit of 48, for which the lattice of `truncated` would be too large.

An output of nextInt(N) is y = w mod N, where w is the state x without its lowest 17 bits. For whole j, exp(2πi j w / N)
is exp(2πi j y / N), and so it is known. Its frequency as a function of x is j 2**31 / N waves in 2**48. The nearest odd
number k of waves agrees with it on average, up to a factor. And k x mod 2**48 is itself the state of an LCG, with the
increment k c, so that `likely_states` finds it. Lattices, as in `remainder`, are enough for larger N and even ones.
"""

from collections.abc import Iterator
from math import log2

import numpy as np

from unrandom.auditing.algebra.fourier import MAX_OUTPUTS, likely_states, states_by_fourier
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import lcg_machine, lcg_parameters
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.shown import Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.java import JAVA
from unrandom.generators.lcg import LCG

BOUNDS = (3, 5)  # odd N for which the lattice of `remainder` does not find the state
LOW = 17  # bits of a state that nextInt(N) does not use
LEAST_COINS, LEAST_REMAINDERS = 500, 430
"""Fewest outputs for the search. With fewer, it found the state in less than half of all trials."""


class Coins(Family):
    """Tosses of a fair coin, by the linear congruential generator that drand48 and java.util.Random share."""

    name = "lcg-coins"
    about = "java.util.Random.nextBoolean(), and coins by drand48: the top bit of each state"
    slow = True
    seconds = 5.0
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        coins = stream.bounded == 2 or stream.shown == Words(1)
        return LEAST_COINS if coins else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state."""
        return log2(JAVA.m)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if self.needs(stream) is None or len(stream) < LEAST_COINS:
            return
        half = JAVA.m // 2
        bounds = [(half * y, half * (y + 1) - 1) for y in stream.values.tolist()]
        for state in states_by_fourier(JAVA, bounds, deadline.check):
            parameters = lcg_parameters("drand48, java.util.Random", JAVA, state)
            yield lcg_machine(parameters, JAVA, state, lambda x: x // half)


class JavaRemainder(Family):
    """java.util.Random.nextInt(N) for the N in BOUNDS."""

    name = "java-remainder"
    about = "java.util.Random.nextInt(3) and nextInt(5)"
    slow = True
    seconds = 5.0
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return LEAST_REMAINDERS if stream.bounded in BOUNDS else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state."""
        return log2(JAVA.m)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        n = stream.bounded
        if n not in BOUNDS or len(stream) < LEAST_REMAINDERS:
            return
        amplitude, j, k = max(_frequencies(n))
        turns = (stream.values.astype(np.float64) + 0.5) * j / n + (k - _exact(j, n)) / 2
        lcg = LCG(JAVA.m, JAVA.a, k * JAVA.c % JAVA.m)
        for product in likely_states(lcg, amplitude * np.exp(2j * np.pi * turns), deadline.check):
            state = product * pow(k, -1, JAVA.m) % JAVA.m
            parameters = lcg_parameters(f"java.util.Random.nextInt({n})", JAVA, state)
            yield lcg_machine(parameters, JAVA, state, lambda x: (x >> LOW) % n)


def _exact(j: int, n: int) -> float:
    """Waves of exp(2πi j w / n) in all states."""
    return j * (JAVA.m >> LOW) / n


def _frequencies(n: int) -> Iterator[tuple[float, int, int]]:
    """For each j, the odd numbers k of waves next to the exact one, and how well they agree, from 0 to 1."""
    for j in range(1, n // 2 + 1):
        below = int(_exact(j, n))
        for k in (below, below + 1):
            if k % 2:
                yield float(np.sinc(j / n) * np.sinc(k - _exact(j, n))), j, k
