"""How does a task of the user's own come in? By an import path.

A user's task is code. It is imported where the user names it, by ``file.py:Class`` or ``package.module:Class``, and
nowhere else: a run folder only says which task it was, and opening one imports nothing.
"""

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
from unrandom.core.files import sha256
from unrandom.tasks.registry import TASKS, USER_TASKS
from unrandom.tasks.task import Source, Task

_files: set[str] = set()  # from which tasks were imported


def is_import_path(text: str) -> bool:
    """Whether a word names a class, as ``my_task.py:MyTask`` does, and not a recipe."""
    return ":" in text


def load_task(path: str) -> type[Task]:
    """Import the task that ``path`` names, so that configurations of it can be read from here on.

    UserError, in one line, for what is not there, cannot be imported, is no task, or does not answer what a task must.
    """
    where, _, class_name = path.rpartition(":")
    if not (where and class_name):
        raise UserError(f"{path!r} names no task; it takes a file or module and a class, as in my_task.py:MyTask")
    module = _module_of(where)
    found = getattr(module, class_name, None)
    if found is None:
        raise UserError(f"{where} has no {class_name}; its classes are {', '.join(_classes(module)) or 'none'}")
    if not (isinstance(found, type) and issubclass(found, Task)):
        raise UserError(f"{path} is no task: a task is a class derived from unrandom.tasks.Task")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise UserError(f"{path} does not say what a task must: {', '.join(missing)}")
    if taken := [key for key in found.model_fields if _is_no_setting(found, key)]:
        raise UserError(f"{path}: {taken[0]} cannot be a setting; write it as a property, or as a ClassVar")
    if not (isinstance(found.name, str) and re.fullmatch(r"[\w.-]+", found.name)):
        raise UserError(f"{path}: the name {found.name!r} cannot be that of a folder; letters, digits, _ . and - can")
    if found.name in TASKS:
        raise UserError(f"{path}: {found.name} is the name of a task of this package; give the class another one")
    file = inspect.getsourcefile(found)
    assert file is not None, "a module that was imported from source has a file"
    named = Path(where).resolve() if where.endswith(".py") else where
    found.source = Source(f"{named}:{class_name}", sha256(Path(file)))
    USER_TASKS[found.name] = found
    _files.add(file)
    return found


def _is_no_setting(task: type[Task], key: str) -> bool:
    """Whether a base class answers to a key in some other way than by a setting."""
    return any(key in vars(base) and key not in getattr(base, "model_fields", {}) for base in task.__mro__[1:])


def _module_of(where: str) -> ModuleType:
    """The module of a file or of a dotted name. A file is imported afresh each time, as it may have changed."""
    try:
        if not where.endswith(".py"):
            _look_in("")
            return importlib.import_module(where)
        file = Path(where).resolve()
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
    """Let modules be imported from a folder, behind what is installed; an empty one is the working directory."""
    if folder not in sys.path:
        sys.path.append(folder)


def _classes(module: ModuleType) -> list[str]:
    own = inspect.getmembers(module, lambda each: isinstance(each, type) and each.__module__ == module.__name__)
    return [name for name, _ in own]


def restore_task(path: str, digest: str, tree: Mapping[str, Any]) -> Task:
    """A user's task in another process of the same command, from the same code. UserError where that has changed."""
    source = Source(path, digest)
    task = next((known for known in USER_TASKS.values() if known.source == source), None) or load_task(path)
    if task.source != source:
        raise UserError(f"{path} was changed while the command ran")
    return task.parse(tree)


def fault_in_user_task(error: BaseException) -> str | None:
    """Where the code of a user's task broke, and how, in a line; None where it was not that code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in _files]
    if not frames:
        return None
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: {type(error).__name__}: {error}"
