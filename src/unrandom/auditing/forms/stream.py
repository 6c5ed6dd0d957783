"""What is a stream of outputs, and which integers may lie behind its fractions? Outputs with their number format and
rounding error; fractions are matched with x / divisor for common divisors.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from math import comb, inf, log2, prod
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float64, Shaped

from unrandom.auditing.forms.layers import Layer, Number
from unrandom.auditing.reading.numerals import NoNumeral, Numeral

CONTINUATION = 10  # number of outputs reported after the last one, and before the first one
MANTISSA = 53  # significant bits of a double; its relative rounding error is at most 2**-53

MOST_COMPARED = 4096  # printed numbers among which one is looked for that recurs
EVEN_UP_TO = 256  # numbers up to which a range that they seem to fill is taken for theirs; more tell their frequencies
START_BITS = 4  # chance, as a power of two, below which numbers are not taken to be drawn from 0 on
FILLED_BITS = 8  # chance, as a power of two, below which numbers are not taken to fill a range or a width
WIDTHS = (8, 15, 16, 24, 30, 31, 32, 48, 53, 63, 64)
"""Bits of the words that programs print. Numbers that fill such a word are not read as numbers below a bound."""

UNEVEN_BITS = 20  # chance, as a power of two, below which numbers are not taken to be drawn evenly from their range

DIVISORS = (2**15, 2**16, 2**24, 2**31, 2**32, 2**48, 2**15 - 1, 2**31 - 1, 2**32 - 1)
"""Common divisors by which programs make fractions: powers of two, and largest outputs (such as C's RAND_MAX)."""


@dataclass(frozen=True)
class Form:
    """How the numbers of a stream were printed: after the `layers`, outermost last, in a `numeral` (None: as JSON
    numbers); those with decimals with this many `digits`: significant ones, or decimal places if `fixed`; None: exact.
    """

    kind: Literal["whole", "fraction"]
    numeral: Numeral | None = None
    digits: int | None = None
    fixed: bool = False
    single: bool = False  # exact in single precision, printed with the shortest digits that round back
    layers: tuple[Layer, ...] = ()

    @property
    def about(self) -> str:
        """The interpretation in words; empty if the numbers of the stream were printed as they are."""
        return "; ".join(layer.about for layer in self.layers)

    @property
    def inner(self) -> int:
        """The length of the shortest piece of the stream that was printed as a whole number of numbers, `outer`."""
        return prod(layer.inner for layer in self.layers)

    @property
    def outer(self) -> int:
        """How many numbers were printed for `inner` numbers of the stream."""
        return prod(layer.outer for layer in self.layers)

    def within(self, *layers: Layer) -> "Form":
        """This form with layers between the stream and its present layers."""
        return replace(self, layers=(*layers, *self.layers))

    def write(self, numbers: Sequence[Number]) -> list[Any]:
        """The numbers of a stream as JSON values, as they would have been printed. NoNumeral if one cannot be
        expressed in the notation.
        """
        return [self._printed(number) for number in self.restored(numbers)]

    def restored(self, numbers: Sequence[Number]) -> list[Number]:
        """The numbers of a stream after the layers, before they are printed."""
        for layer in self.layers:
            numbers = layer.restore(numbers)
        return list(numbers)

    def _printed(self, number: Number) -> Any:
        value = int(number) if self.kind == "whole" else self._rounded(number)
        return value if self.numeral is None else self.numeral.write(value)

    def _rounded(self, number: Number) -> float:
        if self.single:
            return float(str(np.float32(number)))
        if self.digits is None:
            return float(number)
        return float(f"{number:.{self.digits}{'f' if self.fixed else 'g'}}")


@dataclass(frozen=True)
class View:
    """Integers 0 <= x < 2**bits that may underlie a stream; `show` maps x to the number in the stream."""

    numbers: list[int]
    bits: int
    show: Callable[[int], Number]
    divisor: int | None = None  # set if the stream has fractions x / divisor


@dataclass(frozen=True)
class Scale:
    """Fractions computed as x / divisor, or as x · (1 / divisor), which may round differently."""

    divisor: int
    by_product: bool = False

    def show(self, x: int) -> float:
        x = min(x, 2 * self.divisor)  # a wrong candidate of a large modulus may have more than a double holds
        return x * (1.0 / self.divisor) if self.by_product else x / self.divisor


@dataclass(frozen=True)
class Stream:
    """Outputs in order: integers from 0 on (Python integers if they exceed 64 bits); or fractions from 0 to 1, each
    with a bound on its rounding error (that of a double itself excluded).

    `bits` is the width of the integers. `bounded` is N if outputs were reduced to 0 … N − 1; `cycle` are the ranges of
    successive outputs if these differ, as in a shuffle. `modulus`, `multiplier` and `increment` are those given by the
    user. `printed` are the printed doubles if the fractions behind them are not known exactly. `scales` lists the
    conversions from integers that could have produced all the fractions. A stream is `likely` if it is a common
    interpretation of the printed numbers, and `reordered` if another one has the same bits. The numbers of a `normal`
    stream are no fractions from 0 to 1, but normal deviates. The range is `stated` if it was given, not inferred.
    `known` says which outputs of the generator were printed, if not all were; the values of the others have no meaning.
    """

    values: Shaped[np.ndarray, " outputs"]
    form: Form
    bits: int
    rounding_error: Float64[np.ndarray, " outputs"] | None = None
    printed: Float64[np.ndarray, " outputs"] | None = None
    bounded: int | None = None
    modulus: int | None = None
    multiplier: int | None = None
    increment: int | None = None
    scales: tuple[Scale, ...] = ()
    cycle: tuple[int, ...] = ()
    likely: bool = True
    reordered: bool = False
    normal: bool = False
    stated: bool = False
    known: Bool[np.ndarray, " outputs"] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def fractions(self) -> bool:
        return self.rounding_error is not None

    @property
    def in_range(self) -> bool:
        """True for integers that were reduced to a range, or to a cycle of ranges."""
        return self.bounded is not None or bool(self.cycle)

    @cached_property
    def bits_per_output(self) -> float:
        """The `min_entropy` of the stream, computed once."""
        return min_entropy(self)

    @cached_property
    def information(self) -> Float64[np.ndarray, " outputs"]:
        """Bits of each output: −log2 of the probability that a number drawn from its range at random is this one. The
        range is the stated one if they fill it, or that of the numbers given. Less if these are not drawn evenly.
        """
        return information(self)

    @property
    def rounded(self) -> bool:
        """True for fractions with too few digits to determine a double."""
        return self.rounding_error is not None and bool(self.rounding_error.any())

    def part(self, start: int, end: int | None = None) -> "Stream":
        """The outputs from index `start` to before `end`."""
        errors = None if self.rounding_error is None else self.rounding_error[start:end]
        printed = None if self.printed is None else self.printed[start:end]
        turned = start % len(self.cycle) if self.cycle else 0
        cycle = self.cycle[turned:] + self.cycle[:turned]
        known = None if self.known is None else self.known[start:end]
        return replace(
            self, values=self.values[start:end], rounding_error=errors, printed=printed, cycle=cycle, known=known
        )

    def head(self, count: int) -> "Stream":
        """The first `count` outputs."""
        return self.part(0, count)

    def range_of(self, i: int) -> int | None:
        """N if output i, which may be negative or beyond the end, was reduced to 0 … N − 1."""
        return self.cycle[i % len(self.cycle)] if self.cycle else self.bounded

    @cached_property
    def views(self) -> list[View]:
        """The outputs as integers; for fractions, one view per possible divisor."""
        if not self.fractions:
            return [View(self.values.tolist(), self.bits, int)]
        views = []
        for scale in self.scales:
            whole = np.rint(self.values * float(scale.divisor))
            below = whole < 2.0**64  # 1 may be a word of 64 bits that was rounded up
            numbers = np.where(below, np.where(below, whole, 0.0).astype(np.uint64), np.uint64(2**64 - 1)).tolist()
            views.append(View(numbers, (scale.divisor - 1).bit_length(), scale.show, scale.divisor))
        return views

    def matches(self, start: int, numbers: list[Number]) -> int:
        """How many of these numbers equal the outputs from index `start` on, before the first one that differs."""
        expected, end = self.values[start : start + len(numbers)], start + len(numbers)
        if self.rounding_error is None:
            if self.known is None and expected.tolist() == numbers:
                return len(numbers)
            same = [a == b for a, b in zip(expected.tolist(), numbers, strict=True)]
        else:
            error = np.abs(expected - np.array(numbers, dtype=np.float64))
            same = (error <= self.rounding_error[start:end] + np.abs(expected) * 2.0**-MANTISSA).tolist()
        if self.known is not None:
            same = [right or not known for right, known in zip(same, self.known[start:end].tolist(), strict=True)]
        return same.index(False) if False in same else len(same)

    def printed_after(self, following: Iterator[Number], given: int, count: int = CONTINUATION) -> list[Any]:
        """The `count` printed numbers after those `given`, of a generator that goes on with `following` after the
        stream; fewer if the notation of the input cannot express one.
        """
        inner, outer = self.form.inner, self.form.outer
        over = given - len(self) * outer // inner  # printed numbers at the end that are less than one of the stream
        numbers = list(islice(following, inner * -(-(count + over) // outer)))
        while True:
            try:
                return self.form.write(numbers)[over : over + count]
            except NoNumeral:
                numbers = numbers[:-inner]

    def is_printed(self, numbers: list[Number]) -> bool:
        """Whether these numbers, which match the first outputs, are also printed as these, to the last digit."""
        if self.printed is None:
            return True
        restored = self.form.restored(numbers)
        return restored == self.printed[: len(restored)].tolist()

    def unknown(self, bounds: Sequence[tuple[int, int]], modulus: int) -> list[tuple[int, int]]:
        """These bounds of the outputs, or all of 0 … modulus − 1 for those that are not known."""
        if self.known is None:
            return list(bounds)
        return [one if known else (0, modulus - 1) for one, known in zip(bounds, self.known.tolist(), strict=True)]

    def state_bounds(self, modulus: int) -> list[tuple[int, int]] | None:
        """For each output, the smallest and the largest state x in 0 … modulus − 1 that would show it as the fraction
        x / modulus, or as ⌊N x / modulus⌋; all states for outputs that are not known. None for integers that were not
        reduced to a range.
        """
        bounds = self._shown_bounds(modulus)
        return None if bounds is None else self.unknown(bounds, modulus)

    def _shown_bounds(self, modulus: int) -> list[tuple[int, int]] | None:
        if self.in_range:
            ranges = ((y, self.range_of(i) or 1) for i, y in enumerate(self.values.tolist()))
            return [(-(-y * modulus // n), -(-(y + 1) * modulus // n) - 1) for y, n in ranges]
        if self.rounding_error is None:
            return None
        bounds: list[tuple[int, int]] = []
        for value, error in zip(self.values.tolist(), self.rounding_error.tolist(), strict=True):
            (centre, parts), (tolerance, error_parts) = value.as_integer_ratio(), error.as_integer_ratio()
            common = max(parts, error_parts, 2**54)  # all are powers of two
            centre *= common // parts
            tolerance = tolerance * (common // error_parts) + common // 2**54
            low, high = -((tolerance - centre) * modulus // common), (centre + tolerance) * modulus // common
            bounds.append((max(0, low), min(modulus - 1, high)))
        return bounds


def scales(
    values: Float64[np.ndarray, " outputs"], rounding_error: Float64[np.ndarray, " outputs"]
) -> tuple[Scale, ...]:
    """The divisors for which every fraction is x / divisor with a unique integer x."""
    exact = not rounding_error.any()
    powers = [2**e for e in range(1, MANTISSA + 1) if exact and not (values * 2.0**e % 1.0).any()]
    found = [Scale(power) for power in powers[:1]]
    for divisor in DIVISORS:
        not_power_of_two = divisor & (divisor - 1)
        if (exact and not not_power_of_two) or 2 * float(rounding_error.max(initial=0.0)) * divisor >= 1:
            continue
        whole = np.rint(values * float(divisor))
        tolerance = rounding_error if exact else rounding_error + values * 2.0**-MANTISSA
        if (np.abs(whole / divisor - values) <= tolerance).all():
            found.append(Scale(divisor))
        elif not_power_of_two and (np.abs(whole * (1.0 / divisor) - values) <= tolerance).all():
            found.append(Scale(divisor, by_product=True))
    if exact and not found and not (values * 2.0**64 % 1.0).any():  # 64-bit integers rounded to a double
        found.append(Scale(2**64))
    return tuple(found)


def min_entropy(stream: Stream) -> float:
    """Estimated min-entropy of one output, in bits, on average of known and unknown ones, erring low: the least of log2
    of how many multiples of a common factor the outputs' range has, and −log2 of the frequencies of the most frequent
    output and of the most frequent difference between neighbours. It is small for streams with few distinct values or
    nearly constant differences.
    """
    numbers = _steps(stream)
    if len(numbers) < 2:
        return 0.0
    bits = min(_range_bits(numbers), _mode_information(numbers), _mode_information(np.diff(numbers)))
    return min(bits * len(numbers) / len(stream), _bits_of_recurring(stream))


def information(stream: Stream) -> Float64[np.ndarray, " outputs"]:
    """`Stream.information`. If one number, or one difference of neighbours, is more frequent than chance allows, it is
    the min-entropy. It is 0 if the numbers keep to a part of their range: the form is wrong then, or not all.
    """
    numbers, count = _steps(stream), len(stream)
    mean = stream.bits_per_output * count / max(1, len(numbers))
    filled = _filled(stream, numbers)
    stated, words = stream.stated and filled, stream.bits in WIDTHS and not stream.in_range and filled
    if len(numbers) > EVEN_UP_TO:
        full = words and (stream.bits - mean) * len(numbers) < UNEVEN_BITS
        bits = np.full(count, float(stream.bits) if full else mean)
        if stream.fractions and not stream.normal:  # `mean` is for the fewest digits
            bits += _digit_bits(stream) - _digit_bits(stream).min()
    elif stated and stream.in_range:
        bits = np.array([log2(stream.range_of(i) or 1) for i in range(count)])
    elif len(numbers) > 1 and _repetitive(numbers):
        bits = np.full(count, mean)
    elif len(numbers) > 1 and concentrated(stream):
        bits = np.zeros(count)
    elif stream.fractions and not stream.normal:
        bits = _digit_bits(stream)
    elif stream.cycle:
        bits = np.array([log2(stream.range_of(i) or 1) for i in range(count)])
    else:
        usual = stated or len(numbers) < 2 or words
        bits = np.full(count, float(stream.bits) if usual else _range_bits(_from_zero(numbers)))
    bits = np.minimum(bits, _bits_of_recurring(stream))
    return bits if stream.known is None else np.where(stream.known, bits, 0.0)


def _bits_of_recurring(stream: Stream) -> float:
    """Bits of an output at most, if it is a part of a printed number: those of the most frequent printed number, shared
    among its parts. Endless if no printed number recurs.
    """
    parts = stream.form.inner // stream.form.outer
    if parts < 2 or stream.known is not None:
        return inf
    rows = stream.values[: min(len(stream) // parts, MOST_COMPARED) * parts].reshape(-1, parts).tolist()
    most = max(Counter(map(tuple, rows)).values(), default=1)
    return inf if most == 1 else log2(len(rows) / most) / parts


def _filled(stream: Stream, numbers: Shaped[np.ndarray, " n"]) -> bool:
    """Whether numbers drawn from all of a range or width lie so close together with a chance above 2**−FILLED_BITS."""
    if stream.fractions or stream.cycle or len(numbers) < 2:
        return True
    share = log2(int(numbers.max()) - int(numbers.min()) + 1) - log2(stream.bounded or 1 << stream.bits)
    return log2(len(numbers)) + (len(numbers) - 1) * share >= -FILLED_BITS


def _digit_bits(stream: Stream) -> Float64[np.ndarray, " outputs"]:
    """Bits of each fraction that its digits show."""
    assert stream.rounding_error is not None
    bits = np.clip(-np.log2(2 * stream.rounding_error + 2.0**-MANTISSA), 0, MANTISSA)
    return np.minimum(bits, max((log2(scale.divisor) for scale in stream.scales), default=float(MANTISSA)))


def _steps(stream: Stream) -> Shaped[np.ndarray, " n"]:
    """The known outputs as whole numbers: fractions in units of what their digits tell apart."""
    numbers = stream.values if stream.known is None else stream.values[stream.known]
    if not stream.fractions or not len(numbers):
        return numbers
    assert stream.rounding_error is not None
    coarsest = max((1 / scale.divisor for scale in stream.scales), default=0.0)
    finest = max(2.0**-MANTISSA, 2 * float(stream.rounding_error.max()), coarsest)
    least = float(numbers.min())  # below 0 for normal deviates
    return np.rint((numbers - min(least, 0.0)) / finest).astype(np.uint64)


def _range_bits(numbers: Shaped[np.ndarray, " n"]) -> float:
    """log2 of how many multiples of a common factor the numbers' range has; of all, if the factor may be chance."""
    from_least = numbers - numbers.min()
    factor = max(1, int(np.gcd.reduce(from_least)))
    if (len(numbers) - 2) * log2(factor) < UNEVEN_BITS:
        factor = 1
    return log2(int(from_least.max()) // factor + 1)


def _from_zero(numbers: Shaped[np.ndarray, " n"]) -> Shaped[np.ndarray, " m"]:
    """These numbers and 0, if numbers drawn from 0 on are all that far from it with a chance above 2**−START_BITS."""
    above = log2(int(numbers.max()) - int(numbers.min()) + 1) - log2(int(numbers.max()) + 1)
    return np.append(numbers, numbers[:1] * 0) if len(numbers) * above > -START_BITS else numbers


def _repetitive(numbers: Shaped[np.ndarray, " n"]) -> bool:
    """Whether a number, or a difference of neighbours, occurs so often with a chance below 2**−UNEVEN_BITS only."""
    from_least, count = (numbers - numbers.min()).tolist(), len(numbers)
    size = max(from_least) + 1
    differences = [(after - before) % size for before, after in pairwise(from_least)]
    most = (max(Counter(values).values(), default=0) for values in (from_least, differences))
    return any(log2(comb(count, often)) - (often - 1) * log2(size) < -UNEVEN_BITS for often in most)


def concentrated(stream: Stream) -> bool:
    """Whether so many of the first numbers lie in the lowest sixteenth of their range, or fractions so near to 0 or 1,
    with a chance below 2**−UNEVEN_BITS only.
    """
    numbers = _steps(stream)[:EVEN_UP_TO]
    if not len(numbers):
        return False
    from_least, count = (numbers - numbers.min()).tolist(), len(numbers)
    size = max(from_least) + 1
    low, share = sum(16 * x < size for x in from_least), -(-size // 16) / size
    if log2(comb(count, low)) + low * log2(share) < -UNEVEN_BITS:
        return True
    if not stream.fractions or stream.normal:
        return False
    values = stream.values if stream.known is None else stream.values[stream.known]
    widest = max(2.0**-MANTISSA, min(float(values.max()), 1.0 - float(values.min())))
    return count * log2(widest) < -UNEVEN_BITS


def _mode_information(numbers: Shaped[np.ndarray, " n"]) -> float:
    """−log2 of the frequency of the most frequent number; 64 if all are distinct."""
    highest_count = int(np.unique(numbers, return_counts=True)[1].max())
    return log2(len(numbers) / highest_count) if highest_count > 1 else 64.0
