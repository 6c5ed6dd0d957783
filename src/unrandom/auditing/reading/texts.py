"""Finds the numbers in a text: in all of its words, or in a column of a table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from unrandom.auditing.deadline import NO_LIMIT, Deadline
from unrandom.auditing.reading.fitting import MAX_CARDS
from unrandom.auditing.reading.numerals import PLAIN
from unrandom.auditing.reading.tables import (
    SAMPLE_LINES,
    SEPARATED,
    cells,
    column_of,
    is_counted,
    look_like_bounds,
    separator_of,
)
from unrandom.auditing.reading.tokens import MAX_NUMBERS, NotPlain, Row, Tokens, shown
from unrandom.core.errors import UserError

BLOCK = 1 << 20  # characters of text handled at a time
LONG = 1 << 14  # characters of a line that is long to split
DIGITS = 40  # digits of a text that is not a single number, since 128 bits have at most 39

_ONE_ON_A_LINE = re.compile(r"[\w.+/=:%\n-]+", re.ASCII)
_COMMENT = re.compile(r"^\s*#.*|(?:^|\s)(?:#|//|--+)(?:\s.*)?$")
_INDEX = re.compile(r"^\[\d+\]\s+(?=\S)", re.ASCII)  # as R prints before the first number of each line
_WRAPPER = re.compile(r"\b(?:np\.\w+|array|tensor)\(|,?\s?\bdtype=[\w.]+")  # as Python prints numpy's numbers
_HEADING = re.compile(r"(?![0-9a-fA-F]+$)[^\W\d]\D*")
_MARKS = ",;|[](){}"  # between words
_SEPARATORS = str.maketrans(_MARKS, " " * len(_MARKS))
WIDE_SPACES = str.maketrans("\u00a0\u2009\u202f", "   ")
_GROUPED = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|[+-]?\d{{1,3}}", re.ASCII) for mark in ", "}
_DECIMAL_COMMA = re.compile(r"[+-]?0,\d+|[01]", re.ASCII)


@dataclass(frozen=True)
class Text:
    """A text, passed over in blocks of lines; OutOfTime is raised at a block after the deadline."""

    content: str
    deadline: Deadline = NO_LIMIT

    def blocks(self, size: int | None = None) -> Iterator[tuple[int, str]]:
        """Blocks of whole lines of at least `size` characters, each with the number of its first line."""
        line, start = 1, 0
        while start < len(self.content):
            self.deadline.check()
            end = self.content.find("\n", start + (BLOCK if size is None else size))
            block = self.content[start : end if end >= 0 else len(self.content)]
            yield line, block
            line, start = line + block.count("\n") + 1, start + len(block) + 1

    def written(self) -> Iterator[tuple[int, str]]:
        """All lines as they are written, with their numbers."""
        return (one for line, block in self.blocks() for one in numbered(line, block))

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines that are neither blank nor comments, stripped of comments after their text."""
        for i, text in self.written():
            stripped = _COMMENT.sub("", text).strip() if _may_have_comment(text) else text.strip()
            if stripped:
                yield i, stripped

    def sample(self) -> list[str]:
        """The first lines that are neither blank nor comments."""
        return [line for _, line in islice(self.lines(), SAMPLE_LINES)]

    def comments(self) -> int:
        """Number of lines that are comments."""
        found = (text for line, block in self.blocks() if _may_have_comment(block) for _, text in numbered(line, block))
        return sum(
            1 for text in found if text.strip() and _may_have_comment(text) and not _COMMENT.sub("", text).strip()
        )


def numbered(line: int, block: str) -> Iterator[tuple[int, str]]:
    """Lines of a block, of which the first has the number `line`."""
    return enumerate(block.split("\n"), start=line)


def _may_have_comment(text: str) -> bool:
    return "#" in text or "//" in text or "--" in text


def of_text(text: Text, notation: str | None) -> Tokens:
    """The tokens of a text, or of the only column of numbers in it."""
    sample = text.sample()
    if len(sample) == 1 and notation is None and re.fullmatch(rf"[0-9]{{{DIGITS},}}", sample[0]):
        return _digits(sample[0])
    separator = separator_of(sample)
    for i, line in islice(text.lines(), SAMPLE_LINES):
        if line.startswith(("...", "…")):
            raise UserError(f"line {i}: {shown(line)}: the list is abbreviated here; print it in full")
    if sample and sample[0].startswith("[1] ") and all(map(_INDEX.match, sample)):
        tokens = Tokens(lambda: (Row(i, words_of(_INDEX.sub("", line))) for i, line in text.lines()))
        return tokens.noting("indices in brackets, as R prints them, left out")
    if notation == "decimal-comma" or _one_on_a_line(sample):
        return Tokens(lambda: (Row(i, [_whole(line)]) for i, line in text.lines()))
    continued = _continued(text, sample)
    if separator is None or continued:
        return _free(text, sample, continued, notation)

    def rows() -> Iterator[Row]:
        return (Row(i, cells(line.rstrip(",; ").strip("[](){}"), separator)) for i, line in text.lines())

    first = next(iter(rows())).tokens
    cards = set(first) if 2 < len(first) <= MAX_CARDS else set[str]()
    if cards and all(len(row.tokens) == len(first) and set(row.tokens) == cards for row in rows()):
        return Tokens(rows, _identical([cells(line, separator) for line in sample]))  # shuffles
    return column_of(rows, None, notation)


def of_letters(text: Text, alphabet: str) -> Tokens:
    """Words of characters of an alphabet, between spaces, commas, brackets, quotation marks that are not in it."""
    separators = str.maketrans(dict.fromkeys({*_MARKS, *"\"'`"} - set(alphabet), " "))

    def rows() -> Iterator[Row]:
        for i, content in text.written():
            words = content.translate(separators).split()
            if words:
                yield Row(i, words)

    return Tokens(rows)


