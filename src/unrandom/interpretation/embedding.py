"""Measures whether the embedding encodes digits, by the variance of its principal components that residues explain.

The paper's section "Interpretability: Fixed Modulus", step i: trained on m = 2^K, the first component separates
the numbers mod 2, the next two mod 4, and so on; and the more low digits two numbers share, the more alike are
their embeddings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from unrandom.core.arithmetic import factorize
from unrandom.interpretation.ranks import rank_correlation
from unrandom.models import Transformer


def token_vectors(model: Transformer) -> Float[np.ndarray, "tokens d_model"]:
    """The embedding of every token, in main memory, whatever device the model is on."""
    vectors: np.ndarray = model.embed.weight.detach().cpu().numpy()
    return vectors


@dataclass(frozen=True)
class PrincipalComponents:
    """The principal components of a centred embedding, in order of decreasing variance."""

    values: Float[np.ndarray, "tokens k"]  # coordinate of each token
    explained: Float[np.ndarray, " k"]  # share of the total variance, 0 to 1


class ResidueVariance(NamedTuple):
    """Share of each component's variance that lies between classes of tokens, 0 to 1, and its null value."""

    shares: Float[np.ndarray, " k"]
    shuffled: Float[np.ndarray, " k"]  # mean share over random relabellings: the null value


@dataclass(frozen=True)
class SharedDigits:
    """Mean cosine similarity of pairs of embeddings, grouped by how many low digits the two numbers share.

    Groups without pairs are left out: if m = p^w, different numbers share at most w - 1 digits.
    """

    shared: Int[np.ndarray, " groups"]  # the number j of low digits in common
    pairs: Int[np.ndarray, " groups"]  # the number of pairs of different numbers
    raw: Float[np.ndarray, " groups"]  # mean cosine of the embeddings
    centred: Float[np.ndarray, " groups"]  # mean cosine after subtraction of the mean embedding

    def to_json(self) -> dict[str, Any]:
        cosines = {"raw": np.round(self.raw, 6).tolist(), "centred": np.round(self.centred, 6).tolist()}
        return {"shared": self.shared.tolist(), "pairs": self.pairs.tolist(), **cosines}


def principal_components(matrix: Float[np.ndarray, "tokens d_model"], k: int = 6) -> PrincipalComponents:
    """The first k principal components of the rows of ``matrix``, fewer if its centred rank is lower.

    The sign of a component is arbitrary; it is chosen so that the loading of largest magnitude is positive, and so all
    machines draw the same picture. Raises ValueError unless k >= 1.
    """
    if k < 1:
        raise ValueError(f"k={k} components: at least 1 is required")
    centred = matrix.astype(np.float64) - matrix.mean(axis=0, dtype=np.float64)
    left, scales, loadings = np.linalg.svd(centred, full_matrices=False)
    rounding = np.finfo(matrix.dtype).eps * max(matrix.shape) * np.abs(matrix).max(initial=0.0)
    k = min(k, int(np.sum(scales > rounding)))
    largest = np.abs(loadings[:k]).argmax(axis=1)
    signs = np.sign(loadings[np.arange(k), largest])
    variances = scales**2
    return PrincipalComponents(left[:, :k] * (scales[:k] * signs), variances[:k] / (variances.sum() or 1.0))


def residue_variance(
    values: Float[np.ndarray, "tokens k"], modulus: int, rng: np.random.Generator | None = None, shuffles: int = 20
) -> ResidueVariance:
    """Per component: variance between the classes ``token mod modulus``, over the total variance (eta squared).

    Many classes explain much by chance, in expectation (classes - 1) / (tokens - 1). The null value is therefore the
    mean share over ``shuffles`` random relabellings of the tokens. A constant component scores 0. Raises ValueError
    unless modulus >= 2.
    """
    if modulus < 2:
        raise ValueError(f"modulus={modulus}: a modulus is at least 2")
    return class_variance(values, np.arange(len(values)) % modulus, rng, shuffles)


def class_variance(
    values: Float[np.ndarray, "tokens k"],
    classes: Int[np.ndarray, " tokens"],
    rng: np.random.Generator | None = None,
    shuffles: int = 20,
) -> ResidueVariance:
    """The same as `residue_variance` for classes of any kind, given by a number from 0 on for each token."""
    rng = np.random.default_rng(0) if rng is None else rng
    chance = [_between_over_total(values, rng.permutation(classes)) for _ in range(shuffles)]
    shuffled = np.mean(chance, axis=0) if chance else np.zeros(values.shape[1])
    return ResidueVariance(_between_over_total(values, classes), shuffled)


@dataclass(frozen=True)
class AdditiveVariance:
    """Share of an embedding's variance that a sum of one vector per residue explains, 0 to 1, and its null value."""

    share: float
    shuffled: float  # mean share over random orders of the tokens: the null value


