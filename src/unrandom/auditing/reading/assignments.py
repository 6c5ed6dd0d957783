"""The lists that the lines of a program assign, after ``name =`` or ``name:``, as scripts print them."""

import re
from collections.abc import Iterator

from unrandom.auditing.reading.texts import Text

MOST_LISTS = 64  # lists that are looked at
MOST_UNCLOSED = 4  # lists without an end, each of which is looked for in all of the text

_START = re.compile(
    r"(?:^|[{,])[ \t]*(?:[\w.:<>*&\[\]]{1,40}[ \t]+){0,4}?[\"']?([A-Za-z_][\w.]{0,80})[\"']?(?:\[\w*\])?[ \t]*"
    r"(?::[ \t]*[\w.\[\], ]{1,40})?:?[=:][ \t]*",
    re.ASCII | re.MULTILINE,
)
_OPENING = re.compile(r"(?:new[ \t]+)?(?:[\w.]+[ \t]*\(?[ \t]*)?[\[({]")
_BRACKET = re.compile(r"[\[\](){}]")


def lists_of(text: Text) -> dict[str, str]:
    """The texts of the lists that are assigned, by the names they are assigned to; of a name, the last one."""
    return dict(found for _, found in zip(range(MOST_LISTS), _lists(text), strict=False))


def _lists(text: Text) -> Iterator[tuple[str, str]]:
    content, at, unclosed = text.content, 0, 0
    while unclosed < MOST_UNCLOSED and (start := _START.search(content, at)) is not None:
        text.deadline.check()
        at = start.end()
        opening = _OPENING.match(content, at)
        if opening is not None:
            end = _end(text, opening.end() - 1)
            if end is None:
                unclosed += 1
            else:
                yield start[1], content[opening.end() - 1 : end]
                at = end


def _end(text: Text, start: int) -> int | None:
    """Where the list that opens at this place is closed; None if it is not."""
    depth = 0
    for bracket in _BRACKET.finditer(text.content, start):
        text.deadline.check()
        depth += 1 if bracket[0] in "[({" else -1
        if depth == 0:
            return bracket.end()
    return None
