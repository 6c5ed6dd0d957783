"""The verdicts of the unseen-modulus grids follow from their tables: planted tables, known answers."""

from itertools import product

import pytest

from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.unseen_modulus.accuracy import cells, mean, tuned
from unrandom.experiments.unseen_modulus.lookback import best_head
from unrandom.experiments.unseen_modulus.modulus_estimate import estimating_head


def _rows(accuracy, *, splits=("test",), moduli=(48, 64), seeds=(0, 1), **axes):
    """A row for each combination, with ``accuracy`` as a function of the settings."""
    return [
        {**settings, "run": f"{settings}-{seed}", "seed": seed, "split": split, "modulus": m, "value": value}
        for combination in product(*axes.values())
        for settings in [dict(zip(axes, combination, strict=True))]
        for seed in seeds
        for split in splits
        for m in moduli
        for value in [accuracy(settings, split)]
    ]


def _verdicts(name, tables):
    experiment = EXPERIMENTS[name]
    evidence = experiment.evidence(tables)
    return {claim.key: claim.judge(evidence[claim.key]).verdict for claim in experiment.claims}


def test_settings_are_chosen_on_the_validation_moduli_alone():
    best_on = {"validation": 0.02, "test": 0.05}
    rows = _rows(lambda s, split: float(s["rate"] == best_on[split]), splits=best_on, depth=(2,), rate=(0.02, 0.05))
    found, chosen = tuned(rows, ["depth"], ["rate"])
    assert chosen == {(2,): (0.02,)}
    assert mean(found[2,]) == 0.0  # the choice is tested where it is not the best


def test_cells_are_means_over_moduli_for_each_seed():
    rows = _rows(lambda s, _: 0.5, depth=(1,))
    rows[0]["value"] = 1.0
    assert cells(rows, ["depth"]) == {(1,): {0: 0.75, 1: 0.5}}


def test_the_phase_diagram_of_the_paper_is_reproduced():
    def accuracy(settings, _split):
        return 0.1 if settings["depth"] < 3 else {1: 0.4, 2: 0.8, 4: 0.9}[settings["heads"]]

    rows = _rows(accuracy, depth=(1, 2, 3, 4), heads=(1, 2, 4), width=(64,))
    assert _verdicts("um-phase-diagram", {"accuracy": rows}) == {
        "shallow": "reproduced",
        "second-head": "reproduced",
    }
    flat = _rows(lambda s, _: 0.3 + 0.1 * s["heads"], depth=(1, 2, 3, 4), heads=(1, 2, 4), width=(64,))
    assert _verdicts("um-phase-diagram", {"accuracy": flat}) == {
        "shallow": "not reproduced",
        "second-head": "not reproduced",
    }


@pytest.mark.parametrize(("shallow", "verdict"), [(0.1, "reproduced"), (0.8, "not reproduced")])
def test_critical_depth(shallow, verdict):
    axes = {"depth": (1, 2, 3), "width": (32, 64), "rate": (0.02, 0.05), "weight decay": (0.1,)}

    def accuracy(settings, _split):
        return (shallow if settings["depth"] < 3 else 0.9) * (1.0 if settings["rate"] == 0.05 else 0.1)

    rows = _rows(accuracy, splits=("validation", "test"), **axes)
    assert _verdicts("um-critical-depth", {"accuracy": rows}) == {"three-layers": verdict, "width": "reproduced"}


def test_the_area_of_good_settings():
    def rows(size, good):
        made = _rows(
            lambda s, _: 0.9 if (s["rate"], s["weight decay"]) in good else 0.1,
            splits=("validation", "test"),
            rate=(1, 2),
            **{"weight decay": (1, 2)},
        )
        return [{**row, "largest modulus": size} for row in made]

    shrinking = rows(32, {(1, 1), (1, 2), (2, 1)}) + rows(64, {(1, 1)})
    assert _verdicts("um-hyperparameters", {"accuracy": shrinking}) == {"shrinks": "reproduced", "chosen": "reproduced"}
    growing = rows(32, {(1, 1)}) + rows(64, {(1, 1), (1, 2), (2, 1)})
    assert _verdicts("um-hyperparameters", {"accuracy": growing})["shrinks"] == "not reproduced"


