"""How are a user's sequences read, and how reliable is a continuation of them? By the last evaluation in training."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from unrandom.core.errors import UserError
from unrandom.core.inputs import content_of, named
from unrandom.core.reading import about

MAX_TEXT = 2**22  # bytes; models read some hundred numbers of a sequence
USUAL_ACCURACY = 0.9  # share of correct guesses from which a model is called "usually right"


def read_sequences(source: str, *, limit: int) -> list[list[int]]:
    """Sequences from a file, or from standard input for ``-``.

    With one number per line, the file is one sequence; if any line has several (separated by spaces or commas), every
    line is a sequence. Raises UserError, naming the line, for what is not a number or not below ``limit``.
    """
    with about(named(source)):
        lines = enumerate(_lines(source), start=1)
        read = ([_number(word, n, limit) for word in line.replace(",", " ").split()] for n, line in lines)
        rows = [row for row in read if row]
    if not rows:
        raise UserError(f"{named(source)} holds no numbers")
    return rows if any(len(row) > 1 for row in rows) else [[row[0] for row in rows]]


@dataclass(frozen=True)
class Continuation:
    """What a model predicts to follow a sequence."""

    numbers: list[int]  # the most likely ones, each given those before it
    probabilities: list[float]  # the model's, of each of them
    numbers_used: int  # the last ones of the sequence, as many as the model reads
    reliable_from: int | None  # numbers to see before the model is usually right; None: unknown or never


@dataclass(frozen=True)
class Reliability:
    """How often a model was right in its last evaluation during training, by how many numbers it had seen."""

    accuracy_after: dict[int, float]  # accuracy on held-out sequences by numbers seen; empty: not measured

    @classmethod
    def of(cls, metrics: list[dict[str, Any]]) -> "Reliability":
        """From the lines of ``metrics.jsonl``; the last one is used."""
        measured = metrics[-1].get("accuracy_after", {}) if metrics else {}
        return cls({int(seen): value or 0.0 for seen, value in measured.items()})

    @property
    def reliable_from(self) -> int | None:
        """How many numbers to see before the model is usually right; None if unknown, or if it never is."""
        longest_first = sorted(self.accuracy_after, reverse=True)
        return min(takewhile(lambda seen: self.accuracy_after[seen] >= USUAL_ACCURACY, longest_first), default=None)

    def text(self, run: str, *, fewest: int) -> str:
        """From how many numbers on the model is usually right, with a warning if the shortest sequence has fewer.

        ``run`` is the name of the run on the command line.
        """
        if not self.accuracy_after:
            return f"how many numbers this model needs is unknown; measure it with: unrandom evaluate {run}"
        if self.reliable_from is None:
            best = max(self.accuracy_after, key=lambda seen: self.accuracy_after[seen])
            return f"this model is usually wrong: at best {self._accuracy_after(best)}"
        usually_right = f"{_numbers(self.reliable_from)} on ({self._share(self.reliable_from)})"
        said = f"this model is usually right from about {usually_right}"
        if fewest >= self.reliable_from:
            return said
        below = [seen for seen in self.accuracy_after if seen <= fewest]
        measured = f": {self._accuracy_after(max(below))}" if below else ""
        few = f"{_numbers(fewest)} {'is' if fewest == 1 else 'are'} too few"
        return f"{said}\nwarning: {few} for an answer to rely on{measured}"

    def _accuracy_after(self, seen: int) -> str:
        return f"{self._share(seen)} after {_numbers(seen)}"

    def _share(self, seen: int) -> str:
        return f"{100 * self.accuracy_after[seen]:.0f} % right"


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _lines(source: str) -> list[str]:
    """The lines of a text of at most MAX_TEXT bytes."""
    content = content_of(source, MAX_TEXT)
    try:
        return content.decode().splitlines()
    except UnicodeDecodeError:
        raise UserError(f"{named(source)} is not text") from None


def _number(word: str, line: int, limit: int) -> int:
    if not (word.isascii() and word.removeprefix("-").isdigit() and len(word) <= 40):
        raise UserError(f"line {line}: {word[:40]!r} is not a whole number")
    number = int(word)
    if not 0 <= number < limit:
        raise UserError(f"line {line}: {number} is not from 0 to {limit - 1}, the numbers this model knows")
    return number
