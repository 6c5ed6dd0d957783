"""Look-backs by powers of a prime are found where they were planted, and nowhere else."""

import json

import numpy as np
import pytest

from unrandom.core.arithmetic import largest_power
from unrandom.interpretation import lookback_shares
from unrandom.interpretation.attention import Share


def looking_back(tokens: int, weights: dict[int, float], p: int) -> np.ndarray:
    """Each query gives weight ``weights[i]`` to number t - p^(k-i) where that exists, and spreads the rest evenly."""
    pattern = np.zeros((tokens, tokens))
    for query in range(tokens):
        power = largest_power(query + 1, p)
        for i, weight in weights.items():
            if p**i <= power:
                pattern[query, query + 1 - power // p**i] = weight
        pattern[query, : query + 1] += (1 - pattern[query].sum()) / (query + 1)
    return pattern


def noise(*shape: int) -> np.ndarray:
    """Random attention, causal and summing to 1."""
    weights = np.tril(np.random.default_rng(0).exponential(size=shape))
    return weights / weights.sum(-1, keepdims=True)


@pytest.mark.parametrize(
    ("t", "p", "power"), [(1, 2, 1), (2, 2, 2), (255, 2, 128), (256, 2, 256), (80, 3, 27), (4, 5, 1)]
)
def test_the_largest_power(t, p, power):
    assert largest_power(t, p) == power


def test_no_power_below_one():
    with pytest.raises(ValueError, match="t=0"):
        largest_power(0, 2)
    with pytest.raises(ValueError, match="p=1"):
        largest_power(3, 1)


def test_planted_lines_are_found_in_full():
    pattern = looking_back(40, {0: 0.6, 1: 0.3}, p=2)
    (found,) = lookback_shares(np.stack([pattern] * 3)[:, None], 64).primes
    assert found.prime == 2
    assert found.strongest.pooled.value == found.second.pooled.value == 1
    assert found.strongest.pooled.total == 3 * (40 - 3)  # t = 4 … 40 in three sequences
    assert found.strongest.by_sequence.value.tolist() == [1, 1, 1]


def test_the_order_of_the_lines_matters():
    (found,) = lookback_shares(looking_back(40, {0: 0.3, 1: 0.6}, p=2), 64).primes
    assert found.strongest.pooled.value == 0
    assert found.second.pooled.value == 0


def test_noise_is_near_chance():
    found = lookback_shares(noise(200, 2, 48, 48), 48)
    assert [prime.prime for prime in found.primes] == [2, 3]
    for prime in found.primes:
        assert prime.strongest.pooled.value == pytest.approx(prime.chance, abs=0.01)
        assert prime.second.pooled.value == pytest.approx(prime.chance, abs=0.01)
    for divisor in found.divisors:
        assert divisor.strongest.pooled.value == pytest.approx(divisor.chance, abs=0.01)


def test_each_sequence_has_its_own_share_with_its_heads_pooled():
    good, bad = looking_back(20, {0: 0.6}, p=3), np.eye(20)
    (_, found) = lookback_shares(np.stack([[good, good], [good, bad], [bad, bad]]), 18).primes
    assert found.prime == 3
    np.testing.assert_allclose(found.strongest.by_sequence.value, [1, 0.5, 0])
    assert found.strongest.pooled.value == pytest.approx(0.5)


def test_a_composite_modulus_shows_the_divisor_it_prefers():
    pattern = np.zeros((30, 30))
    for query in range(30):
        pattern[query, query + 1 - 6 if query >= 5 else query] = 1
    found = {divisor.divisor: divisor for divisor in lookback_shares(pattern, 36).divisors}
    assert list(found) == [2, 3, 4, 6, 9, 12, 18]
    assert found[6].weight == 1
    assert found[6].strongest.pooled.to_json()["correct"] == 25  # t = 6 … 30
    assert found[6].strongest.pooled.to_json()["total"] == 28  # t = 3 … 30 could look back by 2 or 3
    assert all(found[r].weight == 0 and found[r].strongest.pooled.correct == 0 for r in found if r != 6)


def test_weights_are_means_over_queries_that_reach():
    (found,) = lookback_shares(np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None], 3).divisors
    assert found.divisor == 3
    np.testing.assert_allclose(found.weight, [1 / 3])
    assert found.strongest.to_json() == {"value": None, "correct": 0, "total": 0, "per_sequence": [None]}


def test_primes_without_queries_are_left_out():
    assert lookback_shares(noise(5, 5), 7 * 3).primes == []
    with pytest.raises(ValueError, match="k=2"):
        lookback_shares(np.ones((1, 1)), 4)


def test_the_table_is_json():
    tree = lookback_shares(noise(2, 12, 12), 36).to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert set(tree["primes"][0]) == {"prime", "strongest", "second", "chance"}
    assert len(tree["divisors"][0]["weight_per_sequence"]) == 2


def test_a_share_pools_what_its_sequences_counted():
    share = Share.of(np.array([[True, False], [True, True]]))
    assert share.to_json() == {"value": 0.75, "correct": 3, "total": 4, "per_sequence": [0.5, 1.0]}
