"""A linear probe tells what is linear, and no more."""

import numpy as np
import pytest

from unrandom.interpretation import class_variance, linear_probe, residue_variance

RNG = np.random.default_rng(0)


def test_a_direction_is_found_and_noise_is_not():
    classes = RNG.integers(0, 3, 900)
    noise = RNG.standard_normal((900, 20))
    fitted = np.arange(900) < 450
    directions = RNG.standard_normal((3, 20))
    assert linear_probe(noise + 3 * directions[classes], classes, fitted) > 0.95
    assert linear_probe(noise, classes, fitted) == pytest.approx(1 / 3, abs=0.08)


def test_an_exclusive_or_is_not_linear():
    bits = RNG.integers(0, 2, (1000, 2))
    fitted = np.arange(1000) < 500
    assert linear_probe(bits.astype(float), bits[:, 0] ^ bits[:, 1], fitted) < 0.65
    assert linear_probe(bits.astype(float), bits[:, 0], fitted) == 1


def test_scale_and_offset_do_not_matter():
    classes = RNG.integers(0, 2, 400)
    features = RNG.standard_normal((400, 5)) + classes[:, None]
    fitted = np.arange(400) % 2 == 0
    assert linear_probe(features, classes, fitted) == linear_probe(1e3 * features + 7, classes, fitted)


@pytest.mark.parametrize("fitted", [np.zeros(4, bool), np.ones(4, bool)])
def test_something_is_fitted_and_something_tested(fitted):
    with pytest.raises(ValueError, match="rows to fit and rows to test"):
        linear_probe(np.eye(4), np.arange(4), fitted)


def test_residues_are_one_kind_of_class():
    values = RNG.standard_normal((24, 3))
    by_residue, by_class = residue_variance(values, 4), class_variance(values, np.arange(24) % 4)
    assert np.array_equal(by_residue.shares, by_class.shares)
    assert np.array_equal(by_residue.shuffled, by_class.shuffled)
    assert class_variance(np.eye(3)[np.arange(24) % 3], np.arange(24) % 3).shares == pytest.approx(np.ones(3))
