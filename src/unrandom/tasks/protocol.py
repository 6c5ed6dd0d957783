"""Does a task keep its word? What a user's task answers is tried once, before anything is trained on it."""

import numpy as np

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.tasks.examples import Parameters
from unrandom.tasks.split import Split
from unrandom.tasks.task import Task

ROWS = 16  # sequences that are drawn to see what they are


def check_task(task: Task, seed: int) -> None:
    """Draw a few sequences of a task, and look at them. UserError, in one line, for what is not as it must be."""
    try:
        _check(task, seed)
    except UserError:
        raise
    except Exception as error:  # of the user's code, which may do anything
        raise UserError(f"{task.name} cannot be used: {type(error).__name__}: {error}") from error


def _check(task: Task, seed: int) -> None:
    split = _split(task, seed)
    training = split.draw_training(stream(seed, "check"), ROWS)
    _check_numbers(task, training, "draw_training")
    _check_again(training, _split(task, seed).draw_training(stream(seed, "check"), ROWS), task.context)
    split.check(training)
    for baseline in task.baselines().values():
        baseline.make()
    for part in split.parts:
        tested = split.test(part, ROWS).parameters
        _check_numbers(task, tested, f"test({part!r}, ...)")
        tested.groupings()
        tested.words(0)
        if not all(_is_kept(split, tested[row : row + 1]) for row in range(ROWS)):
            raise UserError(f"{task.name}: its check lets training have sequences of test part {part!r}")


def _is_kept(split: Split, parameters: Parameters) -> bool:
    """Whether the split says that these are kept for the test."""
    try:
        split.check(parameters)
    except RuntimeError:
        return True
    return False


def _split(task: Task, seed: int) -> Split:
    split = task.split(seed)
    if not isinstance(split, Split):
        raise UserError(f"{task.name}.split gave a {type(split).__name__}; a Split is needed")
    if not split.parts:
        raise UserError(f"{task.name}: its test has no parts")
    return split


def _check_numbers(task: Task, parameters: Parameters, asked: str) -> None:
    length = task.context + 1
    numbers = parameters.numbers(length)
    if len(parameters) != ROWS or numbers.shape != (ROWS, length):
        raise UserError(
            f"{task.name}.{asked}: numbers of shape [{ROWS}, {length}] are needed, not {list(numbers.shape)}"
        )
    if numbers.dtype != np.uint64:
        raise UserError(f"{task.name}.{asked}: numbers must be uint64, not {numbers.dtype}")
    if int(numbers.max()) >= task.vocabulary:
        raise UserError(f"{task.name}.{asked}: {numbers.max()} is not below the vocabulary of {task.vocabulary}")
    if wrong := [name for name, values in parameters.labels.items() if np.shape(values) != (ROWS,)]:
        raise UserError(f"{task.name}.{asked}: the label {wrong[0]} must have a value for each sequence")
    if len(parameters.units) > 2:
        raise UserError(f"{task.name}: a bootstrap resamples two units at most, not {len(parameters.units)}")
    if lost := [name for name in parameters.units if name not in parameters.labels]:
        raise UserError(f"{task.name}: its units name {lost[0]!r}, which is none of its labels")


def _check_again(first: Parameters, again: Parameters, length: int) -> None:
    if not np.array_equal(first.numbers(length), again.numbers(length)):
        raise UserError("draw_training must be a function of the generator that it is given: two draws differed")
