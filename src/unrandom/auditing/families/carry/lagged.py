"""Recovers lagged Fibonacci generators, each number the sum or difference of two earlier ones, perhaps with a carry, by
testing pairs of lags, and solving for hidden lowest bits modulo 2.

Without a carry, outputs show all bits, or all but the lowest as in glibc's rand(): r[i] = r[i−3] + r[i−31] mod 2**32,
output r >> 1. If the lowest bit is hidden, the sum of two outputs is too small by one exactly when both hidden bits are
1. The hidden bits obey the recurrence modulo 2, so each such position gives two linear equations in the first `far`
hidden bits. Generators with a carry are by Marsaglia and Zaman (1991), such as C++'s ranlux24_base.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from math import log2
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Recurrence, Replay
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.carry import WithCarry
from unrandom.auditing.generators.lagged import LaggedFibonacci
from unrandom.auditing.notation import power
from unrandom.core.files import JsonObject
from unrandom.predictors.mod_two import solve

MAX_LAG = 64  # all lags up to this one are tried
SHORT_LAGS = [(near, far) for far in range(2, MAX_LAG + 1) for near in range(1, far)]

LONGER_LAGS = ((37, 100), (30, 127), (83, 258), (107, 378), (273, 607))
"""Longer pairs (near, far) in use (Knuth, TAOCP vol. 2, 3.2.2); the last one is that of Go's math/rand and Boost."""

TEST_POSITIONS = 48  # number of outputs on which a pair of lags is pre-tested

SIGNS, SIGNS_WITH_CARRY = ((1, 1), (1, -1), (-1, 1)), ((1, -1), (-1, 1), (1, 1))
"""Each pair has the sign of x[i − near] and the sign of x[i − far]."""


class Tested(NamedTuple):
    """Lags and signs, with the first residuals x[i] ∓ x[i − near] ∓ x[i − far] modulo 2**64."""

    near: int
    far: int
    near_sign: int
    far_sign: int
    residual: UInt64[np.ndarray, " n"]


class Lagged(Family):
    """Sums and differences of two earlier outputs, modulo 2**bits or another modulus; all lags up to 64."""

    name = "lagged-fibonacci"
    about = "an additive or subtractive lagged Fibonacci generator; lags and modulus unknown"
    max_outputs = 2048

    def needs(self, stream: Stream) -> int | None:
        return _needs(stream)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for *rule, residual in _tested(view, chain(SHORT_LAGS, LONGER_LAGS), SIGNS, deadline):
                if _takes_few_values(residual, view.bits):
                    yield from _all_bits_shown(view, *rule)
                    yield from _lowest_bit_hidden(view, *rule)


class Carry(Family):
    """Subtract-with-borrow and add-with-carry modulo 2**bits; lags up to 64."""

    name = "carry"
    about = "a subtract-with-borrow or add-with-carry generator; lags unknown"
    max_outputs = MAX_LAG + TEST_POSITIONS + 16

    def needs(self, stream: Stream) -> int | None:
        return _needs(stream)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            mask = np.uint64((1 << view.bits) - 1)
            for near, far, near_sign, far_sign, whole in _tested(view, SHORT_LAGS, SIGNS_WITH_CARRY, deadline):
                residual, carried = whole & mask, np.uint64(1) if near_sign == far_sign else mask  # or −1
                if not ((residual != 0) & (residual != carried)).any():
                    yield _with_carry(view, WithCarry(near, far, near_sign, far_sign, view.bits), int(residual[0] != 0))


def _needs(stream: Stream) -> int | None:
    return 16 if any(1 < view.bits <= 64 for view in stream.views) else None


def _tested(
    view: View, lags: Iterable[tuple[int, int]], signs: Iterable[tuple[int, int]], deadline: Deadline
) -> Iterator[Tested]:
    """All these pairs of lags, as far as the numbers suffice, with all signs."""
    x = np.array(view.numbers if view.bits > 1 else [], dtype=np.uint64)
    for near, far in lags:
        deadline.check()
        current = x[far : far + TEST_POSITIONS]
        if len(current) < 3:
            return
        p, q = x[far - near :][: len(current)], x[: len(current)]  # x[i − near] and x[i − far]
        for near_sign, far_sign in signs:
            residual = current - (p if near_sign > 0 else -p) - (q if far_sign > 0 else -q)
            yield Tested(near, far, near_sign, far_sign, residual)


