"""What a model says, guess by guess, beside algebra and look-back, with its staircase and its attention."""

from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from unrandom.app.answers import answered, chosen, naming_command, plotly_figure, sentence, table
from unrandom.app.heads import attention
from unrandom.app.limits import (
    FEWEST_SEQUENCES,
    GUESSES_SHOWN,
    LOADED_MODELS,
    MAX_CHARACTERS,
    MAX_DIGITS,
    TEST_TOKENS,
)
from unrandom.app.models import Model, loaded, model_names, trained_on
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.sequences import plain_rows, sequence_of
from unrandom.core.config import parse_integer
from unrandom.core.errors import UserError
from unrandom.figures.comparison import comparison_panels
from unrandom.figures.description import Figure
from unrandom.generators.lcg import LCG
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors.lookback import LookbackPredictor
from unrandom.predictors.protocol import Predictor
from unrandom.runs.comparison import compare
from unrandom.runs.continuation import Continuation
from unrandom.runs.loaded import LoadedRun
from unrandom.tasks import make_predictors

WAYS = ("lcg", "numbers")  # how a sequence is given: by an LCG, or typed


@answered(6)
def play(
    runs: Path,
    model: Any,
    how: Any,
    m: str | None,
    a: str | None,
    c: str | None,
    x0: str | None,
    seen: Any,
    typed: str | None,
    head: Any,
) -> tuple[str, str, Any, Any, str, Any]:
    """A headline, the table of guesses, the staircase, and the attention of all heads and, also in words, of one head.

    The sequence is an LCG's, or the numbers that were typed. Raises nothing: mistakes are sentences.
    """
    played = loaded(chosen(model, model_names(runs), "model"), runs)
    run = played.run
    modulus, following, notes, about = None, None, list[str](), trained_on(played)
    if chosen(how, WAYS, "way in which the sequence is given") == "numbers":
        numbers, notes = _typed(run, typed or "")
    else:
        generator, numbers, following = _of_lcg(run, {"m": m, "a": a, "c": c, "x0": x0}, seen)
        modulus, about = generator.m, trained_on(played, generator)
    used = numbers[-run.config.data.context :]
    others = baselines(run, modulus)
    guesses, continuation = _guesses(run, used, others)
    return (
        _headline(guesses, continuation, following) + sentence(about) + _details(others, notes),
        _table(guesses, used),
        staircase(played),
        *attention(played, used, head),
    )


def baselines(run: LoadedRun, modulus: int | None) -> dict[str, Predictor]:
    """The algebraic predictor of the model's task, and look-back for `modulus` (None: the task's, if it has one)."""
    task = run.config.data
    names = {"algebra": "algebraic"} | ({"look-back": "lookback"} if "lookback" in task.baselines() else {})
    found = dict(zip(names, make_predictors(list(names.values()), task), strict=True))
    return found if modulus is None else found | {"look-back": LookbackPredictor(modulus)}


def _of_lcg(run: LoadedRun, given: dict[str, str | None], seen: Any) -> tuple[LCG, list[int], int]:
    """The generator, the numbers that are shown, and the one after them."""
    values = [_whole(name, text) for name, text in given.items()]
    modulus, multiplier, increment, start = values
    known = run.config.data.vocabulary
    if not 2 <= modulus <= known:
        raise UserError(f"m must be from 2 to {known}: this model knows the numbers below {known} only")
    if not all(0 <= value < modulus for value in values[1:]):
        raise UserError(f"a, c and x0 must be from 0 to {modulus - 1}, below m")
    if not isinstance(seen, (int, float)) or not 1 <= seen <= run.config.data.context:
        raise UserError(f"from 1 to {run.config.data.context} numbers can be shown to this model")
    count = int(seen)
    generator = LCG(m=modulus, a=multiplier, c=increment)
    *numbers, following = generator.orbit(x0=start, length=count + 1)
    return generator, numbers, following


def _whole(name: str, text: str | None) -> int:
    word = (text or "").strip()
    if not word:
        raise UserError(f"{name} is missing")
    if not word.isascii() or len(word) > MAX_DIGITS:
        raise UserError(f"{name} must be a whole number of at most {MAX_DIGITS} digits")
    try:
        return parse_integer(word)
    except UserError as mistake:
        raise UserError(f"{name}: {mistake}") from None


