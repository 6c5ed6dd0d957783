"""How are words shifted and rotated, and how are these operations inverted? By functions on integers or arrays.

A word is an integer 0 … 2**bits − 1: a Python integer, or a uint64 array with one word for each of many generators
that step in parallel. The functions accept both and do not modify their arguments.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import UInt64

Word = TypeVar("Word", int, UInt64[np.ndarray, "..."])


class Shift(NamedTuple):
    """x ^= x << by if `left`, else x ^= x >> by; 0 < by < bits."""

    left: bool
    by: int

    def __str__(self) -> str:
        return f"{'<<' if self.left else '>>'}{self.by}"


def xor_shifts(x: Word, shifts: Iterable[Shift], bits: int) -> Word:
    """The word x of `bits` bits after all shifts, applied in order."""
    mask = (1 << bits) - 1
    for left, by in shifts:
        x = x ^ ((x << by) & mask if left else x >> by)
    return x


def undo_xor_shift(x: Word, shift: Shift, bits: int) -> Word:
    """The y with y ^ (y << by) = x, or y ^ (y >> by) = x.

    For a shift s, modulo 2, (1 + s) · (1 + s)(1 + s**2)(1 + s**4) … = 1 + s**(2**k), where s**(2**k) = 0 for large k.
    So x is shifted by `by`, 2 `by`, 4 `by`, … in turn.
    """
    mask, by = (1 << bits) - 1, shift.by
    while by < bits:
        x = x ^ ((x << by) & mask if shift.left else x >> by)
        by *= 2
    return x


def undo_xor_shifts(x: Word, shifts: tuple[Shift, ...], bits: int) -> Word:
    """The inverse of `xor_shifts`."""
    for shift in reversed(shifts):
        x = undo_xor_shift(x, shift, bits)
    return x


def rotate(x: Word, by: int, bits: int) -> Word:
    """x rotated to the left by 0 < by < bits places."""
    return ((x << by) | (x >> (bits - by))) & ((1 << bits) - 1)
