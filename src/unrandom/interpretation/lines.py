"""Measures attention by look-back, and cuts a look-back, to show which earlier numbers a prediction depends on.

For the prediction of number n, a look-back of r means attending to number n − r. The queries of number n are the tokens
before each of its digits. A number may be written as several tokens; the weights on all its tokens are added.
"""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from unrandom.interpretation.lookback import keep_weights
from unrandom.models.taps import Edit


def attention_by_lookback(
    pattern: Float[np.ndarray, "batch heads queries keys"], digits: int
) -> Float[np.ndarray, "heads numbers lookbacks"]:
    """Mean weight that the queries of number n put on number n − r, over sequences and the digits of n.

    Entry [h, n − 1, r] belongs to head h, n = 1, 2, … and r = 0 … n, and is 0 for larger r. The look-back r = 0 is the
    lower digits of n itself. The last number is left out if it has fewer queries than digits.
    """
    token_weights = pattern.mean(axis=0)
    heads, tokens, _ = token_weights.shape
    predicted = (tokens + 1) // digits - 1
    padding = max(0, (predicted + 1) * digits - tokens)  # the last digit of the last number is not an input
    number_weights = np.pad(token_weights, ((0, 0), (0, 0), (0, padding)))[..., : (predicted + 1) * digits]
    number_weights = number_weights.reshape(heads, tokens, predicted + 1, digits).sum(axis=-1)
    found = np.zeros((heads, predicted, predicted + 1))
    for n in range(1, predicted + 1):
        weights = number_weights[:, _queries(n, digits)].mean(axis=1)
        found[:, n - 1, : n + 1] = weights[:, n::-1]
    return found


def without_lookbacks(lookbacks: Mapping[int, int], digits: int) -> Edit:
    """An edit of ``hook_pattern`` [..., queries, keys]: queries of number n put no weight on number n − lookbacks[n].

    The weights on all tokens of that number become 0; the others are scaled to sum to 1, unless all are 0. Queries of
    numbers that ``lookbacks`` lacks keep their weights. Raises ValueError unless 1 <= lookbacks[n] <= n.
    """
    if wrong := {n: r for n, r in lookbacks.items() if not 1 <= r <= n}:
        raise ValueError(f"number n can look back from 1 to n numbers, but these were given: {wrong}")

    def edit(pattern: Tensor) -> Tensor:
        kept = np.ones(pattern.shape[-2:], dtype=bool)
        for n, r in lookbacks.items():
            kept[_queries(n, digits), (n - r) * digits : (n - r + 1) * digits] = False
        return keep_weights(pattern, torch.from_numpy(kept), renormalise=True)

    return edit


def _queries(n: int, digits: int) -> slice:
    """The token positions from which the digits of number n are predicted."""
    return slice(n * digits - 1, (n + 1) * digits - 1)
