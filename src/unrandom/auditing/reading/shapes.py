"""Finds the part that varies in lines of one shape: the field that differs from line to line, and neither counts nor is
a time.

A line is fields with marks between them. Lines have one shape if their marks are the same; the fields that are the same
in all of them are their words. What is found is a regular expression, so that a user can state it, too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from unrandom.auditing.reading.tables import MAX_NAMES, counts
from unrandom.auditing.reading.tokens import shown

MOST_FIELDS = 40  # fields of a line of which the varying one is looked for
LONGEST = 1000  # characters of such a line
SAME_SHAPE = 0.75  # share of the lines that must have one shape

_TIME = (
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d{1,2}/[A-Z][a-z]{2}/\d{4}(?::\d\d){3}(?: [+-]\d{4})?"
    r"|(?:[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d(?:[.,]\d+)?"
)
_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_GROUPED = r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"
_WORD = r"[^\s=:,;()\[\]{}\"'#|&?<>]+"
_FIELD = re.compile(f"(?P<time>{_TIME})|(?P<address>{_ADDRESS})|{_GROUPED}|{_WORD}", re.ASCII)
_NUMBER = r"[+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_AFFIXED = re.compile(rf"([^\w+-]*?[^\d+-]*?)({_NUMBER})(\D*)", re.ASCII)
_KEYED = re.compile(r"""(?:^|[\s,;&?{"'])([A-Za-z_][\w.-]*)=("[^"]*"|[^\s,;&}"']+)""", re.ASCII)


@dataclass(frozen=True)
class Field:
    """A field at the same place in several lines: its `texts`, its key if there is one, and whether it is a time or an
    address.
    """

    texts: tuple[str, ...]
    key: str = ""
    kind: str = ""

    @property
    def varies(self) -> bool:
        return len(set(self.texts)) > 1

    @cached_property
    def affixes(self) -> tuple[str, str] | None:
        """What stands before and after the number in all texts, such as $ or x; None if they are not such numbers."""
        found = [_AFFIXED.fullmatch(text) for text in self.texts]
        around = {(match[1], match[3]) for match in found if match}
        return around.pop() if len(around) == 1 and None not in found else None

    @property
    def numbers(self) -> list[str]:
        """The texts without what stands around their numbers."""
        before, after = self.affixes or ("", "")
        return [text.removeprefix(before).removesuffix(after) for text in self.texts]

    @property
    def counter(self) -> bool:
        """Whether the numbers count by ones, or letters go through the alphabet, or it is a time."""
        if self.kind == "time":
            return True
        if all(len(text) == 1 and text.isalpha() for text in self.texts):
            return all(ord(b) - ord(a) == 1 for a, b in pairwise(self.texts))
        try:
            values = list(map(float, self.numbers))
        except ValueError:
            return False
        return counts(self.numbers) or (len(values) > 1 and all(b - a == 1 for a, b in pairwise(values)))

    @property
    def example(self) -> str:
        """The field in a message."""
        name = self.key or self.kind
        return f"{name} {shown(self.texts[0])}" if name else shown(self.texts[0])


@dataclass(frozen=True)
class Shape:
    """The fields of `lines` of one shape, and the `marks` before, between and after them."""

    lines: tuple[str, ...]
    fields: tuple[Field, ...]
    marks: tuple[str, ...]

    @property
    def varying(self) -> list[int]:
        """The fields that vary; if none do, those that hold a number."""
        varying = [i for i, field in enumerate(self.fields) if field.varies]
        return varying or [i for i, field in enumerate(self.fields) if field.affixes is not None]

    @property
    def values(self) -> list[int]:
        """The fields that vary and do not count."""
        uncounted = [i for i in self.varying if not self.fields[i].counter]
        return uncounted or self.varying

    def regex(self, chosen: int, none_of: str = "") -> str:
        """The shortest expression whose group 1 is this field of the lines, or the number in it; it has none of these
        characters.
        """
        numbers = self.fields[chosen].numbers
        for first in range(max(0, chosen - 1), -1, -1):
            regex = self._from(first, chosen, none_of)
            found = [re.search(regex, line) for line in self.lines]
            if all(match is not None and match[1] == number for match, number in zip(found, numbers, strict=True)):
                return regex
        return self._from(0, chosen, none_of)

    def _from(self, first: int, chosen: int, none_of: str) -> str:
        """The expression for the fields from `first` to the chosen one."""
        worded = any(not field.varies for field in self.fields[first:chosen])
        parts = [r"^\s*" + _spaced(self.marks[0]) if first == 0 and not worded else ""]
        for i in range(first, chosen + 1):
            field = self.fields[i]
            parts.append(_spaced(self.marks[i]) if i > first else "")
            if i == chosen:
                before, after = field.affixes or ("", "")
                value = r"[-+.,\deE]+" if before or after else _until(self.marks[i + 1], none_of)
                parts.append(f"{_escaped(before)}({value}){_escaped(after)}")
            elif field.kind == "time":
                parts.append(".+?")
            elif field.varies:
                parts.append(_until(self.marks[i + 1], none_of))
            else:
                parts.append(_escaped(field.texts[0]))
        return "".join(parts)

    def about(self) -> str:
        """The fields that vary, in a message."""
        names = [self.fields[i].example for i in self.varying[:MAX_NAMES]]
        more = len(self.varying) - len(names)
        return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _until(mark: str, none_of: str) -> str:
    """An expression for a field that ends before this mark."""
    others = none_of + mark.lstrip()[:1] if mark == mark.lstrip() else none_of
    return rf"[^\s{re.escape(others)}]+" if others else r"\S+"


def _escaped(text: str) -> str:
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)


def _spaced(mark: str) -> str:
    """An expression for a mark, with any number of spaces where it has some."""
    return r"\s+".join(map(_escaped, re.split(r"\s+", mark)))


def shape_of(lines: Sequence[str]) -> Shape | None:
    """The shape of most lines; None if there is none that most have."""
    return next(iter(shapes_of(lines, SAME_SHAPE)), None)


def shapes_of(lines: Sequence[str], share: float) -> list[Shape]:
    """The shapes that at least this share of the lines have, the commonest first."""
    ending = next((line.rstrip()[-1] for line in lines if line.rstrip().endswith((",", ";"))), "")
    split = [(line, *_split(line.rstrip(" ,;") + ending)) for line in lines if len(line) <= LONGEST]
    counted = Counter(marks for _, _, marks in split).most_common()
    return [
        _shape([(line, fields) for line, fields, its in split if its == marks], marks)
        for marks, count in counted
        if count >= share * len(lines) and 1 < len(marks) <= MOST_FIELDS
    ]


def _shape(rows: Sequence[tuple[str, list[re.Match[str]]]], marks: tuple[str, ...]) -> Shape:
    fields = list[Field]()
    for i, column in enumerate(zip(*(fields for _, fields in rows), strict=True)):
        kinds = {match.lastgroup for match in column}
        kind = (kinds.pop() or "") if len(kinds) == 1 else ""
        named = i > 0 and re.fullmatch(r"[\"')\]]*\s*[=:]\s*[\"'(\[]*", marks[i]) and not fields[-1].varies
        key = fields[-1].texts[0] if named else ""
        fields.append(Field(tuple(match[0] for match in column), key, kind))
    return Shape(tuple(line for line, _ in rows), tuple(fields), marks)


def _split(line: str) -> tuple[list[re.Match[str]], tuple[str, ...]]:
    """The fields of a line, and what stands before, between and after them, each space once."""
    fields = list(_FIELD.finditer(line))
    ends = [0, *(end for match in fields for end in match.span()), len(line)]
    marks = [line[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return fields, tuple(re.sub(r"\s+", " ", mark) for mark in marks)


def items_of(lines: Sequence[str]) -> list[str] | None:
    """The items of lines such as "x1 = 93, x2 = 87": what stands between commas or spaces, if each has a label."""
    for between in (r"[,;]\s*", r"\s+", r"\s+(?=[A-Za-z_]\w*\s*[=:])"):
        items = [item.strip() for line in lines for item in re.split(between, line.strip(" ,;")) if item.strip()]
        if len(items) > len(lines) and all(re.search(r"[=:]", item) for item in items):
            return items
    return None


def keyed_fields(lines: Sequence[str]) -> list[Field]:
    """Fields as in key=value that are in most lines, which may have many shapes; and their time and address."""
    texts: dict[str, list[str]] = {}
    for line in lines:
        for match in _FIELD.finditer(line[:LONGEST]):
            if match.lastgroup is not None:
                texts.setdefault(match.lastgroup, []).append(match[0])
        for key, value in _keys(line[:LONGEST]):
            texts.setdefault(key, []).append(value)
    often = {key: values for key, values in texts.items() if len(values) >= SAME_SHAPE * len(lines)}
    return [
        Field(tuple(values), "" if key in ("time", "address") else key, key if key in ("time", "address") else "")
        for key, values in often.items()
    ]


def _keys(line: str) -> Iterator[tuple[str, str]]:
    return ((match[1], match[2].strip('"')) for match in _KEYED.finditer(line))
