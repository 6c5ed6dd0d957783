"""The words that a number may consist of, or be a part of: words in other orders of bytes or bits, words of several
calls in one number, numbers that are pieces of one word, and the words of UUIDs.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unrandom.auditing.forms import layers
from unrandom.auditing.forms.shown import Range, Words
from unrandom.auditing.forms.stream import WIDTHS, Stream, array_of
from unrandom.auditing.reading.alphabets import ALPHANUMERIC
from unrandom.auditing.reading.numerals import Base64Bytes, Positional

CALLS = {30: (15,), 45: (15,), 60: (15,), 62: (31,), 93: (31,), 48: (24, 16)}
"""Bits of the outputs that make a number of this many bits, as rand() << 15 | rand() of two calls with 15 bits."""

ALSO_ONE_WORD = 48  # a width that is as often one word


def rearranged(words: Stream) -> Iterator[Stream]:
    """Words in other orders of bytes, divided into words of several calls, joined to words of 32 or 64 bits, and with
    bits reversed.
    """
    numbers, bits = words.values.tolist(), words.bits
    for size in CALLS.get(bits, ()):
        for low_first in (False, True):
            yield _divided(words, bits, size, low_first, likely=bits != ALSO_ONE_WORD)
    width = next((width for width in (8, 16, 32, 64, 96, 128, 160, 192, 256, 512) if 0 <= width - bits < 4), None)
    width = _printed_bits(words) or width
    for size in (32, 64):
        for low_first in (True, False):
            if width and width > size and width % size == 0:
                divided = _divided(words, width, size, low_first, likely=width > 64)
                yield divided
                if size == 32:
                    yield replace(divided.reduced(1 << size), reordered=True)
            if width and width < size and size % width == 0 and len(numbers) > size // width:
                count = size // width
                joined = [
                    layers.join(numbers[i : i + count], width, low_first)
                    for i in range(0, len(numbers) // count * count, count)
                ]
                yield _over(words, joined, size, layers.Joined(width, count, low_first), likely=False)
    if width and width > 64 and width % 32 == 0 and _printed_bits(words):  # bytes of words, the lowest of each first
        backwards = [layers.reverse(x, width, 8) for x in numbers]
        turned_round = _over(words, backwards, width, layers.Reversed(width, 8), likely=False)
        yield _divided(turned_round, width, 32, True, likely=True)
    octets = _octets(words)
    if octets is not None:
        yield octets
        yield replace(octets.reduced(1 << 8), reordered=True)
    if width and width > 16 and width % 16 == 0 and _printed_bits(words):
        yield _divided(words, width, 16, False, likely=False)
    if width and width in WIDTHS and width > 8:
        swapped = [layers.reverse(x, width, 8) for x in numbers]
        yield _over(words, swapped, width, layers.Reversed(width, 8), likely=False)
    if 1 < bits <= 64:
        turned = [layers.reverse(x, bits, 1) for x in numbers]
        yield replace(_over(words, turned, bits, layers.Reversed(bits, 1), likely=False), reordered=True)


def _octets(words: Stream) -> Stream | None:
    """The bytes of numbers whose digits show how many they have, the highest first; in base 64 with 2 or 4 bits of
    padding, which are 0.
    """
    bits = _printed_bits(words)
    padding, numbers = bits % 8, words.values.tolist()
    if bits <= 8 or padding & 1 or any(x % (1 << padding) for x in numbers):
        return None
    if padding:
        form = words.form.within(layers.Affine(0, 1 << padding))
        words = Stream(array_of([x >> padding for x in numbers], bits - padding), form, Words(bits - padding))
    return _divided(words, bits - padding, 8, False, likely=bits > 64)


def _printed_bits(words: Stream) -> int:
    """Bits of the digits that every number was printed with, if their base is a power of two with whole digits; 0 if
    they differ, or if numbers that start elsewhere than at 0 have more.
    """
    numeral, bits = words.form.numeral, 0
    if isinstance(numeral, Positional) and numeral.name.startswith(("hexadecimal", "UUID", "base64")):
        bits = (6 if numeral.name.startswith("base64") else 4) * numeral.digits
    elif isinstance(numeral, Base64Bytes):
        bits = 8 * numeral.width
    return bits if bits >= words.bits else 0


def of_uuids(words: Stream) -> Iterator[Stream]:
    """UUIDs of version 4 as programs make them: Python's of one number of 128 bits, four words with the lowest first,
    of which two are not known whole; and as JavaScript's template makes them, of 31 draws.
    """
    numbers = words.values.tolist()
    if not _is_version_4(words):
        return
    divided = _divided(replace(words, form=words.form.within(layers.VERSION_4)), 128, 32, True, likely=True)
    yield replace(divided, known=np.array([True, False, False, True] * len(numbers)))
    template = layers.Template()
    digits = layers.Digits(16, template.inner, "")
    draws = [draw for x in numbers for draw in digits.draws(template.drawn(x))]
    known = np.array([place != template.HIDDEN for _ in numbers for place in range(template.inner)])
    yield Stream(array_of(draws, 4), words.form.within(template), Range(16, 4), known=known)


def has_no_words(numbers: Stream) -> bool:
    """Whether numbers are not words of bits, but letters and digits, or UUIDs some of whose bits are fixed."""
    numeral = numbers.form.numeral
    return isinstance(numeral, Positional) and (numeral.alphabet in ALPHANUMERIC or _is_version_4(numbers))


def _is_version_4(numbers: Stream) -> bool:
    numeral, values = numbers.form.numeral, numbers.values.tolist()
    return isinstance(numeral, Positional) and numeral.name == "UUID" and layers.VERSION_4.restore(values) == values


def _divided(words: Stream, bits: int, size: int, low_first: bool, *, likely: bool) -> Stream:
    """The words of `size` bits of which words of this many bits consist."""
    count = bits // size
    pieces = [piece for x in words.values.tolist() for piece in layers.split(x, size, count, low_first)]
    return _over(words, pieces, size, layers.Divided(size, count, low_first), likely=likely)


def _over(stream: Stream, numbers: list[int], bits: int, layer: layers.Layer, *, likely: bool) -> Stream:
    return Stream(array_of(numbers, bits), stream.form.within(layer), Words(bits), likely=likely)
