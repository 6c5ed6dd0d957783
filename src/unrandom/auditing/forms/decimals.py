"""Which fractions may lie behind numbers with decimals? Those of the ranges that fit, or of normal deviates."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.layers import Affine, plain
from unrandom.auditing.forms.normals import Values, look_normal, means_and_deviations, normal_streams
from unrandom.auditing.forms.ranges import MAX_RANGES, fills, real_ranges
from unrandom.auditing.forms.stream import Form, Stream, scales
from unrandom.auditing.reading.numerals import DOUBLE
from unrandom.auditing.reading.options import LARGEST
from unrandom.auditing.reading.parsing import Numbers
from unrandom.core.errors import UserError

SINGLE = 24  # significant bits of a single-precision number


def of_decimals(numbers: Numbers, assumed: Assumed) -> Iterator[Stream]:
    """The streams that numbers with decimals may be, the most plausible first."""
    if assumed.bounded is not None or assumed.bits is not None:
        raise UserError("--bits and --bounded are for whole numbers, but these have decimals")
    values = np.array(numbers.decimals)
    form, rounding_error, values = _decimal_form(numbers, values)
    if assumed.start is not None or assumed.scale is not None:
        start, scale = assumed.offset_and_scale
        if max(abs(start), scale) > LARGEST:
            raise UserError(f"--from and --scale may be up to {LARGEST:g} for numbers with decimals")
        if look_normal((values - start) / scale):
            yield from normal_streams(values, rounding_error, form, start, scale)
            return
        if values.min() < start or values.max() > start + scale:
            raise UserError(
                f"the numbers are not all from --from {plain(start)} to {plain(start + scale)}, which is --scale more"
            )
        yield _scaled(values, rounding_error, form, start, scale)
        return
    if values.min() >= 0 and values.max() <= 1:
        fractions = Stream(values, form, 0, rounding_error, scales=scales(values, rounding_error))
        yield fractions
        if values.max() < 1 or fractions.rounded:
            yield replace(_scaled(values, rounding_error, form, 1.0, -1.0), likely=False)
        if not fills(0.0, 1.0, values):
            yield from _in_ranges(values, rounding_error, form, likely=True)
        return
    normal = means_and_deviations(values)
    for i, (mean, deviation) in enumerate(normal):
        for stream in normal_streams(values, rounding_error, form, mean, deviation):
            yield replace(stream, likely=stream.likely and i == 0)
    yield from _in_ranges(values, rounding_error, form, likely=not normal)


def _in_ranges(values: Values, rounding_error: Values, form: Form, *, likely: bool) -> Iterator[Stream]:
    """Fractions of the ranges with round ends; for numbers that have none, of one with whole ends."""
    least, greatest = float(values.min()), float(values.max())
    whole = (float(np.floor(least)), max(1.0, float(np.ceil(greatest) - np.floor(least))))
    ranges = list(islice(real_ranges(least, greatest, len(values)), MAX_RANGES)) or [whole]
    for i, (start, size) in enumerate(ranges):
        yield replace(_scaled(values, rounding_error, form, start, size), likely=likely and i == 0)


def _decimal_form(numbers: Numbers, values: Values) -> tuple[Form, Values, Values]:
    """How the numbers were printed, a bound on the rounding error of each, and the numbers, which are exact in single
    precision if they were printed so.
    """
    digits, places = numbers.digits, numbers.places
    if digits >= DOUBLE:
        return Form("fraction", numbers.numeral), np.zeros(len(values)), values
    if 8 <= digits <= 9 and np.abs(values).max() < 2**64:
        single = values.astype(np.float32)
        if not (single * np.float32(2**SINGLE) % 1).any():
            return Form("fraction", numbers.numeral, single=True), np.zeros(len(values)), single.astype(np.float64)
    sizes = np.floor(np.log10(np.maximum(np.abs(values), 1e-300))) + 1
    before_the_point = int(sizes.max()) if (np.abs(values) > 1).any() else 0
    if places + before_the_point > digits:  # smaller numbers have more decimal places: significant digits are fixed
        return Form("fraction", numbers.numeral, digits=digits), 0.5 * 10.0 ** (sizes - digits), values
    form = Form("fraction", numbers.numeral, digits=places, fixed=True)
    return form, np.full(len(values), 0.5 * 10.0**-places), values


def _scaled(values: Values, rounding_error: Values, form: Form, start: float, scale: float) -> Stream:
    """The fractions u behind start + scale · u, which was rounded to a double and perhaps to fewer digits."""
    fractions = (values - start) / scale
    spacing = np.spacing(np.maximum(np.abs(values), abs(start)))
    error = (rounding_error + 2 * spacing) / abs(scale) + 2.0**-53
    fractions = np.clip(fractions, 0.0, 1.0)
    printed = None if rounding_error.any() else values
    form = form.within(Affine(start, scale))
    return Stream(fractions, form, 0, error, printed=printed, scales=scales(fractions, error))
