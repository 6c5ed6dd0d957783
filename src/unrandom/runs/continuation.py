"""Continues a sequence, and says whether that is reliable, by guessing each of its last LAST numbers from those
before: if all guesses are right, and the model finds the next one likely, rely on it; if none is right, do not."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any, Literal

import numpy as np

from unrandom.core.files import JsonObject
from unrandom.predictors.protocol import Predictor
from unrandom.tasks import Task

USUAL_ACCURACY = 0.9  # a model is called "usually right" from this share of correct guesses on
SHOWN = 32  # most numbers that are counted
LAST = 8  # numbers at the end that decide
LIKELY = 0.5  # the next guess is relied on from this probability under the model on

Verdict = Literal["rely", "do not rely", "undecided", "too few"]


@dataclass(frozen=True)
class Tried:
    """The number of the last numbers given to a model that it would have guessed, each from the numbers before it.

    `verdict` is about the next number: "rely" on the guess, or "do not rely" on it; "undecided" if the model is right
    about some of these numbers only, and "too few" if more numbers would tell.

    >>> import unrandom
    >>> run, numbers = unrandom.load("um-144"), unrandom.LCG(m=97, a=5, c=3).orbit(x0=5, length=60)
    >>> run.predict(numbers).tried.text()
    'of your last 32 numbers this model would have guessed 0, and none of the last 8: do not rely on its next number'
    >>> run.predict(numbers[:5]).tried.verdict
    'too few'
    """

    tested: int  # numbers counted: the last ones, at most SHOWN; the first number is none, as nothing comes before it
    guessed: int  # of them, correctly
    tested_last: int  # numbers that decide: the last ones, at most LAST
    guessed_last: int  # of them, correctly
    verdict: Verdict
    enough: int  # a verdict needs this many numbers
    contradiction: str | None  # what shows that the numbers are not of the model's task: a clause; None: nothing does

    @classmethod
    def on(
        cls,
        numbers: Sequence[int],
        predictor: Predictor,
        task: Task,
        *,
        probability: float,
        reliable_from: int | None,
    ) -> "Tried":
        """Try a model on the last numbers that it can read, and on one more, in one forward pass.

        `probability` is the next guess's under the model; `reliable_from` is what its `Reliability` says.
        """
        read = list(numbers[-task.context - 1 :])
        row = np.array([read], dtype=np.uint64)
        right = predictor.predict(row).numbers[0] == row[0, 1:] if len(read) > 1 else np.zeros(0, bool)
        last = right[-LAST:]
        contradiction = task.contradiction(read)
        enough = min(task.context, LAST + max(1, reliable_from or 1))
        if len(last) < LAST:
            verdict: Verdict = "too few"
        elif last.all() and probability >= LIKELY:
            verdict = "rely"
        elif len(read) < enough and contradiction is None:
            verdict = "too few"
        else:
            verdict = "undecided" if last.any() else "do not rely"
        tested, guessed = len(right[-SHOWN:]), int(right[-SHOWN:].sum())
        return cls(tested, guessed, len(last), int(last.sum()), verdict, enough, contradiction)

    def text(self) -> str:
        """The test and the verdict in a sentence without a full stop."""
        if self.tested_last < LAST:
            given = self.tested + 1
            few = f"{given} {'number is' if given == 1 else 'numbers are'} too few"
            return f"{few} to tell whether this model continues them: give {self.enough}"
        last = "all" if self.guessed_last == LAST else "none" if not self.guessed_last else self.guessed_last
        said = f"of your last {self.tested} numbers this model would have guessed {self.guessed}"
        return f"{said}, and {last} of the last {LAST}: {self._verdict()}"

    def _verdict(self) -> str:
        match self.verdict:
            case "rely":
                return "rely on its next number; each later number rests on the ones before it"
            case "do not rely":
                return "do not rely on its next number"
            case "undecided":
                return "its next number may be right or wrong"
            case "too few":
                return f"these are too few for it, give {self.enough}"

    def to_json(self) -> JsonObject:
        """All fields."""
        return asdict(self)


@dataclass(frozen=True)
class Continuation:
    """A model's prediction of how a sequence continues."""

    numbers: list[int]  # the most likely ones, each given the ones before
    probabilities: list[float]  # the model's, of each of them
    numbers_used: int  # the last numbers of the sequence, which the model read
    tried: Tried  # how reliable the model is on this sequence


@dataclass(frozen=True)
class Reliability:
    """How often a model was right in its last evaluation during training, by how many numbers it had seen."""

    accuracy_after: dict[int, float]  # accuracy on held-out sequences by numbers seen; empty: not measured

    @classmethod
    def of(cls, metrics: list[dict[str, Any]]) -> "Reliability":
        """From the lines of ``metrics.jsonl``; the last one is used."""
        measured = metrics[-1].get("accuracy_after", {}) if metrics else {}
        return cls({int(seen): value for seen, value in measured.items()})

    @property
    def reliable_from(self) -> int | None:
        """The count of numbers seen from which the model is usually right; None if unknown, or if it never is."""
        longest_first = sorted(self.accuracy_after, reverse=True)
        return min(takewhile(lambda seen: self.accuracy_after[seen] >= USUAL_ACCURACY, longest_first), default=None)
