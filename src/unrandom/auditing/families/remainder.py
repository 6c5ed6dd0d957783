"""Were the outputs of a known generator reduced by a remainder, as by rand() % 6 or Java's nextInt(10)?

An output y = w mod N of a window w of an LCG's state, N = 2**j · odd. The lowest j bits of w are the top of a smaller
LCG, of which all bits can be found; few, so by trying them all, or by a lattice. With these known, w = N q + y, and q
itself obeys an LCG modulo what is left, of which it is a small number: a lattice again. For odd N, both q and the bits
below the window are unknown, and one lattice of twice the dimension holds them; that goes only for N not too small.
"""

from collections.abc import Iterator
from itertools import accumulate, repeat
from math import ceil, log2

import numpy as np

from unrandom.auditing.family import Deadline, Generator, Machine
from unrandom.auditing.recovery import first_states, lcg_machine
from unrandom.auditing.stream import Stream
from unrandom.core.files import JsonObject
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import Lcg
from unrandom.generators.windows import Window, states_showing
from unrandom.predictors.hidden_state import states_within

TRIED = 20
"""Bits that are found by trying all."""

MAX_OUTPUTS = 256
"""Outputs looked at."""

DIMENSIONS = 60
"""Of a lattice, at most."""


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
"""What programs reduce by a remainder."""


class Remainder:
    """Known LCGs, reduced to 0 … N − 1 by a remainder; N is what --bounded gives."""

    name = "remainder"
    about = "a known linear congruential generator reduced by a remainder"
    trivial = False
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return None if stream.bounded is None else ceil(40 / log2(stream.bounded))

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        n = stream.bounded
        outputs = [int(y) for y in stream.values.tolist()]
        if n is None or len(outputs) < 4:
            return
        for window in WINDOWS:
            deadline.check()
            if n < 2**window.bits:
                for state in _states(window, n, outputs, deadline):
                    parameters: JsonObject = {"generator": window.about, "N": n, "m": window.lcg.m, "state": state}
                    yield _machine(parameters, state, window, n)


def _machine(parameters: JsonObject, state: int, window: Window, n: int) -> Machine:
    return lcg_machine(parameters, window.lcg, state, lambda x: window.output(x) % n)


def _states(window: Window, n: int, outputs: list[int], deadline: Deadline) -> Iterator[int]:
    shown = (n & -n).bit_length() - 1  # j: n is 2**j times an odd number
    if shown == 0 and window.low:
        # Neither the quotients nor the bits below the window are known: modulo 2**low n the states lie between 2**low y
        # and 2**low (y + 1).
        yield from first_states(window.lcg, [states_showing(y, window.low) for y in outputs], period=n << window.low)
        return
    for low_part in _low_parts(window, shown, outputs, deadline):
        if n == 1 << shown:
            yield low_part
        else:
            yield from _quotients(window, n, shown, low_part, outputs)


def _low_parts(window: Window, shown: int, outputs: list[int], deadline: Deadline) -> Iterator[int]:
    """States modulo 2**(low + shown) whose top bits are the lowest bits of all outputs."""
    size = window.low + shown
    if size == 0:
        yield 0
        return
    lcg = Window.of(window.about, window.lcg, window.low, shown).lcg
    tops = [y & ((1 << shown) - 1) for y in outputs]
    if window.low > TRIED:
        yield from first_states(lcg, [states_showing(y, window.low) for y in tops])
        return
    first = np.arange(1 << window.low, dtype=np.uint64) + np.uint64(tops[0] << window.low)
    states = first.copy()
    for top in tops[1:]:
        deadline.check()
        states = (states * np.uint64(lcg.a) + np.uint64(lcg.c)) & np.uint64(lcg.m - 1)
        alike = states >> np.uint64(window.low) == np.uint64(top)
        first, states = first[alike], states[alike]
        if not len(first):
            return
    yield from first[:4].tolist()


def _powers(lcg: Lcg, count: int) -> tuple[list[int], list[int]]:
    """A and C with x[t] = A[t] x[0] + C[t], for the first `count` numbers."""
    a = list(accumulate(repeat(lcg.a, count - 1), lambda x, y: x * y % lcg.m, initial=1))
    c = list(accumulate(repeat(lcg.c, count - 1), lambda x, y: (x * lcg.a + y) % lcg.m, initial=0))
    return a, c


def _quotients(window: Window, n: int, shown: int, low_part: int, outputs: list[int]) -> Iterator[int]:
    """States with this low part: the quotients q of the windows by n are a truncated LCG modulo 2**(bits − shown)."""
    odd, left = n >> shown, window.bits - shown
    count = min(len(outputs), DIMENSIONS, ceil(1.5 * (left + 8) / max(0.5, log2(odd) - 0.3)))
    a, c = _powers(window.lcg, count)
    below = (1 << window.low) - 1
    known = []  # of each state, what is known: y in the place of its window, and the bits below
    for t in range(count):
        state = (a[t] * low_part + c[t]) % window.lcg.m
        known.append((outputs[t] << window.low) + (state & below))
    m, inverse = 1 << left, pow(odd, -1, 1 << left)
    offsets = []
    for t in range(count):
        rest = a[t] * known[0] + c[t] - known[t]
        offsets.append((rest >> (window.low + shown)) * inverse % m)
    top = (1 << window.bits) // n
    for q in states_within([x % m for x in a], offsets, m, [(0, top)] * count):
        if q <= top:
            yield ((q * n) << window.low) + known[0]
