"""How may programs make an output of words, and which bits of the words does a stream then show? A table of layouts,
and for each the readings of a stream: the known bits of each output.

A layout joins parts of one or two successive words to an integer X. A program shows X itself, X / divisor, that
fraction with few digits, ⌊N X / divisor⌋, or X % N.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from unrandom.auditing.forms.layers import Number, Quantile
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.programs.engines import XORSHIFT128, Engine

EXACT_DIGITS = 9
"""Fractions with fewer digits do not show the lower part of two words, nor whether a divisor is 2**32 or 2**32 − 1."""

SINGLE_DIGITS = 7
"""Fewest digits that show how a fraction was rounded to single precision."""


@dataclass(frozen=True)
class Piece:
    """Bits of the word with this index in an output: (word >> lost) & (2**bits − 1)."""

    word: int
    lost: int
    bits: int


@dataclass(frozen=True)
class Layout:
    """Pieces of X, the most significant one first; and how many words each output takes.

    `divisor` is 2**size if it is 0. `single` marks fractions rounded to single precision. If `share` is more than 1, so
    many successive outputs are made of the same word, each of bits that lie `size` above those of the one before.
    """

    about: str
    pieces: tuple[Piece, ...]
    words: int = 1
    divisor: int = 0
    single: bool = False
    share: int = 1

    @property
    def size(self) -> int:
        """Bits of X."""
        return sum(piece.bits for piece in self.pieces)

    @property
    def parts(self) -> int:
        """Divisor of fractions."""
        return self.divisor or 1 << self.size

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """For each bit of X, lowest first, its word and its bit there."""
        return [(one.word, one.lost + k) for one in reversed(self.pieces) for k in range(one.bits)]

    def joined(self, words: tuple[int, ...], part: int = 0) -> int:
        """X, of the words of an output, or of its `part`-th one of those that share them."""
        x = 0
        for piece in self.pieces:
            x = (x << piece.bits) | ((words[piece.word] >> (piece.lost + part * self.size)) & ((1 << piece.bits) - 1))
        return x

    def fraction(self, x: int) -> float:
        """The fraction that a program shows for X."""
        return float(np.float32(x) / np.float32(self.parts)) if self.single else x / self.parts

    def every(self, words: int) -> "Layout":
        """The same in every `words`-th word, the others being used for something else."""
        return replace(self, words=words * self.words, about=f"{self.about}, every {words} words")


class Known(NamedTuple):
    """What an output tells of its X: the bits in `mask` are those of x, and each of the `run` bits below bit `top` is
    the opposite of bit `top`.
    """

    mask: int
    x: int
    top: int = 0
    run: int = 0


@dataclass(frozen=True)
class Reading:
    """A layout of the outputs of a stream, how X becomes a number of the stream, and what each output tells of X.

    `alike` are readings of the same bits, in words `shift` further on, that differ in bits which few outputs show.
    """

    layout: Layout
    about: str
    show: Callable[[int], Number]
    known: Callable[[Stream], list[Known]]
    shift: int = 0
    alike: tuple["Reading", ...] = ()


def top(size: int, bits: int) -> Layout:
    """The top bits of a word of `size` bits."""
    about = f"the top {bits} bits of a word" if bits < size else f"whole {size}-bit words"
    return Layout(about, (Piece(0, size - bits, bits),))


def low(bits: int) -> Layout:
    """The lowest bits of a word."""
    return Layout(f"the lowest {bits} bits of a word", (Piece(0, 0, bits),))


PYTHON = Layout("53 bits of two words, as Python's random()", (Piece(0, 5, 27), Piece(1, 6, 26)), 2)
R_NORMAL = Layout("59 bits of two words, as R's rnorm", (Piece(0, 5, 27), Piece(1, 0, 32)), 2)
CPP = Layout(
    "w + w' 2^32 rounded to a double, as C++'s uniform_real_distribution", (Piece(1, 0, 32), Piece(0, 0, 32)), 2
)
TORCH = Layout("the lowest 24 bits of a word, as torch.rand", (Piece(0, 0, 24),))
TORCH_DOUBLE = Layout(
    "the lowest 53 bits of two words, as torch.rand in double precision", (Piece(0, 0, 21), Piece(1, 0, 32)), 2
)
PHP = Layout("the top 31 bits of a word, as PHP's mt_rand() / mt_getrandmax()", (Piece(0, 1, 31),), divisor=2**31 - 1)
LARGEST = Layout("a word / (2^32 - 1)", (Piece(0, 0, 32),), divisor=2**32 - 1)
SINGLE = Layout("a word / 2^32 rounded to single precision", (Piece(0, 0, 32),), single=True)
UNITY = Layout(
    "the lowest 23 bits of a word / (2^23 - 1), as Unity's Random.value", (Piece(0, 0, 23),), 1, 2**23 - 1, True
)


def readings(engine: Engine, stream: Stream) -> Iterator[Reading]:
    """All readings of a stream as outputs of an engine, the most plausible ones first."""
    if stream.bounded is not None:
        yield from _of_range(engine, stream.bounded)
    elif stream.fractions:
        yield from _of_fractions(engine, stream)
    else:
        bits = stream.bits
        for layout in _integer_layouts(engine, bits):
            yield Reading(layout, layout.about, int, partial(_all_bits, mask=(1 << bits) - 1))


def _all_bits(stream: Stream, mask: int) -> list[Known]:
    return [Known(mask, x & mask) for x in stream.values.tolist()]


def _integer_layouts(engine: Engine, bits: int) -> Iterator[Layout]:
    """Layouts of integers of so many bits."""
    w = engine.bits
    if bits <= w:
        yield top(w, bits)
        if bits < w:
            yield low(bits)
        if bits in (8, 16):
            yield replace(low(bits), share=w // bits, about=f"words cut into {bits} bits, the lowest ones first")
        if bits < w == 32:
            yield _of_r(bits)
        for words in (2, 3, 4) if w == 32 else (2,):
            yield top(w, bits).every(words)
    elif w == 32 and bits <= 64:
        pieces = (Piece(1, 64 - bits, bits - 32), Piece(0, 0, 32))
        yield Layout(f"{bits} bits of two words, the low word first", pieces, 2)
        if bits == 53:
            yield PYTHON
        pieces = (Piece(0, 0, bits - 32), Piece(1, 0, 32))
        yield Layout(f"the lowest {bits} bits of two words, the high word first", pieces, 2)


def _of_r(bits: int) -> Layout:
    """R's sample(0:(2^bits - 1), replace = TRUE) since version 3.6: the lowest bits of the top halves of words."""
    about = f"{bits} bits of the top halves of words, as R's sample"
    pieces = (Piece(0, 16, bits),) if bits < 16 else (Piece(0, 16, bits - 16), Piece(1, 16, 16))
    return Layout(about, tuple(piece for piece in pieces if piece.bits), 1 + (bits >= 16))


