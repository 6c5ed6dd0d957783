"""Shuffles by Java's Collections.shuffle and Perl's List::Util are predicted, other shuffles are not."""

import json
from pathlib import Path
from random import Random

import pytest

import unrandom
from unrandom.auditing.verdict import Predictable

VECTORS = Path(__file__).parents[1] / "vectors"


def shuffles_in(name: str) -> list[list[int]]:
    return [json.loads(line) for line in (VECTORS / f"{name}.txt").read_text().splitlines() if line.startswith("[")]


@pytest.mark.parametrize(("name", "first", "given"), [("java_shuffles", 1, 3), ("java_shuffles_of_10", 3, 25)])
def test_shuffles_of_java(name: str, first: int, given: int) -> None:
    rows = shuffles_in(name)
    verdict = unrandom.audit(rows[first : first + given])
    assert isinstance(verdict, Predictable)
    assert verdict.family == "java-shuffle"
    assert verdict.next == rows[first + given][:10]
    assert verdict.previous == rows[first - 1][-10:]


def test_shuffles_of_perl() -> None:
    lines = (VECTORS / "perl_shuffles.txt").read_text().splitlines()
    rows = [[int(card) for card in line.split()] for line in lines if not line.startswith("#")]
    verdict = unrandom.audit(rows[1:3])
    assert isinstance(verdict, Predictable)
    assert verdict.family == "truncated-lcg"
    assert verdict.form == "shuffles of 52, from the last card on"
    assert verdict.next == rows[3][:10]
    assert verdict.previous == rows[0][-10:]


def test_two_shuffles_suffice() -> None:
    rows = shuffles_in("java_shuffles")
    verdict = unrandom.audit(rows[:2])
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.certificate.information is not None
    assert verdict.next == rows[2][:10]


def test_other_shuffles() -> None:
    chance = Random(1)
    rows = [chance.sample(range(52), 52) for _ in range(4)]
    assert not isinstance(unrandom.audit(rows, family="java-shuffle"), Predictable)
