"""Is it a linear congruential generator that shows its whole state, x[t+1] = (a x[t] + c) mod m?

Its differences d are a geometric sequence modulo m, so every d[i] d[j+1] − d[i+1] d[j] is a multiple of m, and their
greatest common divisor is soon m itself. Of a, each difference fixes the part that is prime to it.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import gcd

from unrandom.audit.family import Deadline, Generator, Machine, Tree
from unrandom.audit.stream import Stream, View
from unrandom.core.arithmetic import WORD
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import Lcg

MOST = 256
"""Outputs looked at; the greatest common divisor settles long before."""


FACTOR = 256
"""The greatest common divisor of few minors is taken for up to so many times the modulus."""


class FullState:
    """LCGs with unknown modulus, multiplier and increment."""

    name = "lcg"
    about = "a linear congruential generator that shows its whole state; modulus, multiplier, increment unknown"
    trivial = False
    most = MOST

    def needs(self, stream: Stream) -> int | None:
        return 3 if stream.modulus is not None else 5

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for modulus in {stream.modulus, view.divisor} if view.divisor else {stream.modulus}:
                lcg = recover(view.numbers, modulus)
                if lcg is not None:
                    yield machine(lcg, view.numbers[0], view)


def machine(lcg: Lcg, x0: int, view: View) -> Machine:
    """A generator that shows its whole state, by its usual name if it has one."""
    return Machine(named(lcg), x0, lcg, view.show, backwards(lcg))


def backwards(lcg: Lcg) -> Lcg | None:
    """The generator of the numbers before, where each number has one."""
    return lcg.inverse() if gcd(lcg.a, lcg.m) == 1 else None


def named(lcg: Lcg) -> Tree:
    """The parameters of an LCG, with the names of known generators that have them."""
    names = [name for name, known in KNOWN.items() if known.lcg == lcg]
    return {"m": lcg.m, "a": lcg.a, "c": lcg.c, **({"known_as": ", ".join(names)} if names else {})}


def recover(numbers: list[int], modulus: int | None = None) -> Lcg | None:
    """An LCG that makes these numbers, of the given or the greatest possible modulus; None if there is none."""
    if len(numbers) < (3 if modulus else 5):
        return None
    steps = [after - before for before, after in pairwise(numbers)]
    m = modulus or _least_above(max(numbers), _multiple_of_modulus(steps))
    if not max(numbers) < m <= WORD or m < 2:
        return None
    a = _multiplier(steps, m)
    return None if a is None else Lcg(m, a, (numbers[1] - a * numbers[0]) % m)


def _least_above(number: int, multiple: int) -> int:
    """The modulus, of which the common divisor may still be a small multiple: the least part above all outputs."""
    parts = (multiple // k for k in range(FACTOR, 0, -1) if multiple % k == 0)
    return next((part for part in parts if part > number), 0)


def _multiple_of_modulus(steps: list[int]) -> int:
    common = gcd(*steps) or 1  # with a factor common to all of them, the minors would have its square
    d, m = [step // common for step in steps], 0
    for i in range(len(d) - 2):
        m = gcd(m, d[i] * d[i + 2] - d[i + 1] ** 2, d[0] * d[i + 1] - d[1] * d[i])
    return common * m


def _multiplier(steps: list[int], m: int) -> int | None:
    """An a with a d[i] ≡ d[i+1] (mod m) for all i, from a combination of differences that divides them all."""
    divisor, image = m, 0  # a · divisor ≡ image (mod m)
    for before, after in pairwise(steps):
        common = gcd(divisor, before)
        if common == divisor:
            continue
        # divisor · u + before · v = common
        v = pow(before // common, -1, divisor // common)
        u = (common - before * v) // divisor
        divisor, image = common, (image * u + after * v) % m
    if image % divisor:
        return None
    a = image // divisor % (m // divisor)
    agrees = all((a * before - after) % m == 0 for before, after in pairwise(steps))
    return a if agrees else None
