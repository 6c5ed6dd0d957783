"""A verdict follows from the measured numbers and the threshold alone."""

import json
from dataclasses import replace

import pytest

from unrandom.evaluation import Estimate, over_units
from unrandom.experiments.claims import (
    LEARNED,
    Bound,
    Claim,
    Precondition,
    Unknown,
    at_least,
    at_most,
    judge,
    judge_all,
)

TRAINED = Claim(
    key="trained", statement="x is large", quantity="x", wanted=at_least(0.9, "number"), precondition=LEARNED
)
HIGH = replace(TRAINED, key="high", precondition=None)
LOW = replace(HIGH, key="low", statement="x is small", wanted=at_most(0.1, "number"))


@pytest.mark.parametrize(
    ("claim", "values", "verdict"),
    [
        (HIGH, [0.95, 0.96, 0.97], "reproduced"),
        (HIGH, [0.95, 0.96, 0.5], "inconclusive"),  # the interval contains the threshold
        (HIGH, [0.7, 0.71, 0.72], "not reproduced"),
        (HIGH, [0.95, 0.96], "not judged"),  # too few, though every value is large
        (HIGH, [0.95], "not judged"),
        (HIGH, [], "not judged"),
        (HIGH, Unknown("no law"), "not judged"),
        (LOW, [0.01, 0.02, 0.03], "reproduced"),
        (LOW, [0.01, 0.02, 0.5], "inconclusive"),
        (LOW, [0.5, 0.51, 0.52], "not reproduced"),
        (HIGH, Estimate(0.95, 0.91, 0.99, 4, "a fit"), "reproduced"),
        (HIGH, Estimate(0.95, 0.89, 0.99, 4, "a fit"), "inconclusive"),
        (HIGH, Estimate(0.5, 0.4, 0.6, 4, "a fit"), "not reproduced"),
    ],
)
def test_verdicts(claim, values, verdict):
    judged = judge(claim, values, {})
    assert judged.verdict == verdict
    assert bool(judged.reason) == (verdict == "not judged")


def test_an_unmet_precondition_is_not_judged_but_its_numbers_are_shown():
    judged = judge(TRAINED, [0.95, 0.96, 0.97], {LEARNED: 0.24})
    assert (judged.verdict, judged.reason) == (
        "not judged",
        "it presupposes last-number accuracy ≥ 0.9, which is 0.240",
    )
    assert judged.to_json()["interval"] is not None
    assert judge(TRAINED, [0.95, 0.96, 0.97], {LEARNED: 0.9}).verdict == "reproduced"
    assert "was not measured" in judge(TRAINED, [0.95, 0.96, 0.97], {LEARNED: None}).reason


def test_a_bound_has_no_interval_and_decides_in_its_own_direction():
    why = "3 of 3 runs of AdamW never reached 90 %"
    shown = judge(HIGH, Bound([3.3, 3.5, 3.7], at_least=True, why=why), {})
    assert (shown.verdict, shown.reason) == ("reproduced", why)
    tree = shown.to_json()
    assert (tree["bound"], tree["value"], tree["interval"], tree["units"]) == ("≥", 3.3, None, 3)
    for bound in (Bound([0.2, 0.3, 0.4], at_least=True, why=why), Bound([3.3, 3.5, 3.7], at_least=False, why=why)):
        assert judge(HIGH, bound, {}).verdict == "not judged"  # the true value may be on either side
    assert judge(HIGH, Bound([0.2, 0.3, 0.4], at_least=False, why=why), {}).verdict == "not reproduced"
    assert judge(HIGH, Bound([3.3, 3.5], at_least=True, why=why), {}).verdict == "not judged"
    assert judge(LOW, Bound([0.01, 0.02, 0.03], at_least=False, why=why), {}).verdict == "reproduced"


def test_an_interval_of_a_share_ends_at_zero_and_one():
    share = Claim(key="s", statement="x", quantity="x", wanted=at_least(0.9, "share"), precondition=None)
    values = [0.8, 0.99, 0.99]
    assert over_units(values).high > 1
    assert judge(share, values, {}).to_json()["interval"][1] == 1


def test_missing_and_unknown_keys_are_errors():
    claims = (HIGH, TRAINED)
    good = {"high": [1.0], "trained": [1.0]}
    assert len(judge_all(claims, {**good, LEARNED: 1.0})) == 2
    with pytest.raises(KeyError, match="trained"):
        judge_all(claims, {"high": [1.0], LEARNED: 1.0})
    with pytest.raises(KeyError, match="trianed"):
        judge_all(claims, {**good, "trianed": [1.0], LEARNED: 1.0})
    with pytest.raises(KeyError, match="last-number accuracy"):
        judge_all(claims, good)


def test_a_judgement_as_json_has_all_fields_of_the_claim():
    claim = Claim(
        key="k",
        statement="S.",
        quantity="q",
        wanted=at_least(0.9, "share"),
        figure="fig:training",
        precondition=Precondition("accuracy", 0.5),
        origin="beyond",
        written="after",
    )
    tree = judge(claim, [0.95, 0.96, 0.97], {claim.precondition: 1.0}).to_json()
    assert json.loads(json.dumps(tree)) == tree
    assert tree == {
        "key": "k",
        "claim": "S.",
        "quantity": "q",
        "unit": "share",
        "figure": "fig:training",
        "value": 0.96,
        "bound": "",
        "interval": [0.9352, 0.9848],
        "interval_kind": "Student's t over 3 seeds",
        "threshold": "≥ 0.9",
        "units": 3,
        "precondition": "accuracy ≥ 0.5",
        "origin": "beyond",
        "written": "after",
        "verdict": "reproduced",
        "reason": "",
    }
