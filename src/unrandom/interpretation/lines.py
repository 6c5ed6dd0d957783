"""Which earlier numbers does a guess rest on? Attention by look-back, and guesses with one look-back cut off.

A look-back of r is number n − r for the guess of number n, whose queries are the tokens before each of its digits. So a
number may be written as several tokens here; its tokens count together.
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
    """Mean weight that the queries which guess number n put on number n − r, over sequences and the digits of n.

    Entry [h, n − 1, r] for n = 1, 2, … and r = 0 … n, and 0 beyond: r = 0 are the lower digits of n itself. Where the
    last number has fewer queries than digits, it is left out.
    """
    of_token = pattern.mean(axis=0)
    heads, tokens, _ = of_token.shape
    guessed = (tokens + 1) // digits - 1
    room = max(0, (guessed + 1) * digits - tokens)  # the last number's own last digit is never read
    of_number = np.pad(of_token, ((0, 0), (0, 0), (0, room)))[..., : (guessed + 1) * digits]
    of_number = of_number.reshape(heads, tokens, guessed + 1, digits).sum(axis=-1)
    found = np.zeros((heads, guessed, guessed + 1))
    for n in range(1, guessed + 1):
        weights = of_number[:, _queries(n, digits)].mean(axis=1)
        found[:, n - 1, : n + 1] = weights[:, n::-1]
    return found


def without_lookbacks(lookbacks: Mapping[int, int], digits: int) -> Edit:
    """An edit of ``hook_pattern`` [..., queries, keys]: guesses of number n put no weight on number n − lookbacks[n].

    All tokens of that number go; what is left is scaled to sum to 1, if it is not all zero. Numbers that ``lookbacks``
    lacks keep their weights. Raises ValueError unless 1 <= lookbacks[n] <= n.
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
    """The tokens from which the digits of number n are guessed."""
    return slice(n * digits - 1, (n + 1) * digits - 1)
