"""The known generators linear modulo 2: a table of engines, each with the linear forms of its words, and its words from
a solved state.

Word 0 of an engine is the output of its unknown state. Bits of that state that affect no word but the first are called
silent: no later word determines them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from unrandom.auditing.algebra.mod_two_dense import Solution
from unrandom.auditing.algebra.mod_two_twister import Wanted, twister_forms
from unrandom.auditing.generators.linear_words import LinearWord, Rows, unknown_words
from unrandom.auditing.generators.mersenne import MersenneTwister
from unrandom.auditing.generators.sfmt import SFMT19937
from unrandom.auditing.generators.shift_register import GALOIS_REGISTERS
from unrandom.auditing.generators.shifts import Shift
from unrandom.auditing.generators.tausworthe import LFSR113, LUAJIT, TAUS88
from unrandom.auditing.generators.tiny_twister import TINY_MT32, TINY_MT64
from unrandom.auditing.generators.well import WELL512A, WELL1024A, WELL19937A, WELL19937C
from unrandom.auditing.generators.xorshift import Xorshift, XorshiftWords
from unrandom.auditing.notation import hexadecimal

KEPT_UNKNOWNS = 2048
"""Forms of engines with at most this many unknown bits are kept, since many streams and layouts use them."""


class Twister:
    """A Mersenne twister; its unknowns are the bits of n successive words."""

    def __init__(self, variant: MersenneTwister) -> None:
        self.variant, self.name, self.bits, self.fresh = variant, variant.name, variant.w, variant.w
        self.linear, self.unknowns = (1 << variant.w) - 1, variant.n * variant.w
        self.silent = 31 - variant.odd_of_oldest

    def forms(self, wanted: Wanted) -> Iterator[Rows]:
        """The forms of some bits of some words, as `twister_forms` gives them."""
        return twister_forms(self.variant, wanted)

    def words(self, solution: Solution) -> Iterator[int]:
        """The words from word 0 on, endlessly."""
        return chain.from_iterable(self.variant.temper(block).tolist() for block in self._blocks(solution))

    def state_at(self, solution: Solution, word: int) -> list[str]:
        """The state whose output begins with this word, in hexadecimal."""
        blocks = self._blocks(solution)
        words = np.concatenate([next(blocks) for _ in range(word // self.variant.n + 2)])
        start = word % self.variant.n + len(words) - 2 * self.variant.n
        return hexadecimal(words[start : start + self.variant.n].tolist(), self.bits)

    def _blocks(self, solution: Solution) -> Iterator[Any]:
        v = self.variant
        block = np.array(solution.split([v.w] * v.n), dtype=np.uint64)
        while True:
            yield block
            block = v.next_block(block)


@dataclass(frozen=True)
class Stepped:
    """An engine with a step and an output that are linear modulo 2; an output may have several words (`parts`).

    `generator` has `step` and `output`, `sizes` are the bits of the words of its state. `linear_output`, if set, stands
    for `output` where that is not linear, and `linear` is the mask of the bits for which it does. `fresh` are the bits
    of a word that do not follow from the words before.
    """

    name: str
    bits: int
    generator: Any
    sizes: tuple[int, ...]
    silent: int = 0
    parts: int = 1
    fresh: int = 64
    linear: int = 2**64 - 1
    linear_output: Callable[[Any], Any] | None = None

    @property
    def unknowns(self) -> int:
        return sum(self.sizes)

    def forms(self, wanted: Wanted) -> Iterator[Rows]:
        source = self._kept_words if self.unknowns <= KEPT_UNKNOWNS else _Words(self)
        for index, bits in wanted:
            step, part = divmod(index, self.parts)
            yield source.get(step).bits([bit + self.bits * part for bit in bits])

    @cached_property
    def _kept_words(self) -> "_Words":
        return _Words(self, keep=True)

    def words(self, solution: Solution) -> Iterator[int]:
        state, mask = self.state(solution.split(self.sizes)), (1 << self.bits) - 1
        while True:
            output = self.generator.output(state)
            for part in range(self.parts):
                yield (output >> (self.bits * part)) & mask
            state = self.generator.step(state)

    def state_at(self, solution: Solution, word: int) -> list[str]:
        state = self.state(solution.split(self.sizes))
        for _ in range(word // self.parts):
            state = self.generator.step(state)
        words = state if len(self.sizes) > 1 else (state,)
        return [hexadecimal([one], max(4, size))[0] for one, size in zip(words, self.sizes, strict=True)]

    def state(self, words: Sequence[Any]) -> Any:
        """The state with these words, as the generator takes it."""
        return tuple(words) if len(self.sizes) > 1 else words[0]


LinearEngine: TypeAlias = Twister | Stepped
"""A generator whose words are linear modulo 2 in `unknowns` bits of state, or of which only the lowest bit is."""


class _Words:
    """The linear forms of the outputs of an engine: all are kept, or the last one, for steps in ascending order."""

    def __init__(self, engine: Stepped, keep: bool = False) -> None:
        self.generator, self.output = engine.generator, engine.linear_output or engine.generator.output
        self.state, self.keep = engine.state(unknown_words(engine.sizes)), keep
        self.made, self.kept = 0, list[LinearWord]()

    def get(self, step: int) -> LinearWord:
        if not self.keep and self.made <= step:
            self.kept.clear()
        while self.made <= step:
            if self.keep or self.made == step:
                self.kept.append(self.output(self.state))
            self.state, self.made = self.generator.step(self.state), self.made + 1
        return self.kept[step - self.made]


def _xorshift(bits: int, *shifts: int) -> Stepped:
    """A one-word xorshift; shifts to the left are positive."""
    generator = Xorshift(bits, tuple(Shift(by > 0, abs(by)) for by in shifts))
    return Stepped(f"xorshift{bits} ({', '.join(map(str, generator.shifts))})", bits, generator, (bits,))


XORSHIFT128 = Stepped(
    "xorshift128 (<<11, >>8, >>19)", 32, XorshiftWords(32, (Shift(True, 11), Shift(False, 8)), 19), (32,) * 4
)

SMALL_ENGINES: tuple[Stepped, ...] = (
    _xorshift(32, 13, -17, 5),
    _xorshift(64, 13, -7, 17),
    _xorshift(64, -12, 25, -27),
    XORSHIFT128,
    *(Stepped(one.name, 32, one, one.sizes, one.silent) for one in (TAUS88, LFSR113)),
    Stepped(LUAJIT.name, 64, LUAJIT, LUAJIT.sizes, LUAJIT.silent),
    *(
        Stepped(one.name, one.bits, one, one.sizes, one.silent, linear=1, linear_output=one.linear_output)
        for one in (TINY_MT32, TINY_MT64)
    ),
    *(Stepped(one.name, one.bits, one, (one.bits,), fresh=1) for one in GALOIS_REGISTERS),
    *(Stepped(one.name, 32, one, one.sizes) for one in (WELL512A, WELL1024A)),
)
"""Engines of at most 1,024 bits of state, in use or well known."""

LARGE_ENGINES: tuple[Stepped, ...] = (
    Stepped(SFMT19937.name, 32, SFMT19937, SFMT19937.sizes, SFMT19937.silent, SFMT19937.parts),
    *(Stepped(one.name, 32, one, one.sizes, one.silent) for one in (WELL19937A, WELL19937C)),
)
"""Engines of 19,937 bits of state besides the Mersenne twisters."""
