"""Is each output the sum or the difference of two earlier ones? Lagged Fibonacci generators, with all bits shown or all
but the lowest, as glibc's rand() does: r[i] = r[i−3] + r[i−31] mod 2**32, and the output is r >> 1.

Where the lowest bit is hidden, the sum of two outputs is short by one just when both hidden bits are 1. The hidden bits
obey the recurrence modulo 2, so each such place gives two linear equations for the first of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import UInt64

from unrandom.audit.family import Deadline, Generator, Recurrence, Tree
from unrandom.audit.stream import Stream, View
from unrandom.audit.verdict import power
from unrandom.predictors.mod_two import solve

LONGEST = 64
"""Up to here all lags are tried."""

LONGER = ((37, 100), (30, 127), (83, 258), (107, 378), (273, 607))
"""Longer lags in use (Knuth, TAOCP vol. 2, 3.2.2); the last ones are those of Go's math/rand and of Boost."""

SAMPLE = 48
"""Places at which a pair of lags is tested before it is looked at closely."""

MOST = 2048
"""Outputs looked at."""


@dataclass(frozen=True)
class Kind:
    """x[i] = x[i − near] · first + x[i − far] · second, the signs being 1 or −1."""

    first: int
    second: int

    def written(self, near: int, far: int, modulus: int) -> str:
        terms = f"{'-' if self.first < 0 else ''}x[i-{near}] {'-' if self.second < 0 else '+'} x[i-{far}]"
        return f"x[i] = {terms} mod {power(modulus)}"


KINDS = (Kind(1, 1), Kind(1, -1), Kind(-1, 1))


class LaggedFibonacci:
    """Sums and differences of two earlier outputs, modulo 2**bits or another modulus; all lags up to 64."""

    name = "lagged-fibonacci"
    about = "an additive or subtractive lagged Fibonacci generator; lags and modulus unknown"
    trivial = False
    most = MOST

    def needs(self, stream: Stream) -> int | None:
        return 16 if any(view.bits > 1 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits > 1:
                for near, far, kind in _pairs(view, deadline):
                    yield from _whole(view, near, far, kind)
                    yield from _without_lowest(view, near, far, kind)


def _pairs(view: View, deadline: Deadline) -> Iterator[tuple[int, int, Kind]]:
    """Lags at which what is left of an output takes only two values near each other, modulo something."""
    x = np.array(view.numbers, dtype=np.uint64)
    short = ((near, far) for far in range(2, LONGEST + 1) for near in range(1, far))
    for near, far in chain(short, LONGER):
        deadline.check()
        here = x[far : far + SAMPLE]
        if len(here) < 3:
            return
        for kind in KINDS:
            one, two = x[far - near :][: len(here)], x[: len(here)]
            left = here - (one if kind.first > 0 else -one) - (two if kind.second > 0 else -two)
            if _few(left, view.bits):
                yield near, far, kind


def _few(left: UInt64[np.ndarray, " n"], bits: int) -> bool:
    if not (left + np.uint64(1) & np.uint64((1 << bits) - 1) > 2).any():
        return True
    return len(set(left[:8].tolist())) <= 2 >= len(set(left.tolist()))


def _whole(view: View, near: int, far: int, kind: Kind) -> Iterator[Generator]:
    x = view.numbers
    left = {x[i] - kind.first * x[i - near] - kind.second * x[i - far] for i in range(far, len(x))} - {0}
    sizes = {abs(one) for one in left}
    m = min(sizes, default=1 << view.bits)
    if m <= max(x) or any(size % m for size in sizes):
        return

    def rule(window: list[int]) -> int:
        return (kind.first * window[-near] + kind.second * window[-far]) % m

    def before(window: list[int]) -> int:
        return kind.second * (window[far - 1] - kind.first * window[far - near - 1]) % m

    yield Recurrence({"rule": kind.written(near, far, m)}, x[:far], rule, view.show, before)


def _without_lowest(view: View, near: int, far: int, kind: Kind) -> Iterator[Generator]:
    """All bits but the lowest are shown. For a difference, the carry is a borrow: it is there when the bit taken away
    is 1 and the other is 0.
    """
    x, m, adds = view.numbers, 1 << view.bits, kind.first == kind.second
    places: list[tuple[int, int]] = []
    for i in range(far, len(x)):
        left = (x[i] - kind.first * x[i - near] - kind.second * x[i - far]) % m
        if left not in (0, 1 if adds else m - 1):
            return
        places.append((i, int(left != 0)))
    masks = [1 << i for i in range(far)]  # hidden bits as sums of the first ones
    for i in range(far, len(x)):
        masks.append(masks[i - near] ^ masks[i - far])
    equations = []
    for i, carried in places:
        if carried:
            equations.append((masks[i - near], int(adds or kind.first < 0)))
            equations.append((masks[i - far], int(adds or kind.second < 0)))
    hidden = solve(equations, far)
    if hidden is None:
        return
    states = [2 * x[i] + (hidden >> i & 1) for i in range(far)]

    def rule(window: list[int]) -> int:
        return (kind.first * window[-near] + kind.second * window[-far]) % (2 * m)

    def before(window: list[int]) -> int:
        return kind.second * (window[far - 1] - kind.first * window[far - near - 1]) % (2 * m)

    parameters: Tree = {"rule": kind.written(near, far, 2 * m), "output": "x >> 1"}
    yield Recurrence(parameters, states, rule, lambda state: view.show(state >> 1), before)
