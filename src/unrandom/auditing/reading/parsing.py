"""Turns tokens into numbers, by the first notation in a fixed order that all the tokens fit.

Decimal notation comes first, then hexadecimal, then words, then the smallest of the larger alphabets.
"""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Literal, NoReturn, TypeAlias

from unrandom.auditing.deadline import NO_LIMIT, Deadline, OutOfTime
from unrandom.auditing.reading import fitting, numerals
from unrandom.auditing.reading.alphabets import spelled
from unrandom.auditing.reading.fitting import Fit
from unrandom.auditing.reading.orders import Words
from unrandom.auditing.reading.radix import Radix
from unrandom.auditing.reading.tokens import MAX_NUMBERS, Misfit, NotPlain, Tokens, shown
from unrandom.core.errors import UserError, printable

NumberKind: TypeAlias = Literal["whole", "decimal"]

REMEDY = "choose the numbers with --column or --regex, or their notation with --notation"

LONGEST_TOKEN = 64  # characters of one token by itself; a longer one is read character by character
SHOWN = 6  # alphabets that a note names, at most
SEVERAL = 8  # fewest tokens that show a large alphabet although the next one does not fit it

_FLOATS = re.compile(r"[\d.eE+-]+", re.ASCII)
_MISSING = re.compile(r"[+-]?(nan|inf(inity)?)|NA|none|null|undefined", re.IGNORECASE | re.ASCII)


@dataclass
class Numbers:
    """The numbers of a stream: whole numbers of any size and sign, or numbers with decimals.

    `digits` and `places` are the largest numbers of significant digits and decimal places of the decimals other than 0,
    counted until the digits of an exact double are met. `deck` is the number of cards in a line if every line is a
    permutation of the same three or more distinct things, else 0; `whole` then holds the places of the things in their
    natural order, line after line. `errors` bounds how far each decimal may be from the fraction that it stands for,
    where digits do not say this. The digits of `drawn` numbers are what was drawn, and not the numbers. `others` are
    other readings of the same input. `notes` has a sentence for each thing that was inferred.
    """

    kind: NumberKind
    whole: list[int] = field(default_factory=list)
    decimals: list[float] = field(default_factory=list)
    digits: int = 0
    places: int = 0
    numeral: numerals.Numeral = field(default_factory=numerals.Whole)
    deck: int = 0
    errors: list[float] = field(default_factory=list)
    drawn: bool = False
    others: tuple["Numbers", ...] = ()
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.whole) + len(self.decimals)


def only_first(count: int) -> str:
    """The note about an input that has more numbers than are used."""
    return f"only the first {count:,} numbers were used"


