"""Does a head tell the others how large the modulus is? Give it the output it has for a smaller one, and see.

The paper's section "Interpretability: Unseen Modulus", step ii (figures multip_cosine, c, and patch_appendix): with the
output of one head taken from sequences of m_patch = 1024, the model predicts numbers below 1024 although m = 2048.
Patching another head disturbs the predictions, but does not do that.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.interpretation.checks import check_exact, first_counted
from unrandom.models import intervene, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import Edit
from unrandom.tasks import Examples, LCGParameters


@dataclass(frozen=True)
class Patched:
    """Guesses with one head's output taken from other sequences, beside those without; shares in each sequence."""

    layer: int
    head: int
    limit: int  # m_patch
    start: int  # guesses from here on are counted
    below_before: Float[np.ndarray, " sequences"]  # share of guesses below the limit
    below_after: Float[np.ndarray, " sequences"]
    right_before: Float[np.ndarray, " sequences"]
    right_after: Float[np.ndarray, " sequences"]

    @property
    def effects(self) -> Float[np.ndarray, " sequences"]:
        """How much larger the share below the limit has become."""
        return self.below_after - self.below_before

    @property
    def effect(self) -> float:
        """In the mean over sequences."""
        return float(self.effects.mean())

    def to_json(self) -> dict[str, Any]:
        """As JSON values: means over sequences."""
        shares = ("below_before", "below_after", "right_before", "right_after")
        return {
            "layer": self.layer,
            "head": self.head,
            "limit": self.limit,
            "start": self.start,
            **{name: round(float(getattr(self, name).mean()), 6) for name in shares},
            "effect": round(self.effect, 6),
        }


def patch_parameters(parameters: LCGParameters, m_patch: int) -> LCGParameters:
    """The same a, c and x0 with the modulus m_patch, each reduced modulo m_patch where it is not below.

    If m_patch divides m, the new sequences are the old ones modulo m_patch. Raises UserError unless m_patch >= 2.
    """
    if m_patch < 2:
        raise UserError(f"m_patch={m_patch} was given; a modulus is at least 2")
    m = np.uint64(m_patch)
    return LCGParameters(m_patch, parameters.a % m, parameters.c % m, parameters.x0 % m)


def patch_all(
    predictor: TransformerPredictor,
    sequences: Examples,
    patch: Examples,
    *,
    limit: int | None = None,
    start: int | None = None,
) -> list[Patched]:
    """Guess ``sequences`` with the output of one head taken, row by row, from a pass over ``patch``; each head in turn.

    Guesses below the limit (None: the modulus of the patch) and right ones are counted, from guess ``start`` on (None:
    the last half). Other sequences of the same modulus, with a limit, show what a patch does that does not tell of
    another modulus. Raises UserError for sequences of different shapes, and for a model of several tokens a number or
    that is not read in fp32; ValueError for a ``start`` after the last guess.
    """
    check_exact(predictor)
    shapes = [list(numbers.shape) for numbers in (sequences.numbers, patch.numbers)]
    if shapes[0] != shapes[1]:
        raise UserError(f"sequences of the shapes {shapes[0]} and {shapes[1]} were given; a patch has the same")
    start = first_counted(start, sequences.numbers.shape[1] - 1)
    limit = patch.parameters.modulus(0) if limit is None else limit
    taps = [f"blocks.{layer}.attn.hook_z" for layer in range(predictor.model.config.depth)]
    heads = list(np.ndindex(len(taps), predictor.model.config.n_heads))
    found: dict[tuple[int, ...], list[np.ndarray]] = {where: [] for where in [(), *heads]}
    for first in range(0, len(sequences), predictor.chunk):  # one forward pass each, so that rows meet their patches
        part = slice(first, first + predictor.chunk)
        with record(predictor.model, taps) as seen:
            predictor.predict(patch.numbers[part])
        found[()].append(_shares(predictor, sequences.numbers[part], limit, start))
        for layer, head in heads:
            with intervene(predictor.model, {taps[layer]: _overwrite(head, seen[taps[layer]])}):
                found[layer, head].append(_shares(predictor, sequences.numbers[part], limit, start))
    (below, right), *after = (np.concatenate(parts, axis=1) for parts in found.values())
    return [
        Patched(layer, head, limit, start, below, shares[0], right, shares[1])
        for (layer, head), shares in zip(heads, after, strict=True)
    ]


def _overwrite(head: int, other: Float[Tensor, "batch pos n_heads d_head"]) -> Edit:
    def edit(z: Tensor) -> Tensor:
        edited = z.clone()
        edited[:, :, head] = other[:, :, head]
        return edited

    return edit


def _shares(
    predictor: TransformerPredictor, numbers: np.ndarray, limit: int, start: int
) -> Float[np.ndarray, "two sequences"]:
    """Of the guesses from ``start`` on in each sequence, those below the limit and those that are right."""
    guesses = predictor.predict(numbers).numbers[:, start:]
    holds: list[Bool[np.ndarray, "sequences guesses"]] = [guesses < limit, guesses == numbers[:, start + 1 :]]
    return np.stack([share.mean(axis=1) for share in holds])
