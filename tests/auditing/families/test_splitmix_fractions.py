"""Fractions of SplitMix64 are predicted from two of them."""

from pathlib import Path

import unrandom
from unrandom.auditing.verdict import Predictable


def test_next_double_of_javas_splittable_random():
    lines = (Path(__file__).parents[1] / "vectors" / "java_splittable_doubles.txt").read_text().splitlines()
    numbers = [float(line) for line in lines if not line.startswith("#")]
    verdict = unrandom.audit(numbers[10:50])
    assert isinstance(verdict, Predictable), verdict.text()
    assert (verdict.family, verdict.outputs_needed) == ("splitmix64-fractions", 2)
    assert [float(x) for x in verdict.next] == numbers[50:]
    assert [float(x) for x in verdict.previous] == numbers[:10]
