"""Recovers known generators whose outputs were reduced by a remainder, as in rand() % 6 or Java's nextInt(10): first
the low bits of the state, and then the quotients of the division.

An output is y = w mod N, where w is a window of an LCG's state and N = 2**j · odd. The lowest j bits of w are the top
bits of a smaller LCG, whose state is found by exhaustive search or by a lattice. Then w = N q + y, where q obeys an LCG
modulo 2**(bits − j) and is small, so that a lattice finds it. For odd N, both q and the bits below the window are
unknown; one lattice of twice the dimension finds both, unless N is too small.
"""

from collections.abc import Iterator
from itertools import accumulate, product, repeat
from math import ceil, log2

import numpy as np

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import first_states, lcg_machine
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.stream import Stream
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG
from unrandom.generators.windows import Window, states_showing
from unrandom.predictors.hidden_state import states_within

EXHAUSTIVE_BITS = 20  # up to this many unknown bits are found by exhaustive search
MAX_OUTPUTS = 256  # outputs used for recovery
MAX_DIMENSION = 60  # largest dimension of a lattice
STARTS, STEP = 4, 12  # places at which a lattice is tried if it is likely to miss the state, and outputs between them

WINDOWS = tuple(
    Window.of(about, known, low, bits)
    for about, known, low, bits in (
        ("java.util.Random.nextInt(N)", KNOWN["java"].lcg, 17, 31),
        ("MSVC rand() % N", KNOWN["msvc"].lcg, 16, 15),
        ("rand() % N, as in the C standard", KNOWN["ansi-c"].lcg, 16, 15),
        ("Borland rand() % N", KNOWN["borland"].lcg, 16, 15),
        ("glibc TYPE_0 random() % N", KNOWN["glibc-type0"].lcg, 0, 31),
        ("musl rand() % N", KNOWN["musl"].lcg, 33, 31),
        ("newlib rand() % N", KNOWN["newlib"].lcg, 32, 31),
    )
)
"""The generators whose outputs programs reduce by a remainder, with the bits of the state that they use."""