def _typed(run: LoadedRun, text: str) -> tuple[list[int], list[str]]:
    """The numbers in a text, read as the audit reads them, and a note on each thing that was inferred."""
    if len(text) > MAX_CHARACTERS:
        raise UserError(f"{len(text):,} characters were given; {MAX_CHARACTERS:,} are allowed")
    content = text.strip(" ,\t\r\n").encode("utf-8", errors="replace")
    if not content:
        raise UserError("type some numbers")
    if rows := plain_rows(content):  # wrapped or listed line by line: one sequence all the same, as there is one box
        numbers, notes = [number for row in rows for number in row], list[str]()
    else:
        try:
            numbers, notes = sequence_of(read("the box", content=content))
        except UserError as mistake:
            raise UserError(naming_command(str(mistake), "predict")) from None
    limit = run.config.data.vocabulary
    if (unknown := next((number for number in numbers if not 0 <= number < limit), None)) is not None:
        raise UserError(f"{unknown!s:.20} is not from 0 to {limit - 1}, the numbers this model knows")
    return numbers, notes


def _guesses(
    run: LoadedRun, numbers: list[int], others: dict[str, Predictor]
) -> tuple[list[dict[str, int | None]], Continuation]:
    """The guesses of the model and of the others for each count of numbers seen, and the model's next guess."""
    next_guess = run.predict(numbers)
    # Predictors guess every number but the first. The last number of this row is not read, only guessed; 0 is below
    # every modulus, which the model's guess may not be.
    row = np.array([[*numbers, 0]], dtype=np.uint64)
    found = {"model": TransformerPredictor(run.model, run.config.data.tokenizer).predict(row)}
    found |= {name: each.predict(row) for name, each in others.items()}
    columns = {
        name: [
            None if abstained else int(guess)
            for guess, abstained in zip(each.numbers[0], each.abstained[0], strict=True)
        ]
        for name, each in found.items()
    }
    columns["model"][-1] = next_guess.numbers[0]
    if run.config.data.tokenizer.width > 1:  # the digits after a wrong one were conditioned on the true one, not on it
        for seen in range(max(1, len(numbers) - GUESSES_SHOWN + 1), len(numbers)):
            if columns["model"][seen - 1] != numbers[seen]:
                columns["model"][seen - 1] = run.predict(numbers[:seen]).numbers[0]
    guesses = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return guesses, next_guess


def _headline(guesses: list[dict[str, int | None]], continuation: Continuation, following: int | None) -> str:
    seen, last, tried = len(guesses), guesses[-1], continuation.tried
    said = [
        f"After {seen} {'number' if seen == 1 else 'numbers'} the model says {last['model']}, with a probability of "
        f"{continuation.probabilities[0]:.3f}."
    ]
    others = [f"{name} {'abstains' if last[name] is None else f'says {last[name]}'}" for name in list(last)[1:]]
    said.append(f"{' and '.join(others).capitalize()}.")
    if following is not None:
        said.append(
            f"The next number is {following}: the model is {'right' if last['model'] == following else 'wrong'}."
        )
    clauses = [tried.text(), *([] if tried.contradiction is None else [tried.contradiction])]
    said += [f"{clause[0].upper()}{clause[1:]}." for clause in clauses]
    return sentence(" ".join(said))


def _details(others: dict[str, Predictor], notes: list[str]) -> str:
    """How the numbers were read, and what the baselines are told."""
    known = "; ".join(f"{name} {each.assumes}" for name, each in others.items())
    read = f"The numbers were read so: {'; '.join(notes)}. " if notes else ""
    return f"<p><small>{escape(f'{read}What the others assume to be known: {known}.')}</small></p>"


def _table(guesses: list[dict[str, int | None]], numbers: list[int]) -> str:
    """The last guesses, the newest first, beside the numbers that followed."""
    rows, classes = [], []
    for seen, guess in list(enumerate(guesses, start=1))[: -GUESSES_SHOWN - 1 : -1]:
        truth = numbers[seen] if seen < len(numbers) else None
        rows.append(
            [str(seen), "?" if truth is None else str(truth), *(_marked(each, truth) for each in guess.values())]
        )
        classes.append("" if truth is None else "right" if guess["model"] == truth else "wrong")
    return table(["numbers seen", "next number", *guesses[0]], rows, classes)


def _marked(guess: int | None, truth: int | None) -> str:
    """The guess, with a sign that tells right from wrong without colour."""
    if guess is None:
        return "–"
    return str(guess) if truth is None else f"{guess} {'✓' if guess == truth else '✗'}"


@lru_cache(LOADED_MODELS)
def staircase(model: Model) -> Any:
    """Accuracy of the model and the baselines by numbers seen, on held-out sequences of the largest test modulus."""
    run, part = model.run, model.largest_tested
    others = baselines(run, part)
    predictors = [run.predictor(), *others.values()]
    sequences = max(FEWEST_SEQUENCES, TEST_TOKENS // run.config.data.context_tokens)
    (entry,) = compare(run, predictors, part=part, sequences=sequences)
    for row, shown in zip(entry["predictors"], ("model", *others), strict=True):
        row["predictor"] = shown  # as in the table
    return plotly_figure(Figure({"": next(comparison_panels(entry))}, height=380))
