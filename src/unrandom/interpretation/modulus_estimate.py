"""Which head knows how large the modulus is? The one that looks at the largest number so far, and passes it on.

The paper's section "Interpretability: Unseen Modulus", step ii (figure multip_cosine, a and b), and its appendix on the
estimate: a first-layer head attends to the largest numbers in context, and of all embeddings that of the largest number
so far is most like its output. So it estimates m, from below.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Integer

from unrandom.interpretation.heads import head_columns, head_values
from unrandom.interpretation.ranks import rank_correlation
from unrandom.models import Transformer
from unrandom.tasks import Examples

START = 8  # before, there are too few numbers to tell the largest from others
VALUES_AT_ONCE = 2**24


@dataclass(frozen=True)
class SizeAttention:
    """How much each head looks at large numbers, in the mean over queries from ``start`` on, for every sequence."""

    start: int
    correlation: Float[np.ndarray, "heads sequences"]  # of weights with the sizes of the numbers, Spearman's
    strongest_is_largest: Float[np.ndarray, "heads sequences"]  # share of queries
    chance: float  # the same share, were the key any with the same probability

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
    """The number whose embedding is most like a head's output, beside the largest number so far, from ``start`` on.

    The control compares it with the largest number so far of another sequence of the same modulus.
    """

    modulus: int
    layer: int
    head: int
    start: int
    nearest: Int[np.ndarray, "sequences positions"]
    largest: Int[np.ndarray, "sequences positions"]

    @property
    def correlation(self) -> float:
        """Spearman's, over sequences and positions."""
        return float(rank_correlation(self.nearest.ravel(), self.largest.ravel()))

    @property
    def control_correlation(self) -> float:
        return float(rank_correlation(self.nearest.ravel(), self._others.ravel()))

    @property
    def distance(self) -> Float[np.ndarray, " sequences"]:
        """Mean |nearest - largest so far|, in units of m."""
        return np.abs(self.nearest - self.largest).mean(axis=1) / self.modulus

    @property
    def control_distance(self) -> Float[np.ndarray, " sequences"]:
        return np.abs(self.nearest - self._others).mean(axis=1) / self.modulus

    @property
    def estimates(self) -> Int[np.ndarray, " sequences"]:
        """The nearest number at the last position."""
        return self.nearest[:, -1]

    @property
    def estimate(self) -> float:
        """Their median."""
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
    """Do the weights of each query rise with the size of the numbers it sees, and is the largest one the strongest key?

    A number that came twice is the largest wherever it stands. Raises ValueError unless there are as many numbers as
    queries, and more than ``start`` >= 1.
    """
    queries = pattern.shape[-1]
    if numbers.shape[1] < queries or not 1 <= start < queries:
        raise ValueError(f"start={start}, {numbers.shape[1]} numbers: a number a query, and queries 1 to {queries - 1}")
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
    """Cosine similarity of a head's output with the embedding of each number (below a limit): the paper's heat map.

    A vector of length zero has cosine 0 with every other.
    """
    return _units(outputs) @ _units(embedding[:below]).T


def nearest_numbers(
    outputs: Float[np.ndarray, "batch pos d_model"],
    embedding: Float[np.ndarray, "vocab d_model"],
    below: int | None = None,
) -> Int[np.ndarray, "batch pos"]:
    """The number whose embedding has the highest cosine with the output, among all numbers or those below a limit."""
    rows = outputs.reshape(-1, outputs.shape[-1])
    step = max(1, VALUES_AT_ONCE // len(embedding))
    parts = [number_similarity(rows[i : i + step], embedding, below).argmax(axis=1) for i in range(0, len(rows), step)]
    return np.concatenate(parts).reshape(outputs.shape[:-1])


def modulus_estimates(
    model: Transformer,
    sequences: Examples,
    *,
    layer: int = 0,
    below: int | None = None,
    start: int = START,
) -> list[ModulusEstimate]:
    """What each head of a layer says of the modulus that the sequences share.

    The paper looks among the numbers below m only, where no estimate can be too large; without ``below``, all that
    the model knows are candidates. Raises ValueError unless a position comes at or after ``start`` >= 0, UserError as
    `head_values` does.
    """
    gathered = head_values(model, sequences.numbers, layer)
    positions = gathered.shape[1]
    if not 0 <= start < positions:
        raise ValueError(f"start={start}: there are positions 0 to {positions - 1}")
    numbers = sequences.numbers[:, :positions].astype(np.int64)
    largest = np.maximum.accumulate(numbers, axis=1)[:, start:]
    embedding = model.embed.weight.detach().cpu().numpy()
    found = []
    for head in range(model.config.n_heads):
        outputs = gathered[:, start:, head] @ head_columns(model, layer, head).T
        nearest = nearest_numbers(outputs, embedding, below)
        found.append(ModulusEstimate(sequences.parameters.modulus(0), layer, head, start, nearest, largest))
    return found


def _units(rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
