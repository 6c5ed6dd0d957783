"""How are a user's own sequences continued? From text to numbers, to what follows, and how far to trust that."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unrandom.core.errors import UserError
from unrandom.core.files import named_source, reading
from unrandom.models.predictor import TransformerPredictor

USUAL_ACCURACY = 0.9  # A model is usually right when this share of its guesses is.


def read_sequences(source: str, *, limit: int) -> list[list[int]]:
    """Sequences from a file, or from standard input for ``-``.

    One number a line is one sequence; where any line holds several (spaces or commas), each line is a sequence.
    Raises UserError, naming the line, for what is no number or not below ``limit``.
    """
    lines = [(n, line.replace(",", " ").split()) for n, line in enumerate(_read(source).splitlines(), start=1)]
    filled = [(n, words) for n, words in lines if words]
    if not filled:
        raise UserError(f"{named_source(source)} holds no numbers")
    rows = [[_number(word, n, limit) for word in words] for n, words in filled]
    return rows if any(len(row) > 1 for row in rows) else [[row[0] for row in rows]]


def predict_sequences(
    predictor: TransformerPredictor, sequences: list[list[int]], count: int, observer: Callable[[int], None]
) -> tuple[list[list[int]], list[list[float]]]:
    """The next ``count`` numbers of each sequence and the probability the model gives each.

    The ``observer`` is called with how many numbers there are so far, of all sequences together.
    """
    predictions: list[list[int]] = []
    probabilities: list[list[float]] = []

    def advance(done: int) -> None:
        observer(len(predictions) * count + done)

    for numbers in sequences:
        guesses, chances = predictor.continue_sequences(np.array([numbers], dtype=np.uint64), count, advance)
        predictions.append([int(guess) for guess in guesses[0]])
        probabilities.append([round(float(chance), 6) for chance in chances[0]])
    return predictions, probabilities


@dataclass(frozen=True)
class Reliability:
    """How often a model was right when it was last measured in training, by how many numbers it had seen."""

    accuracy_after: dict[int, float]  # Accuracy on held-out sequences. Empty if it was not measured.

    @classmethod
    def of(cls, metrics: list[dict[str, Any]]) -> "Reliability":
        """From the lines of ``metrics.jsonl``, of which the last counts."""
        measured = metrics[-1].get("accuracy_after", {}) if metrics else {}
        return cls({int(seen): value or 0.0 for seen, value in measured.items()})

    @property
    def start(self) -> int | None:
        """The first count from which on the model is usually right; None: there is none, or nobody knows."""
        start = None
        for seen in sorted(self.accuracy_after, reverse=True):
            if self.accuracy_after[seen] < USUAL_ACCURACY:
                break
            start = seen
        return start

    def text(self, run: str, *, fewest: int) -> str:
        """From how many numbers on the model is usually right, and a warning where the shortest sequence has fewer.

        ``run`` is what names it to a command.
        """
        if not self.accuracy_after:
            return f"how many numbers this model needs is unknown; measure it with: unrandom evaluate {run}"
        if self.start is None:
            best = max(self.accuracy_after, key=lambda seen: self.accuracy_after[seen])
            return f"this model is usually wrong: at best {self._right(best)}"
        said = f"this model is usually right from about {_numbers(self.start)} on ({self._share(self.start)})"
        if fewest >= self.start:
            return said
        below = [seen for seen in self.accuracy_after if seen <= fewest]
        measured = f": {self._right(max(below))}" if below else ""
        few = f"{_numbers(fewest)} {'is' if fewest == 1 else 'are'} too few"
        return f"{said}\nwarning: {few} for an answer to rely on{measured}"

    def _right(self, seen: int) -> str:
        return f"{self._share(seen)} after {_numbers(seen)}"

    def _share(self, seen: int) -> str:
        return f"{100 * self.accuracy_after[seen]:.0f} % right"


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _read(source: str) -> str:
    try:
        with reading(source):
            return sys.stdin.read() if source == "-" else Path(source).read_text()
    except UnicodeDecodeError:
        raise UserError(f"{named_source(source)} is not text") from None


def _number(word: str, line: int, limit: int) -> int:
    if not (word.isascii() and word.removeprefix("-").isdigit() and len(word) <= 40):
        raise UserError(f"line {line}: {word[:40]!r} is not a whole number")
    number = int(word)
    if not 0 <= number < limit:
        raise UserError(f"line {line}: {number} is not from 0 to {limit - 1}, the numbers this model knows")
    return number
