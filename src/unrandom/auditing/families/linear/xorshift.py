"""Recovers xorshift generators (Marsaglia 2003) whose outputs are words of their state, by trying all three shifts."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import every_shift, recover_xorshifts
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.shifts import Shift
from unrandom.auditing.generators.xorshift import XorshiftWords
from unrandom.auditing.notation import xorshift_parameters

SHIFT_BITS = 22.0  # bits that tell three shifts, the order and the directions
ORDERS = (2, 3, 4, 5)  # numbers of state words of the generators with several words


class Xorshifts(Family):
    """One to five words of state, of 32 or 64 bits, and any three shifts."""

    name = "xorshift"
    about = "a xorshift generator (Marsaglia) that shows whole words of its state; shifts unknown"
    max_outputs = 16

    def needs(self, stream: Stream) -> int | None:
        return 3 if any(16 < view.bits <= 64 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if 16 < view.bits <= 64:
                bits = 32 if view.bits <= 32 else 64
                for xorshift in recover_xorshifts(view.numbers, bits):
                    parameters = xorshift_parameters(1, bits, xorshift.shifts)
                    yield Machine.of(parameters, xorshift, view.numbers[0], view.show, bits + SHIFT_BITS)
                yield from _several_words(view, bits, deadline)


def _several_words(view: View, bits: int, deadline: Deadline) -> Iterator[Generator]:
    """Generators with several state words: two shifts of the oldest word in opposite directions, and one shift of the
    newest word to the right.
    """
    x = view.numbers
    for order, left_first in product(ORDERS, (True, False)):
        deadline.check()
        if len(x) < order + 3:
            return
        shifted_once = every_shift(np.array([x[0]], dtype=np.uint64), bits, left_first)
        shifted_twice = every_shift(shifted_once, bits, not left_first)[0]
        newest_shifted = every_shift(np.array([x[order - 1]], dtype=np.uint64), bits, False)[0]
        for a, b, c in np.argwhere((shifted_twice[:, :, None] ^ newest_shifted) == x[order]) + 1:
            shifts = (Shift(left_first, int(a)), Shift(not left_first, int(b)))
            words = XorshiftWords(bits, shifts, int(c))
            if all(words.step(tuple(x[i : i + order]))[-1] == x[i + order] for i in (1, 2)):
                parameters = xorshift_parameters(order, bits, (*shifts, Shift(False, int(c))))
                yield Machine.of(parameters, words, tuple(x[:order]), view.show, order * bits + SHIFT_BITS)
