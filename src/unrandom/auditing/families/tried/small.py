"""Recovers generators with a state of at most 32 bits by trying all states that show the first output.

The words may be shown in full, as fractions of any number of digits, as ⌊N u⌋, or as x mod N. States that do not show
the second output are dropped, then those that do not show the third, and so on. With numba, a state is dropped without
computing more of it: 2**32 states take 2 to 4 seconds, and some minutes without.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from inspect import unwrap
from math import ceil, log2
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Replay
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.shown import Fractions, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.small import SMALL, Small, same_before

BLOCK = 1 << 18  # states that are tried together
MAX_REDRAWN = 64  # times that an equal output is drawn again at most: more often, a state is a fixed point
TABLE_BITS = 16  # words of at most this many bits are looked up in a table of those that show an output
QUICK_STATES = 1 << 22  # families that try more states than this are slow; these are compiled, which takes a second
LOOKAHEAD = 48  # outputs that a state must show, at most


@dataclass(frozen=True)
class Shown:
    """What a stream shows of words: `low` and `high` bound each word, or x mod `divisor` = `low`; `show` is the number
    in the stream.
    """

    about: str
    low: Int64[np.ndarray, " outputs"]
    high: Int64[np.ndarray, " outputs"]
    divisor: int
    show: Callable[[int], Number]

    def matches(self, words: Int64[np.ndarray, " n"], i: int) -> Bool[np.ndarray, " n"]:
        """Which of these words may be behind output i."""
        if self.divisor:
            return words % self.divisor == self.low[i]
        return (words >= self.low[i]) & (words <= self.high[i])

    def keys(self, small: Small) -> range:
        """The keys of the words that may be behind the first output; all states if words have no keys."""
        low, high, shift = int(self.low[0]), int(self.high[0]), small.key_shift
        if small.hidden is None:
            return range(1 << small.state_bits)
        if not self.divisor:
            return range(low >> shift, (high >> shift) + 1)
        return range(1 << (small.bits - shift)) if shift else range(low, 1 << small.bits, self.divisor)

    def table(self, bits: int) -> Bool[np.ndarray, "outputs words"]:
        """Which of all words of `bits` bits may be behind each output; without columns if they are too many."""
        words = np.arange(1 << bits if bits <= TABLE_BITS else 0)
        return np.array([self.matches(words, i) for i in range(len(self.low))])


class SmallState(Family):
    """One generator, from all its states."""

    name = "small-state"
    max_outputs = 0

    def __init__(self, small: Small, *, remainders: bool, slow: bool) -> None:
        self.small, self.remainders, self.slow = small, remainders, slow
        self.seconds = 3.0 if slow else 0.3
        shown = "modulo N" if remainders else "in full, or as fractions, or in a range"
        self.about = f"{small.name}, {shown}"

    def needs(self, stream: Stream) -> int | None:
        shown = next(self._shown(stream.head(LOOKAHEAD)), None)
        if shown is None:
            return None
        ratio = shown.divisor or 2.0**self.small.bits / max(1.0, float(np.mean(shown.high - shown.low)) + 1)
        if ratio < 1.5 or (self._states(shown) > QUICK_STATES) != self.slow:
            return None
        return min(LOOKAHEAD, ceil((self.small.state_bits + 8) / log2(ratio)))

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state, and of the ways to show it."""
        return self.small.state_bits + 2.0

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if len(stream) < 2:
            return
        for shown in self._shown(stream.head(LOOKAHEAD)):
            if (self._states(shown) > QUICK_STATES) == self.slow:
                for state in _matching(self.small, shown, deadline):
                    yield _following(self.small, state, shown)

    def _states(self, shown: Shown) -> int:
        return len(shown.keys(self.small)) << self.small.free

    def _shown(self, stream: Stream) -> Iterator[Shown]:
        """What the stream may show of the generator's words."""
        m, bits = 1 << self.small.bits, self.small.bits
        if not len(stream):
            return
        match stream.shown:
            case Range(n) if n < m and self.remainders:
                yield _whole(f"x % {n}", stream, n, lambda x: x % n)
            case Range(n) if n < m:
                yield from _within(f"{n} x / 2^{bits}", stream, m, lambda x: x * n >> bits)
            case Fractions() if not self.remainders:
                yield from _within(f"x / 2^{bits}", stream, m, lambda x: x / m)
            case Words(width) if bits - 1 <= width <= bits and not self.remainders:
                yield _whole("x", stream, 0, int)


def _whole(about: str, stream: Stream, n: int, show: Callable[[int], Number]) -> Shown:
    """Words x, or x modulo n."""
    y = stream.values.astype(np.int64)
    return Shown(about, y, y, n, show)


def _within(about: str, stream: Stream, m: int, show: Callable[[int], Number]) -> Iterator[Shown]:
    """Words in the intervals that fractions of m show; none if one of these is empty."""
    low, high = (np.array(ends, dtype=np.int64) for ends in zip(*stream.state_bounds(m) or [], strict=True))
    if not (low > high).any():
        yield Shown(about, low, high, 0, show)


