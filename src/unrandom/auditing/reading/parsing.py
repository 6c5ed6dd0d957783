"""Which numbers do tokens stand for? Those of the first notation in a fixed order that all the tokens fit.

Decimal notation comes first, then hexadecimal, then words, then the smallest of the larger alphabets.
"""

import math
import numbers as numeric
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from unrandom.auditing.reading import fitting
from unrandom.auditing.reading.fitting import Fit
from unrandom.auditing.reading.numerals import (
    ALPHABETS,
    DOUBLE,
    MAX_CHARACTERS,
    PLAIN,
    STYLES,
    Decimals,
    Numeral,
    Style,
    Whole,
    Words,
    precision,
)
from unrandom.auditing.reading.options import MAX_BITS, described
from unrandom.auditing.reading.tokens import MAX_NUMBERS, Misfit, Row, Tokens, shown
from unrandom.core.deadline import NO_LIMIT, Deadline
from unrandom.core.errors import UserError, printable

Kind: TypeAlias = Literal["whole", "decimal"]

REMEDY = "choose the numbers with --column or --regex, or their notation with --notation"

SEVERAL = 8
"""Fewest tokens that show a large alphabet although the next one does not fit it."""

SINGLE_DIGITS = {2: 5, 4: 9}
"""Significant digits that determine a floating-point number, by its size in bytes."""

_FLOATS = re.compile(r"[\d.eE+-]+", re.ASCII)
_MISSING = re.compile(r"[+-]?(nan|inf(inity)?)|NA|none|null|undefined", re.IGNORECASE | re.ASCII)


