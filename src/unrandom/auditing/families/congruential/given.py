"""Recovers LCGs of known modulus and multiplier that show a part of their states, by finding the state in a lattice,
for all parts that a stream may show.

The LCG is the user's own, or one of a prime modulus in common use; the common ones with a power of two belong to the
families of truncated LCGs and of remainders.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from math import ceil, log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.congruential.parts import generators_showing
from unrandom.auditing.families.recovery import first_states
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream
from unrandom.core.arithmetic import is_power_of_two
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG

MAX_OUTPUTS = 1 << 14  # outputs used for recovery: more outputs restrict an unknown increment further

OTHER_MODULI = {known.lcg: name for name, known in KNOWN.items() if not is_power_of_two(known.m)}
"""Known LCGs whose modulus is not a power of two."""


class GivenLCG(Family):
    """The LCG that the user describes."""

    name = "given-lcg"
    about = "the linear congruential generator with the given modulus and multiplier, of which a part is shown"
    max_outputs = MAX_OUTPUTS
    of_own = True
    with_gaps = True

    def needs(self, stream: Stream) -> int | None:
        return 2 if stream.modulus is not None and stream.multiplier is not None else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        m, a, c = stream.modulus, stream.multiplier, stream.increment
        if m is None or a is None or m < 2 or not len(stream):
            return
        increments = (0, None) if c is None else (c % m,)
        yield from generators_showing(stream, m, a % m, increments, deadline)
        if c is not None:
            yield from _scaled_evenly(stream, LCG(m, a % m, c % m))


class OtherModulus(Family):
    """Known LCGs whose modulus is not a power of two."""

    name = "truncated-lcg"
    about = "a known linear congruential generator of prime modulus that shows a part of its state"
    max_outputs = 64
    with_gaps = True

    def needs(self, stream: Stream) -> int | None:
        bounded = stream.bounded is not None and not is_power_of_two(stream.bounded)
        if stream.bits > 32 or (not stream.fractions and not bounded and stream.bits < 2):
            return None
        return max(3, ceil(36 / log2(stream.bounded))) if stream.bounded else 3

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if not len(stream):
            return
        for lcg, name in OTHER_MODULI.items():
            shown = generators_showing(stream, lcg.m, lcg.a, (lcg.c,), deadline)
            for generator in chain(shown, _scaled_evenly(stream, lcg)):
                generator.parameters["generator"] = name
                yield generator


def _scaled_evenly(stream: Stream, lcg: LCG) -> Iterator[Generator]:
    """⌊(x − least) / size⌋ for N equal parts of the states from `least` on, where the few states that are left over are
    drawn again: C++'s std::uniform_int_distribution in libstdc++.
    """
    n, least = stream.bounded, int(lcg.c == 0)
    if n is None or stream.cycle or not 2 <= n <= lcg.m - least:
        return
    size = (lcg.m - least) // n
    bounds = [(least + y * size, least + (y + 1) * size - 1) for y in stream.values.tolist()]
    for state in first_states(lcg, bounds):
        parameters = {"m": lcg.m, "a": lcg.a, "c": lcg.c, "state": state, "shown": f"(x - {least}) / {size}"}
        yield Machine(
            parameters, state, _skipping(lcg, least + n * size), lambda x: (x - least) // size,
            _skipping(lcg.inverse(), least + n * size), log2(lcg.m) + log2(len(OTHER_MODULI)),
        )  # fmt: skip


def _skipping(lcg: LCG, limit: int) -> Callable[[int], int]:
    """Steps to the next state below the limit."""

    def step(x: int) -> int:
        x = lcg(x)
        while x >= limit:
            x = lcg(x)
        return x

    return step
