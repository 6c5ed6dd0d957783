"""Lists what a generator may have made, given the numbers that a program printed, as streams: words, numbers in a
range, fractions, the characters of tokens; with an offset, a scale, a sign, another order of bytes or bits.

A user may know some of this (`Assumed`), and then nothing is inferred. Otherwise every interpretation is tried; those
that are rare are marked as not likely.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import chain
from math import gcd

from unrandom.auditing.deadline import NO_LIMIT, Deadline
from unrandom.auditing.forms import layers
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.characters import length, letters, of_characters, of_figures, of_shuffles
from unrandom.auditing.forms.cycles import MOST_OUTPUTS, in_turn, skipping, with_gaps
from unrandom.auditing.forms.decimals import of_decimals
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.ranges import MARGIN, MAX_RANGES, whole_ranges
from unrandom.auditing.forms.shown import Range, Words
from unrandom.auditing.forms.stream import WIDTHS, Stream, array_of
from unrandom.auditing.forms.words import has_no_words, of_uuids, rearranged
from unrandom.auditing.reading.alphabets import ALPHANUMERIC
from unrandom.auditing.reading.options import LARGEST, MAX_BITS, described
from unrandom.auditing.reading.parsing import Numbers, only_first
from unrandom.auditing.reading.tokens import MAX_NUMBERS
from unrandom.core.errors import UserError

MANY_DRAWS, FEW_ORDERS = 1000, 2
"""Of fewer than MANY_DRAWS from an alphabet, slow families try only FEW_ORDERS of its common orders."""

MOST_WIDE_BITS = 64 * MAX_NUMBERS  # bits of whole numbers, at most, so that many wide ones are not divided into words
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
        streams = of_shuffles(numbers)
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
    """The streams of the numbers, then of other readings of the same input."""
    unknown = (assumed.bits, assumed.bounded, assumed.start, assumed.scale) == (None, None, None, None)
    drawn = [one for one in (numbers, *numbers.others) if one.drawn]
    stated = [one for one in drawn if len(letters(one)) == assumed.bounded]
    if stated and (assumed.bits, assumed.start, assumed.scale) == (None, None, None):
        yield from map(of_characters, stated)  # the range of each character, and not of the whole token
        return
    classes = any(letters(one) in ALPHANUMERIC for one in drawn)
    usual = [one for one in drawn if not classes or letters(one) in ALPHANUMERIC]
    if sum(map(len, usual[:1])) * length(usual) < MANY_DRAWS:
        usual = usual[:FEW_ORDERS]
    draws = (replace(of_characters(one), likely=any(one is other for other in usual)) for one in drawn)
    if numbers.drawn and unknown:
        yield from draws
        return
    yield from of_decimals(numbers, assumed) if numbers.kind == "decimal" else _of_whole(numbers, assumed)
    if unknown:
        yield from draws
        for other in numbers.others:
            yield from of_decimals(other, assumed) if other.kind == "decimal" else ()


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
        yield from of_uuids(words)
        for one in rearranged(words):
            yield replace(one, likely=one.likely and not has_no_words(words))
        yield from in_turn(whole, form)
        yield from _multiples(whole, form)
        yield from of_figures(whole, form)
        return
    streams = chain(_signed(whole, form), _signed_octets(whole, form), _bounded(whole, form), _multiples(whole, form))
    first = next(streams, None)
    if first is None:
        raise UserError(
            f"{described(least)} is below 0, and {described(greatest)} is above: together they do not fit into 64 "
            "bits; --from says with which number a range begins"
        )
    yield first
    yield from streams


def _assumed(whole: list[int], form: Form, assumed: Assumed) -> Stream:
    """The one stream in the range or width that the user gave."""
    for name, limit in (("--bounded", assumed.bounded), ("--bits", assumed.bits and 1 << assumed.bits)):
        if limit is not None and not 0 <= min(whole) <= max(whole) < limit:
            wrong = next(x for x in whole if not 0 <= x < limit)
            hint = "; --from says with which number a range begins" if name == "--bounded" else ""
            raise UserError(f"{described(wrong)} is out of range: {name} allows 0 to {described(limit - 1)}{hint}")
    greatest = max(whole) if assumed.bounded is None else assumed.bounded - 1
    bits = max(1, greatest.bit_length(), assumed.bits or 1)
    words = _words(whole, form, assumed, bits)
    return words if assumed.bounded is None else words.reduced(assumed.bounded)


def _words(whole: list[int], form: Form, assumed: Assumed, bits: int) -> Stream:
    if assumed.modulus is not None and max(whole) >= assumed.modulus:
        raise UserError(
            f"{described(max(whole))} is out of range: --modulus allows 0 to {described(assumed.modulus - 1)}"
        )
    return Stream(array_of(whole, bits), form, Words(bits))


def _signed(whole: list[int], form: Form) -> Iterator[Stream]:
    """Two's complement of 32 or 64 bits, whichever is needed."""
    for bits in (32, 64):
        if min(whole) >= -(1 << (bits - 1)) and max(whole) < 1 << (bits - 1):
            yield Stream(
                array_of([x % (1 << bits) for x in whole], bits), form.within(layers.Signed(bits)), Words(bits)
            )
            return


def _signed_octets(whole: list[int], form: Form) -> Iterator[Stream]:
    """Two's complement of bytes, as Java prints them, if the numbers need all 8 bits; and the words of these bytes."""
    if -128 <= min(whole) < -64 and 64 <= max(whole) < 128:
        octets = Stream(array_of([x % 256 for x in whole], 8), form.within(layers.Signed(8)), Words(8))
        yield octets
        yield from rearranged(octets)


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
                array_of(values, bits),
                inner,
                Range(size, bits),
                likely=i == 0,
                reordered=(start, size) == (0, 1 << width),
            )
            if size == 2:
                flipped = [1 - x for x in values]
                inverse = inner.within(layers.Affine(1, -1))
                yield Stream(array_of(flipped, 1), inverse, Range(2, 1), likely=False, reordered=True)


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
            yield Stream(array_of(above, bits), form.within(layers.Affine(start, 1)), Words(bits), likely=likely)


def _multiples(whole: list[int], form: Form) -> Iterator[Stream]:
    """Multiples of a number, as of 10 · ⌊100 u⌋."""
    least = min(whole)
    factor = reduce(gcd, (x - least for x in whole), 0)
    if factor > 1 and len(set(whole)) > 2:
        start = least % factor if least > 0 else least
        smaller = [(x - start) // factor for x in whole]
        form = form.within(layers.Affine(start, factor))
        bits = max(1, max(smaller).bit_length())
        yield Stream(array_of(smaller, bits), form, Words(bits), likely=False)
        yield from (replace(stream, likely=False) for stream in _bounded(smaller, form))
