"""Does the embedding hold the digits of the numbers? Its principal components, and what residues explain of them.

The paper's section "Interpretability: Fixed Modulus", step i: trained on m = 2^K, the first component separates
the numbers mod 2, the next two mod 4, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class PrincipalComponents:
    """The centred embedding seen from its widest directions, widest first."""

    values: Float[np.ndarray, "tokens k"]  # coordinate of each token
    explained: Float[np.ndarray, " k"]  # share of the total variance, 0 to 1


class ResidueVariance(NamedTuple):
    """Share of each component's variance that lies between residue classes, and what chance alone gives."""

    shares: Float[np.ndarray, " k"]
    shuffled: Float[np.ndarray, " k"]


def principal_components(matrix: Float[np.ndarray, "tokens d_model"], k: int = 6) -> PrincipalComponents:
    """The first k principal components of the rows of ``matrix``, fewer if its centred rank is lower.

    A component's sign is arbitrary; here its largest loading (by magnitude) is positive, so that two
    machines draw the same picture.
    """
    if k < 1:
        raise ValueError(f"k={k} components: at least 1 is needed")
    centred = matrix.astype(np.float64) - matrix.mean(axis=0, dtype=np.float64)
    left, scales, loadings = np.linalg.svd(centred, full_matrices=False)
    rounding = np.finfo(matrix.dtype).eps * max(matrix.shape) * np.abs(matrix).max(initial=0.0)
    k = min(k, int(np.sum(scales > rounding)))
    largest = np.abs(loadings[:k]).argmax(axis=1)
    signs = np.sign(loadings[np.arange(k), largest])
    variances = scales**2
    return PrincipalComponents(left[:, :k] * (scales[:k] * signs), variances[:k] / (variances.sum() or 1.0))


def residue_variance(
    values: Float[np.ndarray, "tokens k"],
    modulus: int,
    rng: np.random.Generator | None = None,
    shuffles: int = 20,
) -> ResidueVariance:
    """Per component: variance between the classes ``token mod modulus``, over the total variance (eta squared).

    Many classes explain much by chance (in expectation (classes - 1) / (tokens - 1)), so the same share is
    averaged over ``shuffles`` random relabellings of the tokens. A constant component scores 0.
    """
    if modulus < 2:
        raise ValueError(f"modulus={modulus}: residue classes need at least 2")
    rng = np.random.default_rng(0) if rng is None else rng
    classes = np.arange(len(values)) % modulus
    chance = [_between_over_total(values, rng.permutation(classes)) for _ in range(shuffles)]
    shuffled = np.mean(chance, axis=0) if chance else np.zeros(values.shape[1])
    return ResidueVariance(_between_over_total(values, classes), shuffled)


def embedding_table(
    matrix: Float[np.ndarray, "tokens d_model"], moduli: Sequence[int], k: int = 6, seed: int = 0
) -> dict[str, Any]:
    """Coordinates, explained shares and residue variance as plain lists, ready for JSON."""
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


def _between_over_total(values: Float[np.ndarray, "tokens k"], classes: np.ndarray) -> Float[np.ndarray, " k"]:
    centred = values - values.mean(axis=0)
    counts = np.bincount(classes)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, classes, centred)
    between = (sums**2 / np.maximum(counts, 1)[:, None]).sum(axis=0)
    total = (centred**2).sum(axis=0)
    return np.divide(between, total, out=np.zeros_like(total), where=total > 0)
