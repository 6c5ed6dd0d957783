"""Reads a text in which the numbers stand among other text, by what is tried here in turn: the list that one of its
lines assigns; numbers after some lines of words; the bytes of a hexdump; symbols without spaces; the part that varies
in lines of one shape.

What is left out is noted. If nothing is found, the refusal names what was seen, and an option that was tried.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from unrandom.auditing.reading.alphabets import few_letters, is_symbolic, without_joiners
from unrandom.auditing.reading.assignments import lists_of
from unrandom.auditing.reading.logs import WITHOUT_MATCH, matches, of_column
from unrandom.auditing.reading.numerals import MAX_CHARACTERS, Masked
from unrandom.auditing.reading.octets import octets_of
from unrandom.auditing.reading.parsing import Numbers, numbers_of
from unrandom.auditing.reading.shapes import Field, Shape, items_of, keyed_fields, shape_of, shapes_of
from unrandom.auditing.reading.tables import MAX_NAMES, SAMPLE_LINES, counts
from unrandom.auditing.reading.texts import BLOCK, Text, of_text, words_of
from unrandom.auditing.reading.tokens import MAX_NUMBERS, PIECE, Row, Tokens, shown
from unrandom.core.errors import UserError

MOST_WORDS = 32  # lines of words before numbers that are left out
MANY_LINES = 0.3  # share of lines of one shape of which a part may be chosen
MOST_SHOWN = 10_000  # characters of a line by which its shape is found
MOST_SYMBOLS = 32  # kinds of symbols in a hint
FEWEST_NUMBERS = 3  # numbers after such lines

_PLAIN = re.compile(r"0x[0-9a-fA-F]+|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MASK = re.compile(r"\+?\(?0+(?:[()./ -]{1,3}0+){1,6}", re.ASCII)
_ALONE = r"^\s*([-+.\d]+)\s*$"  # the number of a line that has nothing else


def of_pasted(text: Text, notation: str | None, refused: UserError) -> Numbers:
    """The numbers of a text that was `refused` as a list or a table. UserError if no other reading is without doubt."""
    readings: tuple[Callable[[Text, str | None], Numbers | None], ...] = (
        _assigned,
        _after_words,
        _masked,
        _octets,
        _symbol_by_symbol,
        _of_one_shape,
    )
    for read_as in readings:
        numbers = read_as(text, notation)
        if numbers is not None:
            return numbers
    raise _refusal(text, notation, refused)


def _tried(tokens: Callable[[], Tokens], notation: str | None, text: Text) -> Numbers | None:
    """The numbers that tokens stand for, None if there are none."""
    try:
        return numbers_of(tokens(), notation, text.deadline) or None
    except UserError:
        return None


def _lines(text: Text) -> list[str]:
    """The beginnings of the first lines; if all lines look like comments, of these."""
    plain = text.sample() or [line.strip() for _, line in islice(_not_blank(text), SAMPLE_LINES)]
    return [line if len(line) <= MOST_SHOWN else _beginning(line[:MOST_SHOWN]) for line in plain]


def _beginning(line: str) -> str:
    """A part of a line to the end of its last whole word, if it has several."""
    return line.rpartition(" ")[0] or line


def _not_blank(text: Text) -> Iterator[tuple[int, str]]:
    return (one for one in text.written() if one[1].strip())


def _assigned(text: Text, notation: str | None) -> Numbers | None:
    """The longest list of numbers that is assigned; of equally long ones the last."""
    lists = dict[str, Numbers]()
    for name, content in lists_of(text).items():
        numbers = _tried(partial(of_text, Text(content, text.deadline), notation), notation, text)
        if numbers is not None:
            lists[name] = numbers
    if not lists:
        return None
    name = max(reversed(lists), key=lambda one: len(lists[one]))
    others = [f"{other} ({len(one):,})" for other, one in lists.items() if other != name]
    note = f"list {name} of {len(lists[name]):,} numbers read, and all other lines left out"
    more = f"; --column takes another list: {', '.join(others[:MAX_NAMES])}" if others else ""
    lists[name].notes.insert(0, note + more)
    return lists[name]


def _after_words(text: Text, notation: str | None) -> Numbers | None:
    """Numbers that fill all lines after some lines of words."""
    lines = list(islice(text.lines(), SAMPLE_LINES))
    plain = [all(map(_PLAIN.fullmatch, words_of(line))) for _, line in lines]
    first = max((i + 1 for i, is_plain in enumerate(plain) if not is_plain), default=0)
    numbers = sum(len(words_of(line)) for _, line in lines[first:])
    if not 0 < first <= min(MOST_WORDS, numbers) or numbers < FEWEST_NUMBERS:
        return None
    place = _start_of(text, lines[first][0])
    rest = Text("\n" * (lines[first][0] - 1) + text.content[place:], text.deadline)
    found = _tried(lambda: of_text(rest, notation), notation, text)
    if found is not None:
        many = f"the first {first} lines" if first > 1 else "the first line"
        found.notes.insert(0, f"{many}, {shown(lines[0][1])}, left out")
    return found


def _start_of(text: Text, line: int) -> int:
    """Where a line begins."""
    place = 0
    for _ in range(line - 1):
        place = text.content.index("\n", place) + 1
    return place


def _masked(text: Text, notation: str | None) -> Numbers | None:
    """One number of digits among brackets, spaces and dashes on each line, as in telephone numbers."""
    masks = {re.sub("[0-9]", "0", line.strip()) for _, line in _not_blank(text)} if notation is None else set()
    mask = masks.pop() if len(masks) == 1 else ""
    if not _MASK.fullmatch(mask) or len(mask) > MAX_CHARACTERS or not set(mask) & set("(+ "):
        return None
    numeral, whole = Masked(mask), list[int]()
    for _, line in islice(_not_blank(text), MAX_NUMBERS):
        number = numeral.parse(line.strip())
        if number is None:
            return None
        whole.append(number)
    return Numbers(
        "whole", whole, numeral=numeral, notes=[f"digits of each line, written as {mask}, read as one number"]
    )


def _octets(text: Text, notation: str | None) -> Numbers | None:
    """The bytes that a text shows."""
    found = octets_of(text) if notation is None else None
    if found is None:
        return None
    octets, source = [f"{octet:02x}" for octet in found[0][: MAX_NUMBERS + 1]], found[1]
    return _tried(lambda: Tokens.items(octets).noting(f"{source} read as bytes"), "hexadecimal", text)


def _symbol_by_symbol(text: Text, notation: str | None) -> Numbers | None:
    """Symbols without spaces, or letters of few kinds."""
    letters = without_joiners("".join(word for line in _lines(text) for word in words_of(line)))
    if not letters or not (is_symbolic(letters) or few_letters(letters)):
        return None

    def rows() -> Iterator[Row]:
        for i, line in text.lines():
            symbols = without_joiners("".join(words_of(line)))
            yield from (Row(i, list(symbols[j : j + BLOCK])) for j in range(0, len(symbols), BLOCK))

    return _tried(lambda: Tokens(rows, ("characters without spaces read one by one",)), notation, text)


def _of_one_shape(text: Text, notation: str | None) -> Numbers | None:
    """The part that varies in lines, or in items between commas, of one shape."""
    lines = _lines(text)
    shape = shape_of(lines)
    if shape is not None and (chosen := _chosen(shape)) is not None and (len(lines) > 1 or lines[0][-1:].isalnum()):
        regex = shape.regex(chosen)
        numbers = _tried(lambda: matches(text, regex), notation, text)
        if numbers is not None:
            left_out = [note for note in numbers.notes if note.startswith(WITHOUT_MATCH)]
            option = f", as with --regex {shlex.quote(regex)}" if regex.isprintable() else ""
            said = f"of each line, as {shown(lines[0])}, the part that varies read{option}"
            others = [note for note in numbers.notes if note not in left_out]
            numbers.notes = ["; ".join([said, *left_out]), *others]
            return numbers
    items = items_of(lines)
    shape = shape_of(items) if items else None
    if items and shape is not None and len(shape.lines) == len(items) and len(shape.values) == 1:
        return _of_items(text, shape, items[0], notation)
    return None


def _chosen(shape: Shape) -> int | None:
    """The one field of lines that varies, if they have other words; of a single line, a number at its end."""
    if not _has_words(shape) or len(shape.values) != 1:
        return None
    chosen = shape.values[0]
    return chosen if len(shape.lines) > 1 or chosen == len(shape.fields) - 1 else None


def _of_items(text: Text, shape: Shape, first: str, notation: str | None) -> Numbers | None:
    chosen = shape.values[0]
    pattern = re.compile(shape.regex(chosen, ",;=").removeprefix(r"^\s*"))
    note = f"of each item, as {shown(first)}, the part that varies read"

    def rows() -> Iterator[Row]:
        for i, line in text.lines():
            found = (match[1] for match in pattern.finditer(line))
            while piece := list(islice(found, PIECE)):
                text.deadline.check()
                yield Row(i, piece)

    return _tried(lambda: Tokens(rows, (note,)), notation, text)


def _has_words(shape: Shape) -> bool:
    """Whether lines have more than one bare word."""
    return len(shape.fields) > 1 or any(shape.marks) or any(shape.fields[0].affixes or ())


def _refusal(text: Text, notation: str | None, refused: UserError) -> UserError:
    """What was seen, and what can be done: an option that was tried."""
    lines = _lines(text)
    if notation is None and (symbols := _symbols(lines)):
        return UserError(
            f"{refused}; if these are draws from symbols, state their order, as with --alphabet {shlex.quote(symbols)}"
        )
    shape, keyed = shape_of(lines), [field for field in keyed_fields(lines) if field.varies]
    if shape is not None and len(shape.values) > 1 and _has_words(shape) and len(lines) > 1:
        ways = [_way(shape, i) for i in sorted(shape.values, key=lambda i: _promise(shape.fields[i]))]
        about = shape.about()
    elif len(keyed) > 1:
        ways = [("--column", field.key) for field in sorted(keyed, key=_promise) if field.key]
        about = ", ".join(field.example for field in keyed[:MAX_NAMES])
    else:
        some = [one for one in shapes_of(lines, MANY_LINES) if _has_words(one) and len(one.lines) >= FEWEST_NUMBERS]
        ways = [("--regex", _ALONE), *(_way(one, i) for one in some for i in one.values)]
        about = ""
    if (best := _best(text, ways[:MAX_NAMES], notation)) is None:
        return UserError(f"{refused}; several parts of the lines vary: {about}") if about else refused
    option, numbers = best
    if not about:
        return UserError(f"{refused}; {option} reads {len(numbers):,} numbers")
    table = f"{refused}; " if str(refused).startswith("no column") else ""
    return UserError(f"{table}several parts of the lines vary: {about}; choose one, as with {option}")


def _best(text: Text, ways: Sequence[tuple[str, str]], notation: str | None) -> tuple[str, Numbers] | None:
    """The first option that reads numbers, and these; one that reads what only counts or increases after all others."""
    counting = None
    for option, value in ways:
        numbers = _tried(_reader(text, option, value, notation), notation, text)
        if numbers is None or len(numbers) < 2 or not value.isprintable():
            continue
        found = f"{option} {shlex.quote(value)}", numbers
        if not counts(list(map(str, numbers.whole))):
            return found
        counting = counting or found
    return counting


def _symbols(lines: list[str]) -> str:
    """The symbols of which lines consist, if there are few kinds and most are neither letters nor digits; else none."""
    written = without_joiners("".join(word for line in lines for word in words_of(line)))
    kinds = sorted(set(written))
    few = 1 < len(kinds) <= MOST_SYMBOLS and len(written) > len(kinds)
    return "".join(kinds) if few and 2 * sum(map(is_symbolic, kinds)) > len(kinds) else ""


def _reader(text: Text, option: str, value: str, notation: str | None) -> Callable[[], Tokens]:
    """What an option reads."""
    return lambda: of_column(text, value, notation) if option == "--column" else matches(text, value)


def _promise(field: Field) -> tuple[bool, int]:
    """Those with a key first, then those with the longest texts."""
    return not field.key, -min(map(len, field.texts))


def _way(shape: Shape, chosen: int) -> tuple[str, str]:
    field: Field = shape.fields[chosen]
    return ("--column", field.key) if field.key else ("--regex", shape.regex(chosen))
