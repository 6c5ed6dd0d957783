"""Which sequences did the user hand over? Plain text to numbers, and what follows them."""

import sys
from pathlib import Path

import numpy as np

from unrandom.core.errors import UserError
from unrandom.predictors.transformer import TransformerPredictor


def read_sequences(source: str, *, limit: int, longest: int) -> list[list[int]]:
    """Sequences from a file, or from standard input for ``-``.

    One number a line is one sequence; where any line holds several (spaces or commas), each line is a sequence.
    Raises UserError, naming the line, for what is no number, not below ``limit``, or more than ``longest`` numbers.
    """
    lines = [(n, line.replace(",", " ").split()) for n, line in enumerate(_read(source).splitlines(), start=1)]
    filled = [(n, words) for n, words in lines if words]
    if not filled:
        raise UserError(f"{_named(source)} holds no numbers")
    rows = [(n, [_number(word, n, limit) for word in words]) for n, words in filled]
    if all(len(numbers) == 1 for _, numbers in rows):
        rows = [(rows[0][0], [numbers[0] for _, numbers in rows])]
    for n, numbers in rows:
        if len(numbers) > longest:
            raise UserError(f"line {n}: a sequence of {len(numbers)} numbers; this model reads {longest} at most")
    return [numbers for _, numbers in rows]


def predict_sequences(
    predictor: TransformerPredictor, sequences: list[list[int]], count: int
) -> tuple[list[list[int]], list[list[float]]]:
    """The next ``count`` numbers of each sequence and the probability the model gives each."""
    predictions, probabilities = [], []
    for numbers in sequences:
        guesses, chances = predictor.continue_sequences(np.array([numbers], dtype=np.uint64), count)
        predictions.append([int(guess) for guess in guesses[0]])
        probabilities.append([round(float(chance), 6) for chance in chances[0]])
    return predictions, probabilities


def _named(source: str) -> str:
    return "standard input" if source == "-" else source


def _read(source: str) -> str:
    try:
        return sys.stdin.read() if source == "-" else Path(source).read_text()
    except FileNotFoundError:
        raise UserError(f"{source} does not exist") from None
    except (IsADirectoryError, PermissionError) as error:
        raise UserError(f"{source} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{_named(source)} is not text") from None


def _number(word: str, line: int, limit: int) -> int:
    if not (word.isascii() and word.removeprefix("-").isdigit() and len(word) <= 40):
        raise UserError(f"line {line}: {word[:40]!r} is not a whole number")
    number = int(word)
    if not 0 <= number < limit:
        raise UserError(f"line {line}: {number} is not from 0 to {limit - 1}, the numbers this model knows")
    return number
