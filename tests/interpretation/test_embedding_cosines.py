"""Cosines by shared digits equal the values known in theory, and those of all pairs."""

import json

import numpy as np
import pytest

from unrandom.interpretation import cosine_by_shared_digits


def by_all_pairs(matrix: np.ndarray, p: int, w: int) -> dict[int, tuple[int, float]]:
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    found: dict[int, list[float]] = {}
    for x in range(len(matrix)):
        for y in range(x):
            shared = max(j for j in range(w + 1) if (x - y) % p**j == 0)
            found.setdefault(shared, []).append(float(units[x] @ units[y]))
    return {j: (len(cosines), float(np.mean(cosines))) for j, cosines in sorted(found.items())}


@pytest.mark.parametrize(("m", "p", "w"), [(16, 2, 4), (24, 2, 3), (54, 3, 3), (35, 5, 1)])
def test_it_is_the_mean_over_all_pairs(m, p, w):
    matrix = np.random.default_rng(0).normal(size=(m, 7)) + 1
    found = cosine_by_shared_digits(matrix, m, p)
    raw, centred = by_all_pairs(matrix, p, w), by_all_pairs(matrix - matrix.mean(0), p, w)
    assert found.shared.tolist() == list(raw)
    assert found.pairs.tolist() == [pairs for pairs, _ in raw.values()]
    assert found.pairs.sum() == m * (m - 1) // 2
    np.testing.assert_allclose(found.raw, [cosine for _, cosine in raw.values()])
    np.testing.assert_allclose(found.centred, [cosine for _, cosine in centred.values()])


def test_a_planted_embedding_has_the_cosines_it_was_built_with():
    m, w = 32, 5
    residues = [np.eye(2**j)[np.arange(m) % 2**j] for j in range(1, w + 1)]  # one coordinate per residue class
    found = cosine_by_shared_digits(np.concatenate(residues, axis=1).astype(np.float32), m, 2)
    assert found.shared.tolist() == [0, 1, 2, 3, 4]  # no two numbers share all five digits
    np.testing.assert_allclose(found.raw, np.arange(5) / 5, atol=1e-6)
    assert np.all(np.diff(found.centred) > 0)


def test_an_embedding_without_digits_shows_none():
    found = cosine_by_shared_digits(np.random.default_rng(0).normal(size=(512, 64)), 512, 2)
    np.testing.assert_allclose(found.centred[:5], 0, atol=0.01)


def test_an_embedding_of_nothing_has_no_direction():
    assert cosine_by_shared_digits(np.zeros((4, 3)), 4, 2).raw.tolist() == [0, 0]


def test_the_table_is_json():
    tree = cosine_by_shared_digits(np.eye(6), 6, 3).to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert tree["pairs"] == [12, 3]


@pytest.mark.parametrize(("rows", "p"), [(8, 3), (7, 2), (8, 1)])
def test_what_does_not_fit_is_named(rows, p):
    with pytest.raises(ValueError, match=f"{rows} rows, m=8, p={p}"):
        cosine_by_shared_digits(np.ones((rows, 2)), 8, p)