def test_the_composition_of_the_training_set():
    usual = {"n_m": "all", "n_a": "all", "n_c": "all", "full-period share": "0.5"}

    def rows(axis, value, accuracy):
        made = _rows(lambda *_: accuracy, **{key: (text,) for key, text in {**usual, axis: value}.items()})
        return [{**row, "axis": "" if usual[axis] == value else axis, "largest": 64} for row in made]

    table = rows("n_m", "all", 0.9) + rows("n_m", "8", 0.3) + rows("n_m", "16", 0.85)
    table += rows("n_a", "4", 0.88) + rows("n_c", "4", 0.5) + rows("full-period share", "0.0", 0.4)
    assert _verdicts("um-dataset", {"accuracy": table}) == {
        "moduli": "reproduced",
        "multipliers": "reproduced",
        "increments": "not reproduced",
        "quarter": "reproduced",
        "mix": "reproduced",
    }


def test_period_ablation():
    def metrics(data, values):
        return [
            {"run": data, "seed": 0, "data": data, "step": 100 * (i + 1), "last_number_accuracy": value}
            for i, value in enumerate(values)
        ]

    every = metrics("all periods", [0.0, 0.1, 0.2, 0.8])
    long = metrics("long periods", [0.1, 0.5, 0.8, 0.8])
    short = metrics("short periods", [0.0, 0.01, 0.02, 0.02])
    assert set(_verdicts("um-period-ablation", {"metrics": every + long + short}).values()) == {"reproduced"}


def test_the_head_that_looks_at_the_largest_number_is_found():
    rows = [
        {"head": head, "modulus": m, "strongest_is_largest": {0: 0.1, 1: 0.7}[head]} for head in (0, 1) for m in (8, 9)
    ]
    assert estimating_head(rows) == 1


def test_the_head_that_follows_the_modulus_is_found():
    preferred = {(1, 0): {108: 6, 128: 4, 127: 5}, (2, 1): {108: 5, 128: 8, 127: 2}}
    rows = [
        {"run": "r", "layer": layer, "head": head, "half": half, "modulus": m, "preferred": r, "excess": 0.8}
        for (layer, head), of in preferred.items()
        for m, r in of.items()
        for half in (0, 1)
    ]
    assert best_head(rows) == (1, 0)
    assert _verdicts("um-lookback", {"heads": rows}) == {
        "divides": "reproduced",
        "clear": "reproduced",
        "adapts": "reproduced",
    }


def test_pruning_counts_the_papers_replacement_and_heads_with_a_prime():
    def row(replacement, own, prime, damage):
        return {"run": "r", "replacement": replacement, "own_prime": own, "prime": prime, "damage": damage}

    digits = [row("scalar-mean", 2, 2, 0.9), row("scalar-mean", 2, 3, 0.1), row("zero", 2, 3, 1.0)]
    digits += [row("scalar-mean", 0, 3, 1.0), row("scalar-mean", 3, 2, None)]
    shares = [{"replacement": "scalar-mean", "value": 0.9, "permuted": 0.5, "primes": 2}]
    assert set(_verdicts("um-pruning", {"digits": digits, "specialisation": shares}).values()) == {"reproduced"}


def test_where_nothing_was_learned_nothing_is_judged():
    axes = {"depth": (1, 2, 3, 4), "heads": (1, 2, 4), "width": (64,)}
    nothing = {"accuracy": _rows(lambda *_: 0.0, **axes)}
    assert set(_verdicts("um-phase-diagram", nothing).values()) == {"not run"}
    axes = {"depth": (2, 3), "width": (32,), "rate": (0.05,), "weight decay": (0.1,)}
    nothing = {"accuracy": _rows(lambda *_: 0.01, splits=("validation", "test"), **axes)}
    assert set(_verdicts("um-critical-depth", nothing).values()) == {"not run"}
    sized = _rows(lambda *_: 0.01, splits=("validation", "test"), rate=(1, 2), **{"weight decay": (1,)})
    nothing = {"accuracy": [{**row, "largest modulus": size} for size in (32, 64) for row in sized]}
    assert set(_verdicts("um-hyperparameters", nothing).values()) == {"not run"}
    flat = [
        {"run": data, "seed": 0, "data": data, "step": 1, "last_number_accuracy": 0.0}
        for data in ("all periods", "short periods", "long periods")
    ]
    assert set(_verdicts("um-period-ablation", {"metrics": flat}).values()) == {"not run"}


def test_only_prime_moduli_leave_the_lookback_unjudged():
    row = {"run": "r", "layer": 1, "head": 0, "modulus": 127, "preferred": 5, "excess": 0.8}
    rows = [{**row, "half": half} for half in (0, 1)]
    assert set(_verdicts("um-lookback", {"heads": rows}).values()) == {"not run"}
