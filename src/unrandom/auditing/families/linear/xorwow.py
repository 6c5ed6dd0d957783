"""Recovers Marsaglia's xorwow, whose outputs are linear modulo 2 up to the addition of a counter, by guessing the
lowest bits of the counter and solving for the state.

The counter grows by a constant modulo 2**32, so its lowest bits at the first output determine them at every output, and
subtracting them leaves the lowest bits of the linear part.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np

from unrandom.auditing.algebra.mod_two_dense import solve_dense
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.linear_words import Rows, unknown_states
from unrandom.auditing.generators.xorshift import XORWOW
from unrandom.auditing.notation import hexadecimal

GUESSED = 2  # lowest bits of the counter that are guessed
WORDS = 5  # words of the linear part

UNKNOWNS = WORDS * XORWOW.bits

OUTPUTS = 96  # their lowest bits determine the linear part: its highest bits take 75 steps to reach the lowest ones


class Xorwows(Family):
    """xorwow in whole words, as in cuRAND, or as fractions x / 2^32."""

    name = "xorwow"
    about = "Marsaglia's xorwow: a xorshift generator plus a counter"
    max_outputs = OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return OUTPUTS if any(view.bits == XORWOW.bits for view in stream.views) else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the linear part and of the counter."""
        return float(UNKNOWNS + XORWOW.bits)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits != XORWOW.bits or len(view.numbers) < OUTPUTS:
                continue
            for start in range(1 << GUESSED):
                deadline.check()
                linear = [(y - start - i * XORWOW.increment) for i, y in enumerate(view.numbers[:OUTPUTS])]
                right = np.array([(x >> bit) & 1 for x in linear for bit in range(GUESSED)], dtype=bool)
                solution = solve_dense([(_forms(), right)], UNKNOWNS)
                if solution is not None and not solution.free:
                    words = solution.split([XORWOW.bits] * WORDS)
                    state = (*words, (view.numbers[0] - words[-1]) % 2**XORWOW.bits)
                    parameters = {"engine": XORWOW.name, "state": hexadecimal(state, XORWOW.bits)}
                    yield Machine.of(parameters, XORWOW, state, view.show)


@cache
def _forms() -> Rows:
    """Forms of the lowest bits of the newest word of the linear part, for each output."""
    states = islice(unknown_states(XORWOW.words_after, [XORWOW.bits] * WORDS), OUTPUTS)
    return np.concatenate([words[-1].bits(range(GUESSED)) for words in states])
