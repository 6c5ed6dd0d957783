"""Which recipes are there? Each is a named function that returns a complete run configuration.

The paper's recipes follow its text; where the text is silent they follow its public code (cosine decay, gradient
clipping at 1). Every field but the kind of task can be changed with ``--set``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from unrandom.core.errors import UserError, lookup
from unrandom.runs.recipes import fixed_modulus, other_tasks, unseen_modulus
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


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "fm-256",
            "the demo: one layer, one head, modulus 256; about a minute on two CPU cores",
            fixed_modulus.fm_256,
        ),
        Recipe("fm-2048", "the paper's fixed modulus 2^11; one GPU", fixed_modulus.fm_2048),
        Recipe("fm-7776", "the paper's composite fixed modulus 2^5 3^5; one GPU", fixed_modulus.fm_7776),
        Recipe(
            "um-80",
            "unseen moduli 48, 72, 80: small enough for grids of runs; two minutes on a laptop",
            unseen_modulus.um_80,
        ),
        Recipe(
            "um-128",
            "unseen moduli 108, 125, 127, 128, half of each batch full-period; an hour on one core",
            unseen_modulus.um_128,
        ),
        Recipe(
            "um-128-arbitrary", "um-128 with the paper's mix: arbitrary (a, c) alone", unseen_modulus.um_128_arbitrary
        ),
        Recipe(
            "um-144",
            "unseen moduli 96, 108, 144, whose look-backs all occur in training; twenty minutes on one core",
            unseen_modulus.um_144,
        ),
        Recipe("um-512", "unseen moduli 486, 500, 512: for grids of runs on a GPU", unseen_modulus.um_512),
        Recipe("um-2048", "the paper's unseen moduli 1800, 2048, 2352; one GPU", unseen_modulus.um_2048),
        Recipe(
            "um-2048-fast",
            "um-2048 with new sequences at each step, half of them full-period, and Muon; one GPU",
            unseen_modulus.um_2048_fast,
        ),
        Recipe(
            "fm-base256",
            "base-256 digits, abacus embeddings, 2^16 (to 2^32 by --set data.modulus=2^32)",
            fixed_modulus.fm_base256,
        ),
        Recipe(
            "um-base16",
            "unseen powers of 2 and 3 up to 243 in base-16 digits, all larger than the context",
            unseen_modulus.um_base16,
        ),
        Recipe("um-base16-wide", "um-base16 up to 2187, wider and deeper; one GPU", unseen_modulus.um_base16_wide),
        Recipe(
            "truncated-lcg",
            "the upper four bits of an LCG modulo 2^8 of known multiplier; five to six minutes on one core",
            other_tasks.truncated_lcg,
        ),
        Recipe(
            "truncated-lcg-smoke",
            "a smoke test of truncated-lcg in seconds; learns nothing",
            other_tasks.truncated_lcg_smoke,
        ),
        Recipe(
            "quadratic",
            "quadratic steps modulo 64 of unseen coefficients; four to five minutes on one core",
            other_tasks.quadratic,
        ),
        Recipe("quadratic-smoke", "a smoke test of quadratic in seconds; learns nothing", other_tasks.quadratic_smoke),
        Recipe(
            "um-base256", "unseen moduli up to 2^16 in base-256 digits; one GPU for a day", unseen_modulus.um_base256
        ),
    )
}


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
    """The recipe called ``name``, or a default recipe for the user-defined task ``my_task.py:MyTask``.

    Raises UserError, naming near misses, for an unknown name, and for a task that cannot be used.
    """
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
