"""Loads user-defined tasks by an import path.

A user-defined task is code. It is imported only when the user names it, as ``file.py:Class`` or
``package.module:Class``. A run folder records which task it has, but opening it imports no code.
"""

import copyreg
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from unrandom.core.errors import UserError
from unrandom.core.files import resolved
from unrandom.core.reading import sha256
from unrandom.tasks.facts import Source
from unrandom.tasks.registry import TASKS, USER_TASKS
from unrandom.tasks.task import Task

_files: set[str] = set()  # source files of the tasks imported so far


def is_import_path(text: str) -> bool:
    """Whether a name is an import path such as ``my_task.py:MyTask``, and not a recipe."""
    return ":" in text


def load_task(path: str) -> type[Task]:
    """Import the task that ``path`` names and register it, so that its configurations can be read. Raises a one-line
    UserError if it is missing, cannot be imported, is not a task, or has abstract methods."""
    where, _, class_name = path.rpartition(":")
    if not (where and class_name):
        raise UserError(f"{path!r} names no task; it takes a file or module and a class, as in my_task.py:MyTask")
    module = _module_of(where)
    found = getattr(module, class_name, None)
    if found is None:
        raise UserError(f"{where} has no {class_name}; its classes are {', '.join(_classes(module)) or 'none'}")
    if not (isinstance(found, type) and issubclass(found, Task)):
        raise UserError(f"{path} is not a task: a task is a class derived from unrandom.tasks.Task")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise UserError(f"{path} does not say what a task must: {', '.join(missing)}")
    if taken := [key for key in found.model_fields if _is_no_setting(found, key)]:
        raise UserError(f"{path}: {taken[0]} cannot be a setting; write it as a property, or as a ClassVar")
    if not (isinstance(found.name, str) and re.fullmatch(r"[\w.-]+", found.name)):
        raise UserError(f"{path}: the name {found.name!r} cannot name a folder; use letters, digits, _ . and -")
    if found.name in TASKS:
        raise UserError(f"{path}: {found.name} is the name of a task of this package; give the class another one")
    file = inspect.getsourcefile(found)
    assert file is not None, "a module that was imported from source has a file"
    named = resolved(Path(where)) if where.endswith(".py") else where
    found.source = Source(f"{named}:{class_name}", sha256(Path(file)))
    USER_TASKS[found.name] = found
    copyreg.pickle(found, _by_import_path)
    _files.add(file)
    return found


def _by_import_path(task: Task) -> tuple[Any, ...]:
    """Pickles a user-defined task: worker processes must import its code."""
    assert task.source is not None, "a task that was loaded has a source"
    return restore_task, (task.source.path, task.source.sha256, task.to_json())


def _is_no_setting(task: type[Task], key: str) -> bool:
    """Whether a base class has this attribute, which is not a setting."""
    return any(key in vars(base) and key not in getattr(base, "model_fields", {}) for base in task.__mro__[1:])


def _module_of(where: str) -> ModuleType:
    """The module of a file or of a dotted name. A file is imported again each time, as it may have changed."""
    try:
        if not where.endswith(".py"):
            _look_in("")
            return importlib.import_module(where)
        file = resolved(Path(where))
        if not file.is_file():
            raise UserError(f"{where} is not there")
        _look_in(str(file.parent))
        name = f"unrandom_task_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None, "a file that ends in .py has a loader"
        assert spec.loader is not None, "a file that ends in .py has a loader"
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Field name .* shadows")  # load_task refuses such a class
            spec.loader.exec_module(module)
        return module
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"{where} cannot be imported: {type(error).__name__}: {error}") from error


def _look_in(folder: str) -> None:
    """Append a folder to the import path; an empty one is the working directory."""
    if folder not in sys.path:
        sys.path.append(folder)


def _classes(module: ModuleType) -> list[str]:
    own = inspect.getmembers(module, lambda each: isinstance(each, type) and each.__module__ == module.__name__)
    return [name for name, _ in own]


def restore_task(path: str, digest: str, values: Mapping[str, Any]) -> Task:
    """A user-defined task in a worker process. Raises UserError if its code has changed since the command started."""
    source = Source(path, digest)
    task = next((known for known in USER_TASKS.values() if known.source == source), None) or load_task(path)
    if task.source != source:
        raise UserError(f"{path} was changed while the command ran")
    return task.parse(values)


def fault_in_user_task(error: BaseException) -> str | None:
    """File, line and message of an error raised in the code of a user-defined task; None for other errors."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in _files]
    if not frames:
        return None
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: {type(error).__name__}: {error}"