def _digits(word: str) -> Tokens:
    """Each digit of a word by itself."""
    blocks = (word[i : i + BLOCK] for i in range(0, len(word), BLOCK))
    rows = [Row(1, list(block)) for block in blocks]
    return Tokens(lambda: rows, (f"one word of {len(word):,} digits read as numbers of one digit",))


def _one_on_a_line(sample: Sequence[str]) -> bool:
    """Whether lines with commas or spaces in them can only be one number each: they start with 0 and a comma; or they
    have varying numbers of groups of three digits, or such groups that begin with 0.
    """
    lines = [_whole(line) for line in sample]
    if all(map(_DECIMAL_COMMA.fullmatch, lines)) and 2 * sum("," in line for line in lines) > len(lines):
        return True
    for mark, form in _GROUPED.items():
        groups = [line.split(mark) for line in lines]
        varied = len(set(map(len, groups))) > 1 and mark == ","
        zeros = any(group.startswith("0") for line in groups for group in line[1:])
        if len(lines) > 1 and (varied or zeros) and all(map(form.fullmatch, lines)):
            return True
    return False


def _whole(line: str) -> str:
    return line.rstrip(";").translate(WIDE_SPACES).strip()


def words_of(line: str) -> list[str]:
    """The words of a line; of a long one, they are kept for the next pass over it."""
    return _split_long(line) if len(line) > LONG else _split(line)


@lru_cache(maxsize=1)
def _split_long(line: str) -> list[str]:
    return _split(line)


def _split(line: str) -> list[str]:
    if "(" in line or "dtype" in line:
        line = _WRAPPER.sub(" ", line)
    words = line.translate(_SEPARATORS).split(None, MAX_NUMBERS + 1)[: MAX_NUMBERS + 1]
    if '"' in line or "'" in line or "`" in line:
        words = [word[1:-1] if len(word) > 2 and word[0] == word[-1] and word[0] in "\"'`" else word for word in words]
    return words


def _continued(text: Text, sample: Sequence[str]) -> bool:
    """Whether all lines but the last end with a comma or an opening bracket: they are one list."""
    lines = sample[:-1] if len(sample) < SAMPLE_LINES else sample
    return all(line.endswith((",", "[", "{", "(")) for line in lines) and not text.content.rstrip().endswith(",")


def _free(text: Text, sample: Sequence[str], continued: bool, notation: str | None) -> Tokens:
    """All words of the text. A heading above numbers is left out, and so are counts before each number. Unless the
    lines are `continued`, a comma between words of one of them is refused.
    """
    rows, notes = [words_of(line) for line in sample], list[str]()
    heading = _is_heading(rows)
    if heading:
        notes.append(f"heading {shown(sample[0])} left out")
    body = rows[heading:]
    notes += _identical(body)
    label = _label(body)
    if label is not None:
        raise NotPlain(f"line 1: {shown(label)} is not a number, and in every line beside one")
    if _bounding(body) and _bounding([words_of(line) for _, line in islice(text.lines(), heading, MAX_NUMBERS)]):
        raise UserError(
            "each line has two numbers that seem to bound one fraction: --low 1 --high 2 reads them so, and --rows one "
            "after the other"
        )
    if is_counted(body):
        return column_of(
            lambda: (Row(i, words_of(line)) for i, line in islice(text.lines(), heading, None)), None, notation
        )

    def found() -> Iterator[Row]:
        skip = heading
        for line, block in text.blocks():
            if not skip and "--" not in block and "//" not in block and _ONE_ON_A_LINE.fullmatch(block):
                tokens = block.rstrip("\n").split("\n")
                if "" not in tokens:
                    yield Row(line, tokens, per_line=True)
                    continue
            for i, content in Text(block).lines():
                words = words_of(content)
                if not continued and len(words) > 1 and SEPARATED.search(content):
                    raise NotPlain(
                        f"line {line + i - 1}: {shown(content)} has a comma or semicolon between digits, which most "
                        "lines have not; use --column or put one number on a line"
                    )
                if not skip and words:
                    yield Row(line + i - 1, words)
                skip = False

    return Tokens(found, tuple(notes))


def _identical(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A note about rows that are all the same, which are not shuffles."""
    same = len(rows) > 1 and len(rows[0]) > 1 and all(row == rows[0] for row in rows)
    return ("identical rows read one after the other",) if same else ()


def _label(rows: Sequence[Sequence[str]]) -> str | None:
    """A word of letters that every row has at the same place, beside decimal numbers that differ; None if none is."""
    if len(rows) < 2 or len(set(map(len, rows))) > 1:
        return None
    columns = [(set(column), column[0]) for column in zip(*rows, strict=True)]
    labels = [first for words, first in columns if len(words) == 1 and first.isalpha()]
    numbers = any(len(words) > 1 and all(map(PLAIN.plain, words)) for words, _ in columns)
    return labels[0] if labels and numbers else None


def _bounding(rows: Sequence[Sequence[str]]) -> bool:
    """Whether every row has two numbers that seem to bound a fraction."""
    return bool(rows) and all(len(row) == 2 for row in rows) and look_like_bounds(*zip(*rows, strict=True))


def _is_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is a word that is not hexadecimal, and all others are decimal numbers."""
    if len(rows) < 2 or len(rows[0]) != 1 or _HEADING.fullmatch(rows[0][0]) is None:
        return False
    return all(PLAIN.plain(word) is not None for row in rows[1:] for word in row)
