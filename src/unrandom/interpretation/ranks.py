"""Spearman's rank correlation, for many pairs at once."""

import numpy as np
from jaxtyping import Float, Shaped


def rank_correlation(
    first: Shaped[np.ndarray, "*axes n"], second: Shaped[np.ndarray, "*axes n"]
) -> Float[np.ndarray, "*axes"]:
    """Spearman's correlation along the last axis, -1 to 1; ties get their mean rank, and a constant row scores 0."""
    x, y = _centred_ranks(first), _centred_ranks(second)
    scale = np.asarray(np.sqrt((x * x).sum(-1) * (y * y).sum(-1)))
    return np.asarray(np.divide((x * y).sum(-1), scale, out=np.zeros_like(scale), where=scale > 0))


def _centred_ranks(values: Shaped[np.ndarray, "*axes n"]) -> Float[np.ndarray, "*axes n"]:
    from scipy.stats import rankdata  # deferred: importing it takes a second, and training does not need it

    return rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2
