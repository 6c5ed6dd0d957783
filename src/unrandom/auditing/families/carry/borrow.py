"""Is it a subtract-with-borrow or add-with-carry generator? By testing all pairs of lags up to 64.

Marsaglia and Zaman (1991); C++'s ranlux24_base and ranlux48_base are of this kind.
"""

from collections.abc import Iterator

import numpy as np

from unrandom.auditing.family import Family, Generator, Replay
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.core.deadline import Deadline
from unrandom.generators.carry import WithCarry

MAX_LAG = 64  # the longest lag that is tried
TEST_POSITIONS = 48  # number of outputs on which a pair of lags is tested
MAX_OUTPUTS = MAX_LAG + TEST_POSITIONS + 16  # outputs used for recovery
SIGNS = ((1, -1), (-1, 1), (1, 1))  # each pair has the sign of x[i − near] and the sign of x[i − far]


class Carry(Family):
    """Subtract-with-borrow and add-with-carry modulo 2**bits; lags up to 64."""

    name = "carry"
    about = "a subtract-with-borrow or add-with-carry generator; lags unknown"
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return 16 if any(1 < view.bits <= 64 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits > 1:
                yield from _generators(view, deadline)


def _generators(view: View, deadline: Deadline) -> Iterator[Generator]:
    x, mask = np.array(view.numbers, dtype=np.uint64), np.uint64((1 << view.bits) - 1)
    for far in range(2, MAX_LAG + 1):
        deadline.check()
        current = x[far : far + TEST_POSITIONS]
        if len(current) < 3:
            return
        for near in range(1, far):
            for near_sign, far_sign in SIGNS:
                p, q = x[far - near :][: len(current)], x[: len(current)]  # x[i − near] and x[i − far]
                residual = (current - (p if near_sign > 0 else -p) - (q if far_sign > 0 else -q)) & mask
                carried = np.uint64(1) if near_sign == far_sign else mask  # the carry contributes 1 or −1
                if not ((residual != 0) & (residual != carried)).any():
                    generator = WithCarry(near, far, near_sign, far_sign, view.bits)
                    yield _with_carry(view, generator, int(residual[0] != 0))


def _with_carry(view: View, generator: WithCarry, first_carry: int) -> Replay:
    """A generator whose state is the first `far` numbers of the view, and the carry that enters the next number. Two
    states can step to the same one, so that no previous outputs are determined.
    """
    lags = ((generator.near_sign, generator.near), (generator.far_sign, generator.far))
    terms = " ".join(f"{'-' if sign < 0 else '+'} x[i-{lag}]" for sign, lag in lags).removeprefix("+ ")
    rule = f"x[i] = {terms} {'+' if generator.carry_sign > 0 else '-'} carry mod 2^{view.bits}"

    def outputs() -> Iterator[Number]:
        window, carry = view.numbers[: generator.far], first_carry
        yield from map(view.show, window)
        while True:
            number, carry = generator.following(window, carry)
            window.append(number)
            if len(window) > 4096:
                del window[: -generator.far]
            yield view.show(number)

    return Replay({"rule": rule}, outputs)
