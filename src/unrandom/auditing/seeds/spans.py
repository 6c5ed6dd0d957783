"""The ranges of seeds that are tried: numbers, or the times around a date in seconds and in milliseconds."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from unrandom.auditing.reading.tokens import shown
from unrandom.core.config import parse_integer
from unrandom.core.errors import UserError

MAX_SEEDS = 2**40  # seeds of the largest range

MAX_SEED = 2**63

HOURS = 24.0  # hours before and after a date, if none are given


@dataclass(frozen=True)
class Span:
    """The seeds from `start` to before `end`; times since 1970, `per_second` to a second, if that is not 0."""

    start: int
    end: int
    per_second: int = 0

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def about(self) -> str:
        """The seeds in words."""
        unit = {1: "seconds ", 1000: "milliseconds "}.get(self.per_second, "")
        return f"{unit}{self.start} to {self.end - 1}"


def parse_seeds(text: str) -> Span:
    """The range of ``32bit`` (all of that many bits), ``0:1000000`` (both included) or ``42``. UserError for other
    text, negative seeds and ranges of more than MAX_SEEDS.
    """
    if bits := re.fullmatch(r"(\d{1,2}) ?bits?", text.strip()):
        span = Span(0, 1 << int(bits[1]))
    else:
        first, _, last = text.partition(":")
        try:
            least, most = parse_integer(first), parse_integer(last or first)
        except UserError:
            raise UserError(
                f"seeds must be 32bit, a range such as 0:1000000, or a number, but are {shown(text)}"
            ) from None
        if not 0 <= least <= most < MAX_SEED:
            raise UserError(f"seeds must be from 0 to 2^63 - 1, the least first, but are {shown(text)}")
        span = Span(least, most + 1)
    if span.end - span.start > MAX_SEEDS:
        raise UserError(f"{shown(text)} is more than 2^40 seeds; try a smaller range")
    return span


def parse_around(text: str) -> list[Span]:
    """The times of ``2026-11-20T12:00`` and 24 hours before and after it, or other hours, as in
    ``2026-11-20T12:00+-2.5`` (also ``±``). A date without a time zone is in UTC. UserError for other text.
    """
    date, _, hours = re.sub("±", "+-", text.strip()).partition("+-")
    try:
        moment = datetime.fromisoformat(date.strip())
        width = round(3600 * (float(hours) if hours else HOURS))
    except (ValueError, OverflowError):
        raise UserError(
            f"a time must be a date such as 2026-11-20T12:00, or with hours 2026-11-20T12:00+-3, but is {shown(text)}"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    middle = int(moment.timestamp())
    start, end = middle - width, middle + width
    if not 0 <= start <= end < 2**40 or 1000 * (end - start) > MAX_SEEDS:
        raise UserError(
            f"{shown(text)} is not a time since 1970, or the hours around it are more than 2^40 milliseconds"
        )
    return [Span(start, end + 1, 1), Span(1000 * start, 1000 * end + 1000, 1000)]