def numbers_of(tokens: Tokens, notation: str | None = None, deadline: Deadline = NO_LIMIT) -> Numbers:
    """The numbers that tokens stand for, the first MAX_NUMBERS of them, in the notation of this name or the first that
    all tokens fit. UserError with the line of the first token that fits none of them, or that is not finite, and for
    words with control characters; OutOfTime after the deadline. No tokens give no numbers.
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
        tokens = tokens.pieces().timed(deadline)
        try:
            numbers = _read(tokens, INFERRED if notation is None else [NOTATIONS[notation]])
        except Misfit as misfit:
            _refuse(misfit, tokens.unit, stated=notation is not None)
        with suppress(OutOfTime):  # then there is no time to search among them either
            _add_others(tokens, numbers, stated=notation is not None)
    if isinstance(numbers.numeral, Words):
        control = next((word for word in map(str, numbers.numeral.things) if printable(word) != word), None)
        if control is not None:
            raise UserError(f"the word {shown(control)} has control characters; {REMEDY}")
    numbers.notes = [*tokens.notes, *numbers.notes, *([only_first(len(numbers))] if cut else [])]
    return numbers


def numbers_in_alphabet(tokens: Tokens, alphabet: str, deadline: Deadline = NO_LIMIT) -> Numbers:
    """The numbers of tokens whose characters were drawn from this alphabet: tokens of equal width by themselves, others
    character by character. UserError for a character that is not in the alphabet; OutOfTime after the deadline.
    """
    tokens = fitting.plain_symbols(tokens.timed(deadline))
    widths = {len(token) for token in tokens}
    if not widths:
        return Numbers("whole", notes=list(tokens.notes))
    one = next(islice(tokens, 1, None), None) is None
    long_one = one and (max(widths) > LONGEST_TOKEN or not alphabet.isascii())
    if len(widths) > 1 or long_one or max(widths) > numerals.MAX_CHARACTERS:
        tokens, widths = fitting.characters(tokens), {1}
    cut = next(islice(tokens, MAX_NUMBERS, None), None) is not None
    tokens = tokens.first() if cut else tokens
    letters = set(alphabet)
    for row, i, token in tokens.places():
        if not letters.issuperset(token):
            wrong = next(letter for letter in token if letter not in letters)
            raise UserError(f"{tokens.unit} {row.place(i)}: {shown(wrong)} is not in --alphabet {shown(alphabet)}")
    numbers = _drawn(tokens, numerals.Positional("alphabet", alphabet, width=widths.pop()))
    numbers.notes = [*tokens.notes, *([only_first(len(numbers))] if cut else [])]
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
            least = SEVERAL if read_as in _BY_CHANCE else 1
            if furthest is None or misfit.fitted >= max(furthest.fitted + 1, least):
                furthest = misfit
    assert furthest is not None
    raise furthest


def _refuse(misfit: Misfit, unit: str, *, stated: bool) -> NoReturn:
    where, token = f"{unit} {misfit.line}", shown(misfit.token)
    if _MISSING.fullmatch(misfit.token):
        raise UserError(f"{where}: {token} is not a finite number; give the outputs before it, or those after it")
    if misfit.token.startswith(("...", "…")) or misfit.token == "reached":
        raise UserError(f"{where}: {token}: the list is abbreviated here; print it in full")
    if len(misfit.token) > numerals.MAX_CHARACTERS:
        raise NotPlain(f"{where}: {token} has more than {numerals.MAX_CHARACTERS} characters; {REMEDY}")
    expected = misfit.expected if misfit.fitted or stated else "a number"
    raise NotPlain(f"{where}: {token} is not {expected}; {REMEDY}")


def _parsed(tokens: Tokens, numeral: numerals.Numeral) -> list[int]:
    """The whole numbers of tokens that all fit the numeral."""
    return [int(number) for token in tokens if (number := numeral.parse(token)) is not None]


def _by(fit: Callable[[Tokens], Fit]) -> Callable[[Tokens], Numbers]:
    """The reader by a numeral of whole numbers."""

    def read_as(tokens: Tokens) -> Numbers:
        numeral, notes = fit(tokens)
        return Numbers("whole", _parsed(tokens, numeral), numeral=numeral, notes=notes)

    return read_as


def _by_alphabets(fit: Callable[[Tokens], list[numerals.Positional]]) -> Callable[[Tokens], Numbers]:
    """The reader of characters that were drawn from one of several alphabets."""

    def read_as(tokens: Tokens) -> Numbers:
        first, *others = [_drawn(tokens, numeral) for numeral in fit(tokens)]
        orders = " and ".join(_alphabet(one) for one in (first, *others))
        first.others, first.notes = tuple(others), [f"read as draws from {orders}"]
        return first

    return read_as


def _drawn(tokens: Tokens, numeral: numerals.Positional) -> Numbers:
    return Numbers("whole", _parsed(tokens, numeral), numeral=numeral, drawn=True)


def _alphabet(numbers: Numbers) -> str:
    assert isinstance(numbers.numeral, numerals.Positional)
    return spelled(numbers.numeral.alphabet)


def _fraction(tokens: Tokens, numeral: Radix) -> Numbers:
    """Fractions that are known to lie between bounds."""
    bounds = [found for token in tokens if (found := numeral.bounds(token)) is not None]
    errors = [(high - low) / 2 for low, high in bounds]
    numbers = Numbers("decimal", [], [(low + high) / 2 for low, high in bounds], numeral=numeral)
    if any(errors):
        numbers.errors = errors
    else:
        numbers.digits = numbers.places = numerals.DOUBLE
    return numbers


def _fractions(tokens: Tokens) -> Numbers:
    """Fractions in another base than ten, after their "0."."""
    row, i, token = next(tokens.places())
    found = fitting.radixes(tokens) if token.startswith("0.") else []
    if not found:
        raise Misfit(row, i, 0, "a number")
    numbers = _fraction(tokens, found[0])
    numbers.notes = [f"read as fractions in base {found[0].radix}, as JavaScript's toString prints them"]
    return numbers


def _add_others(tokens: Tokens, numbers: Numbers, *, stated: bool) -> None:
    """Other readings of tokens of letters: as draws from each alphabet that fits, or only from that of the notation
    that is `stated`; or as fractions in another base.
    """
    numeral = numbers.numeral
    if not isinstance(numeral, numerals.Positional) or numeral.prefix or numeral.groups or numbers.drawn:
        return
    alphabets = fitting.drawn(tokens, numeral) if numeral.width else []
    if stated:
        alphabets = [one for one in alphabets if one.alphabet == numeral.alphabet]
    others = [_drawn(tokens, one) for one in alphabets]
    fractions = [] if stated else [_fraction(tokens, one) for one in fitting.radixes(tokens)]
    if others and not stated:
        first = ", ".join(map(_alphabet, others[:SHOWN])) + (", …" if len(others) > SHOWN else "")
        numbers.notes[-1] += f"; and also character by character, drawn from {first}"
    if fractions:
        numbers.notes[-1] += "; and also as fractions that JavaScript's toString printed"
    numbers.others = (*others, *fractions)


def _decimal(tokens: Tokens, style: numerals.Style, note: str = "") -> Numbers:
    """Whole numbers in decimal notation, else decimals."""
    try:
        numbers = _whole(tokens, style)
    except Misfit:
        numbers = _decimals(tokens, style)
    numbers.notes += [f"read with {note}"] if note else []
    return numbers


def _whole(tokens: Tokens, style: numerals.Style) -> Numbers:
    numeral, whole, widths, pointed, powers = numerals.Whole(style), list[int](), set[int](), 0, 0
    for row in tokens.rows():
        lengths = set(map(len, row.tokens))
        widths |= lengths
        if (
            style == numerals.PLAIN
            and _only_digits(row.tokens)
            and 0 not in lengths
            and max(lengths) <= numerals.MAX_CHARACTERS
        ):
            whole += map(int, row.tokens)
            continue
        for i, token in enumerate(row.tokens):
            number = numeral.parse(token) if len(token) <= numerals.MAX_CHARACTERS else None
            if number is None:
                raise Misfit(row, i, len(whole), "a number")
            pointed += style.point in token
            powers += "e" in token.lower()
            whole.append(number)
    if powers == len(whole):  # rounded to one digit, as decimals are
        raise Misfit(*next(tokens.places())[:2], 0, "a number")
    width = widths.pop() if len(widths) == 1 else 0
    padded = width > 1 and style == numerals.PLAIN and not pointed and 0 <= min(whole) < 10 ** (width - 1)
    return Numbers("whole", whole, numeral=numerals.Whole(style, width if padded else 0, pointed == len(whole)))


def _only_digits(tokens: list[str]) -> bool:
    text = "".join(tokens)
    return text.isascii() and text.isdecimal()


def _decimals(tokens: Tokens, style: numerals.Style) -> Numbers:
    numeral, decimals, digits, places = numerals.Decimals(style), list[float](), 0, 0
    for row in tokens.rows():
        values = _floats(row.tokens) if style == numerals.PLAIN else None
        if values is None:
            values = list[float]()
            for i, token in enumerate(row.tokens):
                value = numeral.parse(token) if len(token) <= numerals.MAX_CHARACTERS else None
                if value is None or math.isinf(value):
                    raise Misfit(row, i, len(decimals) + i, "a number that fits a double" if value else "a number")
                values.append(value)
        decimals += values
        for token, value in zip(row.tokens, values, strict=True):
            if digits >= numerals.DOUBLE:
                break
            if value:
                more_digits, more_places = numerals.precision(style.plain(token) or "")
                digits, places = max(digits, more_digits), max(places, more_places)
    return Numbers("decimal", [], decimals, digits, places, numerals.Decimals(style, digits, places))


def _floats(tokens: list[str]) -> list[float] | None:
    """The values of tokens that are all plain decimals and finite, else None."""
    if not _FLOATS.fullmatch("".join(tokens)):
        return None
    try:
        values = list(map(float, tokens))
    except ValueError:
        return None
    return values if math.isfinite(sum(values)) else None


_STYLED = [
    partial(_decimal, style=style, note=name) for name, style in numerals.STYLES.items() if style != numerals.PLAIN
]
_HEXADECIMAL = [_by(fitting.prefixed), _by(fitting.uuid), _by(fitting.hexadecimal_with_digits)]
_LARGER = [_by(fitting.seemingly_in_alphabet(name)) for name in ("base32", "base36", "base62", "base64", "base64url")]
_PADDED, _GROUPED = _by(fitting.padded_base64), _by(fitting.grouped)
_SYMBOLS, _LETTERS = _by_alphabets(fitting.symbols), _by(fitting.letters)
_BY_CHANCE = (*_LARGER, _PADDED, _GROUPED, _SYMBOLS, _LETTERS)
"""Readers that a few words may fit by chance."""

NUMBERS: list[Callable[[Tokens], Numbers]] = [
    _by(fitting.bits),
    partial(_decimal, style=numerals.PLAIN),
    *_HEXADECIMAL,
    *_STYLED,
    _by(fitting.pairs),
    _PADDED,
    *_LARGER,
]
"""Readers of numbers, in the order in which they are tried."""

INFERRED: list[Callable[[Tokens], Numbers]] = [
    *NUMBERS[: -len(_LARGER)],
    _GROUPED,
    _SYMBOLS,
    _by(fitting.frequent_words),
    _by(fitting.hexadecimal),
    _fractions,
    *_LARGER,
    _LETTERS,
]
"""Readers of tokens of unknown notation, in the order in which they are tried."""

NOTATIONS: dict[str, Callable[[Tokens], Numbers]] = {
    "decimal": partial(_decimal, style=numerals.PLAIN),
    "decimal-comma": partial(_decimal, style=numerals.Style(point=",")),
    "hexadecimal": _by(fitting.any_hexadecimal),
    "uuid": _by(fitting.uuid),
    **{name: _by(fitting.in_alphabet(name)) for name in numerals.ALPHABETS if name not in ("hexadecimal", "base64")},
    "base64": _by(fitting.any_base64),
    "words": _by(fitting.words),
}
"""Readers by the name of the notation."""
