"""The tasks of this package, and the user-defined tasks imported so far, by name."""

import json
from typing import Annotated, Any

from pydantic import PlainValidator, SerializeAsAny

from unrandom.core.errors import UserError
from unrandom.tasks.lcg.fixed_modulus import FixedModulus
from unrandom.tasks.lcg.unseen_modulus import UnseenModulus
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.tasks.quadratic import Quadratic
from unrandom.tasks.reduced_speck import ReducedSpeck
from unrandom.tasks.task import NAME_KEY, Task
from unrandom.tasks.truncated_lcg import TruncatedLCG

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (
        FixedModulus,
        UnseenModulus,
        TruncatedLCG,
        Quadratic,
        PermutedLCG,
        ReducedSpeck,
    )
}
"""The tasks of this package, by name."""


USER_TASKS: dict[str, type[Task]] = {}
"""The user-defined tasks imported so far, by name."""


def _as_task(value: Any) -> Task:
    """A task from JSON values, by the name in them. Raises UserError for an unknown name."""
    if isinstance(value, Task):
        return value
    if not isinstance(value, dict):
        raise ValueError("a task is a table of settings")
    name = str(value.get(NAME_KEY))
    task = TASKS.get(name) or USER_TASKS.get(name)
    if task is None:
        raise UserError(
            f"the task {value.get(NAME_KEY)!r} is not one of {', '.join(TASKS)}; "
            "if it is one of your own, name it again: --task my_task.py:MyTask"
        )
    return task.model_validate_json(json.dumps({key: setting for key, setting in value.items() if key != NAME_KEY}))


AnyTask = Annotated[SerializeAsAny[Task], PlainValidator(_as_task)]
"""A configuration field for any task."""
