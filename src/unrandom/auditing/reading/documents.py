"""Finds the numbers in JSON: in its only list of numbers, or in one field of its objects."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.reading.parsing import fits_a_number
from unrandom.auditing.reading.tables import SAMPLE_LINES, column_of, is_counted, listed
from unrandom.auditing.reading.texts import Text
from unrandom.auditing.reading.tokens import MAX_NUMBERS, Row, Tokens, shown
from unrandom.core.errors import UserError

MAX_DEPTH = 16  # objects in objects that are looked into
MAX_PARSED = 8 * 2**20  # characters of JSON parsed at once; a longer list, or lines, are parsed piece by piece

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_PYTHON = re.compile(r"""\"[^"\n]*\"|'[^'"\\\n]*'|\b(?:True|False|None)\b|[()]|,(?=\s*[)\]}])""")
_NEXT = re.compile(r"\s*([,\]])\s*")


def of_json(text: Text, column: str | None, notation: str | None) -> Tokens | None:
    """The tokens of a JSON list or object, or of lists or objects on each line; None if the text is not JSON."""
    first = next(text.lines(), (1, ""))[1]
    if first[:1] not in ("[", "{", "("):
        return None
    commented = not text.content.lstrip().startswith(first[:1])
    content = "\n".join(line for _, line in text.lines()) if commented else text.content
    if len(content) <= MAX_PARSED:
        for form in (content, _of_python(content)):
            with suppress(json.JSONDecodeError):
                return _of_value(_parsed(form), column, notation)
    items = _lines(text) if len(first) <= MAX_PARSED else None
    if items is None and len(content) > MAX_PARSED:
        if first.startswith("{"):
            raise UserError(
                f"a JSON object of more than {MAX_PARSED // 2**20} MB is not read; give its list of numbers by itself, "
                "or a value on each line"
            )
        found = _first_items(content.lstrip(), text.deadline)
        return _of_items(list(enumerate(found, start=1)), column, notation, "item")
    return None if items is None else _of_items(items, column, notation, "line")


def _of_python(content: str) -> str:
    """Lists, tuples and dictionaries as Python prints them, in JSON; True, False and None are texts."""

    def written(match: re.Match[str]) -> str:
        part = match[0]
        if part[0] in "'TFN":
            return json.dumps(part.strip("'"))
        return {"(": "[", ")": "]", ",": ""}.get(part[0], part)

    return _PYTHON.sub(written, content)


def _parsed(content: str, start: int | None = None) -> Any:
    """JSON with its numbers as they are written; with a `start`, one value from there on, and where it ends."""
    try:
        return _DECODER.decode(content) if start is None else _DECODER.raw_decode(content, start)
    except RecursionError:
        raise UserError("the JSON is nested too deeply") from None


