"""The common divisor of spacings is the planted one, and random keys have none."""

import json

import numpy as np
import pytest

from unrandom.interpretation import common_divisor, strongest_key_distances

TOKENS = 128


def keys_at(distances: list[int], strengths: list[float] | None = None) -> np.ndarray:
    """A pattern [1, 1, T, T] in which each query weighs the keys at these distances, the first one most."""
    pattern = np.tril(np.full((TOKENS, TOKENS), 1e-6))
    for distance, weight in zip(distances, strengths or [4.0, 3.0, 2.0, 1.0], strict=True):
        queries = np.arange(distance, TOKENS)
        pattern[queries, queries - distance] = weight
    return (pattern / pattern.sum(axis=-1, keepdims=True))[None, None]


def test_distances_and_spacings_are_counted_by_head():
    found = strongest_key_distances(np.concatenate([keys_at([30, 2, 8, 14]), keys_at([1, 5, 9, 49])], axis=1))
    queries = TOKENS // 2
    assert found.start == queries
    assert np.flatnonzero(found.distances[0]).tolist() == [2, 8, 14, 30]
    assert found.spacings[0, [6, 16]].tolist() == [2 * queries, queries]
    assert found.spacings[1, [4, 40]].tolist() == [2 * queries, queries]
    assert (found.spacings.sum(axis=1) == 3 * queries).all()


@pytest.mark.parametrize(("distances", "divisor"), [([5, 11, 17, 29], 6), ([3, 7, 15, 19], 4), ([0, 14, 28, 56], 14)])
def test_the_largest_common_divisor_is_preferred(distances, divisor):
    found = common_divisor(strongest_key_distances(keys_at(distances)).spacings[0])
    assert found.preferred == divisor
    assert found.share[found.divisors == divisor] == 1


def test_a_few_other_keys_do_not_hide_it():
    spacings = np.zeros(TOKENS, dtype=np.int64)
    spacings[[6, 12, 18, 7, 11]] = [500, 300, 100, 30, 20]
    assert common_divisor(spacings).preferred == 6


def test_random_keys_and_neighbours_have_no_divisor():
    random = np.tril(np.random.default_rng(0).random((40, 1, TOKENS, TOKENS)))
    found = common_divisor(strongest_key_distances(random).spacings[0])
    assert found.preferred == 1
    assert found.excess[0] == pytest.approx(0, abs=0.05)
    assert common_divisor(strongest_key_distances(keys_at([0, 1, 2, 3])).spacings[0]).preferred == 1


def test_the_tables_are_json():
    spacings = strongest_key_distances(keys_at([5, 11, 17, 29])).spacings[0]
    tree = common_divisor(spacings).to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree


def test_what_cannot_be_counted_is_named():
    with pytest.raises(ValueError, match="start=2"):
        strongest_key_distances(keys_at([5, 11, 17, 29]), start=2)
    with pytest.raises(ValueError, match="top=1"):
        strongest_key_distances(keys_at([5, 11, 17, 29]), top=1)
    with pytest.raises(ValueError, match="0 spacings"):
        common_divisor(np.zeros(9, dtype=np.int64))
