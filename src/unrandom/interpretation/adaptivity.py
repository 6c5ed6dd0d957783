"""Measures whether a head's look-back adapts to the modulus, by where it attends when the needed look-back is r.

The needed look-back of a full-period sequence is r = m / gcd(m, a − 1), after which its differences repeat. A head
whose look-back adapts attends to places that lie r apart, so that they are in one residue class modulo r, and to other
places when another r is needed. A head with a fixed look-back attends to the same places whatever r is. The index of
adaptivity is the attention at look-backs congruent to k modulo r, less the attention at these same look-backs in
sequences that need another r, averaged over r. Its range is −1 to 1, and it is 0 for any fixed look-back. The class k
may differ by r, as what is read there may be the error of an extrapolation from other numbers. Classes and head are
chosen on one half of the sequences, and the index is measured on the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from unrandom.interpretation.lines import attention_by_lookback

Pattern = Float[np.ndarray, "batch heads queries queries"]


@dataclass(frozen=True)
class Adaptivity:
    """The most adaptive head of a model, and the index of every head."""

    layer: int
    head: int
    by_lookback: dict[int, Float[np.ndarray, "layers heads"]]  # the index of every head, by r
    places: dict[int, Int[np.ndarray, "layers heads"]]  # k, the class of the look-backs that each attends to, by r

    @property
    def heads(self) -> Float[np.ndarray, "layers heads"]:
        """The index of every head, mean over r."""
        return np.mean(list(self.by_lookback.values()), axis=0)

    @property
    def index(self) -> float:
        """The index of the most adaptive head."""
        return float(self.heads[self.layer, self.head])


def adaptivity(patterns: Mapping[int, Sequence[Pattern]]) -> Adaptivity:
    """The index of adaptivity, from the patterns of every layer on sequences that need each look-back r.

    Models have one token per number. Queries of the second half of the context are counted. Raises ValueError unless
    there are two look-backs or more, each of two sequences or more.
    """
    if len(patterns) < 2 or min(len(layers[0]) for layers in patterns.values()) < 2:
        raise ValueError("two look-backs or more are required, and two sequences of each")
    first, second = (
        {r: np.stack([attention_late(pattern[half]) for pattern in layers]) for r, layers in patterns.items()}
        for half in (slice(0, None, 2), slice(1, None, 2))
    )
    places = {r: excess.argmax(axis=-1) for r, excess in _excess(first).items()}
    chosen, judged = (_at_classes(_excess(half), places) for half in (first, second))
    means = np.mean(list(chosen.values()), axis=0)
    layer, head = (int(each) for each in np.unravel_index(means.argmax(), means.shape))
    return Adaptivity(layer, head, judged, places)


def attention_late(pattern: Pattern) -> Float[np.ndarray, "heads lookbacks"]:
    """Mean attention of each head by look-back, by queries of the second half."""
    return attention_by_lookback(pattern, 1)[:, pattern.shape[-1] // 2 :].mean(axis=1)


def by_class(attention: Float[np.ndarray, "*axes lookbacks"], r: int) -> Float[np.ndarray, "*axes r"]:
    """Attention by look-back, added over the look-backs congruent to 0 … r − 1 modulo r."""
    return np.stack([attention[..., k::r].sum(axis=-1) for k in range(r)], axis=-1)


def _excess(
    attention: Mapping[int, Float[np.ndarray, "layers heads lookbacks"]],
) -> dict[int, Float[np.ndarray, "layers heads r"]]:
    """By r: attention by class modulo r, less its mean on the sequences that need another look-back."""
    return {
        r: by_class(own, r) - np.mean([by_class(each, r) for other, each in attention.items() if other != r], axis=0)
        for r, own in attention.items()
    }


def _at_classes(
    excess: Mapping[int, Float[np.ndarray, "layers heads r"]], classes: Mapping[int, np.ndarray]
) -> dict[int, Float[np.ndarray, "layers heads"]]:
    return {r: np.take_along_axis(each, classes[r][..., None], -1)[..., 0] for r, each in excess.items()}
