"""How is a JSON file damaged key by key? Each is deleted and retyped in turn, and each object gets one more."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

OTHERS: list[Any] = [None, "7", -1, 0.5, [], {}, True]
"""Values of other types, of which a key gets the first that is of another type than its own, and the next one."""
MORE = "one_key_more"


def damages(values: Any, *, deepest: int = 3) -> Iterator[tuple[str, Any]]:
    """What was done, and the values with it: every key at most ``deepest`` levels down deleted and retyped, one at a
    time, and every object with one key more.
    """
    for path in _paths(values, deepest):
        name = ".".join(map(str, path))
        if path[-1] == MORE:
            yield (f"{name} added", _with(values, path, 1))
            continue
        yield (f"{name} deleted", _without(values, path))
        kind = type(_at(values, path))
        for other in [other for other in OTHERS if type(other) is not kind][:3]:
            yield (f"{name} = {json.dumps(other)}", _with(values, path, other))


def _paths(values: Any, deepest: int) -> Iterator[tuple[str, ...]]:
    if not isinstance(values, dict) or not deepest:
        return
    yield (MORE,)
    for key, value in values.items():
        yield (key,)
        yield from ((key, *rest) for rest in _paths(value, deepest - 1))


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values[key]
    return values


def _with(values: Any, path: tuple[str, ...], other: Any) -> Any:
    changed = deepcopy(values)
    _at(changed, path[:-1])[path[-1]] = other
    return changed


def _without(values: Any, path: tuple[str, ...]) -> Any:
    changed = deepcopy(values)
    del _at(changed, path[:-1])[path[-1]]
    return changed
