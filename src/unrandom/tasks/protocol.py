"""Checks a user-defined task on a few sequences before anything is trained."""

import json

import numpy as np
from jaxtyping import UInt64

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.residues import digits_of
from unrandom.predictors.protocol import Predictor
from unrandom.tasks.examples import Parameters
from unrandom.tasks.facts import Baseline, Part
from unrandom.tasks.task import Split, Task
from unrandom.tasks.user_tasks import fault_in_user_task

TRAINING_ROWS, TEST_ROWS = 256, 16  # sequences drawn for the check


def check_task(task: Task, seed: int) -> None:
    """Check a few sequences of a task. Raises a one-line UserError for the first violation of the protocol."""
    try:
        _check(task, seed)
    except UserError:
        raise
    except Exception as error:  # raised by the user's code
        said = fault_in_user_task(error) or f"{type(error).__name__}: {error}"
        raise UserError(f"{task.name} cannot be used: {said}") from error


def _check(task: Task, seed: int) -> None:
    _check_words(task)
    split = _split(task, seed)
    _check_training(split, _split(task, seed))
    for part in split.parts:
        _check_test(split, part)


def _check_words(task: Task) -> None:
    said = {name: getattr(task, name) for name in ("kind", "rule", "scope", "unseen", "enough_text")}
    if wrong := [name for name, words in said.items() if not isinstance(words, str)]:
        raise UserError(f"{task.name}.{wrong[0]} must be text, not {said[wrong[0]]!r:.40}")


def _split(task: Task, seed: int) -> Split:
    split = task.split(seed)
    if not isinstance(split, Split):
        raise UserError(f"{task.name}.split gave a {type(split).__name__}; a Split is needed")
    if not (isinstance(split.parts, tuple) and split.parts):
        raise UserError(f"{task.name}: the parts of its test must be a tuple of one or more, not {split.parts!r:.40}")
    try:
        json.dumps(split.manifest())
    except TypeError as error:
        raise UserError(f"{task.name}: its split's manifest must be JSON values: {error}") from error
    return split


def _check_training(split: Split, again: Split) -> None:
    """``again`` is the same split, made a second time, which must draw the same."""
    task, asked = split.task, f"{split.task.name}.draw_training"
    training, second = (each.draw_training(stream(split.seed, "check"), TRAINING_ROWS) for each in (split, again))
    numbers = _numbers(task, training, TRAINING_ROWS, asked)
    if not np.array_equal(numbers, second.numbers(task.context + 1)):
        raise UserError(f"{asked} must be a function of the generator that it is given: two draws differed")
    split.check(training)
    for kind, rows in training.followed(task.context).items():
        if np.shape(rows) != (TRAINING_ROWS,):
            raise UserError(f"{asked}: what is followed as {kind!r} must be a yes or no for each sequence")


def _check_test(split: Split, part: Part) -> None:
    task, asked = split.task, f"{split.task.name}: test({part!r}, ...)"
    examples, again = (split.test(part, TEST_ROWS) for _ in range(2))
    tested = examples.parameters
    numbers = _numbers(task, tested, TEST_ROWS, asked)
    if not (np.array_equal(examples.numbers, numbers) and np.array_equal(again.numbers, numbers)):
        raise UserError(f"{asked} must give the same sequences each time, of context + 1 numbers")
    if len(examples.units) > 2:
        raise UserError(f"{asked}: a bootstrap resamples two units at most, not {len(examples.units)}")
    if lost := [name for name in examples.units if name not in tested.labels]:
        raise UserError(f"{asked}: its units name {lost[0]!r}, which is not one of its labels")
    if not all(_is_held_out(split, tested[row : row + 1]) for row in range(TEST_ROWS)):
        raise UserError(f"{task.name}: its check lets training have sequences of test part {part!r}")
    tested.groupings()
    tested.text(0)
    _check_digits(task, tested)
    for name, baseline in task.baselines().items():
        predictor = baseline.make() if isinstance(baseline, Baseline) else None
        if not isinstance(predictor, Predictor):
            raise UserError(f"{task.name}: its baseline {name!r} makes no predictor")
        predictor.predict(numbers[:1])


def _check_digits(task: Task, parameters: Parameters) -> None:
    if (basis := parameters.basis) is None:
        return
    if not (isinstance(basis, int) and 2 <= basis <= 2**64):
        raise UserError(f"{task.name}: a basis is a whole number from 2 to 2^64, not {basis!r:.40}")
    for digit in digits_of(basis):
        if not isinstance(period := parameters.digit_period(digit.prime, digit.power), int | None):
            raise UserError(f"{task.name}: the period of a digit is a whole number or None, not {period!r:.40}")


def _is_held_out(split: Split, parameters: Parameters) -> bool:
    """Whether the split's check refuses to train on these parameters."""
    try:
        split.check(parameters)
    except RuntimeError:
        return True
    return False


def _numbers(task: Task, parameters: Parameters, rows: int, asked: str) -> UInt64[np.ndarray, "rows length"]:
    """The numbers of ``rows`` sequences, checked for shape, type, range and labels."""
    length = task.context + 1
    numbers = parameters.numbers(length)
    if len(parameters) != rows or numbers.shape != (rows, length):
        raise UserError(f"{asked}: numbers of shape [{rows}, {length}] are needed, not {list(numbers.shape)}")
    if numbers.dtype != np.uint64:
        raise UserError(f"{asked}: numbers must be uint64, not {numbers.dtype}")
    if int(numbers.max()) >= task.vocabulary:
        raise UserError(f"{asked}: {numbers.max()} is not below the vocabulary of {task.vocabulary}")
    if wrong := [name for name, values in parameters.labels.items() if np.shape(values) != (rows,)]:
        raise UserError(f"{asked}: the label {wrong[0]} must have a value for each sequence")
    return numbers
