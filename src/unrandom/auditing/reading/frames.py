"""Recognises a table as a database, Markdown or a terminal draws it, and leaves out the frame."""

import re
from itertools import islice

from unrandom.auditing.reading.tables import SAMPLE_LINES
from unrandom.auditing.reading.texts import Text

_FRAME = set(" \t|+:=-─│┼├┤┌┬┐└┴┘━┃")
_BARS = str.maketrans("│┃", "||")
_FOOTER = re.compile(r"\(?\d+ rows?(?: in set)?\b[^|]*", re.ASCII)


def without_frame(text: Text) -> Text | None:
    """The table with its cells between tabs, each row in its line; None for any other text. Its lines
    have equally many bars, or are below a heading and dashes, and above how many they are, as PostgreSQL prints them.
    """
    written = (line for _, line in text.written() if line.strip())
    lines = [line.translate(_BARS).strip() for line in islice(written, SAMPLE_LINES)]
    rows = [line for line in lines if not _is_rule(line) and not _FOOTER.fullmatch(line)]
    bars = {line.count("|") for line in rows}
    barred = len(rows) > 1 and len(bars) == 1 and bars != {0}
    listed = len(lines) > 3 and lines[0] == rows[0] and _is_rule(lines[1]) and _FOOTER.fullmatch(lines[-1]) is not None
    if not barred and not listed:
        return None
    framed = all(line[0] == line[-1] == "|" for line in rows)
    return Text("\n".join(_cells(line, framed=framed) for _, line in text.written()), text.deadline)


def _cells(line: str, *, framed: bool) -> str:
    line = line.translate(_BARS).strip()
    if _is_rule(line) or _FOOTER.fullmatch(line):
        return ""
    parts = (line[1:-1] if framed else line).replace("\t", " ").split("|")
    return "\t".join(part.strip() for part in parts)


def _is_rule(line: str) -> bool:
    return ("--" in line or "──" in line or "━━" in line or "==" in line) and set(line) <= _FRAME
