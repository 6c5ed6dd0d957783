"""Is it a task of LCGs? Analyses that are about (m, a, c) ask here, and say so where a run has another task."""

from unrandom.core.errors import UserError
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.split import LCGSplit
from unrandom.tasks.split import Split
from unrandom.tasks.task import Task


def lcg_task(task: Task) -> LCGTask:
    """The task as one of LCGs. UserError where it is another."""
    if not isinstance(task, LCGTask):
        raise UserError(f"a run of linear congruential generators is needed; the task of this one is {task.name}")
    return task


def lcg_split(split: Split) -> LCGSplit:
    """The split as one of LCGs. UserError where it is another."""
    if not isinstance(split, LCGSplit):
        raise UserError(f"a run of linear congruential generators is needed; its task is {split.task.name}")
    return split