@dataclass
class Numbers:
    """The numbers of a stream: whole numbers of any size and sign, or numbers with decimals.

    `digits` and `places` are the largest numbers of significant digits and decimal places of the decimals other than 0,
    counted until the digits of an exact double are met. `deck` is the number of cards in a line if every line is a
    permutation of the same three or more distinct things, else 0; `whole` then holds the places of the things in their
    natural order, line after line. `notes` has a sentence for each thing that was inferred.
    """

    kind: Kind
    whole: list[int] = field(default_factory=list)
    decimals: list[float] = field(default_factory=list)
    digits: int = 0
    places: int = 0
    numeral: Numeral = field(default_factory=Whole)
    deck: int = 0
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.whole) + len(self.decimals)

    @classmethod
    def of(cls, values: Sequence[Any] | np.ndarray, deadline: Deadline = NO_LIMIT) -> "Numbers":
        """The numbers of a list or an array, the first MAX_NUMBERS of them: integers, floats, bools, or strings as they
        would stand in a text; lists in a list follow one another. Raises UserError for anything else, and for an empty
        list; OutOfTime after the deadline.
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


def only_first(count: int) -> str:
    """The note about an input that has more numbers than are used."""
    return f"only the first {count:,} numbers were used"


def numbers_of(tokens: Tokens, notation: str | None = None, deadline: Deadline = NO_LIMIT) -> Numbers:
    """The numbers that tokens stand for, the first MAX_NUMBERS of them, in the notation of this name or the first that
    all tokens fit. UserError with the line of the first token that fits none of them, or that is not finite, and for
    words with control characters; OutOfTime after the deadline. No tokens are no numbers.
    """
    tokens = tokens.timed(deadline)
    if next(iter(tokens), None) is None:
        return Numbers("whole", notes=list(tokens.notes))
    cut = next(islice(tokens, MAX_NUMBERS, None), None) is not None
    tokens = tokens.first() if cut else tokens
    shuffles = fitting.deck(tokens) if notation in (None, "words") else None
    if shuffles is not None:
        numeral, cards, notes = shuffles
        numbers = Numbers("whole", _parsed(tokens, numeral), numeral=numeral, deck=cards, notes=notes)
    else:
        try:
            numbers = _read(tokens, INFERRED if notation is None else [NOTATIONS[notation]])
        except Misfit as misfit:
            _refuse(misfit, tokens.unit)
    if isinstance(numbers.numeral, Words):
        control = next((word for word in map(str, numbers.numeral.things) if printable(word) != word), None)
        if control is not None:
            raise UserError(f"the word {shown(control)} has control characters; {REMEDY}")
    numbers.notes = [*tokens.notes, *numbers.notes, *([only_first(len(numbers))] if cut else [])]
    return numbers


def fits_a_number(tokens: Tokens, notation: str | None) -> bool:
    """Whether all the tokens are written in this notation, or in any for numbers; so are nan and other such marks."""
    if not all(tokens):
        return False
    try:
        _read(tokens, NUMBERS if notation is None else [NOTATIONS[notation]])
    except Misfit as misfit:
        return _MISSING.fullmatch(misfit.token) is not None
    return True


def _read(tokens: Tokens, readers: Sequence[Callable[[Tokens], Numbers]]) -> Numbers:
    """The numbers by the first reader that all tokens fit; else the Misfit that came after most tokens."""
    furthest: Misfit | None = None
    for read_as in readers:
        try:
            return read_as(tokens)
        except Misfit as misfit:
            least = SEVERAL if read_as in _LARGER else 1  # a few words fit large alphabets by chance
            if furthest is None or misfit.fitted >= max(furthest.fitted + 1, least):
                furthest = misfit
    assert furthest is not None
    raise furthest


def _refuse(misfit: Misfit, unit: str) -> NoReturn:
    where, token = f"{unit} {misfit.line}", shown(misfit.token)
    if _MISSING.fullmatch(misfit.token):
        raise UserError(f"{where}: {token} is not a finite number; give the outputs before it, or those after it")
    if misfit.token.startswith(("...", "…")) or misfit.token == "reached":
        raise UserError(f"{where}: {token}: the list is abbreviated here; print it in full")
    if len(misfit.token) > MAX_CHARACTERS:
        raise UserError(f"{where}: {token} has more than {MAX_CHARACTERS} characters; {REMEDY}")
    raise UserError(f"{where}: {token} is not {misfit.expected}; {REMEDY}")


def _parsed(tokens: Tokens, numeral: Numeral) -> list[int]:
    """The whole numbers of tokens that all fit the numeral."""
    return [int(number) for token in tokens if (number := numeral.parse(token)) is not None]


def _by(fit: Callable[[Tokens], Fit]) -> Callable[[Tokens], Numbers]:
    """The reader by a numeral of whole numbers."""

    def read_as(tokens: Tokens) -> Numbers:
        numeral, notes = fit(tokens)
        return Numbers("whole", _parsed(tokens, numeral), numeral=numeral, notes=notes)

    return read_as


def _decimal(tokens: Tokens, style: Style, note: str = "") -> Numbers:
    """Whole numbers in decimal notation, else decimals."""
    try:
        numbers = _whole(tokens, style)
    except Misfit:
        numbers = _decimals(tokens, style)
    numbers.notes += [f"read with {note}"] if note else []
    return numbers


def _whole(tokens: Tokens, style: Style) -> Numbers:
    numeral, whole, widths, pointed, powers = Whole(style), list[int](), set[int](), 0, 0
    for row in tokens.rows():
        lengths = set(map(len, row.tokens))
        widths |= lengths
        if style == PLAIN and _only_digits(row.tokens) and 0 not in lengths and max(lengths) <= MAX_CHARACTERS:
            whole += map(int, row.tokens)
            continue
        for i, token in enumerate(row.tokens):
            number = numeral.parse(token) if len(token) <= MAX_CHARACTERS else None
            if number is None:
                raise Misfit(row, i, len(whole), "a number")
            pointed += style.point in token
            powers += "e" in token.lower()
            whole.append(number)
    if powers == len(whole):  # rounded to one digit, as decimals are
        raise Misfit(*next(tokens.places())[:2], 0, "a number")
    width = widths.pop() if len(widths) == 1 else 0
    padded = width > 1 and style == PLAIN and not pointed and 0 <= min(whole) < 10 ** (width - 1)
    return Numbers("whole", whole, numeral=Whole(style, width if padded else 0, pointed == len(whole)))


def _only_digits(tokens: list[str]) -> bool:
    text = "".join(tokens)
    return text.isascii() and text.isdecimal()


def _decimals(tokens: Tokens, style: Style) -> Numbers:
    numeral, decimals, digits, places = Decimals(style), list[float](), 0, 0
    for row in tokens.rows():
        values = _floats(row.tokens) if style == PLAIN else None
        if values is None:
            values = list[float]()
            for i, token in enumerate(row.tokens):
                value = numeral.parse(token) if len(token) <= MAX_CHARACTERS else None
                if value is None or math.isinf(value):
                    raise Misfit(row, i, len(decimals) + i, "a number that fits a double" if value else "a number")
                values.append(value)
        decimals += values
        for token, value in zip(row.tokens, values, strict=True):
            if digits >= DOUBLE:
                break
            if value:
                more_digits, more_places = precision(style.plain(token) or "")
                digits, places = max(digits, more_digits), max(places, more_places)
    return Numbers("decimal", [], decimals, digits, places, Decimals(style, digits, places))


def _floats(tokens: list[str]) -> list[float] | None:
    """The values of tokens that are all plain decimals and finite, else None."""
    if not _FLOATS.fullmatch("".join(tokens)):
        return None
    try:
        values = list(map(float, tokens))
    except ValueError:
        return None
    return values if math.isfinite(sum(values)) else None


def _of_list(values: list[Any], deadline: Deadline) -> Numbers:
    kinds = set(map(type, values))
    if kinds == {int}:
        return Numbers("whole", values)
    if kinds <= {bool, np.bool_}:
        return _of_bools(values)
    if not kinds & {list, tuple, np.ndarray}:
        return numbers_of(Tokens.items([_token(value, i) for i, value in enumerate(values, start=1)]), None, deadline)
    rows, left = list[Row](), MAX_NUMBERS
    for i, row in enumerate(values, start=1):
        if left < 0:
            break
        if not isinstance(row, list | tuple | np.ndarray) or (isinstance(row, np.ndarray) and not row.ndim):
            raise UserError(
                f"item {i} is no list, but others are; a list must hold numbers or words, or lists of these"
            )
        rows.append(Row(i, [_token(value, i) for value in row[: left + 1]]))
        left -= len(row)
    return numbers_of(Tokens(lambda: rows, ("lists in a list read one after the other",), "item"), None, deadline)


def _token(value: Any, item: int) -> str:
    """A number or a word of this item of a list as it would stand in a text."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise UserError(f"item {item} is {described(value)}, and at most {MAX_BITS:,} are allowed")
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        raise UserError(f"item {item}: {shown(value)} has more than {MAX_CHARACTERS} characters")
    if isinstance(value, str | np.bool_ | numeric.Number) or value is None:
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
        if (
            values.dtype.kind == "U"
            and values.size
            and np.ascontiguousarray(values).view(_letters(values)).max() > sys.maxunicode
        ):
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


