"""A verdict follows from the numbers and the threshold, and from nothing else."""

import json

import pytest

from unrandom.evaluation.bootstrap import bootstrap_mean
from unrandom.experiments.claims import Claim

HIGH = Claim("high", "x is large", "fig:x", 0.9)
LOW = Claim("low", "x is small", "fig:x", 0.1, at_least=False)


@pytest.mark.parametrize(
    ("claim", "values", "verdict"),
    [
        (HIGH, [0.95, 0.96, 0.97], "reproduced"),
        (HIGH, [0.95, 0.96, 0.5], "not reproduced"),  # the mean may be near, the interval is not
        (HIGH, [0.8, 0.99, 0.99], "not reproduced"),
        (HIGH, [0.9], "reproduced"),
        (HIGH, [0.89], "not reproduced"),
        (HIGH, [], "not run"),
        (LOW, [0.01, 0.02, 0.03], "reproduced"),
        (LOW, [0.01, 0.02, 0.5], "not reproduced"),
        (LOW, [], "not run"),
    ],
)
def test_verdicts(claim, values, verdict):
    assert claim.judge(values).verdict == verdict


def test_the_interval_covers_the_mean_and_stays_within_the_values():
    low, high = bootstrap_mean([0.1, 0.2, 0.6])
    assert 0.1 <= low < 0.3 < high <= 0.6
    assert bootstrap_mean([0.1, 0.2, 0.6]) == (low, high)


def test_one_unit_has_no_interval():
    judged = HIGH.judge([0.95]).tree()
    assert judged["interval"] is None
    assert json.loads(json.dumps(judged)) == judged
