"""Seeds are found from a few normal or exponential deviates, as programs print them."""

import math
import random

import numpy as np
import pytest

import unrandom
from tiers import slow_but
from unrandom.auditing.verdict import Predictable

pytest.importorskip("numba", reason="2026-11-23: the extra fast is not installed")

from unrandom.auditing.seeds import draws, programs

R_NORMAL = (
    "-0.56047565 -0.23017749 1.55870831 0.07050839 0.12928774 1.71506499 0.46091621 -1.26506123 -0.68685285 "
    "-0.44566197 1.22408180 0.35981383 0.40077145"
)
R_EXPONENTIAL = (
    "0.84345726 0.57661027 1.32905487 0.03157736 0.05621098 0.31650122 0.31422729 0.14526680 2.72623646 0.02915345"
)
TORCH_NORMAL = "1.5410 -0.2934 -2.1788 0.5684 -1.0845 -1.3986 0.4033 0.8380 -0.7193"
JAVA_NORMAL = [
    1.1419053154730547, 0.9194079489827879, -0.9498666368908959, -1.1069902863993377, 0.2809776380727795,
    0.6846227956326554, -0.8172214073987268, -1.3966434026780434, -0.19094451307087512,
]  # fmt: skip
CPP_NORMAL = [
    -1.3504432116138727, 0.04145832489006103, -0.23747995238756611, -1.2067038907717413, -1.4161910894545029,
    0.37167949143136619, -0.5255732144372478, 0.86698644227131483, 0.910100632898593,
]  # fmt: skip
CPP_EXPONENTIAL = [
    0.71278056805097134, 0.20255006066081779, 1.6542757701755975, 2.7771625665968935, 0.030053518461771952,
    1.5370417029296497, 0.17898012577045083, 0.56889783296878627,
]  # fmt: skip


def of_python(seed, draw):
    chance = random.Random(seed)
    return [draw(chance) for _ in range(9)]


def of_numpy(seed, draw):
    return draw(np.random.RandomState(seed)).tolist()


PROGRAMS = {
    "R, rnorm": (R_NORMAL.split(), "R set.seed", "rnorm", 123, {}),
    "R, rexp": (R_EXPONENTIAL.split(), "R set.seed", "rexp", 123, {}),
    "numpy, randn": (of_numpy(77, lambda one: one.randn(9)), "numpy", "randn", 77, {}),
    "numpy, randn with eight digits": (
        [f"{x:.8f}" for x in of_numpy(0, lambda one: one.randn(9))], "numpy", "randn", 0, {},
    ),
    "numpy, normal": (
        of_numpy(42, lambda one: one.normal(100, 15, 9)), "numpy", "randn", 42, {"start": 100, "scale": 15},
    ),
    "numpy, exponential": (of_numpy(42, lambda one: one.exponential(1.0, 9)), "numpy", "random()", 42, {}),
    "numpy, exponential of mean 5": (
        of_numpy(42, lambda one: one.exponential(5.0, 9)), "numpy", "random()", 42, {"scale": 5},
    ),
    "numpy, standard_normal": (
        np.random.default_rng(42).standard_normal(9).tolist(),
        "numpy default_rng",
        "standard_normal",
        42,
        {},
    ),
    "torch, randn": (TORCH_NORMAL.split(), "torch", "torch.randn", 0, {}),
    "C++, normal_distribution": (CPP_NORMAL, "C++ mt19937", "normal_distribution<double>", 54321, {}),
    "C++, exponential_distribution": (CPP_EXPONENTIAL, "C++ mt19937", "uniform_real", 54321, {}),
    "Java, nextGaussian": (JAVA_NORMAL, "Java", "nextGaussian", 42, {}),
    "Python, gauss": (of_python(99, lambda one: one.gauss(0, 1)), "Python", "gauss", 99, {}),
    "Python, normalvariate": (
        of_python(99, lambda one: one.normalvariate(0, 1)), "Python", "normalvariate", 99, {},
    ),
    "Python, expovariate": (of_python(99, lambda one: one.expovariate(1)), "Python", "random()", 99, {}),
    "Python, the logarithm of random": (
        of_python(99, lambda one: -math.log(one.random())), "Python", "random()", 99, {},
    ),
}  # fmt: skip


QUICK = [name for name in PROGRAMS if not name.startswith("R,")]


@pytest.mark.parametrize("name", slow_but(QUICK, PROGRAMS))
def test_the_seed_of_deviates(name):
    numbers, program, method, seed, known = PROGRAMS[name]
    around = f"{max(0, seed - 400)}:{seed + 400}"
    verdict = unrandom.audit(numbers[:7], seeds=around, family="trivial", **known)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.verdict == "predictable"
    assert program in verdict.parameters["program"]
    assert method in verdict.parameters["method"]
    assert verdict.parameters["seed"] == seed
    assert verdict.next[: len(numbers) - 7] == pytest.approx([float(number) for number in numbers[7:]], rel=1e-13)
    assert verdict.certificate.log2_chance <= -40


def test_the_ziggurat_of_numpy_for_a_long_time():
    (program,) = (one for one in programs.PROGRAMS if "PCG64" in one.about)
    method = next(one for one in program.methods if one.kind == "normal")
    words = program.words(np.array([7], dtype=np.uint64), 60000)
    numbers = np.empty(50000)
    assert draws.real_outputs(words, method.constants, numbers) == len(numbers)
    expected = np.random.default_rng(7).standard_normal(50000)
    assert np.abs(expected).max() > 4  # beyond the last layer
    assert (np.abs(numbers - expected) <= np.abs(expected) * method.error).all()


def test_as_r_prints_them():
    numbers = R_NORMAL.split()[:10]
    verdict = unrandom.audit(numbers, seeds="0:10000")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.parameters["seed"] == 123
    assert verdict.next[:3] == [1.2240818, 0.35981383, 0.40077145]
    assert "quantiles" in verdict.form


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_a_single_deviate_and_odd_numbers_of_them(count):
    numbers = of_python(5, lambda one: one.gauss(0, 1))
    verdict = unrandom.audit(numbers[:count], seeds="0:10", family="trivial")
    if isinstance(verdict, Predictable):
        assert verdict.next[0] == pytest.approx(numbers[count], rel=1e-13)
    else:
        assert count == 1
        assert any(one.parameters["seed"] == 5 for one in verdict.candidates)


def test_deviates_that_are_all_from_0_to_1():
    r = [0.1983368, 0.6608953, 0.2834910, 0.0381919, 0.4731766]  # set.seed(42); rexp(5)
    verdict = unrandom.audit(r, seeds="0:1000", family="trivial")
    assert isinstance(verdict, Predictable), verdict.text()
    assert (verdict.parameters["method"], verdict.parameters["seed"]) == ("rexp", 42)
    threes = (of_numpy(seed, lambda one: one.randn(3)) for seed in range(1000))
    seed, three = next((seed, three) for seed, three in enumerate(threes) if 0 < min(three) < max(three) < 1)
    verdict = unrandom.audit(three, seeds=f"{seed}:{seed + 99}", family="trivial")
    assert verdict.parameters["seed"] == seed


def test_deviates_of_the_system_match_no_seed():
    chance = random.SystemRandom()
    for draw in (chance.gauss, chance.expovariate):
        arguments = (0, 1) if draw == chance.gauss else (1,)
        verdict = unrandom.audit([draw(*arguments) for _ in range(8)], seeds="0:20000", family="trivial")
        assert not isinstance(verdict, Predictable)
