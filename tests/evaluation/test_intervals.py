"""Intervals of nominal 95 % have this coverage: for seeds, for clusters, and for means over moduli."""

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from unrandom.evaluation import mean_of, over_trials, over_units
from unrandom.evaluation.intervals import cluster_draws, over_clusters, students_quantile

LEAST = 0.93


@pytest.mark.parametrize("units", [3, 5, 9])
def test_the_interval_over_seeds_covers_the_truth(units):
    rng = np.random.default_rng(units)
    found = [over_units(rng.normal(0.4, 0.1, units).tolist()) for _ in range(2000)]
    assert np.mean([each.low <= 0.4 <= each.high for each in found]) >= LEAST


def test_it_is_scipy_s():
    values = [0.91, 0.95, 0.97, 0.85]
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    found = over_units(values)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert students_quantile(3) == pytest.approx(t.ppf(0.975, 3))


def test_one_unit_has_no_interval_and_two_have_a_wide_one():
    assert over_units([0.5]).low is over_units([0.5]).high is None
    two = over_units([0.4, 0.6])
    assert two.high - two.low > 2


def test_trials_are_wilson_s():
    found = over_trials(7, 7)
    assert (found.value, found.high, found.units) == (1.0, 1.0, 7)
    assert found.low == pytest.approx(0.6457, abs=1e-4)


def clustered(rng, n_a, n_c, each, spread_a, spread_c, level):
    """Random correct and wrong guesses, with odds that depend on the multiplier and on the increment."""
    a = np.repeat(np.arange(n_a), n_c * each)
    c = np.tile(np.repeat(np.arange(n_c), each), n_a)
    odds = level + (spread_a * rng.standard_normal(n_a))[a] + (spread_c * rng.standard_normal(n_c))[c]
    right = rng.random(len(a)) < 1 / (1 + np.exp(-odds))
    return right[:, None].astype(float), {"multipliers": a.astype(np.uint64), "increments": c.astype(np.uint64)}


@pytest.mark.parametrize(
    ("n_a", "n_c", "spread_a", "spread_c", "level"),
    [
        (16, 16, 1, 0, 0),
        (16, 16, 1, 1, 0),
        (8, 8, 1.5, 0, 0.5),
        (8, 16, 2, 0.5, 1),
        (16, 16, 0, 0, 1),
        (16, 16, 1, 0, 4),
    ],
)
def test_the_interval_over_clusters_covers_the_truth(n_a, n_c, spread_a, spread_c, level):
    rng = np.random.default_rng(0)
    odds = level + np.hypot(spread_a, spread_c) * rng.standard_normal(400_000)
    truth = np.mean(1 / (1 + np.exp(-odds)))
    found = [over_clusters(*clustered(rng, n_a, n_c, 4, spread_a, spread_c, level)).first() for _ in range(400)]
    assert np.mean([low <= truth <= high for _, low, high in found]) >= LEAST


def test_independent_moduli_narrow_the_interval_and_weigh_alike():
    rng = np.random.default_rng(1)
    parts = [over_clusters(*clustered(rng, 8, 8, each, 1, 0, 0)) for each in (2, 40)]
    mean = mean_of(parts)
    assert mean.value[0] == pytest.approx((parts[0].value[0] + parts[1].value[0]) / 2)
    assert mean.spread[0] < max(part.spread[0] for part in parts)


def test_draws_of_whole_multipliers_move_together():
    right = np.repeat([[1.0], [0.0]], 10, axis=0)
    a, c = np.repeat([1, 5], 10).astype(np.uint64), np.tile(np.arange(5), 4).astype(np.uint64)
    assert set(np.round(cluster_draws(right, [a, c])[:, 0], 6)) == {0.0, 0.5, 1.0}


def test_one_pair_falls_back_on_its_sequences():
    one = np.ones(50, dtype=np.uint64)
    found = over_clusters(np.repeat([[1.0], [0.0]], 25, axis=0), {"multipliers": one, "increments": one})
    assert found.clusters == 50
    assert found.kind == "bootstrap over 50 sequences, which share their multipliers and increments"
    low, high = (end[0] for end in found.interval())
    assert 0.3 < low < 0.5 < high < 0.7


def test_values_of_one_label_are_clusters_too():
    right, seed = np.repeat([[1.0], [0.0]], 10, axis=0), np.repeat([0, 1], 10).astype(np.uint64)
    assert set(np.round(cluster_draws(right, [seed])[:, 0], 6)) == {0.0, 0.5, 1.0}
    found = over_clusters(right, {"seeds": seed})
    assert (found.clusters, found.kind) == (2, "cluster bootstrap over 2 seeds")


def test_without_labels_sequences_are_drawn():
    found = over_clusters(np.repeat([[1.0], [0.0]], 25, axis=0), {})
    assert (found.clusters, found.kind) == (50, "bootstrap over 50 sequences")
    assert found.spread[0] == pytest.approx(0.5 / 50**0.5, rel=0.1)
