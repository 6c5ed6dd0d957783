"""Every registered experiment runs at smoke scale, from training to figures; judging needs the tables alone."""

import json

import pytest

from tiers import nightly_but, slow_but
from unrandom.core.errors import UserError
from unrandom.experiments.catalogue import CATALOGUE, FIGURES, SECTIONS
from unrandom.experiments.registry import EXPERIMENTS, experiment
from unrandom.experiments.reproduce import all_judgements, draw_and_judge, measure_and_judge, missing_runs, saved_tables
from unrandom.experiments.scale import SCALES
from unrandom.runs.running.execution import create_run, execute
from unrandom.training.estimate import core_seconds


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory):
    """One folder for all tests, so that experiments share their runs."""
    return tmp_path_factory.mktemp("smoke-runs")


ONE_OF_EACH_KIND = ("fm-staircase", "um-hold-out", "tokenization")


def measured(each, runs_folder, results):
    """What measuring an experiment at smoke scale says of its claims; its files are below `results`."""
    runs = [create_run(planned, runs_folder, []) for planned in each.runs("smoke", 2)]
    for run in runs:
        execute(run)
    return measure_and_judge(each, "smoke", runs, results, "the command")


@pytest.mark.parametrize("name", slow_but(ONE_OF_EACH_KIND, EXPERIMENTS))
def test_an_experiment_at_smoke_scale(name, runs_folder, tmp_path):
    each = EXPERIMENTS[name]
    rows = measured(each, runs_folder, tmp_path)
    assert missing_runs([each], "smoke", 2, runs_folder) == []
    folder = tmp_path / "smoke" / name
    assert [row["claim"] for row in rows] == [claim.statement for claim in each.claims]
    assert {path.suffix for path in folder.iterdir()} == {".json", ".parquet", ".png", ".svg"}
    tables = saved_tables(folder)
    assert all(len(rows) > 0 for rows in tables.values())
    assert json.loads((folder / "made.json").read_text())["command"] == "the command"
    if each.claims:
        # from the saved tables, without a model
        assert [judged.to_json()["value"] for judged in each.judge(tables)] == [row["value"] for row in rows]


@pytest.mark.parametrize("name", nightly_but(ONE_OF_EACH_KIND, EXPERIMENTS))
def test_an_experiment_that_is_drawn_again_stays_the_same(name, runs_folder, tmp_path):
    each, folder = EXPERIMENTS[name], tmp_path / "smoke" / name
    rows = measured(each, runs_folder, tmp_path)
    pictures = {path: path.read_bytes() for path in folder.glob("*.png")}
    assert pictures
    assert draw_and_judge(each, "smoke", tmp_path) == rows
    assert {path: path.read_bytes() for path in folder.glob("*.png")} == pictures


def test_every_run_of_every_scale_is_planned():
    """Runs that experiments share are looked at once."""
    planned = {run.id: run for each in EXPERIMENTS.values() for scale in SCALES for run in each.runs(scale, 2)}
    assert all(run.flops > 0 for run in planned.values())
    splits = {(run.config.data.digest(), run.config.split_seed): run.config for run in planned.values()}
    assert all(config.data.split(config.split_seed).manifest()["test"] for config in splits.values())


def test_runs_are_shared_between_experiments(tmp_path):
    together = missing_runs([EXPERIMENTS["fm-staircase"], EXPERIMENTS["fm-invariance"]], "laptop", 3, tmp_path)
    assert len(together) == len({run.id for run in together}) == 9


def test_the_demo_is_one_of_the_runs():
    from unrandom.runs.recipes import recipe

    demo = recipe("fm-256").build()
    assert demo in [planned.config for planned in EXPERIMENTS["fm-staircase"].runs("laptop", 1)]


def test_what_was_not_measured_is_not_run(tmp_path):
    (tmp_path / "overnight").mkdir()
    rows = all_judgements(list(EXPERIMENTS.values()), "overnight", tmp_path)
    assert {row["verdict"] for row in rows} == {"not run"}
    assert len(rows) == sum(len(each.claims) for each in EXPERIMENTS.values())
    with pytest.raises(UserError, match=f"there are no results in {tmp_path}/paper"):
        all_judgements(list(EXPERIMENTS.values()), "paper", tmp_path)


def test_an_unknown_experiment_names_the_near_misses():
    with pytest.raises(UserError, match="near misses: fm-staircase"):
        experiment("fm-stairs")


def test_the_catalogue_has_what_the_modules_declare_in_the_order_of_the_paper():
    assert {name: each.entry for name, each in EXPERIMENTS.items()} == CATALOGUE
    assert list(EXPERIMENTS) == list(CATALOGUE)
    places = [(SECTIONS.index(entry.section), entry.place) for entry in CATALOGUE.values()]
    assert places == sorted(places)
    assert {entry.section for entry in CATALOGUE.values()} == set(SECTIONS)
    for entry in CATALOGUE.values():
        assert entry.figures.items() <= FIGURES.items()  # a figure has one title, whoever reproduces it
    used = {claim.figure for each in EXPERIMENTS.values() for claim in each.claims} - {""}
    assert used <= set(FIGURES)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_are_unique_and_fit_into_a_table(name):
    claims = EXPERIMENTS[name].claims
    assert len({claim.key for claim in claims}) == len(claims)
    assert len({(claim.statement, claim.quantity) for claim in claims}) == len(claims)
    for claim in claims:
        assert not {"|", "\n"} & set(claim.statement + claim.quantity)
        assert claim.statement.endswith(".")
        assert not claim.quantity.endswith(".")
        assert (claim.figure == "") <= (claim.origin == "beyond")


def test_a_note_is_shown_beside_the_verdict_that_it_explains(tmp_path):
    experiment = EXPERIMENTS["fm-primes"]
    (tmp_path / "smoke").mkdir()
    notes = tmp_path / "smoke" / "notes.toml"
    notes.write_text('[fm-primes]\npower = {verdict = "not run", note = "No time."}\n')
    rows = {row["key"]: row["why"] for row in all_judgements([experiment], "smoke", tmp_path)}
    assert rows == {"power": "No time.", "prime": ""}
    notes.write_text('[fm-primes]\npower = {verdict = "reproduced", note = "It was easy."}\n')
    assert not any(row["why"] for row in all_judgements([experiment], "smoke", tmp_path))
    notes.write_text('[fm-primes]\npowr = {verdict = "reproduced", note = "It was easy."}\n')
    with pytest.raises(UserError, match=r"explains fm-primes\.powr, which is not a claim"):
        all_judgements([experiment], "smoke", tmp_path)
    notes.write_text('[fm-primes]\npower = "It was easy."\n')
    with pytest.raises(UserError, match="needs a verdict and a note"):
        all_judgements([experiment], "smoke", tmp_path)


def test_the_minutes_that_are_listed_are_those_of_the_planned_runs():
    for name, each in EXPERIMENTS.items():
        minutes = core_seconds(sum(run.flops for run in each.runs("laptop", 3))) / 60
        assert CATALOGUE[name].minutes == pytest.approx(minutes, rel=0.06, abs=0), f"{name}: minutes={minutes:.2g}"