def additive_variance(
    matrix: Float[np.ndarray, "tokens d_model"], moduli: Sequence[int], shuffles: int = 5
) -> AdditiveVariance:
    """The share of the variance of all coordinates that the least-squares fit E[x] = Σ_q v_q[x mod q] explains.

    ``shuffled`` is the mean share over random orders of the tokens: what free vectors explain by chance. Raises
    ValueError unless every modulus is at least 2.
    """
    if min(moduli, default=2) < 2:
        raise ValueError(f"moduli={list(moduli)}: a modulus is at least 2")
    tokens = np.arange(len(matrix))
    design = np.concatenate([np.eye(q)[tokens % q] for q in moduli], axis=1)
    basis, scales, _ = np.linalg.svd(design, full_matrices=False)
    basis = basis[:, scales > 1e-9 * scales.max()]
    centred = matrix.astype(float) - matrix.mean(axis=0)
    rng = np.random.default_rng(0)

    def explained(rows: np.ndarray) -> float:
        return float(((basis.T @ rows) ** 2).sum() / (rows**2).sum())

    chance = [explained(centred[rng.permutation(len(centred))]) for _ in range(shuffles)]
    return AdditiveVariance(explained(centred), float(np.mean(chance)))


def order_along_component(values: Float[np.ndarray, "tokens k"], component: int) -> float:
    """How well one component orders the tokens by size: the absolute value of Spearman's correlation, 0 to 1.

    The paper's section "Interpretability: Unseen Modulus", step i (figure multip_pca_embd): trained on many moduli, the
    embedding is a semi-circle along its first component.
    """
    return abs(float(rank_correlation(values[:, component], np.arange(len(values)))))


def cosine_by_shared_digits(matrix: Float[np.ndarray, "m d_model"], m: int, p: int) -> SharedDigits:
    """The mean cosine over pairs x != y that share exactly j low digits, for j = 0 … w, with p^w the power of p in m.

    Sharing j digits means x = y mod p^j but not mod p^(j+1); for j = w, it means x = y mod p^w. The means are exact, by
    sums over residue classes. A zero embedding has cosine 0 with every other. Raises ValueError unless there are m rows
    and p >= 2 divides m.
    """
    if len(matrix) != m or p < 2 or m % p:
        raise ValueError(
            f"{len(matrix)} rows, m={m}, p={p}: one row per number and a p >= 2 that divides m are required"
        )
    powers = [1]
    while m % (powers[-1] * p) == 0:
        powers.append(powers[-1] * p)
    pairs = _exactly_from_at_least([m * (m // q - 1) // 2 for q in powers])
    exists = pairs > 0
    embedding = matrix.astype(np.float64)
    raw, centred = (
        _exactly_from_at_least([_cosine_sum(rows, q) for q in powers])[exists] / pairs[exists]
        for rows in (embedding, embedding - embedding.mean(0))
    )
    return SharedDigits(np.flatnonzero(exists), pairs[exists], raw, centred)


def embedding_table(
    matrix: Float[np.ndarray, "tokens d_model"], moduli: Sequence[int], k: int = 6, seed: int = 0
) -> dict[str, Any]:
    """Principal components and their residue variances for each modulus, as JSON values."""
    components = principal_components(matrix, k)
    rng = np.random.default_rng(seed)
    found = {modulus: residue_variance(components.values, modulus, rng) for modulus in moduli}
    return {
        "values": components.values.tolist(),
        "explained": components.explained.tolist(),
        "residue_variance": [
            {"modulus": modulus, "shares": share.shares.tolist(), "shuffled": share.shuffled.tolist()}
            for modulus, share in found.items()
        ],
    }


def _exactly_from_at_least(at_least: Sequence[int] | Sequence[float]) -> np.ndarray:
    """Totals over pairs that share exactly j digits, from totals over pairs that share at least j digits."""
    return -np.diff([*at_least, 0])


def _cosine_sum(rows: Float[np.ndarray, "m d_model"], modulus: int) -> float:
    """The sum of cosines over pairs x < y with x = y mod ``modulus``, from |sum of unit vectors|^2 per class."""
    units = unit_vectors(rows)
    sums = units.reshape(-1, modulus, units.shape[1]).sum(axis=0)
    return float((sums**2).sum() - (units**2).sum()) / 2


def unit_vectors(rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """The rows at length 1; a zero row stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _between_over_total(values: Float[np.ndarray, "tokens k"], classes: np.ndarray) -> Float[np.ndarray, " k"]:
    """Variance between classes over total variance, for each component; 0 for a constant one."""
    centred = values - values.mean(axis=0)
    counts = np.bincount(classes)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, classes, centred)
    between = (sums**2 / np.maximum(counts, 1)[:, None]).sum(axis=0)
    total = (centred**2).sum(axis=0)
    return np.divide(between, total, out=np.zeros_like(total), where=total > 0)


def prime_powers(n: int) -> list[int]:
    """The prime powers above 1 that divide n and leave at least two numbers per residue class; if none does, all."""
    powers = [p**k for p, exponent in factorize(n).items() for k in range(1, exponent + 1)]
    return sorted(q for q in powers if 2 * q <= n) or powers
