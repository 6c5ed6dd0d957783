"""Measures which residues a head's output encodes, by the variance that x mod q explains, for q = 2, 3, 4, …

The paper's section "Interpretability: Unseen Modulus", step i (figures multip_prune, a1 to c1, and pca_appendix): on
moduli that training never saw, the first two components of a first-layer head's output group the numbers modulo 14, 4
or 3, whatever the modulus, the multiplier, the increment and the position.

Three scores measure how much of a head's output the residue x mod q of the number x at that position explains:

- the *share*, 0 to 1, is the variance between the classes of x mod q over the total variance (eta squared), both summed
  over dimensions. Its null value is the shuffled share, not 0: many classes explain much by chance;
- the *shuffled* share, 0 to 1, is the mean share after a random permutation of the numbers. Distinct numbers are
  permuted, not rows: a head may have the same output for each occurrence of a number, so that all rows of one number
  are a single observation;
- the *excess* is (share − shuffled) / (1 − shuffled). It is 1 if x mod q determines the output. Its null value is 0 on
  average, whatever the number of classes, so single values may be slightly negative.

The same three scores are computed for two variants. In the *plane* scores, only the first two principal components of
the output are summed over. In the *size* scores, the classes are eight ranges of x instead of residues.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Integer

from unrandom.core.arithmetic import factorize
from unrandom.core.seeds import stream
from unrandom.interpretation.embedding import principal_components
from unrandom.interpretation.heads import head_columns, head_values
from unrandom.models import Transformer

SHUFFLES = 4  # few suffice: the sum over many dimensions hardly varies
SIZE_CLASSES = 8  # ranges of x with about equally many distinct numbers
MIN_EXCESS = 0.05  # a head has no own modulus unless the excess of one is larger
EQUAL_FRACTION = 0.95  # an excess of at least this fraction of the largest counts as equal to it


@dataclass(frozen=True)
class ResidueScores:
    """How much x mod q explains of the outputs of each head of a layer at the position of x, for several moduli q.

    All shares are 0 to 1. See the module docstring for the definitions.
    """

    layer: int
    position: int
    moduli: Int[np.ndarray, " moduli"]
    share: Float[np.ndarray, "heads moduli"]  # share over all dimensions; null value: ``shuffled``
    shuffled: Float[np.ndarray, "heads moduli"]  # mean share over permutations of the numbers
    plane_share: Float[np.ndarray, "heads moduli"]  # share in the first two components; null value: ``shuffled``, too
    plane_explained: Float[np.ndarray, " heads"]  # fraction of the total variance in the first two components
    size_share: Float[np.ndarray, " heads"]  # share of eight ranges of x; null value: ``size_shuffled``
    size_shuffled: Float[np.ndarray, " heads"]  # mean size share over permutations of the numbers

    @property
    def excess(self) -> Float[np.ndarray, "heads moduli"]:
        """The excess of ``share``: 1 if x mod q determines the output; null value 0."""
        return _excess(self.share, self.shuffled)

    @property
    def plane_excess(self) -> Float[np.ndarray, "heads moduli"]:
        """The excess of ``plane_share``: 1 if x mod q determines the first two components; null value 0."""
        return _excess(self.plane_share, self.shuffled)

    @property
    def size_excess(self) -> Float[np.ndarray, " heads"]:
        """The excess of ``size_share``: 1 if the range of x determines the output; null value 0."""
        return _excess(self.size_share, self.size_shuffled)

    @property
    def own_modulus(self) -> Int[np.ndarray, " heads"]:
        """The modulus q that each head encodes: the smallest whose excess is at least .95 of the largest excess (the
        residue modulo a multiple of q determines x mod q, and so has the same excess on average). 0 if no excess is
        above .05."""
        best = self.excess.max(axis=1)
        is_best = self.excess >= EQUAL_FRACTION * best[:, None]
        smallest = np.where(is_best, self.moduli, self.moduli.max()).min(axis=1)
        return np.where(best > MIN_EXCESS, smallest, 0)

    @property
    def own_prime(self) -> Int[np.ndarray, " heads"]:
        """The most important prime factor of each head's own modulus q; 0 if the head has no own modulus.

        The importance of a prime p is the excess of q minus the excess of q / p^e, where p^e is its power in q. Of the
        primes with at least .95 of the largest importance, the largest is taken: 7 for q = 14 if 2 and 7 are equally
        important.
        """
        primes = np.zeros(len(self.share), dtype=np.int64)
        for head, q in enumerate(self.own_modulus.tolist()):
            if q:
                powers = factorize(q).items()
                importance = {p: float((self.excess_of(q) - self.excess_of(q // p**e))[head]) for p, e in powers}
                primes[head] = max(p for p in importance if importance[p] >= EQUAL_FRACTION * max(importance.values()))
        return primes

    def excess_of(self, q: int) -> Float[np.ndarray, " heads"]:
        """The excess of one modulus q; 0 if q is not among ``moduli``."""
        return self.excess[:, self.moduli == q].sum(axis=1)

    def to_json(self) -> dict[str, Any]:
        """As JSON values: lists over heads, then moduli."""
        shares = ("share", "shuffled", "excess", "plane_share", "plane_excess", "plane_explained", "size_excess")
        return {
            "layer": self.layer,
            "position": self.position,
            "moduli": self.moduli.tolist(),
            **{name: np.round(getattr(self, name), 6).tolist() for name in shares},
            "own_modulus": self.own_modulus.tolist(),
            "own_prime": self.own_prime.tolist(),
        }


def residue_scores(
    model: Transformer,
    numbers: Integer[np.ndarray, "batch length"],
    position: int,
    *,
    layer: int = 0,
    moduli: range = range(2, 33),
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> ResidueScores:
    """The scores of every head of a layer for every modulus q, where x is the number at ``position`` of each
    sequence. Raises ValueError unless all moduli are >= 2 and shuffles >= 1, and UserError as `head_values` does."""
    if min(moduli, default=0) < 2 or shuffles < 1:
        raise ValueError(f"moduli {list(moduli)}, shuffles={shuffles}: q >= 2 and at least one shuffle are required")
    z = head_values(model, numbers, layer, position)[:, 0]
    distinct, distinct_index = np.unique(numbers[:, position], return_inverse=True)
    quantiles = np.quantile(distinct, np.arange(1, SIZE_CLASSES) / SIZE_CLASSES)
    residues = (distinct.astype(np.int64) % q for q in moduli)
    classes = [*residues, np.searchsorted(quantiles, distinct, side="right")]
    rng = stream(seed, "shuffled numbers", layer, position)
    shape = (model.config.n_heads, len(classes))
    share, shuffled, plane = (np.zeros(shape) for _ in range(3))
    explained = np.zeros(shape[0])
    for head in range(model.config.n_heads):
        # The outputs are z @ columns.T. With columns = Q R, they have the principal components of z @ R.T.
        columns = head_columns(model, layer, head)
        values = principal_components(z[:, head] @ np.linalg.qr(columns).R.T, k=columns.shape[1]).values
        variances = (values**2).sum(axis=0)
        total, plane_total = variances.sum() or 1.0, variances[:2].sum() or 1.0
        explained[head] = variances[:2].sum() / total
        for i, labels in enumerate(classes):
            between, by_chance = _between_class_squares(values, labels, distinct_index, rng, shuffles)
            share[head, i], shuffled[head, i] = between.sum() / total, by_chance.sum() / total
            plane[head, i] = between[:2].sum() / plane_total
    return ResidueScores(
        layer, position, np.array(moduli), share[:, :-1], shuffled[:, :-1], plane[:, :-1], explained,
        share[:, -1], shuffled[:, -1],
    )  # fmt: skip


def _between_class_squares(
    centred: Float[np.ndarray, "n d"],
    classes: Int[np.ndarray, " distinct"],
    distinct_index: Int[np.ndarray, " n"],
    rng: np.random.Generator,
    shuffles: int,
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """The sum of squares between classes in each dimension, and its mean over ``shuffles`` permutations of the numbers.

    ``classes`` holds the class of each distinct number, and ``distinct_index`` the index of the distinct number of each
    row.
    """
    class_ids = np.arange(classes.max(initial=0) + 1)[:, None]

    def between(labels: Int[np.ndarray, " distinct"]) -> Float[np.ndarray, " d"]:
        member = (labels[distinct_index] == class_ids).astype(float)
        return ((member @ centred) ** 2 / np.maximum(member.sum(axis=1), 1)[:, None]).sum(axis=0)

    return between(classes), np.mean([between(rng.permutation(classes)) for _ in range(shuffles)], axis=0)


def _excess(share: Float[np.ndarray, "*axes"], shuffled: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
    return np.divide(share - shuffled, 1 - shuffled, out=np.zeros_like(share), where=shuffled < 1)
