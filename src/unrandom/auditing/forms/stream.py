"""A stream of outputs: numbers in order, with what is known of them, and how much information each of them has."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import inf, log2
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Shaped

from unrandom.auditing.forms import evenness
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.scales import MANTISSA, Scale
from unrandom.auditing.forms.shown import Cycle, Fractions, Normals, Range, Real, Shown, Words, states_behind
from unrandom.auditing.reading.numerals import NoNumeral

CONTINUATION = 10  # number of outputs reported after the last one, and before the first one
MOST_COMPARED = 4096  # printed numbers among which one is looked for that recurs
WIDTHS = (8, 15, 16, 24, 30, 31, 32, 48, 53, 63, 64)
"""Bits of the words that programs print. Numbers that fill such a word are not read as numbers below a bound."""


@dataclass(frozen=True)
class View:
    """Integers 0 <= x < 2**bits that may underlie a stream; `show` maps x to the number in the stream."""

    numbers: list[int]
    bits: int
    show: Callable[[int], Number]
    divisor: int | None = None  # set if the stream has fractions x / divisor


@dataclass(frozen=True)
class Stream:
    """Outputs in order: integers from 0 on (Python integers if they exceed 64 bits), fractions from 0 to 1, or normal
    deviates, as `shown` says.

    `modulus`, `multiplier` and `increment` are those given by the user. A stream is `likely` if it is a common
    interpretation of the printed numbers, and `reordered` if another one has the same bits. The range is `stated` if it
    was given, not inferred. `known` says which outputs of the generator were printed, if not all were; the values of
    the others have no meaning.
    """

    values: Shaped[np.ndarray, " outputs"]
    form: Form
    shown: Shown
    modulus: int | None = None
    multiplier: int | None = None
    increment: int | None = None
    likely: bool = True
    reordered: bool = False
    stated: bool = False
    known: Bool[np.ndarray, " outputs"] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def bits(self) -> int:
        """Bits of whole numbers; 0 for others."""
        return 0 if isinstance(self.shown, Real) else self.shown.bits

    @property
    def bounded(self) -> int | None:
        """N if the outputs were reduced to 0 … N − 1."""
        return self.shown.size if isinstance(self.shown, Range) else None

    @property
    def cycle(self) -> tuple[int, ...]:
        """The ranges of successive outputs if these differ, as in a shuffle."""
        return self.shown.ranges if isinstance(self.shown, Cycle) else ()

    @property
    def fractions(self) -> bool:
        return isinstance(self.shown, Fractions)

    @property
    def rounding_error(self) -> Float64[np.ndarray, " outputs"] | None:
        return self.shown.rounding_error if isinstance(self.shown, Real) else None

    @property
    def scales(self) -> tuple[Scale, ...]:
        return self.shown.scales if isinstance(self.shown, Fractions) else ()

    @property
    def in_range(self) -> bool:
        """True for integers that were reduced to a range, or to a cycle of ranges."""
        return isinstance(self.shown, Range | Cycle)

    def reduced(self, size: int) -> "Stream":
        """The same whole numbers, as if they had been reduced to 0 … size − 1."""
        return replace(self, shown=Range(size, self.bits))

    @cached_property
    def bits_per_output(self) -> float:
        """Estimated min-entropy of one output, in bits, on average of known and unknown ones, erring low: the least of
        log2 of how many multiples of a common factor the outputs' range has, and −log2 of the frequencies of the most
        frequent output and of the most frequent difference between neighbours. It is small for streams with few
        distinct values or nearly constant differences.
        """
        numbers = self._steps
        if len(numbers) < 2:
            return 0.0
        mode, of_differences = (evenness.mode_information(values) for values in (numbers, np.diff(numbers)))
        bits = min(evenness.range_bits(numbers), mode, of_differences)
        return min(bits * len(numbers) / len(self), self._bits_of_recurring)

    @cached_property
    def information(self) -> Float64[np.ndarray, " outputs"]:
        """Bits of each output: −log2 of the probability that a number drawn from its range at random is this one. The
        range is the stated one if they fill it, or that of the numbers given. If one number, or one difference of
        neighbours, is more frequent than chance allows, it is the min-entropy. It is 0 if the numbers keep to a part of
        their range: the form is wrong then, or not all.
        """
        bits = np.minimum(self._bits_of_range(), self._bits_of_recurring)
        return bits if self.known is None else np.where(self.known, bits, 0.0)

    def _bits_of_range(self) -> Float64[np.ndarray, " outputs"]:
        numbers, count = self._steps, len(self)
        mean = self.bits_per_output * count / max(1, len(numbers))
        whole = isinstance(self.shown, Words | Range)
        filled = not whole or evenness.filled(numbers, self.bounded or 1 << self.bits)
        stated, words = self.stated and filled, self.bits in WIDTHS and not self.in_range and filled
        if len(numbers) > evenness.EVEN_UP_TO:
            full = words and (self.bits - mean) * len(numbers) < evenness.UNEVEN_BITS
            bits = np.full(count, float(self.bits) if full else mean)
            if self.fractions:  # `mean` is for the fewest digits
                bits += self._digit_bits - self._digit_bits.min()
            return bits
        if stated and self.in_range:
            return self._log_ranges
        if len(numbers) > 1 and evenness.repetitive(numbers):
            return np.full(count, mean)
        if len(numbers) > 1 and self.concentrated:
            return np.zeros(count)
        if self.fractions:
            return self._digit_bits
        if self.cycle:
            return self._log_ranges
        usual = stated or len(numbers) < 2 or words
        return np.full(count, float(self.bits) if usual else evenness.range_bits(evenness.from_zero(numbers)))

    @property
    def capacity(self) -> float:
        """The most bits that all outputs together can have, by their ranges or digits. Unlike `information`, they are
        not fewer where frequencies are unknown, as of some thousand words of 16 bits.
        """
        match self.shown:
            case Normals():
                return float(self.information.sum())
            case Fractions():
                bits = self._digit_bits
            case Range() | Cycle():
                bits = self._log_ranges
            case Words(width):
                bits = np.full(len(self), float(width))
        return float(bits.sum() if self.known is None else bits[self.known].sum())

    @property
    def concentrated(self) -> bool:
        """Whether the lowest sixteenth of the range of the first numbers is fuller than chance allows
        (2**−UNEVEN_BITS), or fractions are nearer to 0 or 1.
        """
        numbers = self._steps[: evenness.EVEN_UP_TO]
        if not len(numbers):
            return False
        if evenness.crowded(numbers):
            return True
        if not self.fractions:
            return False
        values = self._known_values
        widest = max(2.0**-MANTISSA, min(float(values.max()), 1.0 - float(values.min())))
        return len(numbers) * log2(widest) < -evenness.UNEVEN_BITS

    @property
    def _known_values(self) -> Shaped[np.ndarray, " n"]:
        return self.values if self.known is None else self.values[self.known]

    @cached_property
    def _steps(self) -> Shaped[np.ndarray, " n"]:
        """The known outputs as whole numbers: fractions in units of what their digits tell apart."""
        numbers = self._known_values
        if self.rounding_error is None or not len(numbers):
            return numbers
        coarsest = max((1 / scale.divisor for scale in self.scales), default=0.0)
        finest = max(2.0**-MANTISSA, 2 * float(self.rounding_error.max()), coarsest)
        least = float(numbers.min())  # below 0 for normal deviates
        return np.rint((numbers - min(least, 0.0)) / finest).astype(np.uint64)

    @property
    def _log_ranges(self) -> Float64[np.ndarray, " outputs"]:
        """log2 of the range of each output."""
        return np.array([log2(self.range_of(i) or 1) for i in range(len(self))])

    @cached_property
    def _digit_bits(self) -> Float64[np.ndarray, " outputs"]:
        """Bits of each fraction that its digits show."""
        assert self.rounding_error is not None
        bits = np.clip(-np.log2(2 * self.rounding_error + 2.0**-MANTISSA), 0, MANTISSA)
        return np.minimum(bits, max((log2(scale.divisor) for scale in self.scales), default=float(MANTISSA)))

    @cached_property
    def _bits_of_recurring(self) -> float:
        """Bits of an output at most, if it is a part of a printed number: bits of the most frequent printed number,
        shared among its parts. Endless if no printed number recurs.
        """
        parts = self.form.inner // self.form.outer
        if parts < 2 or self.known is not None:
            return inf
        rows = self.values[: min(len(self) // parts, MOST_COMPARED) * parts].reshape(-1, parts).tolist()
        most = max(Counter(map(tuple, rows)).values(), default=1)
        return inf if most == 1 else log2(len(rows) / most) / parts

    @property
    def rounded(self) -> bool:
        """True for real numbers with too few digits to determine a double."""
        return self.rounding_error is not None and bool(self.rounding_error.any())

    def part(self, start: int, end: int | None = None) -> "Stream":
        """The outputs from index `start` to before `end`."""
        part = self.at(slice(start, end))
        return replace(part, shown=self.shown.turned(start)) if isinstance(self.shown, Cycle) else part

    def at(self, places: slice | np.ndarray) -> "Stream":
        """The outputs at these places, of a stream that has no cycle of ranges."""
        shown, known = self.shown, None if self.known is None else self.known[places]
        if isinstance(shown, Real):
            printed = None if shown.printed is None else shown.printed[places]
            shown = replace(shown, rounding_error=shown.rounding_error[places], printed=printed)
        return replace(self, values=self.values[places], shown=shown, known=known)

    def head(self, count: int) -> "Stream":
        """The first `count` outputs."""
        return self.part(0, count)

    def range_of(self, i: int) -> int | None:
        """N if output i, which may be negative or beyond the end, was reduced to 0 … N − 1."""
        return self.shown.ranges[i % len(self.shown.ranges)] if isinstance(self.shown, Cycle) else self.bounded

    @cached_property
    def views(self) -> list[View]:
        """The outputs as integers; for fractions, one view per possible divisor."""
        if not isinstance(self.shown, Real):
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
        if not isinstance(self.shown, Real) or self.shown.printed is None:
            return True
        restored = self.form.restored(numbers)
        return restored == self.shown.printed[: len(restored)].tolist()

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
        bounds = states_behind(self.values, self.shown, modulus)
        return None if bounds is None else self.unknown(bounds, modulus)


def array_of(whole: list[int], bits: int) -> Shaped[np.ndarray, " outputs"]:
    """Whole numbers of this many bits as the values of a stream."""
    return np.array(whole, dtype=np.uint64 if bits <= 64 else object)
