"""What may a generator have made, given the numbers that a program printed? The plausible interpretations, as streams:
words, numbers in a range, fractions; with an offset, a scale, a sign, another order of bytes or bits.

A user may know some of this (`Assumed`), and then nothing is inferred. Otherwise every interpretation is tried; those
that are rare are marked as not likely.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import chain
from math import gcd

import numpy as np

from unrandom.auditing.forms import layers
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.decimals import of_decimals
from unrandom.auditing.forms.ranges import MAX_RANGES, whole_ranges
from unrandom.auditing.forms.stream import Form, Stream
from unrandom.auditing.reading.options import LARGEST, MAX_BITS, described
from unrandom.auditing.reading.parsing import Numbers
from unrandom.core.deadline import NO_LIMIT, Deadline
from unrandom.core.errors import UserError

WIDTHS = (8, 15, 16, 24, 30, 31, 32, 48, 53, 63, 64)
"""Bits of the words that programs print. Numbers that fill such a word are not read as numbers below a bound."""

CALLS = {30: (15,), 45: (15,), 60: (15,), 62: (31,), 93: (31,), 48: (24, 16)}
"""Bits of the outputs that make a number of this many bits, as rand() << 15 | rand() of two calls with 15 bits."""

ALSO_ONE_WORD = 48  # a width that is as often one word
MAX_BOUND_BITS = 53  # ranges that programs draw from have at most this many bits


def interpretations(numbers: Numbers, assumed: Assumed, deadline: Deadline = NO_LIMIT) -> list[Stream]:
    """The streams that the numbers may be, the most plausible first; after the deadline no more are added to the first
    one. UserError if there are no numbers, if they contradict what is assumed, or if they are too large.
    """
    if not numbers:
        raise UserError("the input holds no numbers")
    if any(x.bit_length() > MAX_BITS for x in numbers.whole):
        raise UserError(f"the input has a number of more than {MAX_BITS:,} bits, the maximum")
    if max(map(abs, numbers.decimals), default=0.0) > LARGEST:
        raise UserError(f"the input has a number with decimals beyond {LARGEST:g}, the maximum")
    if numbers.deck:
        if (assumed.bits, assumed.bounded, assumed.start, assumed.scale) != (None, None, None, None):
            raise UserError(
                f"every line is a shuffle of {numbers.deck} cards, to which no range applies: leave out --bits, "
                "--bounded, --from and --scale, or put each number on a line of its own"
            )
        streams = _of_shuffles(numbers)
    else:
        streams = of_decimals(numbers, assumed) if numbers.kind == "decimal" else _of_whole(numbers, assumed)
    modulus, multiplier, increment = assumed.modulus, assumed.multiplier, assumed.increment
    found = list[Stream]()
    for one in streams:
        found.append(replace(one, modulus=modulus, multiplier=multiplier, increment=increment))
        if deadline.left < 0:
            break
    return found


def _of_whole(numbers: Numbers, assumed: Assumed) -> Iterator[Stream]:
    whole, form = numbers.whole, Form("whole", numbers.numeral)
    if assumed.start is not None or assumed.scale is not None:
        offset, scale = assumed.offset_and_scale
        if offset % 1 or scale % 1:
            raise UserError("--from and --scale must be whole, as the numbers are")
        offset, scale = int(offset), int(scale)
        wrong = next((x for x in whole if (x - offset) % scale or x < offset), None)
        if wrong is not None:
            raise UserError(
                f"{described(wrong)} is not --from {described(offset)} plus a multiple of --scale {described(scale)}"
            )
        whole, form = [(x - offset) // scale for x in whole], form.within(layers.Affine(offset, scale))
    if assumed.bounded is not None or assumed.bits is not None:
        yield _assumed(whole, form, assumed)
        return
    least, greatest = min(whole), max(whole)
    if least >= 0:
        words = _words(whole, form, assumed, max(1, greatest.bit_length()))
        yield words
        yield from _bounded(whole, form)
        yield from _rearranged(words)
        yield from _multiples(whole, form)
        return
    streams = chain(_signed(whole, form), _bounded(whole, form), _multiples(whole, form))
    first = next(streams, None)
    if first is None:
        raise UserError(
            f"{described(least)} is below 0, and {described(greatest)} is above: together they do not fit into 64 "
            "bits; --from says with which number a range begins"
        )
    yield first
    yield from streams


def _of_shuffles(numbers: Numbers) -> Iterator[Stream]:
    """The draws behind shuffles of a deck, in both directions."""
    cards, form = numbers.deck, Form("whole", numbers.numeral)
    for from_end in (True, False):
        shuffle = layers.Shuffled(cards, from_end)
        lines = (numbers.whole[i : i + cards] for i in range(0, len(numbers.whole), cards))
        draws = [draw for line in lines for draw in shuffle.draws(line)]
        yield Stream(_array(draws, 64), form.within(shuffle), (cards - 1).bit_length(), cycle=shuffle.ranges)


def _assumed(whole: list[int], form: Form, assumed: Assumed) -> Stream:
    """The one stream in the range or width that the user gave."""
    for name, limit in (("--bounded", assumed.bounded), ("--bits", assumed.bits and 1 << assumed.bits)):
        if limit is not None and not 0 <= min(whole) <= max(whole) < limit:
            wrong = next(x for x in whole if not 0 <= x < limit)
            hint = "; --from says with which number a range begins" if name == "--bounded" else ""
            raise UserError(f"{described(wrong)} is out of range: {name} allows 0 to {described(limit - 1)}{hint}")
    greatest = max(whole) if assumed.bounded is None else assumed.bounded - 1
    bits = max(1, greatest.bit_length(), assumed.bits or 1)
    return replace(_words(whole, form, assumed, bits), bounded=assumed.bounded)


def _words(whole: list[int], form: Form, assumed: Assumed, bits: int) -> Stream:
    if assumed.modulus is not None and max(whole) >= assumed.modulus:
        raise UserError(
            f"{described(max(whole))} is out of range: --modulus allows 0 to {described(assumed.modulus - 1)}"
        )
    return Stream(_array(whole, bits), form, bits)


def _array(whole: list[int], bits: int) -> np.ndarray:
    return np.array(whole, dtype=np.uint64 if bits <= 64 else object)


def _signed(whole: list[int], form: Form) -> Iterator[Stream]:
    """Two's complement of 32 or 64 bits, whichever is needed."""
    for bits in (32, 64):
        if min(whole) >= -(1 << (bits - 1)) and max(whole) < 1 << (bits - 1):
            yield Stream(_array([x % (1 << bits) for x in whole], bits), form.within(layers.Signed(bits)), bits)
            return