def _takes_few_values(residual: UInt64[np.ndarray, " n"], bits: int) -> bool:
    """True if all values are −1, 0 or 1 modulo 2**bits, or if there are at most two distinct values."""
    if not (((residual + np.uint64(1)) & np.uint64((1 << bits) - 1)) > 2).any():
        return True
    return len(set(residual[:8].tolist())) <= 2 >= len(set(residual.tolist()))


def _all_bits_shown(view: View, near: int, far: int, near_sign: int, far_sign: int) -> Iterator[Generator]:
    """The generator if all residuals are multiples of the smallest non-zero one, which is the modulus; if all residuals
    are 0, the modulus is 2**bits.
    """
    x = view.numbers
    residuals = {x[i] - near_sign * x[i - near] - far_sign * x[i - far] for i in range(far, len(x))} - {0}
    magnitudes = {abs(residual) for residual in residuals}
    m = min(magnitudes, default=1 << view.bits)
    if m <= max(x) or any(magnitude % m for magnitude in magnitudes):
        return
    generator = LaggedFibonacci(near, far, near_sign, far_sign, m)
    free = far * view.bits + _choice() + (0.0 if m == 1 << view.bits else log2(m))
    yield Recurrence({"rule": rule_text(generator)}, x[:far], generator.following, view.show, generator.preceding, free)


def _lowest_bit_hidden(view: View, near: int, far: int, near_sign: int, far_sign: int) -> Iterator[Generator]:
    """The generator if all bits but the lowest are shown. A difference has a borrow instead of a carry: it occurs when
    the subtracted hidden bit is 1 and the other one is 0.
    """
    x, m, is_sum = view.numbers, 1 << view.bits, near_sign == far_sign
    carries: list[tuple[int, int]] = []  # position, and the carry or borrow into it
    for i in range(far, len(x)):
        residual = (x[i] - near_sign * x[i - near] - far_sign * x[i - far]) % m
        if residual not in (0, 1 if is_sum else m - 1):
            return
        carries.append((i, int(residual != 0)))
    masks = [1 << i for i in range(far)]  # each hidden bit as an exclusive or of the first `far` ones
    for i in range(far, len(x)):
        masks.append(masks[i - near] ^ masks[i - far])
    equations = []
    for i, carried in carries:
        if carried:
            equations.append((masks[i - near], int(is_sum or near_sign < 0)))
            equations.append((masks[i - far], int(is_sum or far_sign < 0)))
    hidden = solve(equations, far)
    if hidden is None:
        return
    states = [2 * x[i] + ((hidden >> i) & 1) for i in range(far)]
    generator = LaggedFibonacci(near, far, near_sign, far_sign, 2 * m)
    parameters: JsonObject = {"rule": rule_text(generator), "output": "x >> 1"}
    free = far * (view.bits + 1) + _choice()
    shown = generator.following, lambda state: view.show(state >> 1), generator.preceding
    yield Recurrence(parameters, states, *shown, free)


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

    return Replay({"rule": rule}, outputs, free_bits=1 + generator.far * view.bits + _choice())


def _choice() -> float:
    """Bits that tell the lags, the signs, and whether the lowest bit is hidden."""
    return log2(2 * len(SIGNS) * (len(SHORT_LAGS) + len(LONGER_LAGS)))


def rule_text(generator: LaggedFibonacci) -> str:
    """The recurrence as a formula."""
    near, far = f"x[i-{generator.near}]", f"x[i-{generator.far}]"
    signs = ("-" if generator.near_sign < 0 else ""), ("-" if generator.far_sign < 0 else "+")
    return f"x[i] = {signs[0]}{near} {signs[1]} {far} mod {power(generator.modulus)}"
