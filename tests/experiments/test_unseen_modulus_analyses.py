"""The verdicts of the analyses of unseen moduli follow from their tables: planted tables, known answers."""

import pytest

from unrandom.experiments.unseen_modulus.lookback import best_head
from unrandom.experiments.unseen_modulus.modulus_estimate import estimating_head
from unrandom.runs.tables import table
from verdicts import verdicts_of

TRAINED = [{"run": f"r{seed}", "modulus": 153, "seed": seed, "accuracy": 0.95} for seed in (0, 1, 2)]


def test_unseen_moduli_are_learned_with_long_periods():
    def rows(rule):
        return [
            {"run": f"r{seed}", "seed": seed, "step": step, "last_number_accuracy": test,
             "train_short_period_accuracy": min(1.0, step / 200), "train_rule_accuracy": learned}
            for seed in (0, 1, 2) for step, test, learned in ((100, 0.0, 0.0), (400, 0.5, rule), (500, 1.0, rule))
        ]  # fmt: skip

    verdicts = verdicts_of("um-grokking", {"metrics": rows(1.0), "trained": TRAINED})
    assert verdicts == {"solved": "reproduced", "short-first": "reproduced", "together": "reproduced"}
    old = verdicts_of("um-grokking", {"metrics": rows(None), "trained": TRAINED})
    assert old == {"solved": "reproduced", "short-first": "not judged", "together": "not judged"}


def test_the_head_that_looks_at_the_largest_number_is_found():
    rows = [
        {"head": head, "modulus": m, "strongest_is_largest": {0: 0.1, 1: 0.7}[head]} for head in (0, 1) for m in (8, 9)
    ]
    assert estimating_head(table(rows)) == 1


def test_the_head_whose_look_back_divides_the_modulus_is_found():
    assert best_head(table(lookback_rows(0.8))) == (1, 0)
    verdicts = verdicts_of("um-lookback", {"heads": lookback_rows(0.8), "trained": TRAINED})
    assert verdicts == {"divides": "reproduced", "clear": "reproduced"}
    unclear = verdicts_of("um-lookback", {"heads": lookback_rows(0.3), "trained": TRAINED})
    assert unclear == {
        "divides": "not reproduced",
        "clear": "not reproduced",
    }  # a share of 0.3 is below both thresholds


def lookback_rows(excess):
    preferred = {(1, 0): {108: 6, 128: 4, 127: 5}, (2, 1): {108: 5, 128: 8, 127: 2}}
    return [
        {"run": run, "layer": layer, "head": head, "half": half, "modulus": m, "preferred": r, "excess": excess}
        for run in ("r0", "r1", "r2")
        for (layer, head), of in preferred.items()
        for m, r in of.items()
        for half in (0, 1)
    ]


def test_pruning_judges_what_the_own_prime_loses_beyond_the_others():
    def rows(own, other):
        return [
            {"run": run, "replacement": "scalar-mean", "own_prime": 2, "prime": prime, "damage": damage}
            for run in ("r0", "r1", "r2")
            for prime, damage in ((2, own), (3, other), (5, None))
        ] + [{"run": "r0", "replacement": "zero", "own_prime": 2, "prime": 3, "damage": 1.0}]

    shares = [
        {"run": f"r{i}", "replacement": "scalar-mean", "value": 0.9, "permuted": 0.5, "primes": 2} for i in range(3)
    ]

    def verdicts(own, other):
        tables = {"digits": rows(own, other), "specialisation": shares, "trained": TRAINED}
        return verdicts_of("um-pruning", tables)

    assert verdicts(0.9, 0.1) == {"own-prime": "reproduced", "lost": "reproduced", "spared": "reproduced"}
    everything = verdicts(0.9, 0.9)  # as any destructive ablation would give
    assert everything == {"own-prime": "reproduced", "lost": "not reproduced", "spared": "not reproduced"}


