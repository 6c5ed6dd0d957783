"""Reads the numbers in a list or an array of Python: from their text, or as they are."""

import numbers as numeric
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

import numpy as np

from unrandom.auditing.deadline import NO_LIMIT, Deadline
from unrandom.auditing.reading import fitting
from unrandom.auditing.reading.alphabets import stated_alphabet
from unrandom.auditing.reading.numerals import DOUBLE, MAX_CHARACTERS, PLAIN, Decimals, Whole, precision
from unrandom.auditing.reading.options import MAX_BITS, described
from unrandom.auditing.reading.orders import Words
from unrandom.auditing.reading.parsing import Numbers, numbers_in_alphabet, numbers_of, only_first
from unrandom.auditing.reading.pasted import of_pasted
from unrandom.auditing.reading.texts import Text
from unrandom.auditing.reading.tokens import MAX_NUMBERS, NotPlain, Row, Tokens, shown
from unrandom.core.errors import UserError

SINGLE_DIGITS = {2: 5, 4: 9}  # significant digits that determine a floating-point number, by its size in bytes


def numbers_of_values(values: Sequence[Any] | np.ndarray, deadline: Deadline = NO_LIMIT) -> Numbers:
    """The numbers of a list or an array, the first MAX_NUMBERS of them: integers, floats, bools, UUIDs, bytes, or
    strings as they would stand in a text; lists in a list follow one another. Raises UserError for anything else, and
    for an empty list; OutOfTime after the deadline.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UserError(f"numbers must be a list or an array, not {type(values).__name__}")
    if isinstance(values, np.ndarray):
        cut, numbers = values.size > MAX_NUMBERS, _of_array(_first_of_array(values), deadline)
    else:
        first = list(islice(values, MAX_NUMBERS + 1))
        cut, numbers = len(first) > MAX_NUMBERS, _of_list(first[:MAX_NUMBERS], deadline)
    if not numbers:
        raise UserError("the list holds no numbers")
    if cut and only_first(len(numbers)) not in numbers.notes:
        numbers.notes.append(only_first(len(numbers)))
    return numbers


def numbers_of_letters(values: Any, alphabet: str, deadline: Deadline = NO_LIMIT) -> Numbers:
    """The numbers of a list of strings, whose characters were drawn from this alphabet. UserError for anything else,
    and for a character that is not in the alphabet; OutOfTime after the deadline.
    """
    if isinstance(values, np.ndarray):
        values = values.ravel()[: MAX_NUMBERS + 1].tolist()
    if not isinstance(values, Sequence) or not values or not all(isinstance(value, str) for value in values):
        raise UserError("--alphabet is for a list of strings, or for a file")
    return numbers_in_alphabet(Tokens.items(list(values)), stated_alphabet(alphabet), deadline)


def _of_list(values: list[Any], deadline: Deadline) -> Numbers:
    kinds = set(map(type, values))
    if kinds == {int}:
        return Numbers("whole", values)
    if kinds <= {bool, np.bool_}:
        return _of_bools(values)
    if not kinds & {list, tuple, np.ndarray}:
        return _of_items([_token(value, i) for i, value in enumerate(values, start=1)], deadline)
    rows, left = list[Row](), MAX_NUMBERS
    for i, row in enumerate(values, start=1):
        if left < 0:
            break
        if not isinstance(row, list | tuple | np.ndarray) or (isinstance(row, np.ndarray) and not row.ndim):
            raise UserError(
                f"item {i} is not a list, but others are; a list must hold numbers or words, or lists of these"
            )
        rows.append(Row(i, [_token(value, i) for value in row[: left + 1]]))
        left -= len(row)
    return numbers_of(Tokens(lambda: rows, ("lists in a list read one after the other",), "item"), None, deadline)


def _of_items(tokens: list[str], deadline: Deadline) -> Numbers:
    """Tokens as numbers, or else as lines of a text."""
    try:
        return numbers_of(Tokens.items(tokens), None, deadline)
    except NotPlain as refused:
        try:
            return of_pasted(Text("\n".join(tokens), deadline), None, refused)
        except UserError:
            raise refused from None


def _token(value: Any, item: int) -> str:
    """A number or a word of this item of a list as it would stand in a text."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise UserError(f"item {item} is {described(value)}, and at most {MAX_BITS:,} are allowed")
    if isinstance(value, bytes):
        value = value.hex()
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        raise UserError(f"item {item}: {shown(value)} has more than {MAX_CHARACTERS} characters")
    if isinstance(value, str | UUID | np.bool_ | numeric.Number) or value is None:
        try:
            return str(value)
        except ValueError:  # a fraction of more digits than Python writes
            pass
    raise UserError(f"item {item}: a list must hold numbers or words, or lists of these, not {described(value)}")


