"""Recovers Knuth's ran_array and Marsaglia's Super-Duper, both of R, by reading a state of words that are shown in
full.

ran_array shows 100 successive numbers, which are its state, and leaves out 909; every position of the stream in such a
block is tried. Super-Duper is a xorshift word plus, modulo 2, an LCG modulo 2**32 that has only odd numbers: the lowest
bits of the outputs are bits of the xorshift word, inverted.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice
from math import log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine, Replay
from unrandom.auditing.forms.factors import views
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.linear_words import unknown_states
from unrandom.auditing.generators.shifts import Shift, undo_xor_shifts, xor_shifts
from unrandom.auditing.generators.taocp import FAR, MODULUS, block_after, block_before, blocks
from unrandom.generators.lcg import LCG
from unrandom.predictors.mod_two import solve

SUPER_DUPER = LCG(2**32, 69069, 0)
SHIFTS = (Shift(False, 15), Shift(True, 17))


class RanArray(Family):
    """Knuth's ran_array in full, modulo 2**30."""

    name = "knuth-taocp"
    about = "Knuth's ran_array: 100 of every 1009 numbers of a lagged Fibonacci generator (R's Knuth-TAOCP)"
    max_outputs = 2 * FAR + 8

    def needs(self, stream: Stream) -> int | None:
        return 2 * FAR + 8 if any(28 < view.bits <= 30 for view in views(stream)) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in views(stream):
            if len(view.numbers) < 2 * FAR + 8 or max(view.numbers) >= MODULUS:
                continue
            for start in range(FAR):
                deadline.check()
                block = view.numbers[start : start + FAR]
                following = block_after(block)
                shown = view.numbers[start + FAR : start + 2 * FAR]
                if following[: len(shown)] == shown:
                    yield _from_block(block, start, view.show)


def _from_block(block: list[int], left: int, show: Callable[[int], Number]) -> Replay:
    """The numbers of blocks of which the first begins before the stream: only `left` of its numbers are shown."""
    first = block_before(block)

    def outputs() -> Iterator[Number]:
        return map(show, islice(chain.from_iterable(blocks(first)), FAR - left, None))

    def previous(count: int) -> list[Number]:
        before, earlier = first[: FAR - left], first
        while len(before) < count:
            earlier = block_before(earlier)
            before = earlier + before
        return [show(x) for x in before[len(before) - count :]]

    free = FAR * log2(MODULUS) + log2(FAR)
    return Replay({"left_of_first_block": left, "state": block}, outputs, previous, free)


class SuperDuper(Family):
    """Marsaglia's Super-Duper in 32 bits."""

    name = "super-duper"
    about = "Marsaglia's Super-Duper: a xorshift word and an LCG (R's Super-Duper)"
    max_outputs = 40

    def needs(self, stream: Stream) -> int | None:
        return 36 if any(view.bits == 32 for view in views(stream)) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in views(stream):
            if view.bits == 32 and len(view.numbers) >= 36:
                deadline.check()
                yield from _super_duper(view)


def _super_duper(view: View) -> Iterator[Generator]:
    word = solve(((mask, ~x & 1) for mask, x in zip(_lowest_bits(), view.numbers, strict=False)), 32)
    if word is None:
        return
    state = (word, view.numbers[0] ^ word)

    def step(state: tuple[int, int]) -> tuple[int, int]:
        return xor_shifts(state[0], SHIFTS, 32), SUPER_DUPER(state[1])

    def back(state: tuple[int, int]) -> tuple[int, int]:
        return undo_xor_shifts(state[0], SHIFTS, 32), SUPER_DUPER.inverse()(state[1])

    yield Machine({"state": list(state)}, state, step, lambda state: view.show(state[0] ^ state[1]), back, 64.0)


@cache
def _lowest_bits() -> list[int]:
    """For each of 40 steps, the mask of the bits of the first word whose exclusive or is the lowest bit."""
    states = islice(unknown_states(lambda state: (xor_shifts(state[0], SHIFTS, 32),), [32]), 40)
    return [mask for (word,) in states for mask in word.masks([0])]
