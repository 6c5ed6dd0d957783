"""Unrandom: can a Transformer predict pseudo-random numbers, how, and how far is that from what is possible?

>>> import unrandom
>>> run = unrandom.load("um-144")  # a model that comes with the package
>>> numbers = unrandom.LCG(m=144, a=37, c=25).orbit(x0=5, length=40)  # 144 is a modulus it never saw
>>> run.predict(numbers, n=5).numbers
[141, 58, 11, 0, 25]

Names are imported when they are first used, so that ``import unrandom`` takes milliseconds.
"""

from typing import TYPE_CHECKING

from unrandom.core.version import __version__ as __version__

__all__ = [
    "LCG",
    "LoadedRun",
    "PretrainedModel",
    "UserError",
    "audit",
    "evaluate",
    "import_run",
    "intervene",
    "load",
    "predict",
    "pretrained",
    "recipes",
    "record",
    "sweep",
    "tasks",
    "train",
]

if TYPE_CHECKING:
    from unrandom import tasks
    from unrandom.auditing.audit import audit
    from unrandom.core.errors import UserError
    from unrandom.generators.lcg import LCG
    from unrandom.models.taps import intervene, record
    from unrandom.runs.interface import evaluate, import_run, load, predict, sweep, train
    from unrandom.runs.loaded import LoadedRun
    from unrandom.runs.recipes import recipes
    from unrandom.runs.sharing.pretrained import PretrainedModel, pretrained
else:
    from unrandom.core.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "auditing.audit": ("audit",),
            "core.errors": ("UserError",),
            "generators.lcg": ("LCG",),
            "models.taps": ("intervene", "record"),
            "runs.interface": ("evaluate", "import_run", "load", "predict", "sweep", "train"),
            "runs.loaded": ("LoadedRun",),
            "runs.sharing.pretrained": ("PretrainedModel", "pretrained"),
            "runs.recipes": ("recipes",),
            "tasks": (),
        },
    )


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
