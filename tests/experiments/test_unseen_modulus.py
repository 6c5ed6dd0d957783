"""The verdicts of the unseen-modulus grids follow from their tables: planted tables, known answers."""

from itertools import product

import polars as pl
import pytest

from frames import frames
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.summaries import each_seed, matrix, trained_accuracy
from unrandom.experiments.unseen_modulus import dataset
from unrandom.experiments.unseen_modulus.accuracy import best_setting_accuracy, mean_over_moduli, relative_spread, tuned
from unrandom.experiments.unseen_modulus.presets import small_run, variant, with_seeds
from unrandom.runs.tables import table
from verdicts import verdicts_of


def _rows(accuracy, *, splits=("test",), moduli=(48, 64), seeds=(0, 1, 2), **axes):
    """One row per combination, with ``accuracy`` as a function of the settings."""
    return [
        {**settings, "run": f"{settings}-{seed}", "seed": seed, "split": split, "modulus": m, "value": value}
        for combination in product(*axes.values())
        for settings in [dict(zip(axes, combination, strict=True))]
        for seed in seeds
        for split in splits
        for m in moduli
        for value in [accuracy(settings, split)]
    ]


def test_settings_are_chosen_on_the_validation_moduli_alone():
    best_on = {"validation": 0.02, "test": 0.05}
    rows = _rows(lambda s, split: float(s["rate"] == best_on[split]), splits=best_on, depth=(2,), rate=(0.02, 0.05))
    found = tuned(table(rows), ["depth"], ["rate"])
    # the choice is tested where it is not the best
    assert found.to_dicts() == [{"depth": 2, "rate": 0.02, "seed": seed, "value": 0.0} for seed in (0, 1, 2)]


def test_the_first_of_equally_good_settings_is_chosen():
    rows = _rows(lambda *_: 0.5, splits=("validation", "test"), depth=(3, 2), rate=(0.05, 0.02))
    chosen = tuned(table(rows), ["depth"], ["rate"]).unique(["depth", "rate"], maintain_order=True)
    assert chosen.select("depth", "rate").rows() == [(3, 0.05), (2, 0.05)]


def test_grid_points_are_means_over_moduli_for_each_seed():
    rows = _rows(lambda s, _: 0.5, depth=(1,))
    rows[0]["value"] = 1.0
    assert mean_over_moduli(table(rows), ["depth"]).rows() == [(1, 0, 0.75), (1, 1, 0.5), (1, 2, 0.5)]


def test_the_best_setting_is_chosen_for_each_seed():
    found = pl.DataFrame({"depth": [1, 1, 2, 2], "seed": [0, 1, 0, 1], "value": [0.2, 0.9, 0.8, 0.1]})
    assert best_setting_accuracy(found) == pytest.approx(0.85)
    assert best_setting_accuracy(found.clear()) is None


def test_a_seed_without_a_value_is_left_out():
    found = pl.DataFrame({"seed": [2, 0, 0, 1], "value": [0.5, 0.25, 0.75, None]})
    assert each_seed(found, pl.col("value").max()) == [0.75, 0.5]


def test_a_matrix_has_nan_where_a_grid_point_is_missing():
    found = pl.DataFrame({"depth": [2, 1, 1], "heads": [4, 4, 1], "value": [0.5, 0.25, None]})
    values = matrix(found, ["depth"], "heads", "value")
    assert values == [(0.25, pytest.approx(float("nan"), nan_ok=True)), (0.5, pytest.approx(float("nan"), nan_ok=True))]


def test_a_spread_is_relative():
    assert pl.DataFrame({"value": [0.2, 0.1]}).select(relative_spread()).item() == 0.5
    assert pl.DataFrame({"value": [0.0, 0.0]}).select(relative_spread()).item() == 0


def test_the_phase_diagram_of_the_paper_is_reproduced():
    def accuracy(settings, _split):
        return 0.1 if settings["depth"] < 3 else {1: 0.4, 2: 0.8, 4: 0.95}[settings["heads"]]

    rows = _rows(accuracy, depth=(1, 2, 3, 4), heads=(1, 2, 4), width=(64,))
    assert verdicts_of("um-phase-diagram", {"accuracy": rows}) == {
        "shallow": "reproduced",
        "second-head": "reproduced",
    }
    flat = _rows(lambda s, _: 0.6 + 0.1 * s["heads"], depth=(1, 2, 3, 4), heads=(1, 2, 4), width=(64,))
    assert verdicts_of("um-phase-diagram", {"accuracy": flat}) == {
        "shallow": "not reproduced",
        "second-head": "not reproduced",
    }


