"""Is it a linear congruential generator that shows its whole state, x[t+1] = (a x[t] + c) mod m?"""

from collections.abc import Iterator
from itertools import pairwise
from math import gcd

from unrandom.audit.family import Deadline, Generator, Machine, Tree
from unrandom.audit.stream import Stream, View
from unrandom.core.arithmetic import WORD
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import Lcg
from unrandom.predictors.algebraic import recover as recover_modulo
from unrandom.predictors.congruences import Congruences

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
    """An LCG that makes these numbers, of the given modulus or the least that goes; None if there is none."""
    if len(numbers) < (3 if modulus else 5):
        return None
    m = modulus or _least_above(max(numbers), _multiple_of_modulus(numbers))
    return recover_modulo(numbers, m) if 2 <= m <= WORD else None


def _multiple_of_modulus(numbers: list[int]) -> int:
    known = Congruences()
    for d, e in pairwise(after - before for before, after in pairwise(numbers)):
        known.add(d, e)
    return known.modulus


def _least_above(number: int, multiple: int) -> int:
    """The modulus, of which the common divisor may still be a small multiple: the least part above all outputs."""
    parts = (multiple // k for k in range(FACTOR, 0, -1) if multiple % k == 0)
    return next((part for part in parts if part > number), 0)