class Remainder(Family):
    """Known LCGs and that of the user, reduced to 0 … N − 1 by a remainder."""

    name = "remainder"
    about = "a given or known linear congruential generator reduced by a remainder"
    max_outputs = MAX_OUTPUTS
    of_own = True

    def needs(self, stream: Stream) -> int | None:
        return None if stream.bounded is None else ceil(40 / log2(stream.bounded))

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        n = stream.bounded
        outputs = [int(y) for y in stream.values.tolist()]
        if n is None or len(outputs) < 4:
            return
        for tried, window in enumerate((*_given_windows(stream), *WINDOWS), start=1):
            deadline.check()
            if n < 2**window.bits:
                yield from _generators(window, n, outputs, log2(tried), deadline)

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the largest states, and of the generators."""
        return max(log2(window.lcg.m) for window in WINDOWS) + log2(len(WINDOWS))


def _given_windows(stream: Stream) -> Iterator[Window]:
    """Windows of the states of the user's LCG, if its modulus is a power of two: all bits, and those from bit 16, 17,
    32 or 33 on, without the highest one or with it.
    """
    m, a, c = stream.modulus, stream.multiplier, stream.increment
    if m is None or a is None or c is None or not is_power_of_two(m):
        return
    size = m.bit_length() - 1
    for low, top in product((0, 16, 17, 32, 33), (size, size - 1)):
        if top - low > 4:
            about = f"bits {low} to {top - 1} of the given generator, modulo N"
            yield Window.of(about, LCG(m, a % m, c % m), low, top - low)


def _generators(window: Window, n: int, outputs: list[int], choice: float, deadline: Deadline) -> Iterator[Generator]:
    for state in _states(window, n, outputs, deadline):
        parameters: JsonObject = {"generator": window.about, "N": n, "m": window.lcg.m, "state": state}
        free = log2(window.lcg.m) + choice
        yield lcg_machine(parameters, window.lcg, state, lambda x: window.output(x) % n, free)


def _states(window: Window, n: int, outputs: list[int], deadline: Deadline) -> Iterator[int]:
    twos = (n & -n).bit_length() - 1  # j, the exponent of 2 in n
    if window.low and (twos == 0 or (twos == 1 and n > 2 and window.low > EXHAUSTIVE_BITS)):
        yield from _quotients_and_low_bits(window, n, outputs)
        return
    for low_part in _low_parts(window, twos, outputs, deadline):
        if n == 1 << twos:
            yield low_part
        else:
            yield from _quotients(window, n, twos, low_part, outputs)


def _quotients_and_low_bits(window: Window, n: int, outputs: list[int]) -> Iterator[int]:
    """States if the quotients and the bits below the window are both unknown: modulo 2**low n, the states lie between
    2**low y and 2**low (y + 1). Reduction misses some states, so that it is tried at several outputs.
    """
    bounds = [states_showing(y, window.low) for y in outputs]
    for start in range(0, min(len(bounds), STARTS * STEP), STEP):
        back = window.lcg.jump(-start)
        yield from map(back, first_states(window.lcg, bounds[start:], period=n << window.low))


def _low_parts(window: Window, twos: int, outputs: list[int], deadline: Deadline) -> Iterator[int]:
    """States modulo 2**(low + twos) whose top bits are the lowest `twos` bits of the outputs."""
    size = window.low + twos
    if size == 0:
        yield 0
        return
    lcg = Window.of(window.about, window.lcg, window.low, twos).lcg
    tops = [y & ((1 << twos) - 1) for y in outputs]
    if window.low > EXHAUSTIVE_BITS:
        yield from first_states(lcg, [states_showing(y, window.low) for y in tops])
        return
    first = np.arange(1 << window.low, dtype=np.uint64) + np.uint64(tops[0] << window.low)
    states = first.copy()
    for top in tops[1:]:
        deadline.check()
        states = (states * np.uint64(lcg.a) + np.uint64(lcg.c)) & np.uint64(lcg.m - 1)
        matching = (states >> np.uint64(window.low)) == np.uint64(top)
        first, states = first[matching], states[matching]
        if not len(first):
            return
    yield from first[:4].tolist()


def _powers(lcg: LCG, count: int) -> tuple[list[int], list[int]]:
    """A and C with x[t] = (A[t] x[0] + C[t]) mod m, for t = 0 … count − 1."""
    a = list(accumulate(repeat(lcg.a, count - 1), lambda x, y: x * y % lcg.m, initial=1))
    c = list(accumulate(repeat(lcg.c, count - 1), lambda x, y: (x * lcg.a + y) % lcg.m, initial=0))
    return a, c


def _quotients(window: Window, n: int, twos: int, low_part: int, outputs: list[int]) -> Iterator[int]:
    """States with this low part: the quotients of the windows by n form an LCG modulo 2**(bits − twos)."""
    odd, quotient_bits = n >> twos, window.bits - twos
    count = min(len(outputs), MAX_DIMENSION, ceil(1.5 * (quotient_bits + 8) / max(0.5, log2(odd) - 0.3)))
    a, c = _powers(window.lcg, count)
    low_mask = (1 << window.low) - 1
    # known part of each state: y at the position of the window, and the bits below it
    known = [(outputs[t] << window.low) + ((a[t] * low_part + c[t]) % window.lcg.m & low_mask) for t in range(count)]
    m, inverse = 1 << quotient_bits, pow(odd, -1, 1 << quotient_bits)
    rests = [a[t] * known[0] + c[t] - known[t] for t in range(count)]
    offsets = [(rest >> (window.low + twos)) * inverse % m for rest in rests]
    max_quotient = (1 << window.bits) // n
    for q in states_within([x % m for x in a], offsets, m, [(0, max_quotient)] * count):
        if q <= max_quotient:
            yield ((q * n) << window.low) + known[0]
