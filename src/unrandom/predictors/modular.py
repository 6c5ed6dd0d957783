"""Adds, subtracts and multiplies residues exactly, in uint64 with wrap-around, else in Python integers."""

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import HALF_WORD, WORD, is_power_of_two


def subtract(x: UInt64[np.ndarray, "*#shape"], y: UInt64[np.ndarray, "*#shape"], m: int) -> UInt64[np.ndarray, "..."]:
    """(x − y) mod m for residues x and y, elementwise with broadcasting; exact for 2 <= m <= 2**64."""
    difference = x - y
    return np.where(x >= y, difference, difference + np.uint64(m % WORD))


def add(x: UInt64[np.ndarray, "*#shape"], y: UInt64[np.ndarray, "*#shape"], m: int) -> UInt64[np.ndarray, "..."]:
    """(x + y) mod m for residues x and y, elementwise with broadcasting; exact for 2 <= m <= 2**64."""
    return subtract(x, np.uint64(m % WORD) - y, m)  # m − 0 = m is not a residue, but the result is still correct


def multiply(x: UInt64[np.ndarray, "*#shape"], y: UInt64[np.ndarray, "*#shape"], m: int) -> UInt64[np.ndarray, "..."]:
    """x y mod m for residues x and y, elementwise with broadcasting; exact for 2 <= m <= 2**64.

    Fast for m <= 2**32 and for powers of two; otherwise in Python integers.
    """
    if is_power_of_two(m):
        return (x * y) & np.uint64(m - 1)
    if m <= HALF_WORD:
        return x * y % np.uint64(m)
    return (x.astype(object) * y.astype(object) % m).astype(np.uint64)
