"""Finds the column of a table that holds the numbers: the one that is named; else the only one of numbers that do not
count.
"""

import csv
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise

from unrandom.auditing.reading.parsing import fits_a_number
from unrandom.auditing.reading.tokens import NotPlain, Row, Tokens, shown
from unrandom.core.errors import UserError

SAMPLE_LINES = 64  # number of lines inspected to recognise a table and its columns
MAX_NAMES = 8  # largest number of names listed in a message
MAX_COLUMNS = 1000  # largest number of columns among which one is looked for
MOST_COLUMNS = 10_000  # largest number of columns of a table
COUNTED, INCREASING = 3, 8  # fewest rows of a column that counts by ones, and of one that increases, such as a time
NARROW = 0.05  # largest difference of two columns that bound a fraction
ALIKE = 0.05  # share by which such differences may differ
SEPARATED = re.compile(r"[,;\t]\s*\S")  # a separator of columns before more text


def separator_of(sample: Sequence[str]) -> str | None:
    """Tab, semicolon or comma if most of several lines have it before more text, else None."""
    separated = [text for text in sample if SEPARATED.search(text.strip("[] \t"))]
    if len(sample) < 2 or 2 * len(separated) <= len(sample):
        return None
    return max("\t;,", key=lambda mark: sum(mark in text for text in separated))


def cells(text: str, separator: str | None) -> list[str]:
    """The cells of a line, unquoted; of words between spaces if `separator` is None."""
    if separator is None:
        return text.split()
    if '"' in text:
        try:
            return [cell.strip() for cell in next(csv.reader([text], delimiter=separator, skipinitialspace=True), [])]
        except csv.Error as error:
            raise UserError(f"{shown(text)} is not a row of a table: {error}") from None
    return [cell.strip() for cell in text.split(separator)]


def listed(names: Sequence[str]) -> str:
    """Names in a message: the first eight."""
    first = ", ".join(shown(name)[1:-1] for name in names[:MAX_NAMES])
    return first + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")


def column_of(
    rows: Callable[[], Iterable[Row]],
    column: str | None,
    notation: str | None,
    *,
    names: Sequence[str] | None = None,
    unit: str = "line",
) -> Tokens:
    """The cells of `column` (its name, or its number from 1, or from −1 backwards), or if it is None, of the only
    column with numbers other than counts. `names` of None are in the first row if it is a heading. UserError if no
    single column is meant; a row without a cell in it raises UserError when it is reached.
    """
    sample, width = list[list[str]](), 0
    for row in islice(rows(), SAMPLE_LINES):
        sample.append(row.tokens)
        width = max(width, len(row.tokens))
        if width > (MAX_COLUMNS if column is None else MOST_COLUMNS):
            hint = "choose one with --column, or " if width <= MOST_COLUMNS else ""
            raise UserError(f"the table has {width} columns; {hint}put one number on a line")
    heading = names is None and len(sample) > 1 and _is_heading(sample, column, notation)
    known = list(names) if names is not None else sample[0] if heading else []
    called = [known[i] if i < len(known) and known[i] else str(i + 1) for i in range(width)]
    body, notes = sample[1:] if heading else sample, list[str]()
    if not sample:
        chosen = 0
    elif column is None:
        chosen, notes = _choose(called, body, notation)
    else:
        chosen = _named(column, called)

    def found() -> Iterator[Row]:
        for row in islice(rows(), int(heading), None):
            if column is None and len(row.tokens) != len(sample[0]):
                raise NotPlain(
                    f"{unit} {row.line} has {len(row.tokens)} columns, but the first has {len(sample[0])}; "
                    "use --column or put one number on a line"
                )
            if not -len(row.tokens) <= chosen < len(row.tokens) or not row.tokens[chosen]:
                name = called[chosen] if -len(called) <= chosen < len(called) else column or str(chosen + 1)
                raise UserError(f"{unit} {row.line} has nothing in column {shown(name)[1:-1]}; leave such lines out")
            yield Row(row.line, [row.tokens[chosen]])

    return Tokens(found, tuple(notes), unit)


def all_columns_of(rows: Callable[[], Iterable[Row]], notation: str | None) -> Tokens:
    """The cells of all columns of numbers, row by row, except for columns that only count. UserError if there are none;
    a row without a cell in one of them raises UserError when it is reached.
    """
    sample = [row.tokens for row in islice(rows(), SAMPLE_LINES)]
    width = max(map(len, sample), default=0)
    if width > MOST_COLUMNS:
        raise UserError(f"the table has {width} columns; at most {MOST_COLUMNS:,} are read")
    heading = len(sample) > 1 and _is_heading(sample, None, notation)
    body = sample[1:] if heading else sample
    called = [sample[0][i] if heading and i < len(sample[0]) else str(i + 1) for i in range(width)]
    numeric = [i for i in range(width) if fits_a_number(_column(body, i), notation)]
    counting = [i for i in numeric if counts([row[i] for row in body])]
    chosen = [i for i in numeric if i not in counting] or numeric
    if not chosen:
        raise UserError("--rows found no column that holds only numbers")

    def found() -> Iterator[Row]:
        for row in islice(rows(), int(heading), None):
            if len(row.tokens) <= chosen[-1]:
                raise UserError(f"line {row.line} has {len(row.tokens)} columns, but --rows needs {chosen[-1] + 1}")
            yield from (Row(row.line, [row.tokens[i]]) for i in chosen)  # one by one, since a row is not a shuffle

    left = [called[i] for i in range(width) if i not in chosen]
    note = f"columns {listed([called[i] for i in chosen])} read row by row"
    return Tokens(found, (f"{note}; {listed(left)} left out" if left else note,))


