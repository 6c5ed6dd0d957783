"""In which number format is a stream written? By the range, the signs and the digits of its numbers."""

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.parsing import DOUBLE, Numbers
from unrandom.auditing.stream import Form, Stream, scales
from unrandom.core.errors import UserError

SINGLE = 24
"""Significant bits of a single-precision number."""


def stream_of(numbers: Numbers, source: str, bits: int | None, modulus: int | None, bounded: int | None) -> Stream:
    """The numbers read from a source as a stream; UserError if there are none, or if they contradict the options."""
    if numbers.kind is None:
        raise UserError(f"{source} holds no numbers")
    if numbers.kind == "fraction":
        if bounded is not None or bits is not None:
            raise UserError("--bits and --bounded are for whole numbers, but these are fractions")
        return _stream_of_fractions(np.array(numbers.fractions), numbers.digits, numbers.places, modulus)
    least, greatest = min(numbers.whole), max(numbers.whole)
    signed = 0
    if least < 0:
        signed = 32 if least >= -(2**31) and greatest < 2**31 else 64
        if greatest >= 2**63:
            raise UserError(f"{least} is negative, and {greatest} does not fit a signed 64-bit integer")
    if numbers.kind == "hexadecimal":
        form = Form("hexadecimal", hex_digits=max(numbers.hex_digits) if len(numbers.hex_digits) == 1 else 0)
    else:
        form = Form("decimal", signed_bits=signed)
    whole = [number % 2**signed for number in numbers.whole] if signed else numbers.whole
    return stream_of_words(np.array(whole, dtype=np.uint64), form, bits, modulus, bounded)


def stream_of_words(
    values: UInt64[np.ndarray, " outputs"], form: Form, bits: int | None, modulus: int | None, bounded: int | None
) -> Stream:
    """A stream of integers, whose width is inferred if `bits` is None; UserError if one exceeds a given limit."""
    greatest = int(values.max())
    width = max(1, greatest.bit_length(), form.signed_bits)
    for name, limit in (("--modulus", modulus), ("--bounded", bounded), ("--bits", None if bits is None else 2**bits)):
        if limit is not None and greatest >= limit:
            raise UserError(f"{greatest} is out of range: {name} allows 0 to {limit - 1}")
    return Stream(values, form, bits or width, modulus=modulus, bounded=bounded)


def _stream_of_fractions(values: np.ndarray, digits: int, places: int, modulus: int | None) -> Stream:
    form, rounding_error = Form("fraction"), np.zeros(len(values))
    if digits < DOUBLE:
        single = values.astype(np.float32)
        if 8 <= digits <= 9 and not (single * np.float32(2**SINGLE) % 1).any():
            values, form = single.astype(np.float64), Form("fraction", single=True)
        elif places > digits:  # small numbers have more decimal places: the number of significant digits is fixed
            form = Form("fraction", digits=digits)
            sizes = np.floor(np.log10(np.maximum(values, 1e-300))) + 1
            rounding_error = 0.5 * 10.0 ** (sizes - digits)
        else:
            form = Form("fraction", digits=places, fixed=True)
            rounding_error = np.full(len(values), 0.5 * 10.0**-places)
    return Stream(values, form, 0, rounding_error, modulus=modulus, scales=scales(values, rounding_error))
