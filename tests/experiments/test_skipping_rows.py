"""The verdicts of fm-skipping and fm-lookbacks are right for tables whose answer is known."""

import pytest

from frames import frames
from unrandom.experiments.baselines import lookbacks
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.scale import SCALES
from unrandom.experiments.scaling import skipping
from verdicts import verdicts_of

SEEDS = range(5)


def arms(changes=None):
    """One run for each arm of a part and seed: with rows that skip everything is learned, and without them little.

    ``changes`` are other final accuracies, by part and arm.
    """
    final = {
        ("rows", skipping.FULL): 0.2,
        ("rows", skipping.BALANCED): 0.2,
        ("rows", skipping.SMALLER): 0.2,
        ("rows", skipping.SKIPPING): 0.8,
        ("rows", skipping.BOTH): 0.95,
        ("beyond", skipping.FULL): 0.1,
        ("beyond", skipping.BALANCED): 0.2,
        ("beyond", skipping.SKIPPING): 0.95,
        ("beyond", skipping.STILL): 0.6,
        ("beyond", skipping.BOTH): 0.95,
        ("beyond", skipping.LONG): 0.95,
        ("end", skipping.ANY_SKIP): 0.95,
        ("end", skipping.SMALL_SKIPS): 0.95,
        ("end", skipping.NO_SKIPS): 0.99,
    } | (changes or {})
    return [
        {
            "part": part,
            "arm": arm,
            "seed": seed,
            "final": value + seed / 1000,
            "steps": 600 if value > 0.9 else 1200,
            "flops": 1e12,
            "censored": value < 0.9,
            "plateau": 200 if value > 0.9 else 900 + seed,
        }
        for (part, arm), value in final.items()
        for seed in SEEDS
    ]


def verdicts(runs):
    return verdicts_of("fm-skipping", {"runs": runs})


def test_what_skipping_rows_do_is_judged_seed_by_seed():
    found = verdicts(arms())
    assert found.pop("small") == "not reproduced"
    assert set(found.values()) == {"reproduced"}
    changed = {
        ("rows", skipping.BALANCED, 0.8): "balanced",
        ("rows", skipping.SMALLER, 0.8): "in-place",
        ("rows", skipping.SKIPPING, 0.95): "both",
        ("beyond", skipping.FULL, 0.9): "beyond",
        ("beyond", skipping.BALANCED, 0.8): "beyond-balanced",
        ("beyond", skipping.SKIPPING, 0.8): "beyond-alone",
        ("beyond", skipping.STILL, 0.9): "rotation",
        ("beyond", skipping.LONG, 1.02): "context",
        ("end", skipping.NO_SKIPS, 0.95): "none",
    }
    for (part, arm, value), claim in changed.items():
        assert verdicts(arms({(part, arm): value}))[claim] == "not reproduced"


def test_runs_that_never_reach_the_target_bound_the_steps():
    (steps,) = (j for j in EXPERIMENTS["fm-skipping"].judge(frames({"runs": arms()})) if j.claim.key == "steps")
    assert (steps.verdict, steps.found.value, steps.found.at_least) == ("reproduced", 2.0, True)


def test_seeds_that_only_one_arm_has_are_left_out():
    runs = [row for row in arms() if row["arm"] != skipping.FULL or row["seed"] < 2]
    assert verdicts(runs)["skipping"] == "not judged"
    assert verdicts(runs)["balanced"] == "reproduced"


@pytest.mark.parametrize(
    ("tokens", "last", "longest"),
    [
        ([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0], 100),
        ([0.1, 0.3, 0.301, 0.302, 0.31, 0.4], [0] * 6, 400),
        ([0.1, 0.3, 0.301, 0.302], [0] * 4, 200),  # it does not end
        ([0.1, 0.3, 0.301, 0.302, 0.303], [0, 0.95, 0.95, 0.95, 0.95], 100),  # the target is reached
    ],
)
def test_the_longest_plateau(tokens, last, longest):
    steps = enumerate(zip(tokens, last, strict=True), 1)
    assert skipping.longest_plateau([{"step": 100 * i, "tokens": t, "last": s} for i, (t, s) in steps]) == longest


def cuts(needed, *, left=0.2, control=1.0):
    """Tables of models that need the look-backs ``needed``, by layer."""
    rows = [
        {"layer": layer, "lookback": r, "kind": lookbacks.LOOKED, "right": left if r in needed.get(layer, ()) else 1.0}
        for layer in (0, 1)
        for r in (8, 12, 16, 24, 32, 64)
    ]
    rows += [{"layer": layer, "lookback": 5, "kind": lookbacks.CONTROL, "right": control} for layer in (0, 1)]
    key_columns = [{"run": f"run-{seed}", "seed": seed} for seed in range(3)]
    return {
        "cut": [{**each, **row} for each in key_columns for row in rows],
        "uncut": [{**each, "right": 1.0} for each in key_columns],
    }


def test_which_look_backs_are_needed():
    found = verdicts_of("fm-lookbacks", cuts({0: (8, 16, 32, 64), 1: (24,)}))
    assert set(found.values()) == {"reproduced"}
    order_2 = verdicts_of("fm-lookbacks", cuts({0: (12, 32)}))
    assert {key for key, verdict in order_2.items() if verdict == "not reproduced"} == {"more", "strides", "later"}
    assert verdicts_of("fm-lookbacks", cuts({}, control=0.5))["controls"] == "not reproduced"


@pytest.mark.parametrize("scale", SCALES)
def test_every_arm_is_another_run(scale):
    ids = [run.id for run in skipping.runs(scale, 1)]
    assert len(ids) == len(set(ids))