def test_analyses_of_models_that_have_not_learned_are_not_judged():
    poor = [{**row, "accuracy": 0.65} for row in TRAINED]
    assert set(verdicts_of("um-lookback", {"heads": lookback_rows(0.8), "trained": poor}).values()) == {"not judged"}


def test_only_prime_moduli_leave_the_lookback_unjudged():
    row = {"run": "r", "layer": 1, "head": 0, "modulus": 127, "preferred": 5, "excess": 0.8}
    rows = [{**row, "half": half} for half in (0, 1)]
    assert set(verdicts_of("um-lookback", {"heads": rows, "trained": TRAINED}).values()) == {"not judged"}


def _by_rule(pairs, values, *, counting=0.9, roots=0.1, seeds=(0, 1, 2)):
    """Planted tables of um-hold-out: for each rule, the final accuracy and the step that reaches 50 %."""
    accuracy, metrics = [], []
    for seed in seeds:
        for rule, (last, half) in (("pairs", pairs), ("values", values)):
            run = {"run": f"{rule}-{seed}", "seed": seed, "rule": rule}
            accuracy += [{**run, "reading": "as tested", "modulus": m, "value": last + 0.01 * seed} for m in (125, 128)]
            accuracy += [{**run, "reading": "as tested", "modulus": 127, "value": roots}]
            accuracy += [{**run, "reading": "a = 1", "modulus": 127, "value": counting}]
            metrics += [{**run, "step": s, "last_number_accuracy": 0.6 * (s >= half)} for s in range(100, 1100, 100)]
    return {"accuracy": accuracy, "metrics": metrics}


def test_what_the_stricter_split_costs_is_judged_seed_by_seed():
    found = verdicts_of("um-hold-out", _by_rule((0.8, 400), (0.5, 800)))
    assert set(found.values()) == {"reproduced"}
    found = verdicts_of("um-hold-out", _by_rule((0.5, 800), (0.8, 400), counting=0.2))
    assert set(found.values()) == {"not reproduced"}


def test_the_ratio_of_steps_is_a_bound_if_a_rule_never_reached_half():
    late = verdicts_of("um-hold-out", _by_rule((0.8, 400), (0.5, 2000)))
    assert late["sooner"] == "reproduced"  # at least 2.5 times
    never = verdicts_of("um-hold-out", _by_rule((0.8, 2000), (0.5, 2000)))
    assert never["sooner"] == "not judged"
    few = verdicts_of("um-hold-out", _by_rule((0.8, 400), (0.5, 800), seeds=(0, 1)))
    assert set(few.values()) == {"not judged"}


def _by_lookback(accuracy, *, missing, training=0.99):
    """Planted tables of um-needed-lookback: accuracy by look-back, of which training moduli may lack one."""
    return {
        "lookbacks": [
            {"run": f"r{seed}", "seed": seed, "modulus": m, "look-back": r, "taught": r != missing, "value": value}
            for seed in (0, 1, 2)
            for m in (0, 125)
            for r in (1, 5, 25)
            if r != missing or m
            for value in [training if m == 0 else accuracy[r] - 0.01 * seed]
        ]
    }


@pytest.mark.parametrize(
    ("accuracy", "planted", "wanted"),
    [
        ({1: 0, 5: 0.95, 25: 0.5}, {"missing": 25}, ("reproduced", "reproduced")),
        ({1: 1, 5: 0.7, 25: 0.6}, {"missing": 25}, ("not reproduced", "not reproduced")),
        ({1: 1, 5: 0.95, 25: 0.95}, {"missing": None}, ("reproduced", "not judged")),
        ({1: 0, 5: 0.95, 25: 0.5}, {"missing": 25, "training": 0.5}, ("not judged", "not judged")),
    ],
)
def test_look_backs_of_training_moduli_are_compared_with_the_others(accuracy, planted, wanted):
    found = verdicts_of("um-needed-lookback", _by_lookback(accuracy, **planted))
    assert (found["taught"], found["missing"]) == wanted