def _number(column: str | None) -> int | None:
    """The index of a column given by its number; negative if counted from the end."""
    if column is None or not re.fullmatch(r"-?[1-9]\d{0,5}", column, re.ASCII):
        return None
    return int(column) - (int(column) > 0)


def _named(column: str, called: Sequence[str]) -> int:
    number = _number(column)
    if column in called:
        return called.index(column)
    if number is not None and -len(called) <= number < len(called):
        return number
    raise UserError(f"no column is called {shown(column)}; there are {listed(called)}")


def _column(body: Sequence[Sequence[str]], i: int) -> Tokens:
    """Cells of a sample; empty where a row has none."""
    return Tokens.items([row[i] if -len(row) <= i < len(row) else "" for row in body])


def _is_heading(sample: Sequence[Sequence[str]], column: str | None, notation: str | None) -> bool:
    """Whether the first row names the columns: it has the name that is asked for, or a word above numbers."""
    number, width = _number(column), min(len(sample[0]), MAX_COLUMNS)
    if number is None and column in sample[0]:
        return True
    asked = range(width) if number is None or not -width <= number < width else [number]
    return any(
        re.search(r"[^\W\d]", sample[0][i]) is not None
        and not fits_a_number(_column(sample[:1], i), notation)
        and fits_a_number(_column(sample[1:], i), notation)
        for i in asked
    )


def _choose(called: Sequence[str], body: Sequence[Sequence[str]], notation: str | None) -> tuple[int, list[str]]:
    numeric = [i for i in range(len(called)) if fits_a_number(_column(body, i), notation)]
    if not numeric:
        raise NotPlain("no column holds only numbers; choose one with --column, or the numbers with --regex")
    counting = [i for i in numeric if counts([row[i] for row in body])]
    others = [i for i in numeric if i not in counting]
    if len(others) == 1:
        left = [called[i] for i in counting]
        note = f"column {listed([called[others[0]]])} of {len(called)} read"
        return others[0], [f"{note}; column {listed(left)} only counts or increases" if left else note]
    if len(numeric) > 1:
        names = listed([called[i] for i in numeric])
        ways = "choose one with --column, or put one number on a line, or read them row by row with --rows"
        if len(others) == 2 and look_like_bounds(*([row[i] for row in body] for i in others)):
            ways = (
                f"{bounds_option([called[i] for i in others])} reads each row as the bounds of one fraction; or {ways}"
            )
        raise UserError(f"the columns {names} hold numbers; {ways}")
    if len(called) > 1:
        raise UserError(
            f"only column {listed([called[numeric[0]]])} holds numbers, and it counts; choose with --column"
        )
    return numeric[0], []


def look_like_bounds(lows: Sequence[str], highs: Sequence[str]) -> bool:
    """Whether two columns hold decimals from 0 to 1 that differ by nearly the same small number in every row."""
    if len(lows) < COUNTED or not all("." in text for text in (*lows, *highs)):
        return False
    try:
        pairs = [(float(low), float(high)) for low, high in zip(lows, highs, strict=True)]
    except ValueError:
        return False
    widths = [high - low for low, high in pairs]
    inside = all(-NARROW <= low < high <= 1 + NARROW for low, high in pairs)
    return inside and max(widths) <= NARROW and max(widths) - min(widths) <= ALIKE * max(widths)


def bounds_option(names: Sequence[str]) -> str:
    """The options that read two columns as bounds."""
    low, high = map(shlex.quote, names)
    return f"--low {low} --high {high}"


def is_counted(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows of two or more cells, equally many in all, begin with a count, while some other column is none."""
    if len(rows) < COUNTED or len(rows[0]) < 2 or len(set(map(len, rows))) > 1 or not counts([row[0] for row in rows]):
        return False
    return not all(map(counts, zip(*rows, strict=True)))


def counts(column: Sequence[str]) -> bool:
    """Whether decimal numbers count by ones, or at least eight of them increase strictly."""
    try:
        values = list(map(float, column))
    except ValueError:
        return False
    by_ones = len(values) >= COUNTED and all(b - a == 1 for a, b in pairwise(values))
    return by_ones or (len(values) >= INCREASING and all(a < b for a, b in pairwise(values)))
