"""Power laws are fitted with an interval; two moduli are too few."""

import numpy as np
import pytest
from scipy.stats import linregress

from unrandom.evaluation import power_law


def test_an_exact_power_law_is_found_exactly():
    law = power_law({2**k: [8 * 2 ** (k / 4)] for k in (8, 10, 12, 14, 16)})
    assert law.exponent.value == pytest.approx(0.25)
    assert (law.exponent.low, law.exponent.high) == pytest.approx((0.25, 0.25))
    assert law.factor == pytest.approx(8)
    assert law.at(2**20) == pytest.approx(256)
    assert law.exponent.units == 5


def test_three_moduli_off_the_line_have_a_wide_interval_and_one_seed_does_not_hide_it():
    found = power_law({32: [5.0], 64: [6.0], 128: [12.0]}).exponent
    assert found.low < 0 < found.value < found.high


def test_seeds_widen_the_interval_of_points_on_a_line():
    law = {2**k: [2 ** (k / 2 + 1), 2 ** (k / 3), 2 ** (k * 2 / 3)] for k in (8, 10, 12)}
    found = power_law(law).exponent
    assert found.value == pytest.approx(0.5)
    assert found.high - found.low > 0.3
    assert "3 seeds" in found.kind
    assert "seeds" not in power_law({m: of[:2] for m, of in law.items()}).exponent.kind  # two are too few


def test_the_regression_is_scipy_s():
    points = {2**k: [2 ** (k / 4) + k % 3] for k in (8, 10, 12, 14)}
    line = linregress(np.log(list(points)), np.log([of[0] for of in points.values()]))
    found = power_law(points).exponent
    assert found.value == pytest.approx(line.slope)
    assert found.high - found.value == pytest.approx(4.302652729911275 * line.stderr)


def test_the_interval_covers_the_truth_and_grows_with_the_noise():
    rng = np.random.default_rng(0)
    widths = []
    for noise in (0.01, 0.2):
        points = {2**k: np.exp(0.3 * k * np.log(2) + noise * rng.standard_normal(3)).tolist() for k in range(8, 18)}
        found = power_law(points).exponent
        assert found.low <= 0.3 <= found.high
        widths.append(found.high - found.low)
    assert widths[1] > 5 * widths[0]


def test_two_moduli_are_too_few_for_a_power_law():
    assert power_law({256: [32.0, 33.0], 4096: [64.0], 65536: []}) is None
