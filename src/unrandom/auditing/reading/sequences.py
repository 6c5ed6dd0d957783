"""Reads the sequences of whole numbers in a file: one on each line if all lines are lists of numbers, else one of all.

Lines are sequences if each of them is plain numbers, between spaces or commas and perhaps in brackets, and some have
several. Everything else, such as a list over several lines, a table or a log, is read as `contents` reads it.
"""

import re
from typing import Any

from unrandom.auditing.inputs import content_of, named
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.options import Reading
from unrandom.auditing.reading.orders import Words
from unrandom.auditing.reading.parsing import Numbers, only_first
from unrandom.core.errors import UserError
from unrandom.core.reading import about

MAX_BYTES = 2**22  # maximum size of the input; models read some hundred numbers of a sequence

_LISTED = rb"\s*\d{1,40}(?:(?:\s*,\s*|\s+)\d{1,40})*\s*"
_LINE = re.compile(rb"|".join((_LISTED, rb"\s*\[" + _LISTED + rb"\]\s*", rb"\s*\(" + _LISTED + rb"\)\s*")))


def read_sequences(source: str, **options: Any) -> tuple[list[list[int]], list[str]]:
    """The sequences in a file, or in standard input for ``-``, and a note on each thing that was inferred.

    The `options` are the fields of `Reading`; with any of them, all of the file is one sequence. Raises UserError,
    which names the file, for what `contents.read` and `sequence_of` refuse, and for more than 4 MB.
    """
    content, path = content_of(source, MAX_BYTES), named(source)
    with about(path):
        if Reading.of(**options) == Reading() and (sequences := plain_rows(content)):
            return sequences, [f"each of the {len(sequences):,} lines is a sequence of its own"]
        numbers = read(source, content=content, **options)
        sequence, notes = sequence_of(numbers)
        return [sequence], notes


def sequence_of(numbers: Numbers) -> tuple[list[int], list[str]]:
    """The whole numbers that were read, as one sequence, and a note on each thing that was inferred.

    Raises UserError for numbers with decimals, words, shuffles, and more than a million numbers.
    """
    if numbers.kind == "decimal":
        raise UserError("the numbers have decimals; models continue whole numbers")
    if numbers.deck or numbers.drawn or isinstance(numbers.numeral, Words):
        raise UserError(f"it holds {'shuffles' if numbers.deck else 'words'}; models continue whole numbers")
    if only_first(len(numbers)) in numbers.notes:
        raise UserError(f"it has more than {len(numbers):,} numbers; give the last ones")
    return numbers.whole, numbers.notes


def plain_rows(content: bytes) -> list[list[int]]:
    """The numbers of each line that has some; none unless all lines are lists, of which some have several numbers."""
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) < 2 or not all(map(_LINE.fullmatch, lines)):
        return []
    rows = [[int(number) for number in re.findall(rb"\d+", line)] for line in lines]
    return rows if any(len(row) > 1 for row in rows) else []
