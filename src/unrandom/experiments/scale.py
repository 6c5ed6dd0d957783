"""The four scales of experiments, each with its own moduli, models, steps and test sequences.

``smoke`` takes seconds and only tests the code; ``laptop`` has small moduli and takes minutes; ``overnight`` has the
paper's moduli in smaller models, a night or two of two CPU cores for all runs of an experiment; ``paper`` has the
paper's own settings, for GPUs.
"""

from typing import TypeVar

from unrandom.core.names import SCALES, Scale

__all__ = ["SCALES", "Scale", "by_scale"]

T = TypeVar("T")


def by_scale(*, smoke: T, laptop: T, overnight: T | None = None, paper: T | None = None) -> dict[Scale, T]:
    """Return a value for each scale. A scale that is left out has the value of the one before it."""
    overnight = laptop if overnight is None else overnight
    paper = overnight if paper is None else paper
    return {"smoke": smoke, "laptop": laptop, "overnight": overnight, "paper": paper}
