"""Looks up the baseline predictors of a task by name, in the task's own registry."""

import difflib
from collections.abc import Sequence

from unrandom.core.errors import UserError, lookup
from unrandom.predictors.protocol import Predictor
from unrandom.tasks.task import Task


def make_predictors(names: Sequence[str], task: Task) -> list[Predictor]:
    """The baselines of these names for the test sequences of ``task``.

    ``lookback:3`` has order 3, ``fixed-lookback:12`` looks back 12 and 24 numbers. Raises UserError
    for a name that the task does not have, and for a number that the baseline does not take.
    """
    return [_make(name, task) for name in names]


def _make(name: str, task: Task) -> Predictor:
    kind, colon, number = name.partition(":")
    baselines = task.baselines()
    if not baselines:
        raise UserError(f"{name!r} was given; no predictor is known for the task {task.name}")
    if kind not in baselines and not difflib.get_close_matches(kind, baselines, cutoff=0.4):
        raise UserError(f"the task {task.name} has no predictor {kind!r}; it has {', '.join(baselines)}")
    baseline = lookup("predictor", kind, baselines)
    if not colon:
        return baseline.make()
    if baseline.numbered is None:
        (other,) = [f"{other}:3" for other, each in baselines.items() if each.numbered][:1] or ["none"]
        raise UserError(f"{name!r}: {kind} takes no number; of the predictors of this task, {other} does")
    if not (number.isascii() and number.isdigit() and len(number) <= 4):
        raise UserError(f"{name!r:.80}: {kind} takes a whole number of at most four digits, as in {kind}:3")
    predictor = baseline.numbered(int(number))
    predictor.name = name
    return predictor
