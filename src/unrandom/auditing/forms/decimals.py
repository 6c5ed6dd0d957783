"""The fractions that may lie behind numbers with decimals: of the ranges that fit, or of normal or exponential
deviates.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.layers import Affine, plain
from unrandom.auditing.forms.normals import (
    Values,
    exponential_means,
    exponential_streams,
    look_exponential,
    look_normal,
    maybe_normal,
    means_and_deviations,
    normal_streams,
)  # fmt: skip
from unrandom.auditing.forms.ranges import MAX_RANGES, fills, real_ranges
from unrandom.auditing.forms.scales import scales
from unrandom.auditing.forms.shown import Fractions
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.reading.numerals import DOUBLE
from unrandom.auditing.reading.options import LARGEST
from unrandom.auditing.reading.parsing import Numbers
from unrandom.core.errors import UserError

SINGLE = 24  # significant bits of a single-precision number
ENOUGH_BEYOND = 3  # fewest numbers, some of which are beyond a stated range, that are taken for deviates
SURELY_SINGLE = 6  # numbers whose digits look like single precision hardly ever by chance


def of_decimals(numbers: Numbers, assumed: Assumed) -> Iterator[Stream]:
    """The streams that numbers with decimals may be, the most plausible first."""
    if assumed.bounded is not None or assumed.bits is not None:
        raise UserError("--bits and --bounded are for whole numbers, but these have decimals")
    values = np.array(numbers.decimals)
    single = _single(numbers, values)
    if single:
        exact = values.astype(np.float32).astype(np.float64)
        form = Form("fraction", numbers.numeral, single=True)
        yield from _streams(exact, np.zeros(len(values)), form, assumed)
        if len(values) >= SURELY_SINGLE:
            return
    form, rounding_error = _decimal_form(numbers, values)
    for stream in _streams(values, rounding_error, form, assumed):
        yield replace(stream, likely=stream.likely and not single)


def _streams(values: Values, rounding_error: Values, form: Form, assumed: Assumed) -> Iterator[Stream]:
    """The streams that numbers of this form may be."""
    if assumed.start is not None or assumed.scale is not None:
        start, scale = assumed.offset_and_scale
        if max(abs(start), scale) > LARGEST:
            raise UserError(f"--from and --scale may be up to {LARGEST:g} for numbers with decimals")
        yield from _of_scale(values, rounding_error, form, start, scale)
        return
    if values.min() >= 0 and values.max() <= 1:
        fractions = Stream(values, form, Fractions(rounding_error, scales=scales(values, rounding_error)))
        yield fractions
        if values.max() < 1 or fractions.rounded:
            yield replace(_scaled(values, rounding_error, form, 1.0, -1.0), likely=False)
        if not fills(0.0, 1.0, values):
            yield from _exponential(values, rounding_error, form)
            yield from _in_ranges(values, rounding_error, form, likely=True)
        return
    normal, exponential = means_and_deviations(values), list(_exponential(values, rounding_error, form))
    for i, (mean, deviation) in enumerate(normal):
        for stream in normal_streams(values, rounding_error, form, mean, deviation):
            yield replace(stream, likely=stream.likely and i == 0)
    yield from exponential
    known = bool(normal) or any(stream.likely for stream in exponential)
    yield from _in_ranges(values, rounding_error, form, likely=not known)
    if maybe_normal(values):
        for stream in normal_streams(values, rounding_error, form):
            yield replace(stream, likely=False)


def _exponential(values: Values, rounding_error: Values, form: Form) -> Iterator[Stream]:
    """The fractions behind exponential deviates of the means that fit."""
    for i, mean in enumerate(exponential_means(values)):
        for stream in exponential_streams(values, rounding_error, form, 0.0, mean):
            yield replace(stream, likely=stream.likely and i == 0)


def _of_scale(values: Values, rounding_error: Values, form: Form, start: float, scale: float) -> Iterator[Stream]:
    """Deviates or fractions times this scale, from this start on."""
    standard = (values - start) / scale
    outside = bool(standard.min() < 0 or standard.max() > 1)
    many = len(values) >= ENOUGH_BEYOND
    normal = look_normal(standard) or (outside and many and maybe_normal(standard))
    exponential = outside and many and look_exponential(standard)
    if normal:
        yield from normal_streams(values, rounding_error, form, start, scale)
    if exponential:
        yield from exponential_streams(values, rounding_error, form, start, scale)
    if not outside:
        yield _scaled(values, rounding_error, form, start, scale)
    elif not (normal or exponential):
        raise UserError(
            f"the numbers are not all from --from {plain(start)} to {plain(start + scale)}, which is --scale more"
        )


def _in_ranges(values: Values, rounding_error: Values, form: Form, *, likely: bool) -> Iterator[Stream]:
    """Fractions of the ranges with round ends; for numbers that have none, of one with whole ends."""
    least, greatest = float(values.min()), float(values.max())
    whole = (float(np.floor(least)), max(1.0, float(np.ceil(greatest) - np.floor(least))))
    ranges = list(islice(real_ranges(least, greatest, len(values)), MAX_RANGES)) or [whole]
    for i, (start, size) in enumerate(ranges):
        yield replace(_scaled(values, rounding_error, form, start, size), likely=likely and i == 0)


def _single(numbers: Numbers, values: Values) -> bool:
    """Whether the numbers are fractions of single precision, each with the fewest digits that tell it from its
    neighbours: multiples of 2**-24, as programs make them.
    """
    if not 8 <= numbers.digits <= 9 or np.abs(values).max() >= 2**64:
        return False
    single = values.astype(np.float32)
    if (single * np.float32(2**SINGLE) % 1).any():
        return False
    return all(float(str(one)) == value for one, value in zip(single, values.tolist(), strict=True))


def _decimal_form(numbers: Numbers, values: Values) -> tuple[Form, Values]:
    """How the numbers were printed, and a bound on the rounding error of each."""
    digits, places = numbers.digits, numbers.places
    if numbers.errors:
        return Form("fraction", numbers.numeral), np.array(numbers.errors)
    if digits >= DOUBLE:
        return Form("fraction", numbers.numeral), np.zeros(len(values))
    sizes = np.floor(np.log10(np.maximum(np.abs(values), 1e-300))) + 1
    before_the_point = int(sizes.max()) if (np.abs(values) > 1).any() else 0
    if places + before_the_point > digits:  # smaller numbers have more decimal places: significant digits are fixed
        return Form("fraction", numbers.numeral, digits=digits), 0.5 * 10.0 ** (sizes - digits)
    form = Form("fraction", numbers.numeral, digits=places, fixed=True)
    return form, np.full(len(values), 0.5 * 10.0**-places)


def _scaled(values: Values, rounding_error: Values, form: Form, start: float, scale: float) -> Stream:
    """The fractions u behind start + scale · u, which was rounded to a double and perhaps to fewer digits."""
    fractions = (values - start) / scale
    spacing = np.spacing(np.maximum(np.abs(values), abs(start)))
    error = (rounding_error + 2 * spacing) / abs(scale) + 2.0**-53
    fractions = np.clip(fractions, 0.0, 1.0)
    printed = None if rounding_error.any() else values
    form = form.within(Affine(start, scale))
    return Stream(fractions, form, Fractions(error, printed, scales(fractions, error)))