@pytest.mark.parametrize(
    ("shallow", "narrow", "verdicts"),
    [
        (0.1, 0.95, {"three-layers": "reproduced", "width": "reproduced"}),
        (0.8, 0.95, {"three-layers": "not reproduced", "width": "reproduced"}),
        (0.1, 0.5, {"three-layers": "reproduced", "width": "not reproduced"}),  # half as good: width matters
    ],
)
def test_critical_depth(shallow, narrow, verdicts):
    axes = {"depth": (1, 2, 3), "width": (32, 64), "rate": (0.02, 0.05), "weight decay": (0.1,)}

    def accuracy(settings, _split):
        deep = narrow if settings["width"] == 32 else 0.95
        return (shallow * deep if settings["depth"] < 3 else deep) * (1.0 if settings["rate"] == 0.05 else 0.1)

    rows = _rows(accuracy, splits=("validation", "test"), **axes)
    assert verdicts_of("um-critical-depth", {"accuracy": rows}) == verdicts


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
    assert verdicts_of("um-hyperparameters", {"accuracy": shrinking}) == {
        "shrinks": "reproduced",
        "chosen": "reproduced",
    }
    growing = rows(32, {(1, 1)}) + rows(64, {(1, 1), (1, 2), (2, 1)})
    assert verdicts_of("um-hyperparameters", {"accuracy": growing})["shrinks"] == "not reproduced"
    poor = [{**row, "value": row["value"] - 0.45} for row in rows(32, {(1, 1)})]
    assert set(verdicts_of("um-hyperparameters", {"accuracy": poor + rows(64, {(1, 1)})}).values()) == {"not judged"}


def test_the_composition_of_the_training_set():
    usual = {"n_m": "all", "n_a": "all", "n_c": "all", "full-period share": "0.5"}

    def rows(axis, value, accuracy):
        made = _rows(lambda *_: accuracy, **{key: (text,) for key, text in {**usual, axis: value}.items()})
        return [{**row, "axis": "" if usual[axis] == value else axis, "largest": 64} for row in made]

    table = rows("n_m", "all", 0.92) + rows("n_m", "8", 0.3) + rows("n_m", "16", 0.87)
    table += rows("n_a", "4", 0.88) + rows("n_c", "4", 0.5) + rows("full-period share", "0.0", 0.4)
    assert verdicts_of("um-dataset", {"accuracy": table}) == {
        "moduli": "reproduced",
        "multipliers": "reproduced",
        "increments": "not reproduced",
        "quarter": "reproduced",
        "mix": "reproduced",
    }


def test_accuracy_relative_to_the_best_is_zero_if_all_are_zero():
    curve = pl.DataFrame({"number": [8.0, 32.0], "value": [0.0, 0.0]})
    assert curve.select(dataset._relative_to_best(20)).item() == 0.0


def test_trained_accuracy_is_the_least_over_moduli_of_the_mean_over_seeds():
    rows = [{"modulus": m, "accuracy": value} for m, value in ((256, 1.0), (256, 0.8), (360, 0.9), (360, 0.6))]
    assert trained_accuracy(frames({"trained": rows})) == pytest.approx(0.75)
    assert trained_accuracy(frames({"trained": [*rows, {"modulus": 360, "accuracy": None}]})) is None


def _metrics(data, values, seeds=(0, 1, 2)):
    return [
        {"run": f"{data}-{seed}", "seed": seed, "data": data, "step": 100 * (i + 1), "last_number_accuracy": value}
        for seed in seeds
        for i, value in enumerate(values)
    ]


def test_period_ablation():
    every = _metrics("all periods", [0.0, 0.1, 0.2, 0.95])
    long = _metrics("long periods", [0.1, 0.5, 0.95, 0.95])
    short = _metrics("short periods", [0.0, 0.01, 0.02, 0.02])
    assert set(verdicts_of("um-period-ablation", {"metrics": every + long + short}).values()) == {"reproduced"}


