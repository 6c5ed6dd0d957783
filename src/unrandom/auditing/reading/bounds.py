"""The fractions between the numbers of two columns, in a table that bounds each output from both sides."""

from collections.abc import Sequence
from math import floor, log10

from unrandom.auditing.reading.numerals import DOUBLE, PLAIN, Decimals
from unrandom.auditing.reading.orders import Words
from unrandom.auditing.reading.parsing import Numbers
from unrandom.core.errors import UserError


def between(lows: Numbers, highs: Numbers) -> Numbers:
    """Fractions u, low <= u < high for each row: the middle, with half of the difference as its error. UserError if a
    low number is not below the high one, or if they bound no fraction from 0 to 1.
    """
    if len(lows) != len(highs):
        raise UserError(f"--low has {len(lows):,} numbers, but --high has {len(highs):,}")
    if any(isinstance(one.numeral, Words) or one.drawn or one.deck for one in (lows, highs)):
        raise UserError("--low and --high are columns of numbers, not of words")
    if not lows:
        return lows
    errors, middles = list[float](), list[float]()
    for row, (low, high) in enumerate(zip(_values(lows), _values(highs), strict=True), start=1):
        if low >= high:
            raise UserError(f"row {row}: --low {low:.15g} is not below --high {high:.15g}")
        if low >= 1 or high <= 0:
            raise UserError(f"row {row}: no fraction from 0 to 1 is between --low {low:.15g} and --high {high:.15g}")
        low, high = max(low, 0.0), min(high, 1.0)
        middles.append((low + high) / 2)
        errors.append((high - low) / 2)
    places = min(DOUBLE - 1, max(1, floor(-log10(max(errors)))))
    notes = [f"fractions between the numbers of two columns, which differ by {2 * max(errors):.2g} at most"]
    numeral = Decimals(PLAIN, places, places)
    return Numbers("decimal", [], middles, numeral=numeral, errors=errors, notes=notes)


def _values(numbers: Numbers) -> Sequence[float]:
    try:
        return numbers.decimals if numbers.kind == "decimal" else list(map(float, numbers.whole))
    except OverflowError:
        raise UserError("--low and --high are fractions from 0 to 1") from None
