"""The reliability of predictions is read from the last evaluation during training."""

import pytest

from unrandom.runs.continuation import Reliability


def reliability(**accuracy_after):
    return Reliability.of([{"accuracy_after": {}}, {"accuracy_after": {k[1:]: v for k, v in accuracy_after.items()}}])


@pytest.mark.parametrize(
    ("measured", "start"),
    [
        ({"_1": 0.0, "_2": 0.4, "_4": 0.95, "_8": 1.0}, 4),
        ({"_1": 0.95, "_2": 0.4, "_4": 0.89, "_16": 0.9}, 16),
        ({"_1": 1.0, "_2": 1.0}, 1),
        ({"_1": 1.0, "_2": 0.89}, None),
        ({"_1": None, "_2": 1.0}, 2),
    ],
)
def test_the_first_count_from_which_accuracy_stays_high(measured, start):
    assert reliability(**measured).reliable_from == start


def test_words():
    trained = reliability(_1=0.0, _2=0.357, _4=0.934, _8=1.0)
    enough = "this model is usually right from about 4 numbers on (93 % right)"
    assert trained.text("r", fewest=4) == enough
    warning = "warning: 3 numbers are too few for an answer to rely on: 36 % right after 2 numbers"
    assert trained.text("r", fewest=3) == f"{enough}\n{warning}"
    unmeasured = reliability(_2=0.1, _4=1.0).text("r", fewest=1)
    assert unmeasured.endswith("\nwarning: 1 number is too few for an answer to rely on")
    wrong = reliability(_1=0.6, _2=0.5)
    assert wrong.text("r", fewest=1) == "this model is usually wrong: at best 60 % right after 1 number"


@pytest.mark.parametrize("metrics", [[], [{"step": 1}], [{"accuracy_after": {"1": 1.0}}, {"step": 2}]])
def test_what_was_not_measured_is_unknown(metrics):
    unknown = Reliability.of(metrics)
    assert unknown.reliable_from is None
    text = unknown.text("r", fewest=1)
    assert text.endswith("is unknown; measure it with: unrandom evaluate r")
