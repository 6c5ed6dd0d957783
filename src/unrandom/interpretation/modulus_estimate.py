"""Finds the head that estimates the modulus: it attends to the largest number so far and writes its embedding.

The paper's section "Interpretability: Unseen Modulus", step ii (figure multip_cosine, a and b), and its appendix on the
estimate: a first-layer head attends to the largest numbers in context, and its output is most similar to the embedding
of the largest number so far. So the head estimates m, from below.

`size_rank_correlation` tests the first of these, for each head and sequence, as means over queries:

- ``correlation``, -1 to 1: Spearman's correlation of attention weights with the numbers attended to; null value 0;
- ``strongest_is_largest``, 0 to 1: the share of queries whose strongest key is the largest number so far; its null
  value is ``chance``, the same share for a uniformly random key.

`modulus_estimates` tests the second. The *nearest* number is the one whose embedding has the highest cosine similarity
with the head's output:

- ``correlation``, -1 to 1: Spearman's correlation of the nearest with the largest number so far;
- ``distance``, at least 0: the mean absolute difference of the two, in units of m;
- ``control_correlation`` and ``control_distance`` are their null values: the same with the largest number so far of
  another sequence. That correlation is not 0, because the largest number grows with the position in every sequence;
- ``estimate``: the median over sequences of the nearest number at the last position, an estimate of m.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Integer

from unrandom.interpretation.embedding import token_vectors, unit_vectors
from unrandom.interpretation.heads import head_columns, head_values
from unrandom.interpretation.ranks import rank_correlation
from unrandom.models import Transformer
from unrandom.tasks import Examples

START = 8  # first position that is evaluated; earlier ones have too few numbers for "largest" to mean much
VALUES_AT_ONCE = 2**24  # bound on the similarities computed at once, and so on memory


@dataclass(frozen=True)
class SizeAttention:
    """The attention of each head to large numbers, for every sequence, as means over queries from ``start`` on."""

    start: int
    correlation: Float[np.ndarray, "heads sequences"]  # Spearman's, weights with numbers, -1 to 1; null value 0
    strongest_is_largest: Float[np.ndarray, "heads sequences"]  # share of queries; null value: ``chance``
    chance: float  # expected share for a uniformly random key

    def to_json(self) -> dict[str, Any]:
        """As JSON values: means over sequences, lists over heads."""
        shares = ("correlation", "strongest_is_largest")
        return {
            "start": self.start,
            **{name: np.round(getattr(self, name).mean(axis=1), 6).tolist() for name in shares},
            "chance": round(self.chance, 6),
        }


@dataclass(frozen=True)
class ModulusEstimate:
    """The number nearest to a head's output and the largest number so far, at each position from ``start`` on.

    The controls pair the nearest number with the largest number so far of another sequence of the same modulus.
    """

    modulus: int
    layer: int
    head: int
    start: int
    nearest: Int[np.ndarray, "sequences positions"]
    largest: Int[np.ndarray, "sequences positions"]

    @property
    def correlation(self) -> float:
        """Spearman's correlation of nearest and largest number, over sequences and positions; -1 to 1."""
        return float(rank_correlation(self.nearest.ravel(), self.largest.ravel()))

    @property
    def control_correlation(self) -> float:
        """The null value of ``correlation``: the largest number is taken from another sequence."""
        return float(rank_correlation(self.nearest.ravel(), self._others.ravel()))

    @property
    def distance(self) -> Float[np.ndarray, " sequences"]:
        """Mean |nearest - largest so far| in units of m, at least 0."""
        return np.abs(self.nearest - self.largest).mean(axis=1) / self.modulus

    @property
    def control_distance(self) -> Float[np.ndarray, " sequences"]:
        """The null value of ``distance``: the largest number is taken from another sequence."""
        return np.abs(self.nearest - self._others).mean(axis=1) / self.modulus

    @property
    def estimates(self) -> Int[np.ndarray, " sequences"]:
        """The nearest number at the last position of each sequence."""
        return self.nearest[:, -1]

    @property
    def estimate(self) -> float:
        """The median of ``estimates``."""
        return float(np.median(self.estimates))

    def to_json(self) -> dict[str, Any]:
        """As JSON values: distances are means over sequences."""
        return {
            "modulus": self.modulus,
            "layer": self.layer,
            "head": self.head,
            "start": self.start,
            "correlation": round(self.correlation, 6),
            "control_correlation": round(self.control_correlation, 6),
            "distance": round(float(self.distance.mean()), 6),
            "control_distance": round(float(self.control_distance.mean()), 6),
            "estimate": self.estimate,
            "estimates": self.estimates.tolist(),
        }

    @property
    def _others(self) -> Int[np.ndarray, "sequences positions"]:
        return np.roll(self.largest, 1, axis=0)