def _first_items(content: str, deadline: Deadline) -> list[Any]:
    """The first items of a long list of JSON, which may be cut off at its end."""
    items, at, more = list[Any](), len(content) - len(content[1:].lstrip()), True
    piece, start = content[:MAX_PARSED], 0
    while more and len(items) <= MAX_NUMBERS:
        deadline.check()
        try:
            value, end = _parsed(piece, at - start)
            mark = _NEXT.match(piece, end)
        except json.JSONDecodeError:
            mark = None
        if mark is not None:
            items.append(value)
            at, more = start + mark.end(), mark[1] == ","
        elif at > start:  # the item may go on after this piece
            piece, start = content[at : at + MAX_PARSED], at
        else:
            break
    if not items or (more and len(items) <= MAX_NUMBERS and len(content) - at > MAX_PARSED // 8):
        raise UserError(
            f"JSON of more than {MAX_PARSED // 2**20} MB must be a list of values that are shorter; at character "
            f"{at + 1} is another one, or none"
        )
    return items


def _lines(text: Text) -> list[tuple[int, Any]] | None:
    """JSON values, one on each line, with their lines; None if the first line is not a JSON value."""
    items = list[tuple[int, Any]]()
    for line, content in text.lines():
        try:
            items.append((line, _parsed(content)))
        except json.JSONDecodeError as error:
            if not items:
                return None
            raise UserError(f"line {line} is not JSON, as the lines before it are: {error.msg}") from None
        if len(items) > MAX_NUMBERS:
            break
    return items if len(items) > 1 else None


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _token(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _of_value(value: Any, column: str | None, notation: str | None) -> Tokens:
    if isinstance(value, dict):
        return _of_object(value, column, notation)
    return _of_items(list(enumerate(value[: MAX_NUMBERS + 1], start=1)), column, notation, "item")


def _of_items(items: list[tuple[int, Any]], column: str | None, notation: str | None, unit: str) -> Tokens:
    """Numbers, or lists or objects of numbers, with their lines; a few more than are used, at most."""
    items = items[: MAX_NUMBERS + 1]
    values = [value for _, value in items]
    if all(isinstance(value, dict) for value in values) and items:
        return _of_records(items, column, notation, unit)
    if all(isinstance(value, list) and all(map(_is_scalar, value)) for value in values) and items:

        def rows() -> Iterator[Row]:
            return (Row(line, list(map(_token, value))) for line, value in items)

        if column is not None or is_counted([row.tokens for row in islice(rows(), SAMPLE_LINES)]):
            return column_of(rows, column, notation, unit=unit)
        return Tokens(rows, ("lists in JSON read one after the other",), unit)
    if column is not None:
        raise UserError("--column is for tables and objects, but this is a list of numbers")
    for line, value in items:
        if not _is_scalar(value):
            raise UserError(f"{unit} {line} is a list or an object among others; a list must hold items of one kind")
    return (
        Tokens.items(list(map(_token, values)))
        if unit == "item"
        else Tokens(lambda: (Row(line, [_token(value)]) for line, value in items))
    )


def _of_records(items: list[tuple[int, Any]], column: str | None, notation: str | None, unit: str) -> Tokens:
    """One field of objects; a dotted name is a field of a field."""
    names = dict[str, None]()
    for _, record in islice(items, SAMPLE_LINES):
        names |= dict.fromkeys(name for name, value in _fields(record) if _is_scalar(value))
    if column is not None and column not in names:
        raise UserError(f"no field is called {shown(column)}; there are {listed(list(names))}")
    chosen = [column] if column is not None else list(names)

    def rows() -> Iterator[Row]:
        for line, record in items:
            fields = dict(_fields(record))
            yield Row(line, [_token(fields[name]) if _is_scalar(fields.get(name, [])) else "" for name in chosen])

    return column_of(rows, column, notation, names=chosen, unit=unit)


def _fields(value: Any, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Fields of an object that are not objects, with dotted names."""
    for name, inner in value.items():
        if isinstance(inner, dict) and depth < MAX_DEPTH:
            yield from _fields(inner, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, inner


def _of_object(value: dict[str, Any], column: str | None, notation: str | None) -> Tokens:
    """The list in an object that `column` names, its only list, or its only list of numbers."""
    lists = {name: inner for name, inner in _fields(value) if isinstance(inner, list)}
    if column in lists:
        return _of_value(lists[column], None, notation)
    if len(lists) == 1:
        return _of_value(next(iter(lists.values())), column, notation)
    numeric = [name for name, inner in lists.items() if _holds_numbers(inner, notation)]
    if column is not None:
        raise UserError(f"no list is called {shown(column)}; there are {listed(list(lists)) or 'none'}")
    values = [] if lists else list(value.values())
    if len(values) > 1 and all(map(_is_scalar, values)) and _holds_numbers(values, notation):
        return Tokens.items(list(map(_token, values))).noting("values of the fields of an object read")
    if len(numeric) != 1:
        found = f"holds the lists of numbers {listed(numeric)}; choose one with --column"
        raise UserError(f"the JSON object {found if numeric else 'holds no list of numbers'}")
    return _of_value(lists[numeric[0]], None, notation).noting(f"list {shown(numeric[0])} of {len(lists)} read")


def _holds_numbers(values: Sequence[Any], notation: str | None) -> bool:
    sample = [_token(value) for value in values[:SAMPLE_LINES] if _is_scalar(value)]
    return bool(sample) and len(sample) == len(values[:SAMPLE_LINES]) and fits_a_number(Tokens.items(sample), notation)
