"""Measures how far back heads look: attention patterns folded onto the distance between query and key.

The paper's section "Interpretability: Fixed Modulus", step ii: a trained head looks back by powers of the
modulus's prime, as far as the context allows.

The query at token position q predicts number t = q + 1, from the t numbers before it. A look-back of r is its key
on number t - r, at distance r - 1 from the query.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from unrandom.core.arithmetic import factorize, largest_power
from unrandom.evaluation import Tally
from unrandom.models import Transformer, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Examples

TOKENS_SHOWN = 256  # tokens of an attention pattern in a report


@dataclass(frozen=True)
class Share:
    """How often a condition holds, by sequence.

    Trials within a sequence are not independent, so an interval must come from resampling sequences.
    """

    by_sequence: Tally  # [sequences]; its value is NaN for a sequence without trials

    @classmethod
    def of(cls, holds: Bool[np.ndarray, "sequences ..."]) -> "Share":
        return cls(Tally.of(holds.reshape(len(holds), prod(holds.shape[1:])), axis=1))

    @property
    def pooled(self) -> Tally:
        """The tally over all sequences."""
        return Tally(np.asarray(self.by_sequence.correct.sum()), np.asarray(self.by_sequence.total.sum()))

    def to_json(self) -> dict[str, Any]:
        """As JSON values: value, correct and total over all sequences, and the share per sequence."""
        pooled = self.pooled.to_json()
        return {
            **{name: pooled[name] for name in ("value", "correct", "total")},
            "per_sequence": self.by_sequence.to_json()["value"],
        }


@dataclass(frozen=True)
class PrimeLookback:
    """How often queries look back p^k, and p^(k-1) second, where p^k is the largest power of p up to t.

    Queries with t >= 2p are counted.
    """

    prime: int
    strongest: Share  # share of queries whose strongest key is number t - p^k
    second: Share  # share of queries whose second strongest key is number t - p^(k-1)
    chance: float  # expected value of either share if the key were uniform over the t numbers

    def to_json(self) -> dict[str, Any]:
        shares = {"strongest": self.strongest.to_json(), "second": self.second.to_json()}
        return {"prime": self.prime, **shares, "chance": round(self.chance, 6)}


@dataclass(frozen=True)
class DivisorLookback:
    """How much attention goes to a look-back of r, a divisor of m."""

    divisor: int
    weight: Float[np.ndarray, " sequences"]  # mean attention to number t - r over queries with t >= r
    strongest: Share  # share of queries whose strongest key is number t - r; t must reach the second divisor of m
    chance: float  # expected value of ``strongest`` if the key were uniform over the t numbers

    def to_json(self) -> dict[str, Any]:
        return {
            "divisor": self.divisor,
            "weight": round(float(self.weight.mean()), 6),
            "weight_per_sequence": np.round(self.weight.astype(float), 6).tolist(),
            "strongest": self.strongest.to_json(),
            "chance": round(self.chance, 6),
        }


@dataclass(frozen=True)
class Lookbacks:
    """How often an attention pattern looks back by powers of each prime of m, and by each divisor of m."""

    modulus: int
    primes: list[PrimeLookback]
    divisors: list[DivisorLookback]

    def to_json(self) -> dict[str, Any]:
        return {
            "modulus": self.modulus,
            "primes": [prime.to_json() for prime in self.primes],
            "divisors": [divisor.to_json() for divisor in self.divisors],
        }


def lookback_shares(pattern: Float[np.ndarray, "*axes queries keys"], m: int) -> Lookbacks:
    """How often a pattern of T tokens looks back as the paper's algorithm does.

    Counted for each prime p of m with 2p <= T and each divisor r of m with 2 <= r <= T. The first leading axis, if any,
    is sequences; further ones (heads) are pooled within each sequence. The nearer key wins a tie. Raises ValueError for
    fewer than two tokens, and UserError for an m that cannot be factored.
    """
    tokens = _square_side(pattern)
    rows = pattern.reshape(len(pattern) if pattern.ndim > 2 else 1, -1, tokens, tokens)
    found = np.stack([strongest_distances(row, k=2) for row in rows]) + 1  # one at a time to save memory
    divisors = [r for r in range(2, tokens + 1) if m % r == 0]
    first_t = divisors[1] if len(divisors) > 1 else tokens + 1  # the first t where two divisors are possible
    return Lookbacks(
        m,
        [_prime_lookback(found, p) for p in factorize(m) if 2 * p <= tokens],
        [
            DivisorLookback(r, rows.diagonal(1 - r, -2, -1).mean((1, 2)), *_share_at(found[..., 0], r, first_t))
            for r in divisors
        ],
    )


def attention_by_distance(pattern: Float[np.ndarray, "*axes queries keys"]) -> Float[np.ndarray, " keys"]:
    """Mean attention weight at each distance query - key = 0 ... T - 1.

    The mean is over every query that has a key at that distance, and over all leading axes (sequences, heads). Only the
    causal half of the pattern is used.
    """
    tokens = _square_side(pattern)
    return np.array([pattern.diagonal(-distance, -2, -1).mean() for distance in range(tokens)], dtype=float)


def strongest_distances(
    pattern: Float[np.ndarray, "*axes queries keys"], k: int = 2
) -> Int[np.ndarray, "*axes queries k"]:
    """Distances (query - key) of the k keys with the largest weights, strongest first; the nearer key wins a tie.

    A query that sees fewer than k keys has -1 in the remaining places. Raises ValueError unless 1 <= k <= tokens.
    """
    tokens = _square_side(pattern)
    if not 1 <= k <= tokens:
        raise ValueError(f"k={k} must be between 1 and the number of tokens, {tokens}")
    query = np.arange(tokens)[:, None]
    distance = np.arange(tokens)[None, :]
    by_distance = np.where(distance <= query, pattern[..., query, (query - distance) % tokens], -np.inf)
    order = np.argsort(-by_distance, axis=-1, kind="stable")[..., :k]
    return np.where(order <= query, order, -1)


def _prime_lookback(found: Int[np.ndarray, "sequences heads queries two"], p: int) -> PrimeLookback:
    powers = np.array([largest_power(t, p) for t in range(1, found.shape[2] + 1)])
    strongest, chance = _share_at(found[..., 0], powers, 2 * p)
    second, _ = _share_at(found[..., 1], powers // p, 2 * p)
    return PrimeLookback(p, strongest, second, chance)


def _share_at(
    found: Int[np.ndarray, "sequences heads queries"], lookback: int | Int[np.ndarray, " queries"], first_t: int
) -> tuple[Share, float]:
    """The share of queries with t >= first_t whose look-back is the given one, and its expected value by chance."""
    t = np.arange(1, found.shape[2] + 1)
    chance = np.where(lookback <= t, 1 / t, 0)[first_t - 1 :]
    return Share.of((found == lookback)[..., first_t - 1 :]), float(chance.sum() / max(1, chance.size))


def _square_side(pattern: np.ndarray) -> int:
    *_, queries, keys = pattern.shape
    if queries != keys:
        raise ValueError(f"an attention pattern is square (queries x keys), not {queries} x {keys}")
    return keys


def attention_patterns(
    predictor: TransformerPredictor, sequences: Examples, tokens_read: int = TOKENS_SHOWN
) -> Sequence[np.ndarray]:
    """The attention pattern [sequences, head, query, key] of each layer that has one, over the first tokens."""
    model = predictor.model
    tokens = predictor.tokenizer.encode(sequences.numbers)[:, : min(tokens_read, model.config.context)]
    names = pattern_taps(model)
    with torch.no_grad(), record(model, names) as seen:
        model(torch.from_numpy(tokens.astype(np.int64)).to(predictor.device))
    return [seen[name].cpu().numpy() for name in names]


def pattern_taps(model: Transformer) -> list[str]:
    """The tap of the attention pattern of each layer that has one."""
    names = (f"blocks.{layer}.attn.hook_pattern" for layer in range(model.config.depth))
    return [name for name in names if model.has_tap(name)]
