"""The verdicts of the analyses of unseen moduli follow from their tables: planted tables, known answers."""

import pytest

from frames import frames
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.unseen_modulus.lookback import compared_lookbacks
from unrandom.experiments.unseen_modulus.modulus_estimate import estimating_head
from unrandom.runs.tables import table
from verdicts import verdicts_of

TRAINED = [{"run": f"r{seed}", "modulus": 153, "seed": seed, "accuracy": 0.95, "shortcut": 0.5} for seed in (0, 1, 2)]


def test_unseen_moduli_are_learned_with_long_periods():
    def rows(rule):
        return [
            {"run": f"r{seed}", "seed": seed, "before": 0, "step": step, "last_number_accuracy": test,
             "train_short_period_accuracy": min(1.0, step / 200), "train_rule_accuracy": rule and learned}
            for seed in (0, 1, 2) for step in range(20, 520, 20)
            for test, learned in [((step >= 400) / 2 + (step == 500) / 2, float(step >= 400))]
        ]  # fmt: skip

    verdicts = verdicts_of("um-grokking", {"metrics": rows(1.0), "trained": TRAINED})
    assert set(verdicts.values()) == {"reproduced"}
    old = verdicts_of("um-grokking", {"metrics": rows(None), "trained": TRAINED})
    assert old.pop("solved") == "reproduced"
    assert set(old.values()) == {"not judged"}
    grown = [{**row, "run": f"grown {row['run']}", "before": 500, "last_number_accuracy": 0.5} for row in rows(None)]
    last = verdicts_of("um-grokking", {"metrics": rows(1.0) + grown, "trained": TRAINED})
    assert last.pop("solved") == "not reproduced"
    assert set(last.values()) == {"reproduced"}


def test_the_head_that_looks_at_the_largest_number_is_found():
    rows = [
        {"head": head, "modulus": m, "strongest_is_largest": {0: 0.1, 1: 0.7}[head]} for head in (0, 1) for m in (8, 9)
    ]
    assert estimating_head(table(rows)) == 1


def lookback_tables(own, spacing=0.8, trained=TRAINED, place=-1):
    """Planted tables of um-lookback: a first layer that does not adapt, and a head of the second that does by `own`."""
    adaptivity = [
        {"run": f"r{seed}", "seed": seed, "layer": layer, "head": head, "look-back": r, "place": 0,
         "value": own if (layer, head) == (1, 0) else 0.02, "chosen": (layer, head) == (1, 0)}
        for seed in (0, 1, 2) for layer in (0, 1) for head in (0, 1) for r in (5, 7, 8)
    ]  # fmt: skip
    spacings = [
        {"run": f"r{seed}", "seed": seed, "layer": 1, "head": 0, "look-back": r, "excess": spacing, "spacing": r,
         "share": 1.0}
        for seed in (0, 1, 2) for r in (5, 7, 8)
    ]  # fmt: skip
    distances = [
        {"run": f"r{seed}", "seed": seed, "layer": 1, "head": 0, "look-back": r, "distance": d,
         "attention": own if d == 2 * r + place else 0.02, "others": 0.02}
        for seed in (0, 1, 2) for r in (5, 7, 8) for d in range(24)
    ]  # fmt: skip
    return {"adaptivity": adaptivity, "distances": distances, "spacings": spacings, "trained": trained}


def test_a_head_that_adapts_is_told_from_fixed_look_backs():
    found = verdicts_of("um-lookback", lookback_tables(0.6))
    assert found == dict.fromkeys(("adapts", "places", "spacings", "later"), "reproduced")
    found = verdicts_of("um-lookback", lookback_tables(0.03, spacing=0.1, place=2))
    assert set(found.values()) == {"not reproduced"}


def test_look_backs_are_compared_where_order_2_fits_in_the_context():
    assert compared_lookbacks("laptop", 48) == [5, 7, 8, 9, 16]
    assert compared_lookbacks("laptop", 23) == [5, 7, 8, 9]


def test_claims_about_the_algorithm_presuppose_more_than_a_fixed_look_back():
    """Models that a look-back of one distance equals, and tables that do not say so, are not judged."""
    as_good = [{**row, "shortcut": 0.9} for row in TRAINED]
    unknown = [{name: value for name, value in row.items() if name != "shortcut"} for row in TRAINED]
    for trained in (as_good, unknown):
        assert set(verdicts_of("um-lookback", lookback_tables(0.6, trained=trained)).values()) == {"not judged"}


def test_digits_that_are_right_from_their_second_period_on_are_copied():
    def rows(right_from):
        return [
            {"run": f"r{seed}", "seed": seed, "modulus": 64, "look-back": 8, "prime": 2, "power": w, "seen": t,
             "value": 1.0 if t >= right_from(2 ** (w + 1)) else 0.5}
            for seed in (0, 1, 2) for w in range(4) for t in range(1, 65)
        ]  # fmt: skip

    def verdicts(right_from):
        return verdicts_of("um-digits", {"digits": rows(right_from), "trained": TRAINED})

    assert verdicts(lambda period: 2 * period) == {"copied": "reproduced", "ladder": "reproduced"}
    assert verdicts(lambda period: 40) == {"copied": "not reproduced", "ladder": "not reproduced"}


