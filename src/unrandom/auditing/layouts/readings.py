"""Tells which bits of a generator's words a stream shows: a reading for each layout that programs may have used has the
known bits of the integer X behind each output.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from unrandom.auditing.forms.layers import Number, Quantile
from unrandom.auditing.forms.shown import Cycle, Fractions, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.layouts import layout as layouts
from unrandom.auditing.layouts.linear_engines import XORSHIFT128, LinearEngine

EXACT_DIGITS = 9  # fewer do not show the lower part of two words, nor whether a divisor is 2**32 or 2**32 − 1
SINGLE_DIGITS = 7  # fewest digits that show how a fraction was rounded to single precision


class Known(NamedTuple):
    """What an output tells of its X: the bits in `mask` are bits of x, and each of the `run` bits below bit `top` is
    the opposite of bit `top`.
    """

    mask: int
    x: int
    top: int = 0
    run: int = 0


@dataclass(frozen=True)
class Reading:
    """A layout of the outputs of a stream, how X becomes a number of the stream, and what each output tells of X.

    `alike` are readings indistinguishable from this one at the printed precision; their words begin `shift` words
    later.
    """

    layout: layouts.Layout
    about: str
    show: Callable[[int], Number]
    known: Callable[[Stream], list[Known]]
    shift: int = 0
    alike: tuple["Reading", ...] = ()


def readings(engine: LinearEngine, stream: Stream) -> Iterator[Reading]:
    """All readings of a stream as outputs of an engine, the most plausible ones first."""
    match stream.shown:
        case Range(size):
            yield from _of_range(engine, size)
        case Fractions():
            yield from _of_fractions(engine, stream)
        case Words(bits) | Cycle(bits=bits):
            for layout in _integer_layouts(engine, bits):
                yield Reading(layout, layout.about, int, partial(_all_bits, mask=(1 << bits) - 1))


def _all_bits(stream: Stream, mask: int) -> list[Known]:
    known = [True] * len(stream) if stream.known is None else stream.known.tolist()
    return [Known(mask * shown, x & mask) for x, shown in zip(stream.values.tolist(), known, strict=True)]


def _integer_layouts(engine: LinearEngine, bits: int) -> Iterator[layouts.Layout]:
    w = engine.bits
    if bits <= w:
        yield layouts.top_bits(w, bits)
        if bits < w:
            yield layouts.lowest_bits(bits)
        if bits in (8, 16):
            about = f"words cut into {bits} bits, the lowest ones first"
            yield replace(layouts.lowest_bits(bits), share=w // bits, about=about)
        if bits < w == 32:
            yield layouts.of_r(bits)
        for words in (2, 3, 4) if w == 32 else (2,):
            yield layouts.top_bits(w, bits).every(words)
    elif w == 32 and bits <= 64:
        yield layouts.low_word_first(bits)
        if bits == 53:
            yield layouts.PYTHON
        yield layouts.high_word_first(bits)


def _of_fractions(engine: LinearEngine, stream: Stream) -> Iterator[Reading]:
    """Exact fractions show all bits of layouts with their divisor. Rounded ones with few digits do not tell layouts
    with the same highest bits apart.
    """
    if not stream.rounded:
        divisors = {scale.divisor for scale in stream.scales}
        possible = (*_fraction_layouts(engine), *(layout for _, group in _alike(engine) for layout, _ in group))
        yield from (_fraction(layout) for layout in possible if layout.parts in divisors)
        return
    if engine.bits == 32 and Quantile() in stream.form.layers:
        yield _fraction(layouts.R_NORMAL)
    digits = stream.form.digits or 0
    for layout in _fraction_layouts(engine):
        group = next((group for first, group in _alike(engine) if first == layout), ())
        if digits < EXACT_DIGITS:
            yield replace(_fraction(layout), alike=tuple(_fraction(other, shift) for other, shift in group))
        else:
            yield _fraction(layout)
    if engine.bits == 32 and SINGLE_DIGITS <= digits <= EXACT_DIGITS:
        for layout in (layouts.SINGLE, *((layouts.UNITY,) if engine == XORSHIFT128 else ())):
            exact = _fraction(layout)
            yield replace(exact, alike=(replace(exact, show=partial(_shortest, layout=layout)),))
    if digits >= EXACT_DIGITS:
        yield from (_fraction(layout) for _, group in _alike(engine) for layout, _ in group)


def _fraction_layouts(engine: LinearEngine) -> tuple[layouts.Layout, ...]:
    """Layouts of fractions with different highest bits."""
    if engine.bits == 32:
        return (
            layouts.PYTHON,
            layouts.top_bits(32, 32),
            layouts.TORCH,
            layouts.TORCH_DOUBLE,
            *((layouts.UNITY,) if engine == XORSHIFT128 else ()),
        )
    if engine.bits == 64:
        return layouts.top_bits(64, 53), layouts.lowest_bits(52), layouts.lowest_bits(53)
    return (layouts.top_bits(engine.bits, engine.bits),)


def _alike(engine: LinearEngine) -> tuple[tuple[layouts.Layout, tuple[tuple[layouts.Layout, int], ...]], ...]:
    """Layouts of `_fraction_layouts`, each with those that have the same highest bits, and how many words later."""
    if engine.bits == 32:
        return (
            (layouts.PYTHON, ((layouts.CPP, -1),)),
            (layouts.top_bits(32, 32), ((layouts.PHP, 0), (layouts.LARGEST, 0))),
        )
    if engine.bits == 64:
        return ((layouts.top_bits(64, 53), ((layouts.top_bits(64, 64), 0), (layouts.top_bits(64, 52), 0))),)
    return ()


def _shortest(x: int, layout: layouts.Layout) -> float:
    """A fraction in single precision, written with the fewest digits that tell it from its neighbours."""
    return float(str(np.float32(layout.fraction(x))))


def _fraction(layout: layouts.Layout, shift: int = 0) -> Reading:
    return Reading(layout, layout.about, layout.fraction, partial(_prefixes, layout=layout), shift)


def _of_range(engine: LinearEngine, n: int) -> Iterator[Reading]:
    """⌊N u⌋ of fractions u, and words modulo N, of which the lowest bits are known if N is even."""
    w = engine.bits
    fractions = [layouts.top_bits(w, w), layouts.PYTHON] if w == 32 else [layouts.top_bits(w, w)]
    for layout in fractions:
        yield _floor(layout, n)
    shared = (n & -n).bit_length() - 1
    if shared:
        layout = layouts.top_bits(w, w)
        yield Reading(layout, f"a {w}-bit word modulo {n}", lambda x: x % n, partial(_all_bits, mask=(1 << shared) - 1))
    if w == 64:
        yield _floor(layouts.lowest_bits(52), n)


def _floor(layout: layouts.Layout, n: int) -> Reading:
    about = f"{n} u rounded down, u from {layout.about}"
    alike = (_floor(layouts.PHP, n),) if layout == layouts.top_bits(32, 32) else ()
    known = partial(_prefixes, layout=layout)
    return Reading(layout, about, lambda x: (x * n) >> layout.size, known, alike=alike)


def _prefixes(stream: Stream, layout: layouts.Layout) -> list[Known]:
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
