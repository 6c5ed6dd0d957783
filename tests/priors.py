"""Sequences drawn from a prior, and what the prior says of the next number by listing all of it."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import gcd, lcm

import numpy as np
import pytest

from unrandom.generators.full_period import (
    count_increments,
    count_multipliers,
    draw_below,
    full_period_multipliers,
    multiplier_step,
    sample_increments,
)
from unrandom.generators.lcg import LCG
from unrandom.tasks import LCGParameters


def full_period_increments(m):
    """All increments of full period, ascending."""
    return [c for c in range(1, m) if gcd(c, m) == 1]


def full_period(m, rows, length, seed=0):
    """Sequences of full-period (a, c), drawn with replacement."""
    rng = np.random.default_rng(seed)
    a = np.uint64(1) + np.uint64(multiplier_step(m)) * draw_below(rng, count_multipliers(m), rows)
    c = rng.choice(sample_increments(rng, m, min(rows, count_increments(m))), rows)
    return LCGParameters(m, a, c, draw_below(rng, m, rows)).numbers(length)


def arbitrary(m, rows, length, seed=0):
    """Sequences of any 0 < a < m and c."""
    rng = np.random.default_rng(seed)
    a = np.uint64(1) + draw_below(rng, m - 1, rows)
    return LCGParameters(m, a, draw_below(rng, m, rows), draw_below(rng, m, rows)).numbers(length)


def listed(moduli, share, length, arbitrary_for=()):
    """Every sequence of arbitrary (m, a, c, x0), and for each beginning how probable each next number is, as counts.

    A ``share`` of the prior, as a pair of integers (share, of), is full-period pairs, but for the moduli in
    ``arbitrary_for``, which have none of them; each modulus weighs the same.
    """
    _, whole = share
    chances = defaultdict(Counter)
    sequences = set()
    pairs = {}
    for m in moduli:
        full = [(a, c) for a in full_period_multipliers(m) for c in full_period_increments(m)]
        pairs[m] = (full, [(a, c) for a in range(1, m) for c in range(m)])
    unit = lcm(*(m * len(kind) for m in moduli for kind in pairs[m]))
    for m in moduli:
        part = 0 if m in arbitrary_for else share[0]
        for kind, weight in zip(pairs[m], (part, whole - part), strict=True):
            for a, c in kind:
                lcg = LCG(m, a, c)
                for x0 in range(m):
                    orbit = tuple(lcg.orbit(x0, length))
                    sequences.add(orbit)
                    for t in range(1, length if weight else 0):
                        chances[orbit[:t]][orbit[t]] += weight * (unit // (m * len(kind)))
    return sorted(sequences), chances


def assert_exact(predictor, sequences, chances):
    """Every guess is the smallest of the most probable numbers, and what came has its probability."""
    x = np.array(sequences, dtype=np.uint64)
    predictions = predictor.predict(x)
    for row, sequence in enumerate(sequences):
        for t in range(1, len(sequence)):
            after = chances.get(sequence[:t])
            said = tuple(v[row, t - 1] for v in (predictions.numbers, predictions.truth_probability))
            assert predictions.abstained[row, t - 1] == (after is None), sequence[:t]
            if after is None:
                assert said == (0, 0)
                continue
            most = max(after.values())
            assert said[0] == min(x for x, weight in after.items() if weight == most), sequence[:t]
            assert abs(said[1] - after[sequence[t]] / after.total()) < 1e-12, sequence[: t + 1]


def assert_posterior(predictor, prior, sequences):
    """The same by fractions: ``prior`` maps every possible sequence, all of one length, to its probability."""
    chances = defaultdict(lambda: defaultdict(Fraction))
    for sequence, chance in prior.items():
        for t in range(1, len(sequence)):
            chances[sequence[:t]][sequence[t]] += chance
    predictions = predictor.predict(np.array(sequences, dtype=np.uint64))
    for row, sequence in enumerate(sequences):
        for t in range(1, len(sequence)):
            after = chances.get(sequence[:t], {})
            most = max(after.values(), default=0)
            guess = min((number for number, chance in after.items() if chance == most), default=0)
            truth = after.get(sequence[t], Fraction(0)) / (sum(after.values()) or 1)
            assert predictions.numbers[row, t - 1] == guess, sequence[:t]
            assert predictions.abstained[row, t - 1] == (not after), sequence[:t]
            assert predictions.truth_probability[row, t - 1] == pytest.approx(float(truth), abs=1e-12), sequence
