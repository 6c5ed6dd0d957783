"""Finds the numbers in a log: in a column, behind a key, or where a regular expression matches."""

import re
import warnings
from collections.abc import Iterator
from math import prod
from typing import Any

import regex

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.reading.tables import all_columns_of, cells, column_of, separator_of
from unrandom.auditing.reading.texts import WIDE_SPACES, Text, numbered
from unrandom.auditing.reading.tokens import Row, Tokens, shown
from unrandom.core.errors import UserError

MAX_SEARCHED = 10_000  # characters of a line that are searched for a regular expression
SEARCHED_AT_ONCE = 1 << 14  # characters of a block of lines
WITHOUT_MATCH = "lines without a match left out"  # the note about them, before their number
REGEX_SECONDS = 5.0  # time allowed for the search in one block
MAX_REPEATED = 10**5  # parts of an expression, once its repetitions with a least number are written out


def of_column(text: Text, column: str, notation: str | None) -> Tokens:
    """A column of a table or of words between spaces; or the values of a key, as in key=value."""
    sample, key = text.sample(), rf'(?:^|[\s,;&?{{"]){re.escape(column)}"?\s?[=:]\s?("[^"]*"|[^\s,;&}}"]+)'
    separator = separator_of(sample)
    between_spaces = not sample or column in cells(sample[0], None)
    headed = between_spaces or column in cells(sample[0], separator)
    if not headed and column.strip("-+0123456789") and any(re.search(key, line) for line in sample):
        return matches(text, key)
    if between_spaces and column not in cells("".join(sample[:1]), separator):
        separator = None
    return column_of(lambda: (Row(i, cells(line, separator)) for i, line in text.lines()), column, notation)


def by_rows(text: Text, notation: str | None) -> Tokens:
    """All columns of numbers in a table, or in words between spaces, row by row."""
    separator = separator_of(text.sample())

    def rows() -> Iterator[Row]:
        return (Row(i, cells(line.rstrip(",; ").strip("[](){}"), separator)) for i, line in text.lines())

    return all_columns_of(rows, notation)


def matches(text: Text, expression: str) -> Tokens:
    """The first match of a regular expression in each line: its group `value`, else its group 1, else all of it. Lines
    without a match are left out. UserError if the expression is wrong, matches nothing, or takes too long.
    """
    pattern = _pattern(expression)
    group = "value" if "value" in pattern.groupindex else min(pattern.groups, 1)

    def search(content: str, limit: Deadline) -> Any:
        try:
            return pattern.search(content[:MAX_SEARCHED], timeout=max(limit.left, 0.0))
        except TimeoutError:
            text.deadline.check()  # the time of the whole audit was over first
            raise UserError(f"--regex {shown(expression)} takes too long; simplify its repetitions") from None

    def found() -> Iterator[Row]:
        for line, block in text.blocks(SEARCHED_AT_ONCE):
            limit, rows = text.deadline.within(REGEX_SECONDS), list[Row]()
            for i, content in numbered(line, block):
                match = search(content, limit)
                if match and match[group] and (token := match[group].strip().strip('"').translate(WIDE_SPACES)):
                    rows.append(Row(i, [token]))
            yield from rows

    matching = sum(1 for _ in found())
    left_out = sum(1 for _, content in text.written() if content.strip()) - matching
    if not matching:
        raise UserError(f"--regex {shown(expression)} matches no line")
    return Tokens(found, (f"{WITHOUT_MATCH}: {left_out}",) if left_out else ())


def _pattern(expression: str) -> Any:
    """An expression that `re` accepts, compiled by `regex`, whose searches can be given a time limit in any thread.
    UserError for others, and for nested repetitions that `regex` would write out at length.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(expression)
            groups, all_counts = (
                re.findall(before + r"\{([0-9]{1,9})", expression) for before in (r"\)\s*", r"(?<!\\)")
            )
            if prod(int(count) or 1 for count in groups) * max(map(int, all_counts), default=1) > MAX_REPEATED:
                raise UserError(f"--regex {shown(expression)} repeats too much; simplify its repetitions")
            return regex.compile(expression)
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        raise UserError(f"--regex {shown(expression)} is not a regular expression: {shown(str(error))[1:-1]}") from None