def _matching(small: Small, shown: Shown, deadline: Deadline) -> Iterator[int]:
    """States that show all the first outputs."""
    keys, hidden = shown.keys(small), small.hidden or same_before
    compiled = find_spec("numba") is not None and len(keys) << small.free > QUICK_STATES
    select, table = (_compiled(small), shown.table(small.bits)) if compiled else (None, None)
    for block, indices in _blocks(keys, 1 << small.free):
        deadline.check()
        if select is None:
            states = hidden(np.array(block), np.array(indices)[:, None]).ravel()
            yield from _selected(small, shown, states)
        else:
            ends = (block.start, block.step, len(block), indices.start, len(indices))
            hits = np.flatnonzero(select(*ends, shown.low, shown.high, shown.divisor, table)).tolist()
            yield from (int(hidden(block[hit % len(block)], indices[hit // len(block)])) for hit in hits)


def _blocks(keys: range, indices: int) -> Iterator[tuple[range, range]]:
    """Keys and indices of about BLOCK states each time."""
    for start in range(0, len(keys), BLOCK):
        block = keys[start : start + BLOCK]
        size = BLOCK // len(block)
        yield from ((block, range(first, min(first + size, indices))) for first in range(0, indices, size))


def _selected(small: Small, shown: Shown, first: Int64[np.ndarray, " n"]) -> list[int]:
    """The states that show all the first outputs, with numpy."""
    states, last = first, np.full(len(first), -1, dtype=np.int64)
    for i in range(len(shown.low)):
        words = small.output(states)
        for _ in range(0 if small.repeats else MAX_REDRAWN):
            again = words == last
            if not again.any():
                break
            states = np.where(again, small.step(states), states)
            words = small.output(states)
        keep = shown.matches(words, i)
        if not small.repeats:
            keep &= words != last
        first, states, last = first[keep], small.step(states[keep]), words[keep]
        if not len(first):
            break
    return first.tolist()


@cache
def _compiled(small: Small) -> Any:
    """`_selected` compiled by numba, for the states with these keys: a mask of those that show the first outputs.

    A first loop tests one output of every state without branches, so that the compiler can use vector instructions. It
    is the second output if the keys tell the first one.
    """
    import numba

    step, output = numba.njit(unwrap(small.step)), numba.njit(unwrap(small.output))
    hidden, repeats = numba.njit(unwrap(small.hidden or same_before)), small.repeats
    tested = int(small.hidden is not None and not small.key_shift)

    def possible(start, gap, count, index, indices, low, high, divisor, table):  # type: ignore[no-untyped-def]
        keep = np.ones((indices, count), dtype=np.bool_)
        least, greatest = low[tested], high[tested]
        for j in range(indices if table.shape[1] > 0 or divisor == 0 else 0):
            if table.shape[1] > 0:
                for k in range(count):
                    state = hidden(start + k * gap, index + j)
                    word = output(step(state)) if tested else output(state)
                    keep[j, k] = table[tested, word] | ((not repeats) & (word == output(state)))
            else:
                for k in range(count):
                    state = hidden(start + k * gap, index + j)
                    word = output(step(state)) if tested else output(state)
                    keep[j, k] = (word >= least) & (word <= greatest)
        return keep

    possible = numba.njit(unwrap(possible))

    def select(start, gap, count, index, indices, low, high, divisor, table):  # type: ignore[no-untyped-def]
        keep = possible(start, gap, count, index, indices, low, high, divisor, table).ravel()
        for k in range(len(keep)):
            if not keep[k]:
                continue
            key = start + k % count * gap
            state, last, i, redrawn = hidden(key, index + k // count), np.int64(-1), 0, 0
            while i < len(low):
                word = output(state)
                state = step(state)
                if not repeats and word == last and redrawn < MAX_REDRAWN:
                    redrawn += 1
                    continue
                if redrawn == MAX_REDRAWN:
                    break
                last, redrawn = word, 0
                if table.shape[1] > 0:
                    if not table[i, word]:
                        break
                elif divisor > 0:
                    if np.uint32(word) % np.uint32(divisor) != low[i]:
                        break
                elif word < low[i] or word > high[i]:
                    break
                i += 1
            keep[k] = i == len(low)
        return keep

    return numba.njit(unwrap(select))


def _following(small: Small, state: int, shown: Shown) -> Replay:
    """A generator from its state at the first output; those before are not computed."""

    def outputs() -> Iterator[Number]:
        current, last = state, -1
        while True:
            word = small.output(current)
            current = small.step(current)
            if small.repeats or word != last:
                yield shown.show(word)
            last = word

    return Replay({"generator": small.name, "shown": shown.about, "state": state}, outputs)


SMALL_STATES: tuple[SmallState, ...] = tuple(
    SmallState(small, remainders=remainders, slow=slow)
    for slow in (False, True)
    for small in SMALL
    for remainders in (False, True)
    if small.hidden is not None or not remainders
)
"""Those that try few states come first."""
