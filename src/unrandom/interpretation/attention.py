"""How far back does a head look? Attention patterns folded onto the distance between query and key.

The paper's section "Interpretability: Fixed Modulus", step ii: a trained head looks back by powers of the
modulus's prime, as far as the context allows.
"""

import numpy as np
from jaxtyping import Float, Int


def attention_by_distance(pattern: Float[np.ndarray, "*axes queries keys"]) -> Float[np.ndarray, " keys"]:
    """Mean weight at distance query - key = 0 ... T - 1.

    The mean runs over every query that has a key at that distance, and over all leading axes
    (sequences, heads). Only the causal half of the pattern is read.
    """
    tokens = _square_side(pattern)
    return np.array([pattern.diagonal(-distance, -2, -1).mean() for distance in range(tokens)], dtype=float)


def strongest_distances(
    pattern: Float[np.ndarray, "*axes queries keys"], k: int = 2
) -> Int[np.ndarray, "*axes queries k"]:
    """Distances (query - key) of the k keys each query weighs most, strongest first; the nearer wins a tie.

    A query with fewer than k keys behind it has -1 in the places left over.
    """
    tokens = _square_side(pattern)
    if not 1 <= k <= tokens:
        raise ValueError(f"k={k} must be between 1 and the number of tokens, {tokens}")
    query = np.arange(tokens)[:, None]
    distance = np.arange(tokens)[None, :]
    by_distance = np.where(distance <= query, pattern[..., query, (query - distance) % tokens], -np.inf)
    order = np.argsort(-by_distance, axis=-1, kind="stable")[..., :k]
    return np.where(order <= query, order, -1)


def _square_side(pattern: np.ndarray) -> int:
    *_, queries, keys = pattern.shape
    if queries != keys:
        raise ValueError(f"an attention pattern is square (queries x keys), not {queries} x {keys}")
    return keys
