"""Is it a generator with a state of at most 32 bits? By trying all states that show the first output.

The words may be shown in full, as fractions of any number of digits, as ⌊N u⌋, or as x mod N. States that do not show
the second output are dropped, then those that do not show the third, and so on. With numba, a state is dropped without
computing more of it, which is several times faster.
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

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.layers import Number
from unrandom.auditing.stream import Stream
from unrandom.core.files import JsonObject
from unrandom.generators.small import SMALL, Small

BLOCK = 1 << 20
"""States that are tried together."""

QUICK_STATES = 1 << 24
"""Families that try more states than this are slow."""

LOOKAHEAD = 48
"""Outputs that a state must show, at most."""

MOST_WORDS = 1 << 15
"""Words that may be behind the first output, at most, if they are listed."""


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

    def words(self, bits: int) -> Int64[np.ndarray, " words"] | None:
        """The words that may be behind the first output; None if they are too many to list."""
        low, high = int(self.low[0]), int(self.high[0])
        step = self.divisor or 1
        end = 1 << bits if self.divisor else high + 1
        return np.arange(low, end, step, dtype=np.int64) if (end - low) // step <= MOST_WORDS else None


class SmallState:
    """One generator, from all its states."""

    name = "small-state"
    trivial = False
    max_outputs = 0

    def __init__(self, small: Small, *, remainders: bool, slow: bool) -> None:
        self.small, self.remainders, self.slow = small, remainders, slow
        shown = "modulo N" if remainders else "in full, or as fractions, or in a range"
        self.about = f"{small.name}, {shown}: {'more than' if slow else 'up to'} 2^24 states are tried"

    def needs(self, stream: Stream) -> int | None:
        shown = next(self._shown(stream.head(LOOKAHEAD)), None)
        if shown is None:
            return None
        ratio = shown.divisor or 2.0**self.small.bits / max(1.0, float(np.mean(shown.high - shown.low)) + 1)
        if ratio < 1.5 or (self._states(shown) > QUICK_STATES) != self.slow:
            return None
        return min(LOOKAHEAD, ceil((self.small.state_bits + 8) / log2(ratio)))

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if not len(stream):
            return
        for shown in self._shown(stream.head(LOOKAHEAD)):
            if (self._states(shown) > QUICK_STATES) == self.slow:
                for state in _matching(self.small, shown, deadline):
                    yield _Following(self.small, state, shown)

    def _states(self, shown: Shown) -> float:
        """How many states are tried."""
        size = 2.0**self.small.state_bits
        if self.small.hidden is None:
            return size
        ratio = shown.divisor or 2**self.small.bits / (int(shown.high[0]) - int(shown.low[0]) + 1)
        return size / ratio

    def _shown(self, stream: Stream) -> Iterator[Shown]:
        """What the stream may show of the generator's words."""
        m, n, bits = 1 << self.small.bits, stream.bounded, self.small.bits
        if stream.cycle or not len(stream):
            return
        if n is not None and n < m:
            y = stream.values.astype(np.int64)
            if self.remainders:
                yield Shown(f"x % {n}", y, y, n, lambda x: x % n)
                return
        if stream.fractions or (n is not None and n < m):
            bounds = stream.state_bounds(m) or []
            low, high = (np.array(ends, dtype=np.int64) for ends in zip(*bounds, strict=True))
            if self.remainders or (low > high).any():
                return
            if n is None:
                yield Shown(f"x / 2^{bits}", low, high, 0, lambda x: x / m)
            else:
                yield Shown(f"{n} x / 2^{bits}", low, high, 0, lambda x: x * n >> bits)
        elif n is None and bits - 1 <= stream.bits <= bits and not self.remainders:
            y = stream.values.astype(np.int64)
            yield Shown("x", y, y, 0, int)


def _matching(small: Small, shown: Shown, deadline: Deadline) -> Iterator[int]:
    """States that show all the first outputs."""
    select = _compiled(small) if find_spec("numba") is not None else None
    for states in _blocks(small, shown):
        deadline.check()
        if select is not None and len(states) > 1024:
            yield from states[select(states, shown.low, shown.high, shown.divisor)].tolist()
        else:
            yield from _selected(small, shown, states)


def _selected(small: Small, shown: Shown, first: Int64[np.ndarray, " n"]) -> list[int]:
    """Those of the states that show all the first outputs, with numpy."""
    states, last = first, np.full(len(first), -1, dtype=np.int64)
    for i in range(len(shown.low)):
        words = small.output(states)
        if not small.repeats:
            while (again := words == last).any():
                states = np.where(again, small.step(states), states)
                words = small.output(states)
        keep = shown.matches(words, i)
        first, states, last = first[keep], small.step(states[keep]), words[keep]
        if not len(first):
            break
    return first.tolist()


def _blocks(small: Small, shown: Shown) -> Iterator[Int64[np.ndarray, " states"]]:
    """The states that may show the first output, in blocks."""
    words = shown.words(small.bits) if small.hidden is not None else None
    if words is not None and small.hidden is not None:
        waiting: list[np.ndarray] = []
        for states in small.hidden(words):
            waiting.append(states)
            if sum(map(len, waiting)) >= BLOCK or len(waiting) > 1024:
                yield np.concatenate(waiting)
                waiting = []
        if waiting:
            yield np.concatenate(waiting)
        return
    for start in range(0, 1 << small.state_bits, BLOCK):
        yield np.arange(start, min(start + BLOCK, 1 << small.state_bits), dtype=np.int64)


@cache
def _compiled(small: Small) -> Any:
    """`_selected` compiled by numba: a mask of the states that show all the first outputs."""
    import numba

    step, output = numba.njit(unwrap(small.step)), numba.njit(unwrap(small.output))
    repeats = small.repeats

    def select(states, low, high, divisor):  # type: ignore[no-untyped-def]
        keep = np.zeros(len(states), dtype=np.bool_)
        for k in range(len(states)):
            state, last, i = states[k], np.int64(-1), 0
            while i < len(low):
                word = output(state)
                state = step(state)
                if not repeats and word == last:
                    continue
                last = word
                if divisor > 0:
                    if word % divisor != low[i]:
                        break
                elif word < low[i] or word > high[i]:
                    break
                i += 1
            keep[k] = i == len(low)
        return keep

    return numba.njit(unwrap(select))


class _Following:
    """A generator from its state at the first output."""

    def __init__(self, small: Small, state: int, shown: Shown) -> None:
        self.small, self.state, self.shown = small, state, shown
        self.parameters: JsonObject = {"generator": small.name, "shown": shown.about, "state": state}

    def outputs(self) -> Iterator[Number]:
        state, last = self.state, -1
        while True:
            word = self.small.output(state)
            state = self.small.step(state)
            if self.small.repeats or word != last:
                yield self.shown.show(word)
            last = word

    def previous(self, count: int) -> None:
        """None: the outputs before the first one are not computed."""
        return


SMALL_STATES: tuple[SmallState, ...] = tuple(
    SmallState(small, remainders=remainders, slow=slow)
    for slow in (False, True)
    for small in SMALL
    for remainders in (False, True)
    if small.hidden is not None or not remainders
)
"""Those that try few states come first."""
