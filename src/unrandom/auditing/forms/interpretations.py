"""What may a generator have made, given the numbers that a program printed? The plausible interpretations, as streams:
words, numbers in a range, fractions, the characters of tokens; with an offset, a scale, a sign, another order of bytes
or bits.

A user may know some of this (`Assumed`), and then nothing is inferred. Otherwise every interpretation is tried; those
that are rare are marked as not likely.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from math import gcd

import numpy as np

from unrandom.auditing.forms import layers
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.cycles import MOST_OUTPUTS, in_turn, skipping, with_gaps
from unrandom.auditing.forms.decimals import of_decimals
from unrandom.auditing.forms.ranges import MARGIN, MAX_RANGES, whole_ranges
from unrandom.auditing.forms.stream import WIDTHS, Form, Stream
from unrandom.auditing.reading.alphabets import ALPHANUMERIC, spelled
from unrandom.auditing.reading.numerals import Base64Bytes, Positional, Whole
from unrandom.auditing.reading.options import LARGEST, MAX_BITS, described
from unrandom.auditing.reading.parsing import Numbers, only_first
from unrandom.auditing.reading.tokens import MAX_NUMBERS
from unrandom.core.deadline import NO_LIMIT, Deadline
from unrandom.core.errors import UserError

CALLS = {30: (15,), 45: (15,), 60: (15,), 62: (31,), 93: (31,), 48: (24, 16)}
"""Bits of the outputs that make a number of this many bits, as rand() << 15 | rand() of two calls with 15 bits."""

ALSO_ONE_WORD = 48  # a width that is as often one word
MANY_DRAWS, FEW_ORDERS = 1000, 2
"""Of fewer draws from an alphabet, slow families try so many of its common orders only."""

MOST_WIDE_BITS = 64 * MAX_NUMBERS  # bits of whole numbers, at most, so that many wide ones are not divided into words
MAX_DRAWS = 1_000_000  # digits of numbers that are taken for draws, at most
MAX_BOUND_BITS = 53  # ranges that programs draw from have at most this many bits


def interpretations(numbers: Numbers, assumed: Assumed, deadline: Deadline = NO_LIMIT) -> list[Stream]:
    """The streams that the numbers may be, the most plausible first; after the deadline no more are added to the first
    one. If they are of the first numbers only, because these have many bits or many outputs are missing between them, a
    note is added. UserError if there are no numbers, if they contradict what is assumed, or if they are too large.
    """
    if not numbers:
        raise UserError("the input holds no numbers")
    widest = max(map(int.bit_length, numbers.whole), default=0)
    if widest > MAX_BITS:
        raise UserError(f"the input has a number of more than {MAX_BITS:,} bits, the maximum")
    if max(map(abs, numbers.decimals), default=0.0) > LARGEST:
        raise UserError(f"the input has a number with decimals beyond {LARGEST:g}, the maximum")
    if len(numbers) * widest > MOST_WIDE_BITS:
        numbers.whole, numbers.others = numbers.whole[: MOST_WIDE_BITS // widest], ()
        numbers.notes.append(only_first(len(numbers)))
    if numbers.deck:
        if (assumed.bits, assumed.bounded, assumed.start, assumed.scale) != (None, None, None, None):
            raise UserError(
                f"every line is a shuffle of {numbers.deck} cards, to which no range applies: leave out --bits, "
                "--bounded, --from and --scale, or put each number on a line of its own"
            )
        if assumed.pattern is not None:
            raise UserError(f"every line is a shuffle of {numbers.deck} cards, between which --pattern says nothing")
        streams = _of_shuffles(numbers)
    else:
        streams = _of_reading(numbers, assumed)
    modulus, multiplier, increment = assumed.modulus, assumed.multiplier, assumed.increment
    stated = assumed.bounded is not None or assumed.bits is not None
    found = list[Stream]()
    for one in streams:
        one = replace(one, modulus=modulus, multiplier=multiplier, increment=increment, stated=one.stated or stated)
        found.append(one if assumed.pattern is None else with_gaps(one, assumed.pattern))
        if deadline.left < 0:
            break
    if assumed.pattern is not None and not any(map(len, found)):
        raise UserError(f"--pattern has cycles of {sum(assumed.pattern)} numbers, but there are only {len(numbers)}")
    if assumed.pattern is not None and len(found[0]) + len(assumed.pattern) > MOST_OUTPUTS:
        numbers.notes.append(only_first(len(found[0]) * found[0].form.outer // found[0].form.inner))
    return found if assumed.pattern is not None or numbers.deck else [*found, *skipping(found)]


def _of_reading(numbers: Numbers, assumed: Assumed) -> Iterator[Stream]:
    """The streams of the numbers, then those of other readings of the same input."""
    unknown = (assumed.bits, assumed.bounded, assumed.start, assumed.scale) == (None, None, None, None)
    drawn = [one for one in (numbers, *numbers.others) if one.drawn]
    stated = [one for one in drawn if len(_letters(one)) == assumed.bounded]
    if stated and (assumed.bits, assumed.start, assumed.scale) == (None, None, None):
        yield from map(_draws, stated)  # the range of each character, and not of the whole token
        return
    classes = any(_letters(one) in ALPHANUMERIC for one in drawn)
    usual = [one for one in drawn if not classes or _letters(one) in ALPHANUMERIC]
    if sum(map(len, usual[:1])) * _length(usual) < MANY_DRAWS:
        usual = usual[:FEW_ORDERS]
    draws = (replace(_draws(one), likely=any(one is other for other in usual)) for one in drawn)
    if numbers.drawn and unknown:
        yield from draws
        return
    yield from of_decimals(numbers, assumed) if numbers.kind == "decimal" else _of_whole(numbers, assumed)
    if unknown:
        yield from draws
        for other in numbers.others:
            yield from of_decimals(other, assumed) if other.kind == "decimal" else ()


def _length(readings: Sequence[Numbers]) -> int:
    """The characters of a token."""
    numerals = (one.numeral for one in readings)
    return next((numeral.width for numeral in numerals if isinstance(numeral, Positional)), 1)


def _letters(numbers: Numbers) -> str:
    """The alphabet of tokens."""
    assert isinstance(numbers.numeral, Positional)
    return numbers.numeral.alphabet


def _draws(numbers: Numbers) -> Stream:
    """The characters of tokens, each drawn from an alphabet."""
    numeral, alphabet = numbers.numeral, _letters(numbers)
    assert isinstance(numeral, Positional)
    return _of_digits(
        numbers.whole, Form("whole", numeral), layers.Digits(len(alphabet), numeral.width, spelled(alphabet))
    )


def _of_digits(whole: list[int], form: Form, layer: layers.Digits, *, likely: bool = True) -> Stream:
    draws = whole if layer.count == 1 else [draw for number in whole for draw in layer.draws(number)]
    bits = max(1, (layer.base - 1).bit_length())
    return Stream(_array(draws, bits), form.within(layer), bits, bounded=layer.base, likely=likely, stated=True)


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
        yield from _above_power(whole, form)
        yield from _uuids(words)
        for one in _rearranged(words):
            yield replace(one, likely=one.likely and not _has_no_words(words))
        yield from in_turn(whole, form)
        yield from _multiples(whole, form)
        yield from _figures(whole, form)
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


def _above_power(whole: list[int], form: Form) -> Iterator[Stream]:
    """Words to which a power of two was added, so that all have equally many digits."""
    least, greatest = min(whole), max(whole)
    margin = MARGIN * (greatest - least) // len(whole)
    for bits in WIDTHS:
        start = 1 << max(least.bit_length() - 1, 0)
        near = start <= least <= start + margin and greatest < start + (1 << bits) <= greatest + margin + 1
        if near and greatest >> bits and len(whole) >= MARGIN:
            above = [x - start for x in whole]
            likely = 4 * start >= 1 << bits
            yield Stream(_array(above, bits), form.within(layers.Affine(start, 1)), bits, likely=likely)


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
    width = _printed_bits(words) or width
    for size in (32, 64):
        for low_first in (True, False):
            if width and width > size and width % size == 0:
                divided = _divided(words, width, size, low_first, likely=width > 64)
                yield divided
                if size == 32:
                    yield replace(divided, bounded=1 << size, reordered=True)
            if width and width < size and size % width == 0 and len(numbers) > size // width:
                count = size // width
                joined = [
                    layers.join(numbers[i : i + count], width, low_first)
                    for i in range(0, len(numbers) // count * count, count)
                ]
                yield _over(words, joined, size, layers.Joined(width, count, low_first), likely=False)
    octets = _octets(words)
    if octets is not None:
        yield octets
        yield replace(octets, bounded=1 << 8, reordered=True)
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
        words = Stream(_array([x >> padding for x in numbers], bits - padding), form, bits - padding)
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


def _figures(whole: list[int], form: Form) -> Iterator[Stream]:
    """The digits of hexadecimal or decimal numbers of one width, as so many draws."""
    numeral = form.numeral
    if isinstance(numeral, Positional) and len(numeral.alphabet) == 16 and numeral.name != "UUID":
        layer = layers.Digits(16, numeral.digits, spelled(numeral.alphabet))
    elif isinstance(numeral, Whole) and numeral.width:
        layer = layers.Digits(10, numeral.width, "0-9")
    else:
        return
    if layer.count > 1 and len(whole) * layer.count <= MAX_DRAWS:
        yield _of_digits(whole, form, layer, likely=False)


def _has_no_words(numbers: Stream) -> bool:
    """Whether numbers are no words of bits, but letters and digits, or UUIDs some of whose bits are fixed."""
    numeral = numbers.form.numeral
    return isinstance(numeral, Positional) and (numeral.alphabet in ALPHANUMERIC or _is_version_4(numbers))


def _is_version_4(numbers: Stream) -> bool:
    numeral, values = numbers.form.numeral, numbers.values.tolist()
    return isinstance(numeral, Positional) and numeral.name == "UUID" and layers.VERSION_4.restore(values) == values


def _uuids(words: Stream) -> Iterator[Stream]:
    """UUIDs of version 4 as programs make them: Python's of one number of 128 bits, four words with the lowest first,
    of which two are not known whole; and those of JavaScript's template, of 31 draws.
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
    yield Stream(_array(draws, 4), words.form.within(template), 4, bounded=16, known=known)


def _divided(words: Stream, bits: int, size: int, low_first: bool, *, likely: bool) -> Stream:
    """The words of `size` bits of which words of this many bits consist."""
    count = bits // size
    pieces = [piece for x in words.values.tolist() for piece in layers.split(x, size, count, low_first)]
    return _over(words, pieces, size, layers.Divided(size, count, low_first), likely=likely)


def _over(stream: Stream, numbers: list[int], bits: int, layer: layers.Layer, *, likely: bool) -> Stream:
    return Stream(_array(numbers, bits), stream.form.within(layer), bits, likely=likely)
