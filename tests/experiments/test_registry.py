"""Every registered experiment runs at smoke scale, from its runs to its pictures; judging needs the tables alone."""

import json

import polars
import pytest

from unrandom.core.errors import UserError
from unrandom.data import make_split
from unrandom.experiments.experiment import SCALES
from unrandom.experiments.registry import EXPERIMENTS, experiment
from unrandom.experiments.reproduce import all_judgements, carry_out, missing_runs
from unrandom.experiments.runs import create_run, execute


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory):
    """Shared, so that experiments find each other's runs."""
    return tmp_path_factory.mktemp("smoke-runs")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_at_smoke_scale(name, runs_folder, tmp_path):
    each = EXPERIMENTS[name]
    runs = [create_run(planned.name, planned.config, runs_folder, []) for planned in each.runs("smoke", 2)]
    for run in runs:
        execute(run)
    assert missing_runs([each], "smoke", 2, runs_folder) == []
    rows = carry_out(each, "smoke", runs, tmp_path, "the command")
    folder = tmp_path / "smoke" / name
    assert [row["claim"] for row in rows] == [claim.sentence for claim in each.claims]
    assert {path.suffix for path in folder.iterdir()} == {".json", ".parquet", ".png", ".svg"}
    for parquet in folder.glob("*.parquet"):
        rows_saved = json.loads(parquet.with_suffix(".json").read_text())
        assert len(polars.read_parquet(parquet)) == len(rows_saved) > 0
    saved = {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}
    tables = {name: rows for name, rows in saved.items() if (folder / f"{name}.parquet").exists()}
    evidence = each.evidence(tables)  # from what was saved, without a model
    assert [claim.judge(evidence.get(claim.key, ())).tree()["value"] for claim in each.claims] == [
        row["value"] for row in rows
    ]


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_is_planned(name, scale):
    for planned in EXPERIMENTS[name].runs(scale, 2):
        assert planned.flops > 0
        assert make_split(planned.config.data, planned.config.seed).held_out


def test_runs_are_shared_between_experiments(tmp_path):
    together = missing_runs([EXPERIMENTS["fm-ladder"], EXPERIMENTS["fm-invariance"]], "laptop", 3, tmp_path)
    assert len(together) == len({run.id for run in together}) == 9


def test_the_demo_is_one_of_the_runs():
    from unrandom.experiments.recipes import recipe

    demo = recipe("fm-256").build()
    assert demo in [planned.config for planned in EXPERIMENTS["fm-ladder"].runs("laptop", 1)]


def test_what_was_not_measured_is_not_run(tmp_path):
    rows = all_judgements(list(EXPERIMENTS.values()), "gpu", tmp_path)
    assert {row["verdict"] for row in rows} == {"not run"}
    assert len(rows) == sum(len(each.claims) for each in EXPERIMENTS.values())


def test_an_unknown_experiment_names_the_near_misses():
    with pytest.raises(UserError, match="near misses: fm-ladder"):
        experiment("fm-lader")


def test_digit_periods_would_notice_a_wrong_prediction():
    tables = {
        "periods": [
            {"m": 8, "generator": 0, "r": 1, "digit": "2^0", "period": 2, "predicted": 2},
            {"m": 8, "generator": 0, "r": 1, "digit": "2^1", "period": 8, "predicted": 4},
        ]
    }
    assert EXPERIMENTS["digit-periods"].evidence(tables)["every-number"] == [0.5]


def test_claims_fit_into_a_table():
    assert not [claim.sentence for each in EXPERIMENTS.values() for claim in each.claims if "|" in claim.sentence]