def _of_bools(values: Sequence[Any]) -> Numbers:
    notes = ["False read as 0, True as 1"]
    return Numbers("whole", [int(value) for value in values], numeral=Words((False, True)), notes=notes)


def _first_of_array(values: np.ndarray) -> np.ndarray:
    """The first MAX_NUMBERS of an array, in whole rows unless the first one has more."""
    if values.size <= MAX_NUMBERS:
        return values
    return values[: max(1, MAX_NUMBERS * len(values) // values.size)] if values.ndim > 1 else values[:MAX_NUMBERS]


def _of_array(values: np.ndarray, deadline: Deadline) -> Numbers:
    notes = [f"array of shape {values.shape} read row by row"] if values.ndim > 1 else []
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        if values.dtype.kind not in "OUT":
            raise UserError(f"an array must hold integers, bools or floats of at most 64 bits, not {values.dtype}")
        if values.dtype.kind == "U" and values.size:
            letters = np.dtype("u4").newbyteorder(values.dtype.byteorder)
            if np.ascontiguousarray(values).view(letters).max() > sys.maxunicode:
                raise UserError("an array of text has characters beyond Unicode")
        return _of_list(values.tolist() if values.ndim else [values.item()], deadline)
    if values.ndim == 2 and values.size and values.dtype.kind in "iu":
        shuffles = fitting.deck(Tokens(lambda: [Row(i, list(map(str, row))) for i, row in enumerate(values.tolist())]))
        if shuffles is not None:
            numeral, cards, notes = shuffles
            whole = np.searchsorted(np.sort(values[0]), values.ravel()).tolist()
            return Numbers("whole", whole, numeral=numeral, deck=cards, notes=notes)
    values = values.ravel()[:MAX_NUMBERS]
    flat = values.tolist()
    if values.dtype.kind == "b":
        numbers = _of_bools(flat)
    elif values.dtype.kind == "f":
        numbers = _of_floats(values, flat)
    else:
        numbers = Numbers("whole", flat)
    numbers.notes += notes
    return numbers


def _of_floats(values: np.ndarray, decimals: list[float]) -> Numbers:
    """Floating-point numbers as a text of their shortest or, below 64 bits, exact digits would have them."""
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        i = int(wrong[0])
        raise UserError(f"item {i + 1}: {decimals[i]} is not a finite number; give the outputs before it, or after it")
    if all(map(float.is_integer, decimals)) and max(map(abs, decimals), default=0) < 2**53:
        return Numbers("whole", [int(value) for value in decimals], numeral=Whole(pointed=True))
    digits, places = 0, 0
    fixed = SINGLE_DIGITS.get(values.dtype.itemsize, 0)
    for value in decimals:
        if digits >= DOUBLE:
            break
        if value:
            more_digits, more_places = precision(f"{value:.{fixed}g}" if fixed else repr(value))
            digits, places = max(digits, more_digits, fixed), max(places, more_places)
    return Numbers("decimal", [], decimals, digits, places, Decimals(PLAIN, digits, places))
