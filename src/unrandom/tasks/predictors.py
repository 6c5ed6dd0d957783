"""Which baseline predictors apply to a task? The task's own registry of baselines, looked up by name."""

import difflib
from collections.abc import Sequence

from unrandom.core.errors import UserError, lookup
from unrandom.predictors.protocol import Predictor
from unrandom.tasks.task import Task


def make_predictors(names: Sequence[str], task: Task) -> list[Predictor]:
    """The baselines of these names for the test sequences of ``task``; ``lookback:3`` names one of order 3.

    Raises UserError for a name that the task does not have, and for an order that the baseline does not have.
    """
    return [_make(name, task) for name in names]


def _make(name: str, task: Task) -> Predictor:
    kind, colon, order = name.partition(":")
    baselines = task.baselines()
    if not baselines:
        raise UserError(f"{name!r} was given; no predictor is known for the task {task.name}")
    if kind not in baselines and not difflib.get_close_matches(kind, baselines, cutoff=0.4):
        raise UserError(f"the task {task.name} has no predictor {kind!r}; it has {', '.join(baselines)}")
    baseline = lookup("predictor", kind, baselines)
    if not colon:
        return baseline.make()
    if baseline.by_order is None:
        raise UserError(f"{name!r}: {kind} has no order; lookback has one for a fixed modulus, as in lookback:3")
    if not (order.isascii() and order.isdigit() and len(order) <= 4):
        raise UserError(f"{name!r:.80}: the order of {kind} is a whole number of at most four digits, as in {kind}:3")
    predictor = baseline.by_order(int(order))
    predictor.name = name
    return predictor
