"""The embedding's analysis finds what was planted, and nothing where nothing was planted."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.interpretation import embedding_table, principal_components, residue_variance


def planted(tokens: int = 64, d_model: int = 24, noise: float = 0.01) -> np.ndarray:
    """Numbers on a line by parity (wide) and on a circle mod 4 (narrower), in a random orthogonal frame."""
    rng = np.random.default_rng(1)
    x = np.arange(tokens)
    parity = 3.0 * (-1.0) ** x
    circle = np.stack([np.cos(np.pi * x / 2), np.sin(np.pi * x / 2)])
    frame = np.linalg.qr(rng.normal(size=(d_model, 3)))[0]
    return np.stack([parity, *circle], axis=1) @ frame.T + noise * rng.normal(size=(tokens, d_model))


def test_components_recover_a_planted_structure():
    found = principal_components(planted(), k=6)
    assert found.values.shape == (64, 6)
    assert abs(np.corrcoef(found.values[:, 0], (-1.0) ** np.arange(64))[0, 1]) > 0.999
    assert np.hypot(found.values[:, 1], found.values[:, 2]) == pytest.approx(1.0, abs=0.1)
    assert found.explained[0] == pytest.approx(0.9, abs=0.01)
    assert found.explained.sum() == pytest.approx(1.0, abs=0.01)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), tokens=st.integers(2, 20), d_model=st.integers(1, 12))
def test_components_keep_distances_and_order(seed, tokens, d_model):
    matrix = np.random.default_rng(seed).normal(size=(tokens, d_model))
    found = principal_components(matrix, k=99)
    assert found.values.shape[1] <= min(tokens - 1, d_model)
    assert np.all(np.diff(found.explained) <= 1e-12)
    assert found.explained.sum() == pytest.approx(1.0)
    before = np.linalg.norm(matrix[:, None] - matrix[None], axis=-1)
    after = np.linalg.norm(found.values[:, None] - found.values[None], axis=-1)
    np.testing.assert_allclose(after, before, atol=1e-9)


def test_the_sign_does_not_depend_on_the_solver():
    matrix = planted()
    flipped = principal_components(matrix[::-1].copy(), k=3).values[::-1]
    np.testing.assert_allclose(flipped, principal_components(matrix, k=3).values, atol=1e-9)


def test_rank_caps_the_components():
    assert principal_components(np.outer(np.arange(5.0), np.ones(3)), k=6).values.shape == (5, 1)
    assert principal_components(np.ones((5, 3)), k=6).values.shape == (5, 0)
    with pytest.raises(ValueError, match="k=0"):
        principal_components(np.ones((5, 3)), k=0)


def test_parity_explains_the_parity_component_and_chance_does_not():
    values = principal_components(planted(), k=3).values
    by_two, by_four, by_three = (residue_variance(values, q) for q in (2, 4, 3))
    assert by_two.shares[0] > 0.999
    assert by_two.shares[1:] == pytest.approx(0.0, abs=0.02)
    assert by_four.shares.min() > 0.99
    assert by_three.shares.max() < 0.05
    assert by_two.shuffled.max() < 0.1


def test_the_shuffled_share_is_what_the_number_of_classes_gives():
    values = np.random.default_rng(0).normal(size=(200, 2))
    found = residue_variance(values, 50, np.random.default_rng(3), shuffles=200)
    np.testing.assert_allclose(found.shuffled, 49 / 199, atol=0.02)


def test_degenerate_cases_are_named():
    assert residue_variance(np.ones((8, 1)), 2).shares == 0
    assert residue_variance(np.ones((8, 1)), 2, shuffles=0).shuffled == 0
    with pytest.raises(ValueError, match="modulus=1"):
        residue_variance(np.ones((8, 1)), 1)


def test_the_table_is_json_and_repeats():
    table = embedding_table(planted().astype(np.float32), (2, 4, 8), k=4, seed=5)
    assert json.dumps(table) == json.dumps(embedding_table(planted().astype(np.float32), (2, 4, 8), k=4, seed=5))
    assert len(table["values"]) == 64
    assert len(table["explained"]) == 4
    assert [row["modulus"] for row in table["residue_variance"]] == [2, 4, 8]
    assert all(len(row["shares"]) == len(row["shuffled"]) == 4 for row in table["residue_variance"])