def _letters(values: np.ndarray) -> np.dtype:
    """The type of the characters of an array of text."""
    return np.dtype("u4").newbyteorder(values.dtype.byteorder)


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


_STYLED = [partial(_decimal, style=style, note=name) for name, style in STYLES.items() if style != PLAIN]
_HEXADECIMAL = [_by(fitting.prefixed), _by(fitting.uuid), _by(fitting.hexadecimal_with_digits)]
_LARGER = [_by(fitting.seemingly_in_alphabet(name)) for name in ("base32", "base36", "base62", "base64", "base64url")]

NUMBERS: list[Callable[[Tokens], Numbers]] = [
    _by(fitting.bits),
    partial(_decimal, style=PLAIN),
    *_HEXADECIMAL,
    *_STYLED,
    _by(fitting.pairs),
    _by(fitting.padded_base64),
    *_LARGER,
]
"""Readers of numbers, in the order in which they are tried."""

INFERRED: list[Callable[[Tokens], Numbers]] = [
    *NUMBERS[: -len(_LARGER)],
    _by(fitting.frequent_words),
    _by(fitting.hexadecimal),
    *_LARGER,
]
"""Readers of tokens of unknown notation, in the order in which they are tried."""

NOTATIONS: dict[str, Callable[[Tokens], Numbers]] = {
    "decimal": partial(_decimal, style=PLAIN),
    "decimal-comma": partial(_decimal, style=Style(point=",")),
    "hexadecimal": _by(fitting.any_hexadecimal),
    "uuid": _by(fitting.uuid),
    **{name: _by(fitting.in_alphabet(name)) for name in ALPHABETS if name not in ("hexadecimal", "base64")},
    "base64": _by(fitting.any_base64),
    "words": _by(fitting.words),
}
"""Readers by the name of the notation."""
