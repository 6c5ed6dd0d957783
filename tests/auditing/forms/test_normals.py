"""Normal and exponential deviates are recognised and predicted; the transforms are inverted within their bounds."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

import unrandom
from unrandom.auditing.algebra.normal import (
    box_muller,
    box_muller_inverse,
    cdf,
    cdf_error,
    exponential,
    exponential_inverse,
    polar,
    polar_inverse,
    quantile,
)
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.layers import BoxMuller, Exponential
from unrandom.auditing.forms.normals import (
    METHODS,
    exponential_means,
    look_exponential,
    look_normal,
    means_and_deviations,
)
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.auditing.verdict import Predictable

VECTORS = Path(__file__).parents[1] / "vectors"


def numbers_in(name):
    return [float(line) for line in (VECTORS / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("first", [0, 1])
def test_java(first):
    numbers = numbers_in("java_gaussian")[first:]
    verdict = unrandom.audit(numbers[:-10])
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == "java-gaussian"
    assert verdict.next == pytest.approx(numbers[-10:], rel=1e-15)
    assert verdict.outputs_needed == 3
    later = unrandom.audit(numbers[20:])
    assert later.previous == pytest.approx(numbers[10:20], rel=1e-15)


def test_java_with_ten_digits():
    numbers = [round(z, 10) for z in numbers_in("java_gaussian")]
    verdict = unrandom.audit(numbers[:-10])
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[-10:]


@pytest.mark.slow
def test_quantiles_of_r():
    numbers = numbers_in("r_rnorm")
    verdict = unrandom.audit(numbers[:-10], family="mersenne-twister")
    assert isinstance(verdict, Predictable), verdict.text()
    assert "quantiles" in verdict.form
    assert verdict.next == pytest.approx(numbers[-10:], rel=1e-14)


@pytest.mark.slow
def test_pairs_of_python():
    chance = random.Random(8)
    numbers = [chance.gauss(0, 1) for _ in range(1032)]
    verdict = unrandom.audit(numbers[:-10], family="mersenne-twister")
    assert isinstance(verdict, Predictable), verdict.text()
    assert "Box and Muller" in verdict.form
    assert verdict.next == pytest.approx(numbers[-10:], rel=1e-14)


def deviates(chance, count, mean, deviation, *, angle_first, plain):
    """Pairs by Box and Muller as programs write it, and the uniform numbers behind them."""
    numbers, uniform = [], []
    while len(numbers) < count:
        pair = chance.random(), chance.random()
        x, y = pair if angle_first else pair[::-1]
        radius = math.sqrt(-2 * math.log(y if plain else 1 - y))
        numbers += [mean + deviation * (radius * one(2 * math.pi * x)) for one in (math.cos, math.sin)]
        uniform += pair
    return numbers, uniform


@pytest.mark.parametrize(("angle_first", "plain"), METHODS)
@pytest.mark.parametrize(("mean", "deviation"), [(0, 1), (100, 15), (170, 7.5), (-3, 0.1)])
def test_pairs_of_any_mean_and_deviation(angle_first, plain, mean, deviation):
    numbers, uniform = deviates(random.Random(7), 1500, mean, deviation, angle_first=angle_first, plain=plain)
    guessed = means_and_deviations(np.array(numbers))
    assert guessed[0] == (mean, deviation) or deviation == 7.5  # rounder numbers are as near to the estimate
    layer = BoxMuller(angle_first, plain)
    for assumed in (Assumed(),) * ((mean, deviation) in guessed) + (Assumed(start=mean, scale=deviation),):
        streams = interpretations(numbers_of_values(numbers), assumed)
        ours = [one for one in streams if layer in one.form.layers and one.matches(0, uniform) == len(uniform)]
        assert len(ours) == 1
        assert ours[0].form.restored(uniform) == pytest.approx(numbers, rel=1e-15)


@pytest.mark.slow
def test_an_iq_is_predicted():
    chance = random.Random(8)
    numbers = [chance.gauss(100, 15) for _ in range(1132)]
    verdict = unrandom.audit(numbers[:-10], start=100, scale=15, family="mersenne-twister")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == pytest.approx(numbers[-10:], rel=1e-14)


def test_normal_numbers_are_told_from_others():
    rng = np.random.default_rng(5)
    assert look_normal(rng.standard_normal(15))
    assert look_normal(rng.standard_normal(5000))
    for other in (rng.uniform(-1.73, 1.73, 900), rng.uniform(0, 1, 500), 2 * rng.standard_normal(500), np.ones(9)):
        assert not look_normal(other)


def test_the_transforms_are_inverted_within_the_bounds():
    rng = np.random.default_rng(6)
    u = rng.random(2000)
    z = np.array([quantile(x) for x in u.tolist()])
    assert (np.abs(cdf(z) - u) <= cdf_error(z, np.zeros(2000))).all()
    assert quantile(0.0) == -np.inf
    assert quantile(1.0) == np.inf
    x = rng.random((2000, 2))
    pairs = np.array([box_muller(*one) for one in x.tolist()])
    back, errors = box_muller_inverse(pairs, np.zeros((2000, 2)))
    assert (np.abs(back - x) <= errors).all()
    assert errors.max() < 1e-12
    for v, w in (2 * x - 1).tolist():
        if (both := polar(v, w)) is not None:
            assert polar_inverse(*both) == pytest.approx((v, w), abs=1e-12)
    assert polar(0.9, 0.9) is None


@pytest.mark.parametrize("complement", [True, False])
@pytest.mark.parametrize("mean", [1, 5, 0.1])
def test_the_uniform_numbers_behind_exponential_ones(complement, mean):
    chance = random.Random(7)
    uniform = [chance.random() for _ in range(1500)]
    numbers = [-math.log(1 - x if complement else x) * mean for x in uniform]
    assert exponential_means(np.array(numbers))[0] == mean
    for assumed in (Assumed(), Assumed(scale=mean)):
        streams = interpretations(numbers_of_values(numbers), assumed)
        layer = Exponential(complement)
        (ours,) = [one for one in streams if layer in one.form.layers and one.matches(0, uniform) == len(uniform)]
        assert ours.likely
        assert ours.form.restored(uniform) == pytest.approx(numbers, rel=1e-12)


def test_exponential_numbers_are_predicted():
    chance = random.Random(8)
    numbers = [chance.expovariate(1) for _ in range(1032)]
    verdict = unrandom.audit(numbers[:-10], family="mersenne-twister")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.form == "exponential deviates, -ln (1 - x)"
    assert verdict.next == pytest.approx(numbers[-10:], rel=1e-13)


def test_exponential_numbers_are_told_from_others():
    rng = np.random.default_rng(5)
    for count in (3, 20, 500, 5000):
        assert look_exponential(rng.exponential(size=count) + (count == 3))
    for other in (rng.uniform(0, 2, 900), rng.standard_normal(500), 2 * rng.exponential(size=500), np.ones(30)):
        assert not look_exponential(other)


def test_exponential_deviates_are_inverted_within_the_bounds():
    u = np.random.default_rng(6).random(2000)
    x = np.array([exponential(one) for one in u.tolist()])
    back, errors = exponential_inverse(x, np.zeros(2000))
    assert (np.abs(back - u) <= errors).all()
    assert errors.max() < 1e-14
    rounded, wide = exponential_inverse(np.round(x, 4), np.full(2000, 0.5e-4))
    assert (np.abs(rounded - u) <= wide).all()
    assert exponential(0.0) == math.inf


@pytest.mark.slow
def test_numbers_of_the_system_are_not_predicted():
    chance = random.SystemRandom()
    numbers = [chance.gauss(0, 1) for _ in range(200)]
    assert not isinstance(unrandom.audit(numbers, max_seconds=2.0), Predictable)
