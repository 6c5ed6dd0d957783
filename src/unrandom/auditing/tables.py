"""Is a text a table, and which column holds the numbers? By separators in most lines, and by name or content."""

import csv
import re
from collections.abc import Iterator

from unrandom.auditing.parsing import is_numeric
from unrandom.core.errors import UserError


def is_table(sample: list[str]) -> bool:
    """Whether the sample has several lines, most of which contain a separator followed by text."""
    separated = [text for text in sample if re.search(r"[,;\t]\s*\S", text.strip().strip("[]"))]
    return len(sample) > 1 and len(separated) > len(sample) // 2


def column_of(
    lines: Iterator[tuple[int, str]], sample: list[str], column: str | None
) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells of one column: `column` (its heading, or its number from 1), else the only numeric column.
    `sample` is the first lines. UserError if no single column is meant, or if a line has no cell in it.
    """
    separator = next((mark for mark in ("\t", ";", ",") if any(mark in text for text in sample)), ",")
    rows = [_cells(text, separator) for text in sample]
    has_heading = any(cell and not is_numeric(cell) for cell in rows[0]) and len(rows) > 1
    heading = rows[0] if has_heading else []
    names = [heading[i] if i < len(heading) and heading[i] else str(i + 1) for i in range(max(map(len, rows)))]
    chosen = _choose(column, names, rows[1:] if has_heading else rows)
    skip = has_heading
    for line, text in lines:
        if not text.strip():
            continue
        if skip:
            skip = False
            continue
        cells = _cells(text, separator)
        if len(cells) <= chosen or not cells[chosen]:
            raise UserError(f"line {line} has nothing in column {names[chosen]}")
        yield line, [cells[chosen]]


def _choose(column: str | None, names: list[str], body: list[list[str]]) -> int:
    if column is not None:
        if column in names:
            return names.index(column)
        if column.isdigit() and 1 <= int(column) <= len(names):
            return int(column) - 1
        raise UserError(f"no column is called {column!r}; there are {', '.join(names)}")
    numeric = [i for i in range(len(names)) if all(len(row) > i and is_numeric(row[i]) for row in body)]
    if not numeric:
        raise UserError("no column holds only numbers")
    if len(numeric) > 1:
        candidates = ", ".join(names[i] for i in numeric)
        raise UserError(f"the columns {candidates} hold numbers; choose one with --column")
    return numeric[0]


def _cells(text: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]
