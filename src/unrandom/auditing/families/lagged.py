"""Is each output the sum or the difference of two earlier ones? Lagged Fibonacci generators, with all bits shown or all
but the lowest, as glibc's rand() does: r[i] = r[i−3] + r[i−31] mod 2**32, and the output is r >> 1.

Where the lowest bit is hidden, the sum of two outputs is short by one just when both hidden bits are 1. The hidden bits
obey the recurrence modulo 2, so each such place gives two linear equations for the first of them.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.family import Deadline, Generator, Recurrence
from unrandom.auditing.notation import power
from unrandom.auditing.stream import Stream, View
from unrandom.core.files import JsonObject
from unrandom.generators.lagged import LaggedFibonacci
from unrandom.predictors.mod_two import solve

LONGEST = 64
"""Up to here all lags are tried."""

LONGER = ((37, 100), (30, 127), (83, 258), (107, 378), (273, 607))
"""Longer lags in use (Knuth, TAOCP vol. 2, 3.2.2); the last ones are those of Go's math/rand and of Boost."""

SAMPLE = 48
"""Places at which a pair of lags is tested before it is looked at closely."""

MAX_OUTPUTS = 2048
"""Outputs looked at."""


SIGNS = ((1, 1), (1, -1), (-1, 1))


class Lagged:
    """Sums and differences of two earlier outputs, modulo 2**bits or another modulus; all lags up to 64."""

    name = "lagged-fibonacci"
    about = "an additive or subtractive lagged Fibonacci generator; lags and modulus unknown"
    trivial = False
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return 16 if any(view.bits > 1 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits > 1:
                for lags_and_signs in _nearly(view, deadline):
                    yield from _whole(view, *lags_and_signs)
                    yield from _without_lowest(view, *lags_and_signs)


def _nearly(view: View, deadline: Deadline) -> Iterator[tuple[int, int, int, int]]:
    """Lags and signs with which what is left of an output takes only two values near each other, modulo something."""
    x = np.array(view.numbers, dtype=np.uint64)
    short = ((near, far) for far in range(2, LONGEST + 1) for near in range(1, far))
    for near, far in chain(short, LONGER):
        deadline.check()
        here = x[far : far + SAMPLE]
        if len(here) < 3:
            return
        for near_sign, far_sign in SIGNS:
            one, two = x[far - near :][: len(here)], x[: len(here)]
            left = here - (one if near_sign > 0 else -one) - (two if far_sign > 0 else -two)
            if _few(left, view.bits):
                yield near, far, near_sign, far_sign


def _few(left: UInt64[np.ndarray, " n"], bits: int) -> bool:
    if not (((left + np.uint64(1)) & np.uint64((1 << bits) - 1)) > 2).any():
        return True
    return len(set(left[:8].tolist())) <= 2 >= len(set(left.tolist()))


def _whole(view: View, near: int, far: int, near_sign: int, far_sign: int) -> Iterator[Generator]:
    x = view.numbers
    left = {x[i] - near_sign * x[i - near] - far_sign * x[i - far] for i in range(far, len(x))} - {0}
    sizes = {abs(one) for one in left}
    m = min(sizes, default=1 << view.bits)
    if m <= max(x) or any(size % m for size in sizes):
        return
    generator = LaggedFibonacci(near, far, near_sign, far_sign, m)
    yield Recurrence({"rule": _written(generator)}, x[:far], generator.following, view.show, generator.preceding)


def _without_lowest(view: View, near: int, far: int, near_sign: int, far_sign: int) -> Iterator[Generator]:
    """All bits but the lowest are shown. For a difference, the carry is a borrow: it is there when the bit taken away
    is 1 and the other is 0.
    """
    x, m, adds = view.numbers, 1 << view.bits, near_sign == far_sign
    places: list[tuple[int, int]] = []
    for i in range(far, len(x)):
        left = (x[i] - near_sign * x[i - near] - far_sign * x[i - far]) % m
        if left not in (0, 1 if adds else m - 1):
            return
        places.append((i, int(left != 0)))
    masks = [1 << i for i in range(far)]  # hidden bits as sums of the first ones
    for i in range(far, len(x)):
        masks.append(masks[i - near] ^ masks[i - far])
    equations = []
    for i, carried in places:
        if carried:
            equations.append((masks[i - near], int(adds or near_sign < 0)))
            equations.append((masks[i - far], int(adds or far_sign < 0)))
    hidden = solve(equations, far)
    if hidden is None:
        return
    states = [2 * x[i] + ((hidden >> i) & 1) for i in range(far)]
    generator = LaggedFibonacci(near, far, near_sign, far_sign, 2 * m)
    parameters: JsonObject = {"rule": _written(generator), "output": "x >> 1"}
    yield Recurrence(parameters, states, generator.following, lambda state: view.show(state >> 1), generator.preceding)


def _written(generator: LaggedFibonacci) -> str:
    near, far = f"x[i-{generator.near}]", f"x[i-{generator.far}]"
    signs = ("-" if generator.near_sign < 0 else ""), ("-" if generator.far_sign < 0 else "+")
    return f"x[i] = {signs[0]}{near} {signs[1]} {far} mod {power(generator.modulus)}"
