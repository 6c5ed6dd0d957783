"""Shifts and rotations of words, and the inverses of these operations, on integers or arrays.

A word is an integer 0 … 2**bits − 1: a Python integer, a uint64 array with one word for each of many generators that
step in parallel, a word of linear forms (`linear_words`), or an expression of unknown words, for a solver. The
functions accept all of them and do not modify their arguments.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.generators.linear_words import LinearWord


@runtime_checkable
class Expression(Protocol):
    """A word computed from unknown words."""

    def __lshift__(self, by: int, /) -> "Expression": ...
    def __rshift__(self, by: int, /) -> "Expression": ...
    def __and__(self, other: Any, /) -> "Expression": ...
    def __or__(self, other: Any, /) -> "Expression": ...
    def __xor__(self, other: Any, /) -> "Expression": ...
    def __add__(self, other: Any, /) -> "Expression": ...
    def __mul__(self, other: Any, /) -> "Expression": ...


Word = TypeVar("Word", int, UInt64[np.ndarray, "..."], Expression)
"""A number, numbers or an expression: for functions that may be non-linear."""

AnyWord = TypeVar("AnyWord", int, UInt64[np.ndarray, "..."], LinearWord, Expression)
"""The same, or linear forms: for functions of shifts and exclusive ors."""


class Shift(NamedTuple):
    """x ^= x << by if `left`, else x ^= x >> by; 0 < by < bits."""

    left: bool
    by: int

    def __str__(self) -> str:
        return f"{'<<' if self.left else '>>'}{self.by}"


def xor_shifts(x: AnyWord, shifts: Iterable[Shift], bits: int) -> AnyWord:
    """The word x of `bits` bits after all shifts, applied in order."""
    mask = (1 << bits) - 1
    for left, by in shifts:
        x = x ^ ((x << by) & mask if left else x >> by)
    return x


def undo_xor_shift(x: AnyWord, shift: Shift, bits: int) -> AnyWord:
    """The y with y ^ (y << by) = x, or y ^ (y >> by) = x.

    For a shift s, modulo 2, (1 + s) · (1 + s)(1 + s**2)(1 + s**4) … = 1 + s**(2**k), where s**(2**k) = 0 for large k.
    So x is shifted by `by`, 2 `by`, 4 `by`, … in turn.
    """
    mask, by = (1 << bits) - 1, shift.by
    while by < bits:
        x = x ^ ((x << by) & mask if shift.left else x >> by)
        by *= 2
    return x


def undo_xor_shifts(x: AnyWord, shifts: tuple[Shift, ...], bits: int) -> AnyWord:
    """The inverse of `xor_shifts`."""
    for shift in reversed(shifts):
        x = undo_xor_shift(x, shift, bits)
    return x


def rotate(x: AnyWord, by: int, bits: int) -> AnyWord:
    """x rotated to the left by 0 < by < bits places."""
    return ((x << by) | (x >> (bits - by))) & ((1 << bits) - 1)
