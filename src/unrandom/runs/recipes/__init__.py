"""Finds the recipes: each is a named function that returns a complete run configuration.

The paper's recipes follow its text; where the text is silent they follow its public code (cosine decay, gradient
clipping at 1). Every field but the kind of task can be changed with ``--set``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import isfunction, signature

from unrandom.core.errors import UserError, lookup
from unrandom.runs.recipes import fixed_modulus, other_tasks, permuted, unseen_modulus
from unrandom.tasks import Task, is_import_path, load_task
from unrandom.training import RunConfig


@dataclass(frozen=True)
class Recipe:
    """A name, a one-line description, and a function that builds the configuration."""

    name: str
    about: str
    build: Callable[[], RunConfig]

    @property
    def cost(self) -> str:
        """Steps and training compute as text, from the closed form."""
        config = self.build()
        return f"{config.steps:,} steps, {config.flops:.1e} FLOPs"


def _declared() -> Iterator[Recipe]:
    """A recipe for each public function without parameters, with its name and its docstring."""
    for module in (fixed_modulus, unseen_modulus, permuted, other_tasks):
        for name, build in vars(module).items():
            own = isfunction(build) and build.__module__ == module.__name__ and not name.startswith("_")
            if own and not signature(build).parameters:
                about = " ".join((build.__doc__ or "").split()).removesuffix(".")
                yield Recipe(name.replace("_", "-"), about, build)


RECIPES = {recipe.name: recipe for recipe in _declared()}


def recipes() -> dict[str, Recipe]:
    """Every recipe of this package by its name: ``about`` in a line, ``cost``, and ``build()``, its configuration.

    >>> import unrandom
    >>> "fm-256" in unrandom.recipes()
    True
    >>> config = unrandom.recipes()["fm-256"].build()
    >>> config.data.modulus, config.model.depth, config.steps
    (256, 1, 800)
    """
    return dict(RECIPES)


def recipe(name: str) -> Recipe:
    """The recipe called ``name``, or a default recipe for the user-defined task ``my_task.py:MyTask``. Raises
    UserError, naming near misses, for an unknown name, and for a task that cannot be used."""
    if name.endswith(".py"):
        raise UserError(f"name the class of the task, too, as in {name}:MyTask")
    return _own_recipe(load_task(name)) if is_import_path(name) else lookup("recipe", name, RECIPES)


def _own_recipe(task: type[Task]) -> Recipe:
    """A recipe with the default settings of a user-defined task and the model and steps of the demo."""
    if task.name in RECIPES:
        raise UserError(f"{task.name} is the name of a recipe of this package; give the task another one")

    def build() -> RunConfig:
        return fixed_modulus.fm_256().replace(data=task.parse({}))

    return Recipe(task.name, "a user-defined task", build)