def shortcut_tables(task, *, fits=1.0, other=0.3, stride=0.5, progressed=0.9, index=0.05):
    """Planted tables of um-shortcut for one task."""
    key_columns = [{"run": f"{task}-{seed}", "seed": seed, "task": task} for seed in (0, 1, 2)]
    return {
        "lookbacks": [
            {**keys, "moduli": moduli, "look-back": r, "stride": 12, "fits": 144 % r == 0, "of stride": stride,
             "value": fits if 144 % r == 0 else other}
            for keys in key_columns for moduli in ("unseen", "training") for r in (4, 5, 7, 9)
        ],
        "progressions": [
            {**keys, "modulus": 101, "progressions": s, "value": progressed}
            for keys in key_columns for s in (2, 3, 5, 6)
        ],
        "adaptivity": [{**keys, "look-back": 5, "value": index, "chosen": True} for keys in key_columns],
    }  # fmt: skip


def test_a_shortcut_is_told_from_an_algorithm():
    fixed, main = shortcut_tables("common stride"), shortcut_tables("no common stride", other=0.95)
    hard = shortcut_tables("hard moduli", index=0.5)
    tables = {name: fixed[name] + main[name] + hard[name] for name in fixed}
    assert set(verdicts_of("um-shortcut", tables).values()) == {"reproduced"}
    poor = shortcut_tables("no common stride", fits=0.7, other=0.3)
    tables = {name: fixed[name] + poor[name] + hard[name] for name in fixed}
    found = verdicts_of("um-shortcut", tables)
    assert (found["beyond"], found["margin"]) == ("not reproduced", "not reproduced")


def test_what_makes_a_look_back_adapt_is_told_by_arm():
    def rows(task, ends):
        return [
            {"run": f"{task}-{name}-{seed}", "seed": seed, "task": task, "changed": name, "step": step,
             "index": end if step else 0.9, "fits": 1.0, "does not fit": 0.3}
            for name, end in ends.items() for seed in (0, 1, 2) for step in (0, 200)
        ]  # fmt: skip

    arms = ("mix", "rates", "batch", "range", "depth", "context", "balanced")
    fixed = rows("common stride", {"unchanged": 0.1, **dict.fromkeys(arms, 0.1), "context": 0.4})
    adaptive = rows("no common stride", {"unchanged": 0.4, "short": 0.1, "uniform": 0.38})
    found = verdicts_of("um-adaptivity", {"steps": fixed + adaptive})
    assert {key for key, verdict in found.items() if verdict == "reproduced"} == {"context", "short"}
    assert set(found.values()) == {"reproduced", "not reproduced"}


def test_steps_are_known_to_their_grid_only():
    def rows(test):
        return [
            {"run": f"r{seed}", "seed": seed, "before": 0, "step": step, "last_number_accuracy": float(step >= test),
             "train_short_period_accuracy": float(step >= 200), "train_rule_accuracy": float(step >= 400)}
            for seed in (0, 1, 2) for step in range(100, 1000, 100)
        ]  # fmt: skip

    def together(test):
        judged = EXPERIMENTS["um-grokking"].judge(frames({"metrics": rows(test), "trained": TRAINED}))
        return next(each for each in judged if each.claim.key == "together").to_json()

    same = together(400)
    assert (same["value"], same["interval"]) == (1, pytest.approx([300 / 400, 400 / 300], abs=1e-3))
    assert same["verdict"] == "inconclusive"  # a ratio of 1.25 would be between two evaluations
    assert together(300)["verdict"] == "reproduced"


def test_each_prime_counts_that_some_head_groups_numbers_by():
    def tables(excess):
        scores, heads = [], []
        for seed in (0, 1, 2):
            for head, prime in enumerate((2, 3, 5, 0)):
                for m in (48, 72):
                    row = {"run": f"r{seed}", "seed": seed, "head": head, "modulus": m, "position": 0}
                    scores += [{**row, "q": q, "excess": excess if q == prime else 0.1} for q in (2, 3, 5)]
                    heads.append({**row, "own_prime": prime})
        return {"scores": scores, "heads": heads, "trained": TRAINED}

    assert verdicts_of("um-heads", tables(0.8)) == {"primes": "reproduced"}
    assert verdicts_of("um-heads", tables(0.3)) == {"primes": "not reproduced"}


def test_pruning_judges_what_the_own_prime_loses_beyond_the_others():
    def rows(own, other, prime=2):
        return [
            {"run": run, "layer": 0, "head": 0, "replacement": "scalar-mean", "own_prime": prime, "prime": p,
             "damage": damage}
            for run in ("r0", "r1", "r2") for p, damage in ((2, own), (3, other), (5, None))
        ] + [{"run": "r0", "layer": 0, "head": 0, "replacement": "zero", "own_prime": prime, "prime": 3,
              "damage": 1.0}]  # fmt: skip

    def verdicts(*planted):
        return verdicts_of("um-pruning", {"digits": rows(*planted), "trained": TRAINED})

    assert verdicts(0.9, 0.1) == {"lost": "reproduced", "spared": "reproduced"}
    everything = verdicts(0.9, 0.9)  # as any destructive ablation would give
    assert everything == {"lost": "not reproduced", "spared": "not reproduced"}
    no_digit_of_its_own = verdicts(0.9, 0.1, 7)
    assert set(no_digit_of_its_own.values()) == {"not judged"}


def test_analyses_of_models_that_have_not_learned_are_not_judged():
    poor = [{**row, "accuracy": 0.75} for row in TRAINED]
    assert set(verdicts_of("um-lookback", lookback_tables(0.6, trained=poor)).values()) == {"not judged"}


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
