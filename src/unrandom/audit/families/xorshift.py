"""Is it one of Marsaglia's xorshifts (2003), whose outputs are words of its state? Its three shifts are tried out."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np
from jaxtyping import UInt64

from unrandom.audit.family import Deadline, Generator, Machine, Recurrence, Tree
from unrandom.audit.stream import Stream, View

Shifts: TypeAlias = tuple[tuple[bool, int], ...]
"""Each to the left (True) or the right, and by how much."""

ORDERS = (2, 3, 4, 5)
"""Words of state in the generators that keep several."""


class Xorshift:
    """One word, or two to five of them; 32 or 64 bits; any three shifts."""

    name = "xorshift"
    about = "a xorshift generator (Marsaglia) that shows whole words of its state; shifts unknown"
    trivial = False
    most = 16

    def needs(self, stream: Stream) -> int | None:
        return 3 if any(view.bits > 16 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits > 16:
                yield from single_words(view, 32 if view.bits <= 32 else 64)
                yield from _several_words(view, 32 if view.bits <= 32 else 64, deadline)


def single_words(view: View, width: int) -> Iterator[Generator]:
    """x ^= x << a; x ^= x >> b; x ^= x << c, or with all directions turned round."""
    x = view.numbers
    if len(x) < 3:
        return
    for left_first in (True, False):
        one = _shifted(np.array([x[0]], dtype=np.uint64), width, left_first)
        two = _shifted(one, width, not left_first)
        three = _shifted(two, width, left_first)
        for a, b, c in np.argwhere(three[0] == x[1]) + 1:
            shifts = ((left_first, int(a)), (not left_first, int(b)), (left_first, int(c)))
            if _apply(x[1], shifts, width) == x[2]:
                parameters: Tree = {"words": 1, "bits": width, "shifts": _written(shifts)}
                step, back = partial(_apply, shifts=shifts, width=width), partial(_undo, shifts=shifts, width=width)
                yield Machine(parameters, x[0], step, view.show, back)


def _several_words(view: View, width: int, deadline: Deadline) -> Iterator[Generator]:
    """t = x[i]; t ^= t << a; t ^= t >> b; x[i+r] = t ^ w ^ (w >> c) with w = x[i+r−1]; the first two directions may be
    turned round together.
    """
    x = view.numbers
    for order, left_first in product(ORDERS, (True, False)):
        deadline.check()
        if len(x) < order + 3:
            return
        one = _shifted(np.array([x[0]], dtype=np.uint64), width, left_first)
        two = _shifted(one, width, not left_first)[0]
        last = _shifted(np.array([x[order - 1]], dtype=np.uint64), width, False)[0]
        for a, b, c in np.argwhere((two[:, :, None] ^ last) == x[order]) + 1:
            words = _Words(order, ((left_first, int(a)), (not left_first, int(b))), ((False, int(c)),), width)
            if all(words.rule(x[: order + i]) == x[order + i] for i in range(1, 3)):
                parameters = {"words": order, "bits": width, "shifts": _written(words.shifts + words.last)}
                yield Recurrence(parameters, x[:order], words.rule, view.show, words.before)


@dataclass(frozen=True)
class _Words:
    """x[i + order] from x[i] by the shifts, and from the number just before by the last one."""

    order: int
    shifts: Shifts
    last: Shifts
    width: int

    def rule(self, window: list[int]) -> int:
        return _apply(window[-self.order], self.shifts, self.width) ^ _apply(window[-1], self.last, self.width)

    def before(self, window: list[int]) -> int:
        newest = window[self.order - 1] ^ _apply(window[self.order - 2], self.last, self.width)
        return _undo(newest, self.shifts, self.width)


def _shifted(x: UInt64[np.ndarray, "*n"], width: int, left: bool) -> UInt64[np.ndarray, "*n shift"]:
    """x ^ (x shifted by 1 … width − 1)."""
    by = np.arange(1, width, dtype=np.uint64)
    moved = x[..., None] << by & np.uint64(2**width - 1) if left else x[..., None] >> by
    return x[..., None] ^ moved


def _apply(x: int, shifts: Shifts, width: int) -> int:
    for left, by in shifts:
        x ^= x << by & (1 << width) - 1 if left else x >> by
    return x


def _undo(x: int, shifts: Shifts, width: int) -> int:
    for left, by in reversed(shifts):
        moved = x
        for _ in range(0, width, by):  # each round sets `by` more bits right
            moved = x ^ (moved << by & (1 << width) - 1 if left else moved >> by)
        x = moved
    return x


def _written(shifts: Shifts) -> str:
    return " ".join(f"{'<<' if left else '>>'}{by}" for left, by in shifts)
