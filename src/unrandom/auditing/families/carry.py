"""Does each output subtract (or add) two earlier ones and a carry? Marsaglia and Zaman's generators (1991), among them
ranlux24_base and ranlux48_base of C++.
"""

from collections.abc import Iterator

import numpy as np

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.stream import Number, Stream, View
from unrandom.core.files import JsonObject
from unrandom.generators.carry import WithCarry

LONGEST = 64
"""The longest lag that is tried."""

SAMPLE = 48
"""Places at which a pair of lags is tested."""

MAX_OUTPUTS = LONGEST + SAMPLE + 16
"""Outputs looked at."""

SIGNS = ((1, -1), (-1, 1), (1, 1))


class Carry:
    """Subtract-with-borrow and add-with-carry modulo 2**bits; lags up to 64."""

    name = "carry"
    about = "a subtract-with-borrow or add-with-carry generator; lags unknown"
    trivial = False
    max_outputs = MAX_OUTPUTS

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
            for near_sign, far_sign in SIGNS:
                one, two = x[far - near :][: len(here)], x[: len(here)]
                left = (here - (one if near_sign > 0 else -one) - (two if far_sign > 0 else -two)) & mask
                carried = np.uint64(1) if near_sign == far_sign else mask  # the carry adds 1, or −1
                if not ((left != 0) & (left != carried)).any():
                    yield _Carrying(view, WithCarry(near, far, near_sign, far_sign, view.bits), int(left[0] != 0))


class _Carrying:
    """The generator with the first numbers for a window, and the carry at the first one after these."""

    def __init__(self, view: View, generator: WithCarry, carry: int) -> None:
        self.view, self.generator, self.carry = view, generator, carry
        lags = ((generator.near_sign, generator.near), (generator.far_sign, generator.far))
        terms = [f"{'-' if sign < 0 else '+'} x[i-{lag}]" for sign, lag in lags]
        rule = f"x[i] = {' '.join(terms)} {'+' if generator.carry_sign > 0 else '-'} carry mod 2^{view.bits}"
        self.parameters: JsonObject = {"rule": rule.replace("= + ", "= ")}

    def outputs(self) -> Iterator[Number]:
        far = self.generator.far
        window, carry = self.view.numbers[:far], self.carry
        yield from map(self.view.show, window)
        while True:
            number, carry = self.generator.following(window, carry)
            window.append(number)
            if len(window) > 4096:
                del window[:-far]
            yield self.view.show(number)

    def previous(self, count: int) -> None:
        """Two states can lead to the same one, which the outputs do not tell apart."""
        return
