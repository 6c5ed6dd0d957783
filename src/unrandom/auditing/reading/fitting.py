"""Finds the notation other than decimal in which tokens are written: each function finds the numeral that all tokens
fit.

It returns the numeral and notes of what was inferred, and raises Misfit for the first token that does not fit.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from unrandom.auditing.reading.alphabets import alphabets_of, few_letters, is_symbolic, spelled, without_joiners
from unrandom.auditing.reading.numerals import (
    ALPHABETS,
    MAX_CHARACTERS,
    SUFFIXES,
    UUID,
    Base64Bytes,
    Numeral,
    Positional,
)
from unrandom.auditing.reading.orders import ALPHABETICAL, PAIRS, RANKS, Words, in_order
from unrandom.auditing.reading.radix import GRIDS, RADIXES, Radix
from unrandom.auditing.reading.tokens import MAX_NUMBERS, Misfit, Row, Tokens, shown

Fit: TypeAlias = tuple[Numeral, list[str]]

MAX_WORDS = 64  # largest number of distinct words that are numbered
REPEATS = 3  # times that words must occur on average to be numbered
SYMBOLS_IN_A_ROW = 4  # a word of this many symbols is a row of them; a shorter one may be a symbol, such as a flag
MAX_CARDS = 2**16  # largest number of things in a shuffle
ONE_CASE = ("base32", "base36")  # notations of which tokens in both cases are taken for a larger alphabet

PREFIXES = {"0x": "hexadecimal", "0b": "binary", "0o": "octal"}

LEAST_LETTERS = 4  # characters of a token of letters alone that is not a word of a language
LEAST_TOGETHER = 10  # characters of all such tokens together
LEAST_MIXED = 20  # digits in base 36 or 32 that are not all letters
CUT_DIGITS = range(4, 11)  # digits that programs keep of a fraction in another base
ALL_DIGITS = {36: range(9, 14), 32: range(9, 15), 16: range(11, 16)}  # most digits of such a fraction, by base

_DIGIT = re.compile("[0-9]")
DATES = ((4, 2, 2), (2, 2, 4), (2, 2, 2))

_GROUP = re.compile("[0-9]+")
_GROUPED = re.compile(r"[0-9]+([-./])[0-9]+(?:\1[0-9]+)*")
_BASE64 = re.compile(r"[\w+/-]+={0,2}", re.ASCII)
_MARKED = re.compile(r"\W?[0-9][0-9.,]*\D?")
_LETTER = re.compile("[a-zA-Z]")
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?%?", re.ASCII)


def positional(tokens: Tokens, numeral: Positional) -> Positional:
    """The numeral in the case and, unless it has groups, the width of all the tokens."""
    widths, upper, lower, fitted = set[int](), False, False, 0
    before, after = len(numeral.prefix), len(numeral.suffix)
    for row in tokens.rows():
        bare = [token[before : len(token) - after] for token in row.tokens] if before or after else row.tokens
        digits, lengths = "".join(bare), set(map(len, bare))
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
    """Numbers after 0x, 0b or 0o, as the first one has it, and before the mark of a type, if it has one."""
    row, i, token = next(tokens.places())
    name = PREFIXES.get(token[:2].lower())
    if name is None:
        raise Misfit(row, i, 0, "a number")
    suffix = max((one for one in SUFFIXES if token.endswith(one) and one.lower() != "f"), key=len, default="")
    notes = [f"read with the suffix {suffix} left out"] if suffix else []
    return positional(tokens, Positional(f"{name} {token[:2]}", ALPHABETS[name], token[:2], suffix=suffix)), notes


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


def grouped(tokens: Tokens) -> Fit:
    """Decimal digits in groups between marks, as in telephone numbers: the same in all tokens, which are not dates."""
    row, i, token = next(tokens.places())
    groups = tuple(map(len, _GROUP.findall(token)))
    if not _GROUPED.fullmatch(token) or groups in DATES:
        raise Misfit(row, i, 0, "a number")
    mark = _GROUPED.fullmatch(token)[1]  # type: ignore[index]
    numeral = positional(tokens, Positional("decimal", "0123456789", groups=groups, mark=mark))
    return numeral, [f"digits in groups of {', '.join(map(str, groups))} read as one number, without {shown(mark)}"]


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
    row, i, token = next(tokens.places())
    if not _BASE64.fullmatch(token):  # before all of them are looked through
        raise Misfit(row, i, 0, "a base64 number with padding")
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


def letters(tokens: Tokens) -> Fit:
    """Tokens of letters alone, equally long and not all the same: too few of them to be words that are numbered."""
    row, i, token = next(tokens.places())
    alphabet = next((one for one in alphabets_of(token, len(token)) if one.isalpha()), None)
    if alphabet is None or len(token) < LEAST_LETTERS:
        raise Misfit(row, i, 0, "a number")
    both = "".join(sorted({*alphabet, *alphabet.swapcase()}))
    used = set().union(*tokens)
    alphabet = both if any(map(str.islower, used)) and any(map(str.isupper, used)) else alphabet
    numeral = positional(tokens, Positional("letters", alphabet))
    together = sum(len(row.tokens) for row in tokens.rows()) * numeral.width
    one = next(islice(tokens, 1, None), None) is None
    _require(tokens, not few_letters("".join(islice(tokens, MAX_WORDS))))
    _require(tokens, together >= LEAST_TOGETHER and (one or len(set(islice(tokens, 2 * MAX_WORDS))) > 1))
    return numeral, [f"read as tokens of the letters {spelled(numeral.alphabet)}"]


def symbols(tokens: Tokens) -> list[Positional]:
    """The alphabets, in their orders, of tokens that are symbols, one each: known ones, else that of the symbols that
    occur, by code point.
    """
    used, count = set[str](), 0
    for row in tokens.rows():
        for i, token in enumerate(row.tokens):
            if len(token) != 1 or not is_symbolic(token):
                raise Misfit(row, i, count + i, "a symbol")
        used.update(row.tokens)
        count += len(row.tokens)
        if len(used) > MAX_CARDS:
            raise Misfit(row, 0, 0, f"one of at most {MAX_CARDS} symbols")
    known = alphabets_of(used, count)
    _require(tokens, bool(known) or (len(used) > 1 and count >= REPEATS * len(used)))
    return [Positional("symbols", alphabet, width=1) for alphabet in known or ["".join(sorted(used))]]


def plain_symbols(tokens: Tokens) -> Tokens:
    """The same tokens without what only changes how a symbol looks."""

    def rows() -> Iterator[Row]:
        for row in tokens.rows():
            plain = [without_joiners(token) for token in row.tokens]
            yield row._replace(tokens=[token for token in plain if token])

    return replace(tokens, rows=rows)


def characters(tokens: Tokens) -> Tokens:
    """Every character of the tokens by itself."""

    def rows() -> Iterator[Row]:
        return (Row(row.place(i), list(token)) for row, i, token in tokens.places())

    return replace(tokens, rows=rows).noting("tokens read character by character")


def drawn(tokens: Tokens, numeral: Positional) -> list[Positional]:
    """The numerals of the alphabets, in their orders, from which characters of tokens of equal width may have been
    drawn; none for very many characters.
    """
    used, count = set[str](), 0
    for row in tokens.rows():
        used.update("".join(row.tokens))
        count += numeral.width * len(row.tokens)
        if count > MAX_NUMBERS:
            return []
    if used <= set(ALPHABETS["hexadecimal"]) | set(ALPHABETS["hexadecimal"].upper()) and count >= LEAST_TOGETHER:
        return []  # draws of hexadecimal digits are read as their number
    return [replace(numeral, name="letters", alphabet=alphabet) for alphabet in alphabets_of(used, count)]


def radixes(tokens: Tokens) -> list[Radix]:
    """The numerals by which tokens may be fractions in base 36, 32 or 16 that JavaScript printed, with "0." or without:
    all their digits, or equally many of each.
    """
    first = next(iter(tokens))
    leading = "0." if first.startswith("0.") else ""
    widths, used, count = set[int](), set[str](), 0
    for row in tokens.rows():
        widths.update(map(len, row.tokens))
        used.update(*row.tokens)
        count += sum(map(len, row.tokens))
    if count > MAX_NUMBERS or (count > LEAST_MIXED and not used & set("0123456789")):
        return []
    longest, found = max(widths) - len(leading), list[Radix]()
    for radix in RADIXES:
        numerals = [Radix(radix, leading, grid=grid) for grid in GRIDS if longest in ALL_DIGITS[radix]]
        if len(widths) == 1 and longest in CUT_DIGITS and radix != 16:
            numerals = [Radix(radix, leading, cut=longest)]
        if used & set("ghijklmnopqrstuv" if radix == 32 else "wxyz" if radix == 36 else "abcdef"):
            found += [one for one in numerals if all(one.bounds(token) is not None for token in tokens)][:1]
    return found


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
        _require(tokens, len(distinct) > 1 and frequent and not numbers and _are_words(distinct))
    return _numbered(distinct)


def _are_words(distinct: Sequence[str]) -> bool:
    """Whether these are words, not rows of symbols, nor numbers with marks beside words without."""
    rows = all(len(without_joiners(word)) >= SYMBOLS_IN_A_ROW and is_symbolic(word) for word in distinct)
    marked = sum(_MARKED.fullmatch(word) is not None for word in distinct)
    return not rows and (marked in (0, len(distinct)) or in_order(distinct)[1] != ALPHABETICAL)


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
    """If every row, of at least two that are not all the same, is a permutation of the same three or more distinct
    things: these in their natural order, how many there are, and a note.
    """
    rows, cards, first, shuffled = 0, frozenset[str](), list[str](), False
    for row in tokens.rows():
        if row.per_line or not 3 <= len(row.tokens) <= MAX_CARDS or len(row.tokens) != len(cards or set(row.tokens)):
            return None
        cards, first = cards or frozenset(row.tokens), first or row.tokens
        if cards != set(row.tokens):
            return None
        rows, shuffled = rows + 1, shuffled or row.tokens != first
    if rows < 2 or not shuffled:
        return None
    ordered, order = in_order(sorted(cards))
    numeral = Words(
        tuple(int(card) if re.fullmatch(r"0|-?[1-9]\d{0,300}", card, re.ASCII) else card for card in ordered)
    )
    note = f"{rows} shuffles of {len(cards)} cards, numbered {order}: {_listed(ordered)}"
    return numeral, len(cards), [note]