def _bounded(whole: list[int], form: Form) -> Iterator[Stream]:
    """Numbers drawn from a range, from 0 or another number on."""
    ranges = whole_ranges(min(whole), max(whole), len(whole))
    width = max(whole).bit_length()
    if width in WIDTHS and (0, 1 << width) in ranges:
        ranges = [(0, 1 << width), *(one for one in ranges if len(str(one[1]).rstrip("0")) == 1)]
    for i, (start, size) in enumerate(ranges[:MAX_RANGES]):
        if 2 <= size <= 1 << MAX_BOUND_BITS:
            values = [x - start for x in whole]
            inner = form.within(layers.Affine(start, 1)) if start else form
            bits = (size - 1).bit_length()
            yield Stream(
                _array(values, bits),
                inner,
                bits,
                bounded=size,
                likely=i == 0,
                reordered=(start, size) == (0, 1 << width),
            )
            if size == 2:
                flipped = [1 - x for x in values]
                inverse = inner.within(layers.Affine(1, -1))
                yield Stream(_array(flipped, 1), inverse, 1, bounded=2, likely=False, reordered=True)


def _multiples(whole: list[int], form: Form) -> Iterator[Stream]:
    """Multiples of a number, as of 10 · ⌊100 u⌋."""
    least = min(whole)
    factor = reduce(gcd, (x - least for x in whole), 0)
    if factor > 1 and len(set(whole)) > 2:
        start = least % factor if least > 0 else least
        smaller = [(x - start) // factor for x in whole]
        form = form.within(layers.Affine(start, factor))
        bits = max(1, max(smaller).bit_length())
        yield Stream(_array(smaller, bits), form, bits, likely=False)
        yield from (replace(stream, likely=False) for stream in _bounded(smaller, form))


def _rearranged(words: Stream) -> Iterator[Stream]:
    """Words in other orders of bytes, divided into words of several calls, joined to words of 32 or 64 bits, and with
    bits reversed.
    """
    numbers, bits = words.values.tolist(), words.bits
    for size in CALLS.get(bits, ()):
        for low_first in (False, True):
            yield _divided(words, bits, size, low_first, likely=bits != ALSO_ONE_WORD)
    width = next((width for width in (8, 16, 32, 64, 96, 128, 160, 192, 256, 512) if 0 <= width - bits < 4), None)
    for size in (32, 64):
        for low_first in (True, False):
            if width and width > size and width % size == 0:
                yield _divided(words, width, size, low_first, likely=width > 64)
            if width and width < size and size % width == 0 and len(numbers) > size // width:
                count = size // width
                joined = [
                    layers.join(numbers[i : i + count], width, low_first)
                    for i in range(0, len(numbers) // count * count, count)
                ]
                yield _over(words, joined, size, layers.Joined(width, count, low_first), likely=False)
    if width and 8 < width <= 64:
        swapped = [layers.reverse(x, width, 8) for x in numbers]
        yield _over(words, swapped, width, layers.Reversed(width, 8), likely=False)
    if 1 < bits <= 64:
        turned = [layers.reverse(x, bits, 1) for x in numbers]
        yield replace(_over(words, turned, bits, layers.Reversed(bits, 1), likely=False), reordered=True)


def _divided(words: Stream, bits: int, size: int, low_first: bool, *, likely: bool) -> Stream:
    """The words of `size` bits of which words of this many bits consist."""
    count = bits // size
    pieces = [piece for x in words.values.tolist() for piece in layers.split(x, size, count, low_first)]
    return _over(words, pieces, size, layers.Divided(size, count, low_first), likely=likely)


def _over(stream: Stream, numbers: list[int], bits: int, layer: layers.Layer, *, likely: bool) -> Stream:
    return Stream(_array(numbers, bits), stream.form.within(layer), bits, likely=likely)
