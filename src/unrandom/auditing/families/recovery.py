"""Recovers the LCG, xorshift or hidden LCG state behind given integers, by methods that several families share."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import ceil, gcd

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.family import Machine
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.generators.shifts import Shift, xor_shifts
from unrandom.auditing.generators.xorshift import Xorshift
from unrandom.core.files import JsonObject
from unrandom.generators.lcg import LCG
from unrandom.predictors.algebraic import recover_exactly
from unrandom.predictors.congruences import Congruences
from unrandom.predictors.hidden_state import REDUNDANCY, Bounds, hidden_states, outputs_needed

MAX_COFACTOR = 256  # the greatest common divisor of few minors may be up to this multiple of the modulus


def recover_lcg(numbers: list[int], modulus: int | None = None, multiplier: int | None = None) -> LCG | None:
    """The LCG that produces these numbers, with the given modulus or the smallest possible one, and the given
    multiplier or the least one; else None.
    """
    if len(numbers) < lcg_outputs_needed(modulus, multiplier):
        return None
    m = modulus or least_above(max(numbers), _multiple_of_modulus(numbers, multiplier))
    if m < 2:
        return None
    if multiplier is None:
        return recover_exactly(numbers, m)
    a = multiplier % m
    lcg = LCG(m, a, (numbers[1] - a * numbers[0]) % m)
    return lcg if all(lcg(before) == after for before, after in pairwise(numbers)) else None


def lcg_outputs_needed(modulus: int | None, multiplier: int | None) -> int:
    """The fewest outputs from which `recover_lcg` tries to recover an LCG."""
    return 5 - 2 * (modulus is not None) - (multiplier is not None)


def _multiple_of_modulus(numbers: list[int], multiplier: int | None) -> int:
    differences = pairwise(after - before for before, after in pairwise(numbers))
    if multiplier is not None:
        return gcd(*(e - multiplier * d for d, e in differences))
    known = Congruences()
    for d, e in differences:
        known.add(d, e)
    return known.modulus


def least_above(number: int, multiple: int) -> int:
    """The smallest multiple // k above `number`, for divisors k of at most MAX_COFACTOR; 0 if there is none. The common
    divisor of the minors may still be a small multiple of the modulus, which exceeds all outputs.
    """
    quotients = (multiple // k for k in range(MAX_COFACTOR, 0, -1) if multiple % k == 0)
    return next((quotient for quotient in quotients if quotient > number), 0)


def recover_xorshifts(x: list[int], bits: int) -> Iterator[Xorshift]:
    """One-word xorshift generators that map the first number to the second, and that to the third: x ^= x << a;
    x ^= x >> b; x ^= x << c, or the same with all directions reversed.
    """
    if len(x) < 3:
        return
    for left_first in (True, False):
        shifted_once = every_shift(np.array([x[0]], dtype=np.uint64), bits, left_first)
        shifted_twice = every_shift(shifted_once, bits, not left_first)
        shifted_thrice = every_shift(shifted_twice, bits, left_first)
        for a, b, c in np.argwhere(shifted_thrice[0] == x[1]) + 1:
            shifts = (Shift(left_first, int(a)), Shift(not left_first, int(b)), Shift(left_first, int(c)))
            if xor_shifts(x[1], shifts, bits) == x[2]:
                yield Xorshift(bits, shifts)


def every_shift(x: UInt64[np.ndarray, "*n"], bits: int, left: bool) -> UInt64[np.ndarray, "*n shift"]:
    """x ^ (x shifted by s) for every distance s = 1 … bits − 1, on a new last axis."""
    distances = np.arange(1, bits, dtype=np.uint64)
    shifted = (x[..., None] << distances) & np.uint64(2**bits - 1) if left else x[..., None] >> distances
    return x[..., None] ^ shifted


def first_states(lcg: LCG, bounds: Bounds, period: int | None = None) -> Iterator[int]:
    """Candidates for the first state of an LCG, given bounds on every state (modulo `period`, if set). Uses only as
    many outputs as together have somewhat more bits than the state; the search tests the candidates on later ones.
    """
    least = outputs_needed(bounds, lcg.m, unknown_increment=False, period=period)
    used = bounds[: least + ceil(REDUNDANCY * least)] if least else ()
    for _, state in hidden_states(used, lcg.m, lcg.a, lcg.c, period=period):
        yield state


def lcg_machine(
    parameters: JsonObject, lcg: LCG, state: int, show: Callable[[int], Number], free_bits: float | None = None
) -> Machine:
    """An LCG with output function `show`. It can step backwards if a is invertible modulo m."""
    back = lcg.inverse() if gcd(lcg.a, lcg.m) == 1 else None
    return Machine(parameters, state, lcg, show, back, free_bits)


def lcg_parameters(about: str, lcg: LCG, state: int) -> JsonObject:
    return {"generator": about, "m": lcg.m, "a": lcg.a, "c": lcg.c, "state": state}
