"""The context that a predictor needs: the first position from which its accuracy stays above a threshold."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unrandom.evaluation.evaluate import Evaluation
from unrandom.evaluation.intervals import cluster_draws

THRESHOLDS = (0.6, 0.9, 0.99, 1.0)
ROUNDING = 1e-9  # tolerance for the rounding error of a mean accuracy


@dataclass(frozen=True)
class ContextNeeded:
    """Numbers seen before the accuracy stays at ``threshold`` or above; None if the sequences end before that.

    ``low`` and ``high`` are the 95 % interval of a cluster bootstrap over the units of the sequences; a None end is
    later than any position.
    """

    threshold: float
    needed: int | None
    low: int | None
    high: int | None


def first_lasting(accuracy: Float[np.ndarray, "*rows guesses"], threshold: float) -> Float[np.ndarray, "*rows"]:
    """The 1-based position from which on every accuracy is at least ``threshold``; infinity if the last one is lower.

    Column t of ``accuracy`` is for the guess after t + 1 numbers, so that the position equals the numbers seen.
    """
    below = np.asarray(accuracy) < threshold - ROUNDING
    length = below.shape[-1]
    last_below = length - np.argmax(below[..., ::-1], axis=-1)
    needed = np.where(below.any(axis=-1), last_below + 1, 1).astype(float)
    return np.asarray(np.where(needed > length, np.inf, needed))


def context_needed(tested: Evaluation, threshold: float) -> ContextNeeded:
    """The context that a predictor needs, from its accuracy at each position."""
    drawn = cluster_draws(tested.correct.astype(float), list(tested.clusters.values()))
    resampled = first_lasting(drawn[np.isfinite(drawn).all(axis=1)], threshold)
    low, high = np.percentile(resampled, [2.5, 97.5], method="inverted_cdf")
    needed = first_lasting(tested.by_position.value, threshold)
    return ContextNeeded(threshold, *(int(x) if np.isfinite(x) else None for x in (needed, low, high)))
