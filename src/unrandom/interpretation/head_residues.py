"""Which residue of a number does a head pass on? Its output, grouped by the number modulo 2, 3, 4, …

The paper's section "Interpretability: Unseen Modulus", step i (figures multip_prune, a1 to c1, and pca_appendix): on
moduli that training never saw, the first two components of a first-layer head's output group the numbers modulo 14, 4
or 3, whatever the modulus, the multiplier, the increment and the position.

Three numbers say how far x mod q decides what a head writes:

- the *share* of q is the variance between the classes of x mod q over the total variance, both summed over dimensions;
- the *shuffled* share is the mean of the same when x is exchanged for another number at random. Distinct numbers are
  exchanged, and not rows: all rows of one number get the same other number, as a head may write the same whenever it
  reads that number, and such rows are one observation;
- the *excess* is (share − shuffled) / (1 − shuffled). It is 1 if x mod q decides all, and 0 in the mean by chance,
  however many classes there are.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Integer

from unrandom.core.arithmetic import factorize
from unrandom.core.seeds import stream
from unrandom.interpretation.embedding import principal_components
from unrandom.interpretation.heads import head_columns, head_values
from unrandom.models import Transformer

SHUFFLES = 4  # few will do: the mean over many dimensions hardly varies
SIZE_CLASSES = 8
LEAST_EXCESS = 0.05  # where no modulus explains more, the head has none of its own
AS_GOOD = 0.95  # of the largest


class ResidueShare(NamedTuple):
    """The share of one modulus q, and the shuffled share."""

    share: float
    shuffled: float

    @property
    def excess(self) -> float:
        """The excess of the share; 0 where the shuffled share is 1."""
        return (self.share - self.shuffled) / (1 - self.shuffled) if self.shuffled < 1 else 0.0


@dataclass(frozen=True)
class ResidueScores:
    """What x mod q explains of the outputs of each head of a layer, at the position of x, for several q.

    ``share`` and ``shuffled`` sum over all dimensions of the output. ``plane_share`` sums over its first two principal
    components only; chance gives the same share of these in the mean, so that ``shuffled`` serves for both. In
    ``size_share`` and ``size_shuffled`` the classes are not residues: they are eight ranges of x, with about as many
    distinct numbers each.
    """

    layer: int
    position: int
    moduli: Int[np.ndarray, " moduli"]
    share: Float[np.ndarray, "heads moduli"]
    shuffled: Float[np.ndarray, "heads moduli"]
    plane_share: Float[np.ndarray, "heads moduli"]
    plane_explained: Float[np.ndarray, " heads"]  # share of the total variance that the two components hold
    size_share: Float[np.ndarray, " heads"]
    size_shuffled: Float[np.ndarray, " heads"]

    @property
    def excess(self) -> Float[np.ndarray, "heads moduli"]:
        """The excess of ``share``; 0 where the shuffled share is 1."""
        return _excess(self.share, self.shuffled)

    @property
    def plane_excess(self) -> Float[np.ndarray, "heads moduli"]:
        """The excess of ``plane_share``."""
        return _excess(self.plane_share, self.shuffled)

    @property
    def size_excess(self) -> Float[np.ndarray, " heads"]:
        """The excess of ``size_share``."""
        return _excess(self.size_share, self.size_shuffled)

    @property
    def own_modulus(self) -> Int[np.ndarray, " heads"]:
        """The smallest q whose excess is at least .95 of the largest excess; 0 where no excess is above .05.

        The smallest is taken because a multiple of q tells all that q tells, and has the same excess in the mean.
        """
        best = self.excess.max(axis=1)
        as_good = self.excess >= AS_GOOD * best[:, None]
        smallest = np.where(as_good, self.moduli, self.moduli.max()).min(axis=1)
        return np.where(best > LEAST_EXCESS, smallest, 0)

    @property
    def own_prime(self) -> Int[np.ndarray, " heads"]:
        """The prime p of the own modulus q that counts most; 0 where there is no q.

        A prime counts by the excess that is lost when its power p^e is divided out of q: the excess of q less that of
        q / p^e. Of the primes that count at least .95 as much as the most important one, the largest is taken: so 7 for
        a head of modulo 14 to which 2 and 7 count alike.
        """
        primes = np.zeros(len(self.share), dtype=np.int64)
        for head, q in enumerate(self.own_modulus.tolist()):
            if q:
                powers = factorize(q).items()
                lost = {p: float((self.excess_of(q) - self.excess_of(q // p**e))[head]) for p, e in powers}
                primes[head] = max(p for p in lost if lost[p] >= AS_GOOD * max(lost.values()))
        return primes

    def excess_of(self, q: int) -> Float[np.ndarray, " heads"]:
        """The excess of one modulus; 0 for one that was not asked for."""
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


def residue_share(
    outputs: Float[np.ndarray, "n d"],
    numbers: Integer[np.ndarray, " n"],
    q: int,
    rng: np.random.Generator,
    shuffles: int = SHUFFLES,
) -> ResidueShare:
    """How much of the outputs x mod q explains, over all dimensions; ``numbers`` has the x of each row.

    The shuffled share is the mean over ``shuffles`` exchanges. Constant outputs have the share 0. Raises ValueError
    unless q >= 2 and shuffles >= 1.
    """
    _check(range(q, q + 1), shuffles)
    centred = outputs.astype(np.float64) - outputs.mean(axis=0, dtype=np.float64)
    total = float((centred**2).sum()) or 1.0
    distinct, which = np.unique(numbers, return_inverse=True)
    found = _between(centred, _residues(distinct, q), which, rng, shuffles)
    share, shuffled = (float(part.sum()) / total for part in found)
    return ResidueShare(share, shuffled)


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
    """The shares of every head of a layer for every modulus q, where x is the number at ``position`` of each sequence.

    Raises ValueError unless all moduli are >= 2 and shuffles >= 1, UserError as `head_values` does.
    """
    _check(moduli, shuffles)
    gathered = head_values(model, numbers, layer, position)[:, 0]
    distinct, which = np.unique(numbers[:, position], return_inverse=True)
    quantiles = np.quantile(distinct, np.arange(1, SIZE_CLASSES) / SIZE_CLASSES)
    classes = [*(_residues(distinct, q) for q in moduli), np.searchsorted(quantiles, distinct, side="right")]
    rng = stream(seed, "shuffled numbers", layer, position)
    shape = (model.config.n_heads, len(classes))
    share, shuffled, plane = (np.zeros(shape) for _ in range(3))
    explained = np.zeros(shape[0])
    for head in range(model.config.n_heads):
        # The outputs are gathered @ columns.T. With columns = Q R, their components are those of gathered @ R.T.
        columns = head_columns(model, layer, head)
        values = principal_components(gathered[:, head] @ np.linalg.qr(columns).R.T, k=columns.shape[1]).values
        variances = (values**2).sum(axis=0)
        total, of_plane = variances.sum() or 1.0, variances[:2].sum() or 1.0
        explained[head] = variances[:2].sum() / total
        for i, labels in enumerate(classes):
            between, by_chance = _between(values, labels, which, rng, shuffles)
            share[head, i], shuffled[head, i] = between.sum() / total, by_chance.sum() / total
            plane[head, i] = between[:2].sum() / of_plane
    return ResidueScores(
        layer, position, np.array(moduli), share[:, :-1], shuffled[:, :-1], plane[:, :-1], explained,
        share[:, -1], shuffled[:, -1],
    )  # fmt: skip


def _between(
    centred: Float[np.ndarray, "n d"],
    classes: Int[np.ndarray, " distinct"],
    which: Int[np.ndarray, " n"],
    rng: np.random.Generator,
    shuffles: int,
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """The sum of squares between classes in each dimension, and its mean over ``shuffles`` exchanges of the numbers.

    ``classes`` has the class of each distinct number, and ``which`` says which of the distinct numbers a row is of.
    """
    kinds = np.arange(classes.max(initial=0) + 1)[:, None]

    def between(labels: Int[np.ndarray, " distinct"]) -> Float[np.ndarray, " d"]:
        member = (labels[which] == kinds).astype(float)
        return ((member @ centred) ** 2 / np.maximum(member.sum(axis=1), 1)[:, None]).sum(axis=0)

    return between(classes), np.mean([between(rng.permutation(classes)) for _ in range(shuffles)], axis=0)


def _residues(numbers: Integer[np.ndarray, " n"], q: int) -> Int[np.ndarray, " n"]:
    return numbers.astype(np.int64) % q


def _excess(share: Float[np.ndarray, "*axes"], shuffled: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
    return np.divide(share - shuffled, 1 - shuffled, out=np.zeros_like(share), where=shuffled < 1)


def _check(moduli: range, shuffles: int) -> None:
    if min(moduli, default=0) < 2 or shuffles < 1:
        raise ValueError(f"moduli {list(moduli)}, shuffles={shuffles}: q >= 2 and at least one shuffle are needed")
