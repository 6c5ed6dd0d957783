"""How large is an experiment? It has one of four scales, each with its own moduli, models, steps and test sequences.

``smoke`` takes seconds and only tests the code; ``laptop`` and ``gpu`` are for such machines; ``paper`` has the paper's
own settings.
"""

from typing import TypeVar

from unrandom.core.names import SCALES, Scale

__all__ = ["SCALES", "Scale", "by_scale"]

T = TypeVar("T")


def by_scale(*, smoke: T, laptop: T, gpu: T | None = None, paper: T | None = None) -> dict[Scale, T]:
    """Return a value for each scale. A scale that is left out has that of the one before it."""
    gpu = laptop if gpu is None else gpu
    return {"smoke": smoke, "laptop": laptop, "gpu": gpu, "paper": gpu if paper is None else paper}