def _of_fractions(engine: Engine, stream: Stream) -> Iterator[Reading]:
    """Exact fractions show all bits of layouts with their divisor. Rounded ones with few digits do not tell layouts
    with the same highest bits apart.
    """
    if not stream.rounded:
        divisors = {scale.divisor for scale in stream.scales}
        layouts = (*_fraction_layouts(engine), *(layout for _, group in _alike(engine) for layout, _ in group))
        yield from (_fraction(layout) for layout in layouts if layout.parts in divisors)
        return
    if engine.bits == 32 and Quantile() in stream.form.layers:
        yield _fraction(R_NORMAL)
    digits = stream.form.digits or 0
    for layout in _fraction_layouts(engine):
        group = next((group for first, group in _alike(engine) if first == layout), ())
        if digits < EXACT_DIGITS:
            yield replace(_fraction(layout), alike=tuple(_fraction(other, shift) for other, shift in group))
        else:
            yield _fraction(layout)
    if engine.bits == 32 and SINGLE_DIGITS <= digits <= EXACT_DIGITS:
        for layout in (SINGLE, *((UNITY,) if engine == XORSHIFT128 else ())):
            exact = _fraction(layout)
            yield replace(exact, alike=(replace(exact, show=partial(_shortest, layout=layout)),))
    if digits >= EXACT_DIGITS:
        yield from (_fraction(layout) for _, group in _alike(engine) for layout, _ in group)


