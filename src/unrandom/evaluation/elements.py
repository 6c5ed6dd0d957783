"""How many numbers must a predictor see? The first position from which its accuracy stays above a threshold."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unrandom.core.seeds import stream
from unrandom.evaluation.bootstrap import RESAMPLES
from unrandom.evaluation.evaluate import Evaluation

THRESHOLDS = (0.6, 0.9, 0.99, 1.0)
ROUNDING = 1e-9  # of a mean of shares that are all 1


@dataclass(frozen=True)
class Elements:
    """Numbers seen before the guesses are right often enough; None where the sequences end before that.

    ``low`` and ``high`` are the 95 % bootstrap interval over (a, c): None is later than any position.
    """

    threshold: float
    needed: int | None
    low: int | None
    high: int | None


def first_lasting(accuracy: Float[np.ndarray, "*rows guesses"], threshold: float) -> Float[np.ndarray, "*rows"]:
    """The 1-based position from which every accuracy is at least ``threshold``; infinity where the last is not.

    Column t of ``accuracy`` is the guess after t + 1 numbers, so that the position is the count of numbers seen.
    """
    below = np.asarray(accuracy) < threshold - ROUNDING
    length = below.shape[-1]
    last_below = length - np.argmax(below[..., ::-1], axis=-1)
    needed = np.where(below.any(axis=-1), last_below + 1, 1).astype(float)
    return np.asarray(np.where(needed > length, np.inf, needed))


def elements_needed(tested: Evaluation, threshold: float) -> Elements:
    """The numbers that a predictor must see, from its mean accuracy over (a, c) pairs."""
    pairs = tested.pair_accuracies()
    rng = stream(0, "elements", len(pairs))
    weights = rng.multinomial(len(pairs), np.full(len(pairs), 1 / len(pairs)), size=RESAMPLES) / len(pairs)
    resampled = first_lasting(weights @ pairs, threshold)
    low, high = np.percentile(resampled, [2.5, 97.5], method="inverted_cdf")
    needed = first_lasting(pairs.mean(axis=0), threshold)
    return Elements(threshold, *(int(x) if np.isfinite(x) else None for x in (needed, low, high)))
