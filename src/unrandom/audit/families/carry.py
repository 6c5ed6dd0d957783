"""Does each output subtract (or add) two earlier ones and a carry? Marsaglia and Zaman's generators (1991), among them
ranlux24_base and ranlux48_base of C++: x[i] = x[i−s] − x[i−r] − carry mod 2**bits, the carry being 1 after a borrow.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from unrandom.audit.family import Deadline, Generator, Tree
from unrandom.audit.stream import Number, Stream, View

LONGEST = 64
"""The longest lag that is tried."""

SAMPLE = 48
"""Places at which a pair of lags is tested."""

MOST = LONGEST + SAMPLE + 16
"""Outputs looked at."""

Signs: TypeAlias = tuple[int, int]
SIGNS: tuple[Signs, ...] = ((1, -1), (-1, 1), (1, 1))


class WithCarry:
    """Subtract-with-borrow and add-with-carry modulo 2**bits; lags up to 64."""

    name = "carry"
    about = "a subtract-with-borrow or add-with-carry generator; lags unknown"
    trivial = False
    most = MOST

    def needs(self, stream: Stream) -> int | None:
        return 16 if any(view.bits > 1 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits > 1:
                yield from _generators(view, deadline)


def _generators(view: View, deadline: Deadline) -> Iterator[Generator]:
    x, mask = np.array(view.numbers, dtype=np.uint64), np.uint64((1 << view.bits) - 1)
    for far in range(2, LONGEST + 1):
        deadline.check()
        here = x[far : far + SAMPLE]
        if len(here) < 3:
            return
        for near in range(1, far):
            for signs in SIGNS:
                one, two = x[far - near :][: len(here)], x[: len(here)]
                left = here - (one if signs[0] > 0 else -one) - (two if signs[1] > 0 else -two) & mask
                carried = np.uint64(1) if signs == (1, 1) else mask  # the carry adds 1, or −1
                if not ((left != 0) & (left != carried)).any():
                    yield Carrying(view, near, far, signs, int(left[0] != 0))


class Carrying:
    """x[i] = ±x[i − near] ± x[i − far] ± carry mod 2**bits."""

    def __init__(self, view: View, near: int, far: int, signs: Signs, carry: int) -> None:
        self.view, self.near, self.far, self.signs, self.carry = view, near, far, signs, carry
        self.by = 1 if signs == (1, 1) else -1
        terms = [f"{'-' if sign < 0 else '+'} x[i-{lag}]" for sign, lag in zip(signs, (near, far), strict=True)]
        rule = f"x[i] = {' '.join(terms)} {'+' if self.by > 0 else '-'} carry mod 2^{view.bits}"
        self.parameters: Tree = {"rule": rule.replace("= + ", "= ")}

    def outputs(self) -> Iterator[Number]:
        window, carry, m = self.view.numbers[: self.far], self.carry, 1 << self.view.bits
        yield from map(self.view.show, window)
        while True:
            total = self.signs[0] * window[-self.near] + self.signs[1] * window[-self.far] + self.by * carry
            carry = int(not 0 <= total < m)
            window.append(total % m)
            if len(window) > 4096:
                del window[: -self.far]
            yield self.view.show(total % m)

    def previous(self, count: int) -> None:
        """Two states can lead to the same one, which the outputs do not tell apart."""
        return
