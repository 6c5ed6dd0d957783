"""Which generators make these whole numbers? Recoveries, and states behind bounds, that several families share."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import ceil, gcd

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.family import Machine
from unrandom.auditing.stream import Number
from unrandom.core.arithmetic import WORD
from unrandom.core.files import JsonObject
from unrandom.generators.lcg import Lcg
from unrandom.generators.words import Shift, xor_shifts
from unrandom.generators.xorshift import Xorshift
from unrandom.predictors.algebraic import recover as recover_modulo
from unrandom.predictors.congruences import Congruences
from unrandom.predictors.hidden_state import SPARE, Bounds, hidden_states, outputs_needed

FACTOR = 256
"""The greatest common divisor of few minors is taken for up to so many times the modulus."""


def recover_lcg(numbers: list[int], modulus: int | None = None) -> Lcg | None:
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


def recover_xorshifts(x: list[int], bits: int) -> Iterator[Xorshift]:
    """Xorshifts of one word that lead from each of the first three numbers to the next: x ^= x << a; x ^= x >> b;
    x ^= x << c, or with all directions turned round.
    """
    if len(x) < 3:
        return
    for left_first in (True, False):
        one = every_shift(np.array([x[0]], dtype=np.uint64), bits, left_first)
        two = every_shift(one, bits, not left_first)
        three = every_shift(two, bits, left_first)
        for a, b, c in np.argwhere(three[0] == x[1]) + 1:
            shifts = (Shift(left_first, int(a)), Shift(not left_first, int(b)), Shift(left_first, int(c)))
            if xor_shifts(x[1], shifts, bits) == x[2]:
                yield Xorshift(bits, shifts)


def every_shift(x: UInt64[np.ndarray, "*n"], bits: int, left: bool) -> UInt64[np.ndarray, "*n shift"]:
    """x ^ (x shifted by 1 … bits − 1)."""
    by = np.arange(1, bits, dtype=np.uint64)
    moved = (x[..., None] << by) & np.uint64(2**bits - 1) if left else x[..., None] >> by
    return x[..., None] ^ moved


def first_states(lcg: Lcg, bounds: Bounds, period: int | None = None) -> Iterator[int]:
    """Candidates for the first state, when each (modulo a period) is known to lie between bounds. Only as many outputs
    are used as have together somewhat more bits than the state: if a later one is not as foretold, the search tells.
    """
    least = outputs_needed(bounds, lcg.m, unknown_increment=False, period=period)
    some = bounds[: least + ceil(SPARE * least)] if least else ()
    for _, state in hidden_states(some, lcg.m, lcg.a, lcg.c, period=period):
        yield state


def lcg_machine(parameters: JsonObject, lcg: Lcg, state: int, show: Callable[[int], Number]) -> Machine:
    """An LCG that shows its states so. It goes back where each number has just one before it."""
    return Machine(parameters, state, lcg, show, lcg.inverse() if gcd(lcg.a, lcg.m) == 1 else None)
