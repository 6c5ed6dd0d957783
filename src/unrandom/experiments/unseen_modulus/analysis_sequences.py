"""Sequences for the analyses of the main run: the same ones of each unseen modulus, and some from training."""

from collections.abc import Iterable, Mapping

import numpy as np
from jaxtyping import UInt64

from unrandom.experiments.scale import by_scale
from unrandom.generators.full_period import draw_units, full_period_multipliers, lookback
from unrandom.runs.run import Run
from unrandom.tasks import Examples, LCGParameters, lcg_split, make_batches

Multipliers = UInt64[np.ndarray, " multipliers"]

SEQUENCES = by_scale(smoke=16, laptop=256, paper=512)  # per unseen modulus
REFERENCE_SEQUENCES = by_scale(smoke=32, laptop=2048, paper=40_000)  # training sequences


def unseen_sequences(run: Run, sequences: int) -> dict[int, Examples[LCGParameters]]:
    """Draw sequences of every test modulus, with its held-out multipliers and increments."""
    split = lcg_split(run.split())
    return {m: split.test(m, sequences, name="inside") for m in split.parts}


def training_numbers(run: Run, sequences: int) -> UInt64[np.ndarray, "rows context"]:
    """Draw sequences as in training, over which means of activations are taken."""
    drawn = make_batches(run.split(), run.config.batch_size, run.config.seed).probe(sequences)
    return drawn.numbers(run.config.data.context)


def multipliers_by_lookback(m: int) -> dict[int, Multipliers]:
    """The full-period multipliers of m, by the look-back r = m / gcd(m, a − 1) that they need."""
    found: dict[int, list[int]] = {}
    for a in full_period_multipliers(m):
        found.setdefault(lookback(m, a), []).append(a)
    return {r: np.array(each, dtype=np.uint64) for r, each in found.items()}


def drawn_from(rng: np.random.Generator, multipliers: Mapping[int, Multipliers], rows: int) -> LCGParameters:
    """Full-period sequences with a uniformly drawn modulus, one of its multipliers, c and x0."""
    m = rng.choice(np.array(list(multipliers), dtype=np.uint64), rows)
    a = np.array([rng.choice(multipliers[int(each)]) for each in m], dtype=np.uint64)
    return LCGParameters(m, a, draw_units(rng, m), rng.integers(0, m, dtype=np.uint64))


def sequences_by_lookback(
    rng: np.random.Generator, moduli: Iterable[int], lookbacks: Iterable[int], rows: int, length: int
) -> dict[int, Examples[LCGParameters]]:
    """Full-period sequences for each of these look-backs that occurs, uniform over the moduli that have it."""
    multipliers = {m: multipliers_by_lookback(m) for m in moduli}
    found = {}
    for r in lookbacks:
        having = {m: each[r] for m, each in multipliers.items() if r in each}
        if having:
            found[r] = Examples.of(drawn_from(rng, having, rows), length)
    return found
