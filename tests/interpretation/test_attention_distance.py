"""The distances measured in an attention pattern are those that were planted."""

import numpy as np
import pytest

from unrandom.interpretation import attention_by_distance, strongest_distances


def looking_back(tokens: int, distance: int) -> np.ndarray:
    """Each query gives all its weight to the key ``distance`` before it (or to the first key)."""
    pattern = np.zeros((tokens, tokens))
    pattern[np.arange(tokens), np.maximum(np.arange(tokens) - distance, 0)] = 1
    return pattern


def test_a_head_that_looks_back_three_has_its_peak_at_three():
    weights = attention_by_distance(looking_back(16, 3))
    assert weights.argmax() == 3
    assert weights[3] == 1
    assert weights[0] == pytest.approx(1 / 16)  # the first query can attend only to itself


def test_the_mean_runs_over_leading_axes_and_existing_keys_only():
    uniform = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    np.testing.assert_allclose(
        attention_by_distance(uniform),
        [(1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, (1 / 2 + 1 / 3 + 1 / 4) / 3, (1 / 3 + 1 / 4) / 2, 1 / 4],
    )
    both = np.stack([uniform, looking_back(4, 1)])[None]
    np.testing.assert_allclose(
        attention_by_distance(both),
        (attention_by_distance(uniform) + attention_by_distance(looking_back(4, 1))) / 2,
    )


def test_strongest_keys_come_first_and_missing_ones_are_marked():
    pattern = 0.7 * looking_back(8, 2) + 0.3 * looking_back(8, 4)
    found = strongest_distances(np.stack([pattern, pattern]), k=2)
    assert found.shape == (2, 8, 2)
    assert found[0, 0].tolist() == [0, -1]
    assert found[1, 7].tolist() == [2, 4]


def test_the_nearer_key_wins_a_tie_and_the_future_never_wins():
    assert strongest_distances(np.ones((3, 3)), k=3).tolist() == [[0, -1, -1], [0, 1, -1], [0, 1, 2]]


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match="3 x 4"):
        attention_by_distance(np.ones((3, 4)))
    with pytest.raises(ValueError, match="k=5"):
        strongest_distances(np.ones((4, 4)), k=5)
