"""Where are the numbers in a log? In a column, behind a key, or where a regular expression matches."""

import re
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from unrandom.auditing.reading.tables import all_columns_of, cells, column_of, separator_of
from unrandom.auditing.reading.texts import WIDE_SPACES, Text, numbered
from unrandom.auditing.reading.tokens import Row, Tokens, shown
from unrandom.core.errors import UserError

MAX_SEARCHED = 10_000  # characters of a line that are searched for a regular expression
SEARCHED_AT_ONCE = 1 << 14  # characters of a block of lines
WITHOUT_MATCH = "lines without a match left out"  # the note about them, before their number
REGEX_SECONDS = 5.0  # time allowed for the search in one block


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


def matches(text: Text, regex: str) -> Tokens:
    """The first match of a regular expression in each line: its group `value`, else its group 1, else all of it. Lines
    without a match are left out. UserError if the expression is wrong, matches nothing, or takes too long.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise UserError(f"--regex {shown(regex)} is no regular expression: {shown(str(error))[1:-1]}") from None
    group = "value" if "value" in pattern.groupindex else min(pattern.groups, 1)

    def found() -> Iterator[Row]:
        for line, block in text.blocks(SEARCHED_AT_ONCE):
            rows = list[Row]()
            seconds = min(REGEX_SECONDS, max(text.deadline.left, 0.01))
            try:
                with time_limit(seconds, f"--regex {shown(regex)} takes too long; simplify its repetitions"):
                    for i, content in numbered(line, block):
                        match = pattern.search(content[:MAX_SEARCHED])
                        if match and match[group]:
                            rows.append(Row(i, [match[group].strip().strip('"').translate(WIDE_SPACES)]))
            except UserError:
                text.deadline.check()  # the time of the whole audit was over first
                raise
            yield from (row for row in rows if row.tokens[0])

    matching = sum(1 for _ in found())
    left_out = sum(1 for _, content in text.written() if content.strip()) - matching
    if not matching:
        raise UserError(f"--regex {shown(regex)} matches no line")
    return Tokens(found, (f"{WITHOUT_MATCH}: {left_out}",) if left_out else ())


@contextmanager
def time_limit(seconds: float, message: str) -> Iterator[None]:
    """UserError with this message if the block takes longer. Only in the main thread, and only where there are alarms:
    nothing else interrupts a search for a regular expression.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise UserError(message)

    previous = signal.signal(signal.SIGALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, previous)