def test_the_first_of_variants_with_the_same_configuration_is_kept():
    usual = small_run("laptop")
    depth = usual.config.model.depth
    deep = variant(usual, {"depth": depth}, model={"depth": depth})
    deeper = variant(usual, {"depth": depth + 1}, model={"depth": depth + 1})
    runs = with_seeds([usual, deep, deeper], 2)
    assert [(run.labels, run.config.seed) for run in runs] == [
        (labels, seed) for labels in ({}, {"depth": depth + 1}) for seed in (0, 1)
    ]


@pytest.mark.parametrize("name", ["um-phase-diagram", "um-critical-depth"])
@pytest.mark.parametrize("scale", ["smoke", "laptop", "overnight", "paper"])
def test_labels_of_shapes_are_those_of_the_configuration(name, scale):
    for run in EXPERIMENTS[name].runs(scale, 1):
        shape = {"depth": run.config.model.depth, "width": run.config.model.d_model, "heads": run.config.model.n_heads}
        assert {"depth", "width"} <= set(run.labels)
        assert {key: run.labels.get(key, value) for key, value in shape.items()} == shape


def test_the_unvaried_run_of_the_data_grid_belongs_to_every_axis():
    usual, *others = EXPERIMENTS["um-dataset"].runs("laptop", 1)
    assert usual.labels == {
        "largest": 108, "axis": "", "n_m": "all", "n_a": "all", "n_c": "all", "full-period share": "0.7"
    }  # fmt: skip
    for run in others:
        axis = run.labels["axis"]
        assert {key for key, value in run.labels.items() if value != usual.labels[key]} == {"axis", axis}


def test_short_periods_alone_are_those_of_arbitrary_parameters():
    arms = {run.labels["data"]: run.config.data for run in EXPERIMENTS["um-period-ablation"].runs("laptop", 1)}
    assert {name: data.full_period_share > 0 for name, data in arms.items()} == {
        "all periods": True, "short periods": False, "long periods": True
    }  # fmt: skip
    assert arms["short periods"].max_period == arms["long periods"].min_period - 1 == arms["all periods"].context


@pytest.mark.parametrize(("counting", "verdict"), [(0.95, "reproduced"), (0.2, "not reproduced"), (None, "not judged")])
def test_primes_are_judged_in_both_readings(counting, verdict):
    def row(seed, modulus, value, reading="primitive roots"):
        key_columns = {"run": f"r{seed}", "seed": seed, "modulus": modulus, "prime": modulus == 61}
        return {**key_columns, "value": value, "reading": reading}

    rows = [row(seed, m, 0.95) for seed in (0, 1, 2) for m in (61, 64)]
    rows += [row(seed, 61, counting, "a = 1") for seed in (0, 1, 2) if counting]
    assert verdicts_of("um-primes", {"accuracy": rows}) == {"as-easy-roots": "reproduced", "as-easy-counting": verdict}


def test_where_nothing_was_learned_nothing_is_judged():
    axes = {"depth": (1, 2, 3, 4), "heads": (1, 2, 4), "width": (64,)}
    for level in (0.0, 0.24, 0.49):
        tables = {"accuracy": _rows(lambda s, _, level=level: level * (s["depth"] > 2), **axes)}
        assert set(verdicts_of("um-phase-diagram", tables).values()) == {"not judged"}
    axes = {"depth": (2, 3), "width": (32,), "rate": (0.05,), "weight decay": (0.1,)}
    nothing = {"accuracy": _rows(lambda *_: 0.01, splits=("validation", "test"), **axes)}
    assert set(verdicts_of("um-critical-depth", nothing).values()) == {"not judged"}
    sized = _rows(lambda *_: 0.01, splits=("validation", "test"), rate=(1, 2), **{"weight decay": (1,)})
    nothing = {"accuracy": [{**row, "largest modulus": size} for size in (32, 64) for row in sized]}
    assert set(verdicts_of("um-hyperparameters", nothing).values()) == {"not judged"}
    flat = [row for data in ("all periods", "short periods", "long periods") for row in _metrics(data, [0.0])]
    assert set(verdicts_of("um-period-ablation", {"metrics": flat}).values()) == {"not judged"}