def _fraction_layouts(engine: Engine) -> tuple[Layout, ...]:
    """Layouts of fractions with different highest bits."""
    if engine.bits == 32:
        return (PYTHON, top(32, 32), TORCH, TORCH_DOUBLE, *((UNITY,) if engine == XORSHIFT128 else ()))
    return (top(64, 53), low(52), low(53)) if engine.bits == 64 else (top(engine.bits, engine.bits),)


def _alike(engine: Engine) -> tuple[tuple[Layout, tuple[tuple[Layout, int], ...]], ...]:
    """Layouts with the highest bits of one of `_fraction_layouts`, in words so much further on."""
    if engine.bits == 32:
        return (PYTHON, ((CPP, -1),)), (top(32, 32), ((PHP, 0), (LARGEST, 0)))
    return ((top(64, 53), ((top(64, 64), 0), (top(64, 52), 0))),) if engine.bits == 64 else ()


def _shortest(x: int, layout: Layout) -> float:
    """A fraction in single precision, written with the fewest digits that tell it from its neighbours."""
    return float(str(np.float32(layout.fraction(x))))


def _fraction(layout: Layout, shift: int = 0) -> Reading:
    return Reading(layout, layout.about, layout.fraction, partial(_prefixes, layout=layout), shift)


def _of_range(engine: Engine, n: int) -> Iterator[Reading]:
    """⌊N u⌋ of fractions u, and words modulo N, of which the lowest bits are known if N is even."""
    w = engine.bits
    fractions = [top(w, w), PYTHON] if w == 32 else [top(w, w)]
    for layout in fractions:
        yield _floor(layout, n)
    shared = (n & -n).bit_length() - 1
    if shared:
        layout = top(w, w)
        yield Reading(layout, f"a {w}-bit word modulo {n}", lambda x: x % n, partial(_all_bits, mask=(1 << shared) - 1))
    if w == 64:
        yield _floor(low(52), n)


def _floor(layout: Layout, n: int) -> Reading:
    about = f"{n} u rounded down, u from {layout.about}"
    alike = (_floor(PHP, n),) if layout == top(32, 32) else ()
    known = partial(_prefixes, layout=layout)
    return Reading(layout, about, lambda x: (x * n) >> layout.size, known, alike=alike)


def _prefixes(stream: Stream, layout: Layout) -> list[Known]:
    """What all X of fractions within the rounding error have in common, from the top bit down: the bits in which the
    least and the greatest one agree; and below them, the least one may go on with 0111…, the greatest one with 1000….
    """
    everything, known = (1 << layout.size) - 1, []
    bounds = stream.state_bounds(layout.parts) or []
    for value, (low, high) in zip(stream.values.tolist(), bounds, strict=True):
        if layout.single and high <= low and layout.parts < 2**24:
            low = high = round(value * layout.parts)
        elif layout.single:
            low, high = max(0, low - (low >> 24) - 1), min(everything, high + (high >> 24) + 1)
        unknown = (low ^ high).bit_length()
        below = (1 << max(0, unknown - 1)) - 1
        run = unknown - 1 - max((~low & below).bit_length(), (high & below).bit_length()) if unknown else 0
        known.append(Known(everything >> unknown << unknown, low >> unknown << unknown, unknown - 1, run))
    return known