def size_rank_correlation(
    pattern: Float[np.ndarray, "batch heads queries queries"],
    numbers: Integer[np.ndarray, "batch length"],
    start: int = START,
) -> SizeAttention:
    """How far the weights of each query rise with the numbers attended to, and how often the largest is the strongest
    key.

    Every occurrence of the largest number counts as the largest. Raises ValueError unless there is a number for each
    query, and 1 <= start < queries.
    """
    queries = pattern.shape[-1]
    if numbers.shape[1] < queries or not 1 <= start < queries:
        raise ValueError(
            f"start={start}, {numbers.shape[1]} numbers: need {queries} numbers and 1 <= start < {queries}"
        )
    sizes = numbers[:, None, :queries].astype(np.int64)
    correlation, is_largest, chance = [], [], []
    for query in range(start, queries):
        weights, seen = pattern[:, :, query, : query + 1], sizes[:, :, : query + 1]
        largest = seen == seen.max(axis=-1, keepdims=True)
        correlation.append(rank_correlation(weights, np.broadcast_to(seen, weights.shape)))
        strongest = weights.argmax(axis=-1)[..., None]
        is_largest.append(np.take_along_axis(np.broadcast_to(largest, weights.shape), strongest, axis=-1)[..., 0])
        chance.append(largest.mean())
    return SizeAttention(
        start, np.stack(correlation).mean(axis=0).T, np.stack(is_largest).mean(axis=0).T, float(np.mean(chance))
    )


def number_similarity(
    outputs: Float[np.ndarray, "pos d_model"], embedding: Float[np.ndarray, "vocab d_model"], below: int | None = None
) -> Float[np.ndarray, "pos numbers"]:
    """Cosine similarity of a head's output with the embedding of each number less than ``below``: the paper's heat map.

    A zero vector has similarity 0 with every other. None: all numbers.
    """
    return unit_vectors(outputs) @ unit_vectors(embedding[:below]).T


def nearest_numbers(
    outputs: Float[np.ndarray, "batch pos d_model"],
    embedding: Float[np.ndarray, "vocab d_model"],
    below: int | None = None,
) -> Int[np.ndarray, "batch pos"]:
    """The number, less than ``below`` if given, whose embedding has the highest cosine similarity with the output."""
    rows = outputs.reshape(-1, outputs.shape[-1])
    step = max(1, VALUES_AT_ONCE // len(embedding))
    parts = [number_similarity(rows[i : i + step], embedding, below).argmax(axis=1) for i in range(0, len(rows), step)]
    return np.concatenate(parts).reshape(outputs.shape[:-1])


def modulus_estimates(
    model: Transformer, sequences: Examples, *, layer: int = 0, below: int | None = None, start: int = START
) -> list[ModulusEstimate]:
    """The estimate of each head of a layer for the modulus that the sequences share.

    The paper considers numbers below m only (``below`` = m), so that no estimate can be too large; by default all
    numbers of the vocabulary are candidates. Raises ValueError unless ``start`` is one of the positions, and UserError
    as `head_values` does.
    """
    z = head_values(model, sequences.numbers, layer)
    positions = z.shape[1]
    if not 0 <= start < positions:
        raise ValueError(f"start={start}: there are positions 0 to {positions - 1}")
    numbers = sequences.numbers[:, :positions].astype(np.int64)
    largest = np.maximum.accumulate(numbers, axis=1)[:, start:]
    embedding = token_vectors(model)
    found = []
    for head in range(model.config.n_heads):
        outputs = z[:, start:, head] @ head_columns(model, layer, head).T
        nearest = nearest_numbers(outputs, embedding, below)
        found.append(ModulusEstimate(sequences.parameters.modulus(0), layer, head, start, nearest, largest))
    return found
