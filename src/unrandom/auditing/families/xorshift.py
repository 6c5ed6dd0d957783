"""Is it one of Marsaglia's xorshifts (2003), whose outputs are words of its state? Its three shifts are tried out."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from unrandom.auditing.family import Deadline, Generator, Machine
from unrandom.auditing.notation import xorshift_parameters
from unrandom.auditing.recovery import every_shift, recover_xorshifts
from unrandom.auditing.stream import Stream, View
from unrandom.generators.words import Shift
from unrandom.generators.xorshift import XorshiftWords

ORDERS = (2, 3, 4, 5)
"""Words of state in the generators that keep several."""


class Xorshifts:
    """One word, or two to five of them; 32 or 64 bits; any three shifts."""

    name = "xorshift"
    about = "a xorshift generator (Marsaglia) that shows whole words of its state; shifts unknown"
    trivial = False
    max_outputs = 16

    def needs(self, stream: Stream) -> int | None:
        return 3 if any(view.bits > 16 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits > 16:
                bits = 32 if view.bits <= 32 else 64
                for found in recover_xorshifts(view.numbers, bits):
                    yield Machine.of(xorshift_parameters(1, bits, found.shifts), found, view.numbers[0], view.show)
                yield from _several_words(view, bits, deadline)


def _several_words(view: View, bits: int, deadline: Deadline) -> Iterator[Generator]:
    """The first two shifts of the oldest word go to the left and the right, or the other way round, and the last one,
    of the newest word, to the right.
    """
    x = view.numbers
    for order, left_first in product(ORDERS, (True, False)):
        deadline.check()
        if len(x) < order + 3:
            return
        one = every_shift(np.array([x[0]], dtype=np.uint64), bits, left_first)
        two = every_shift(one, bits, not left_first)[0]
        last = every_shift(np.array([x[order - 1]], dtype=np.uint64), bits, False)[0]
        for a, b, c in np.argwhere((two[:, :, None] ^ last) == x[order]) + 1:
            shifts = (Shift(left_first, int(a)), Shift(not left_first, int(b)))
            words = XorshiftWords(bits, shifts, int(c))
            if all(words.step(tuple(x[i : i + order]))[-1] == x[i + order] for i in (1, 2)):
                made_of = xorshift_parameters(order, bits, (*shifts, Shift(False, int(c))))
                yield Machine.of(made_of, words, tuple(x[:order]), view.show)
