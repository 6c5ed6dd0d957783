"""Input at the edges: descending counters, ranges with any round ends, constants, and what users state wrongly."""

import random
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unrandom
from unrandom.auditing.benchmark.printed import v8
from unrandom.auditing.forms.ranges import whole_ranges
from unrandom.auditing.verdict import NotFinished, NotPredicted, Predictable
from unrandom.core.errors import UserError


def uniform(count: int) -> list[float]:
    """Math.random() of V8 before 2026, which a few outputs of any range determine."""
    return list(islice(v8(53, False, float)(random.Random(1)), count))


@pytest.mark.parametrize(
    ("numbers", "following"),
    [
        (list(range(60, -1, -1)), [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10]),
        ([f"{x:04x}" for x in range(62, 1, -1)], ["0001", "0000"]),
        ([f"{x:04x}" for x in range(60, -1, -1)], []),
        ([2.5] * 60, [2.5] * 10),
        ([-0.5] * 60, [-0.5] * 10),
    ],
)
def test_counters_and_constants_predict_nothing_absurd(numbers: list[Any], following: list[Any]) -> None:
    verdict = unrandom.audit(numbers)
    assert isinstance(verdict, Predictable)
    assert verdict.next == following
    assert verdict.text().endswith(verdict.advice)


def test_a_counter_of_named_words_ends_with_the_last_word(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("\n".join(f"w{i:02}" for i in range(50)))
    verdict = unrandom.audit(file, notation="words")
    assert isinstance(verdict, Predictable)
    assert verdict.next == []


@pytest.mark.parametrize(
    ("least", "greatest", "count", "expected"),
    [
        (-97, 99, 200, (-100, 201)),
        (-990, 997, 200, (-1000, 2001)),
        (109_000, 989_000, 60, (100_000, 900_000)),
        (1, 6, 60, (1, 6)),
        (0, 99, 60, (0, 100)),
    ],
)
def test_ranges_have_round_ends(least: int, greatest: int, count: int, expected: tuple[int, int]) -> None:
    assert expected in whole_ranges(least, greatest, count)[:4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "size", "count"),
    [
        (-100, 201, 300),
        (-1000, 2001, 200),
        (100_000, 900_000, 60),
        (0, 10**9, 60),
        (0, 30_000, 90),
    ],
)
def test_whole_ranges_are_found_without_a_hint(start: int, size: int, count: int) -> None:
    printed = [start + int(size * u) for u in uniform(count + 10)]
    verdict = unrandom.audit(printed[:count])
    assert isinstance(verdict, Predictable)
    assert verdict.next == printed[count:]


@pytest.mark.slow
@pytest.mark.parametrize(("start", "size"), [(0.0, 0.5), (0.2, 0.6)])
def test_ranges_inside_0_to_1_are_found_without_a_hint(start: float, size: float) -> None:
    printed = [start + size * u for u in uniform(70)]
    verdict = unrandom.audit(printed[:60])
    assert isinstance(verdict, Predictable)
    assert np.allclose(verdict.next, printed[60:], rtol=0, atol=1e-15)


def test_large_numbers_are_described_with_all_digits() -> None:
    verdict = unrandom.audit([-x for x in unrandom.LCG(m=2**31 - 1, a=16807, c=0).orbit(x0=1, length=60)])
    assert isinstance(verdict, Predictable)
    assert "e+" not in verdict.form
    assert isinstance(unrandom.audit([10**400 * k for k in (3, 1, 4, 1, 5, 9, 2, 6)] * 9), Predictable)


@pytest.mark.parametrize(
    "stated", [{"bits": 0}, {"bounded": -1}, {"modulus": 0}, {"scale": 0}, {"start": 10**400}, {"start": float("inf")}]
)
def test_what_cannot_be_is_refused(stated: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        unrandom.audit([3, 1, 4, 1, 5], **stated)


def shuffles() -> list[list[int]]:
    chance = random.Random(3)
    return [chance.sample(range(10), 10) for _ in range(20)]


def test_shuffles_may_be_an_array_with_two_axes() -> None:
    rows = unrandom.audit(shuffles(), family="java-shuffle")
    array = unrandom.audit(np.array(shuffles()), family="java-shuffle")
    assert isinstance(rows, NotPredicted)
    assert isinstance(array, NotPredicted)
    assert array.notes == rows.notes


def test_no_range_is_stated_of_shuffles() -> None:
    with pytest.raises(UserError, match="shuffle of 10 cards"):
        unrandom.audit(shuffles(), bounded=10)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["xorshift", None])
def test_a_seed_that_makes_nothing_but_zeros_proves_nothing(program: str | None) -> None:
    chance = random.Random(1)
    numbers: Sequence[int] = [0] * 8 + [chance.getrandbits(32) for _ in range(60)]
    verdict = unrandom.audit(numbers, seeds="0:100", program=program, max_seconds=3)
    assert not isinstance(verdict, Predictable)


def test_advice_says_which_families_were_tried() -> None:
    chance = random.Random(2)
    numbers = [chance.getrandbits(32) for _ in range(100)]
    one = unrandom.audit(numbers, family="lcg")
    assert isinstance(one, NotPredicted)
    assert one.advice.startswith("No other family was tried.")
    hurried = unrandom.audit(numbers, max_seconds=0.01)
    assert isinstance(hurried, NotFinished)
    assert "--max-seconds" in hurried.advice
