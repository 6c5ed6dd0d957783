"""Narrows a task to an LCG task for analyses in terms of (m, a, c), or raises a UserError."""

from unrandom.core.errors import UserError
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.split import LCGSplit
from unrandom.tasks.task import Split, Task


def lcg_task(task: Task) -> LCGTask:
    """The task, typed as an LCG task. Raises UserError for another task."""
    if not isinstance(task, LCGTask):
        raise UserError(f"a run of linear congruential generators is needed; the task of this one is {task.name}")
    return task


def lcg_split(split: Split) -> LCGSplit:
    """The split, typed as an LCG split. Raises UserError for the split of another task."""
    if not isinstance(split, LCGSplit):
        raise UserError(f"a run of linear congruential generators is needed; its task is {split.task.name}")
    return split
