"""In which notation other than decimal are tokens written? Each function finds the numeral that all tokens fit.

It returns the numeral and notes of what was inferred, and raises Misfit for the first token that does not fit.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from unrandom.auditing.reading.numerals import ALPHABETS, MAX_CHARACTERS, UUID, Base64Bytes, Numeral, Positional
from unrandom.auditing.reading.orders import PAIRS, RANKS, Words, in_order
from unrandom.auditing.reading.tokens import Misfit, Tokens, shown

Fit: TypeAlias = tuple[Numeral, list[str]]

MAX_WORDS = 64  # largest number of distinct words that are numbered
REPEATS = 3  # times that words must occur on average to be numbered
MAX_CARDS = 2**16  # largest number of things in a shuffle
ONE_CASE = ("base32", "base36")  # notations of which tokens in both cases are taken for a larger alphabet

PREFIXES = {"0x": "hexadecimal", "0b": "binary", "0o": "octal"}

_DIGIT = re.compile("[0-9]")
_LETTER = re.compile("[a-zA-Z]")
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?%?", re.ASCII)


def positional(tokens: Tokens, numeral: Positional) -> Positional:
    """The numeral in the case and, unless it has groups, the width of all the tokens."""
    widths, upper, lower, before, fitted = set[int](), False, False, len(numeral.prefix), 0
    for row in tokens.rows():
        digits = "".join(token[before:] for token in row.tokens) if before else "".join(row.tokens)
        lengths = {len(token) - before for token in row.tokens}
        at_once = not before and not numeral.groups and 0 not in lengths and numeral.fits(digits)
        if not at_once or max(lengths) > MAX_CHARACTERS:
            for i, token in enumerate(row.tokens):
                if len(token) > MAX_CHARACTERS or not numeral.fits(token):
                    raise Misfit(row, i, fitted + i, f"a {numeral.name} number")
        upper, lower = upper or digits != digits.lower(), lower or digits != digits.upper()
        if upper and lower and numeral.name in ONE_CASE:
            raise Misfit(row, 0, 0, f"a {numeral.name} number in one letter case")
        widths |= lengths
        fitted += len(row.tokens)
    alphabet = numeral.alphabet
    if numeral.one_case and upper != lower:
        alphabet = alphabet.upper() if upper else alphabet.lower()
    return replace(numeral, alphabet=alphabet, width=widths.pop() if len(widths) == 1 and not numeral.groups else 0)


def prefixed(tokens: Tokens) -> Fit:
    """Numbers after 0x, 0b or 0o, as the first one has it."""
    row, i, token = next(tokens.places())
    name = PREFIXES.get(token[:2].lower())
    if name is None:
        raise Misfit(row, i, 0, "a number")
    return positional(tokens, Positional(f"{name} {token[:2]}", ALPHABETS[name], token[:2])), []


def bits(tokens: Tokens) -> Fit:
    """Binary without prefix: the digits 0 and 1 alone, at least 8 and equally many in all tokens, zeros in front."""
    row, i, token = next(tokens.places())
    if len(token) < 8:
        raise Misfit(row, i, 0, "a number")
    numeral = positional(tokens, Positional("binary", ALPHABETS["binary"]))
    _require(tokens, numeral.width > 0 and any(token.startswith("0") for token in tokens))
    return numeral, ["read as binary, because all tokens have the digits 0 and 1 only"]


def uuid(tokens: Tokens) -> Fit:
    """UUIDs, as numbers of 128 bits."""
    numeral = positional(tokens, Positional("UUID", ALPHABETS["hexadecimal"], groups=UUID, mark="-"))
    notes = ["UUIDs read as numbers of 128 bits"]
    fixed = {(token[14], int(token[19], 16) >> 2) for token in tokens}
    if len(fixed) == 1 and fixed <= {(version, 2) for version in "12345678"}:  # RFC 9562, section 4
        notes.append(f"every UUID has version {fixed.pop()[0]}, so that 6 of its bits are fixed")
    return numeral, notes


def pairs(tokens: Tokens) -> Fit:
    """Pairs of hexadecimal digits with marks between them, such as de:ad:be:ef; letters must occur."""
    row, i, token = next(tokens.places())
    if len(token) < 5 or token[2] not in ":- " or not any(map(_LETTER.search, tokens)):
        raise Misfit(row, i, 0, "a number")
    groups = (2,) * ((len(token) + 1) // 3)
    numeral = positional(tokens, Positional("hexadecimal", ALPHABETS["hexadecimal"], groups=groups, mark=token[2]))
    return numeral, [f"read as hexadecimal numbers of {len(groups)} bytes, the most significant first"]


def hexadecimal(tokens: Tokens) -> Fit:
    """Hexadecimal without prefix, if letters occur."""
    numeral = positional(tokens, Positional("hexadecimal", ALPHABETS["hexadecimal"]))
    _require(tokens, any(map(_LETTER.search, tokens)))
    return numeral, ["read as hexadecimal, because all tokens have hexadecimal digits only and letters occur"]


def hexadecimal_with_digits(tokens: Tokens) -> Fit:
    """Hexadecimal without prefix, if letters and decimal digits occur: no words."""
    fit = hexadecimal(tokens)
    _require(tokens, any(map(_DIGIT.search, tokens)))
    return fit


def any_hexadecimal(tokens: Tokens) -> Fit:
    """Hexadecimal because the user says so."""
    first = next(iter(tokens))
    if first[:2].lower() == "0x":
        return prefixed(tokens)
    if len(first) > 2 and first[2] in ":- ":
        return pairs(tokens)
    return positional(tokens, Positional("hexadecimal", ALPHABETS["hexadecimal"])), []


def padded_base64(tokens: Tokens) -> Fit:
    """Bytes in base 64, with padding in some of the tokens."""
    _require(tokens, any(token.endswith("=") for token in tokens))
    url = any("-" in token or "_" in token for token in tokens)
    numeral, widths = Base64Bytes(ALPHABETS["base64url" if url else "base64"]), set[int]()
    for fitted, (row, i, token) in enumerate(tokens.places()):
        if len(token) > MAX_CHARACTERS or not numeral.fits(token):
            raise Misfit(row, i, fitted, "a base64 number with padding")
        widths.add(len(token) // 4 * 3 - token.count("="))
    notes = ["read as bytes in base64, the most significant first"]
    return replace(numeral, width=widths.pop() if len(widths) == 1 else 0), notes


def any_base64(tokens: Tokens) -> Fit:
    """Base 64 because the user says so: bytes if there is padding, else digits."""
    padded = any(token.endswith("=") for token in tokens)
    return padded_base64(tokens) if padded else (positional(tokens, Positional("base64", ALPHABETS["base64"])), [])


def in_alphabet(name: str) -> Callable[[Tokens], Fit]:
    """The reader of digits of this alphabet, because the user says so."""
    return lambda tokens: (positional(tokens, Positional(name, ALPHABETS[name])), [])


def seemingly_in_alphabet(name: str) -> Callable[[Tokens], Fit]:
    """The reader of digits of this alphabet, if no token has fewer than 4 characters, and a quarter of them have
    letters and decimal digits: no words.
    """

    def read_as(tokens: Tokens) -> Fit:
        numeral, count, mixed = positional(tokens, Positional(name, ALPHABETS[name])), 0, 0
        for token in tokens:
            count += 1
            mixed += bool(len(token) >= 4 and _DIGIT.search(token) and _LETTER.search(token))
        _require(tokens, 4 * mixed >= count and all(len(token) >= 4 for token in tokens))
        ends = f"digits {numeral.alphabet[0]} … {numeral.alphabet[-1]}, the most significant first"
        return numeral, [f"read as {name}, the smallest alphabet that fits all tokens: {ends}"]

    return read_as


def _require(tokens: Tokens, condition: bool) -> None:
    if not condition:
        row, i, _ = next(tokens.places())
        raise Misfit(row, i, 0, "a number")


def words(tokens: Tokens) -> Fit:
    """At most 64 distinct words, because the user says so."""
    return _numbered(_distinct(tokens))


def frequent_words(tokens: Tokens) -> Fit:
    """A known pair of words such as heads and tails; or other words that are frequent, and no numbers among them
    unless they are cards.
    """
    distinct = _distinct(tokens)
    if _pair(distinct) is None:
        numbers = any(map(_NUMBER.fullmatch, distinct)) and not set(distinct) <= {*RANKS, "T"}
        frequent = sum(1 for _ in tokens) >= REPEATS * len(distinct)
        _require(tokens, len(distinct) > 1 and frequent and not numbers)
    return _numbered(distinct)


def _distinct(tokens: Tokens) -> list[str]:
    distinct = set[str]()
    for row in tokens.rows():
        distinct.update(row.tokens)
        if len(distinct) > MAX_WORDS or max(map(len, distinct), default=0) > MAX_CHARACTERS:
            raise Misfit(row, 0, 0, f"in a line of at most {MAX_WORDS} distinct words")
    return sorted(distinct)


def _pair(distinct: list[str]) -> list[str] | None:
    """The known pair to which the words belong, in their letter case."""
    for low, high in PAIRS:
        for case in (str.lower, str.upper, str.capitalize):
            if distinct and set(distinct) <= {case(low), case(high)}:
                return [case(low), case(high)]
    return None


def _numbered(distinct: list[str]) -> Fit:
    ordered = _pair(distinct)
    order = "in natural order"
    if ordered is None:
        ordered, order = in_order(distinct)
    return Words(tuple(ordered)), [f"{len(ordered)} words numbered {order}: {_listed(ordered)}"]


def _listed(things: Iterable[str]) -> str:
    first = [shown(thing)[1:-1] for thing in islice(things, 5)]
    return ", ".join(f"{name} = {place}" for place, name in enumerate(first[:4])) + (", …" if len(first) > 4 else "")


def deck(tokens: Tokens) -> tuple[Words, int, list[str]] | None:
    """If every row, of at least two, is a permutation of the same three or more distinct things: these in their
    natural order, how many there are, and a note.
    """
    rows, cards = 0, frozenset[str]()
    for row in tokens.rows():
        if row.per_line or not 3 <= len(row.tokens) <= MAX_CARDS or len(row.tokens) != len(cards or set(row.tokens)):
            return None
        cards = cards or frozenset(row.tokens)
        if cards != set(row.tokens):
            return None
        rows += 1
    if rows < 2:
        return None
    ordered, order = in_order(sorted(cards))
    numeral = Words(
        tuple(int(card) if re.fullmatch(r"0|-?[1-9]\d{0,300}", card, re.ASCII) else card for card in ordered)
    )
    note = f"{rows} shuffles of {len(cards)} cards, numbered {order}: {_listed(ordered)}"
    return numeral, len(cards), [note]
