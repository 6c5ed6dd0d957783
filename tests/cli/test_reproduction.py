"""``reproduce`` and ``claims`` answer as text, as JSON and as a page."""

import json
import shutil

import polars
import polars.testing
import pytest

from unrandom.cli import main
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import saved_step


@pytest.fixture
def places(tmp_path):
    return ["--scale", "smoke", "--results", str(tmp_path / "results")]


def test_reproduce_then_claims_then_the_page(places, tmp_path, capsys):
    arguments = ["reproduce", "fm-primes", "tokenization", *places, "--seeds", "1", "--runs", str(tmp_path / "runs")]
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    made = json.loads(out)["claims"]
    assert {row["experiment"] for row in made} == {"fm-primes"}  # tokenization has nothing to judge
    plan, then = err.splitlines()[:2]
    assert plan.startswith(f"plan      2 runs: 0 found in {tmp_path / 'runs'}, 2 to train, roughly ")
    assert (
        then
        == f"then      {len(made)} claims to judge; pictures and tables in {tmp_path / 'results' / 'smoke' / 'NAME'}"
    )
    assert main([*arguments, "--json"]) == 0  # nothing is trained again
    again = capsys.readouterr()
    assert json.loads(again.out)["claims"] == made
    assert "run 1 of" not in again.err
    assert f"2 runs: 2 found in {tmp_path / 'runs'}, 0 to train\n" in again.err
    assert main(["claims", *places, "--json", "--write", str(tmp_path / "docs" / "results.md")]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows = answer["claims"]
    keys = {"experiment", "figure", "claim", "scale", "value", "interval", "threshold", "verdict", "command"}
    keys |= {"key", "quantity", "interval_kind", "units", "precondition", "origin", "written", "reason", "why", "half"}
    assert all(keys <= set(row) for row in rows)
    assert len(rows) == sum(len(each.claims) for each in EXPERIMENTS.values())
    assert {"not run", "not judged"} == {row["verdict"] for row in rows}  # one seed judges nothing
    assert set(answer) == {"scale", "summary", "written_after", "claims"}
    assert sum(sum(of.values()) for of in answer["written_after"].values()) == sum(
        row["written"] == "after" for row in rows
    )
    assert sum(sum(of.values()) for of in answer["summary"].values()) == len(rows)
    page = (tmp_path / "docs" / "results.md").read_text()
    assert "](../results/smoke/fm-primes/fm-primes.png)" in page
    assert main(["claims", *places]) == 0
    assert "not run" in capsys.readouterr().out
    assert main(["claims", *places, "--json", "--experiment", "fm-primes"]) == 0
    assert {row["experiment"] for row in json.loads(capsys.readouterr().out)["claims"]} == {"fm-primes"}
    assert main(["claims", *places, "--experiment", "fm-prime"]) == 2
    assert "near misses: fm-primes" in capsys.readouterr().err


def test_each_verdict_is_said_once_and_then_where_everything_is(places, tmp_path, capsys):
    arguments = ["reproduce", "fm-primes", *places, "--seeds", "1", "--runs", str(tmp_path / "runs")]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    for claim in EXPERIMENTS["fm-primes"].claims:
        assert (out + err).count(claim.statement) == 1
    folder = tmp_path / "results" / "smoke" / "fm-primes"
    assert f"tables    {folder}/*.parquet" in out
    assert f"picture   {folder}/fm-primes.png" in out
    assert f"page      {(tmp_path / 'results' / 'smoke' / 'index.html').resolve().as_uri()}" in out
    assert "fm-primes: 2 not judged" in err


@pytest.mark.slow
def test_tables_can_be_judged_and_drawn_again_without_any_run(places, tmp_path, capsys):
    runs = tmp_path / "runs"
    assert main(["reproduce", "fm-primes", *places, "--seeds", "1", "--runs", str(runs), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["claims"]
    shutil.rmtree(runs)
    picture = tmp_path / "results" / "smoke" / "fm-primes" / "fm-primes.png"
    picture.unlink()
    assert main(["reproduce", "fm-primes", *places, "--from-tables", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["claims"] == first
    assert picture.is_file()
    assert not runs.exists()
    assert main(["reproduce", "fm-staircase", *places, "--from-tables"]) == 2
    assert "fm-staircase has no tables in" in capsys.readouterr().err
    assert main(["reproduce", "--all", *places, "--from-tables", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["claims"] == first
    assert "left out, as they were not measured: digit-periods" in err


def test_claims_without_results_name_the_folder(tmp_path, capsys):
    assert main(["claims", "--results", str(tmp_path / "nowhere")]) == 2
    assert f"there are no results in {tmp_path}/nowhere/laptop (the saved ones are" in capsys.readouterr().err
    assert main(["claims", "--scale", "paper", "--results", str(tmp_path / "nowhere")]) == 2
    assert f"there are no results in {tmp_path}/nowhere/paper; make some" in capsys.readouterr().err


def test_a_page_of_claims_has_all_experiments(tmp_path, capsys):
    page = tmp_path / "page.md"
    assert main(["claims", "--experiment", "fm-staircase", "--write", str(page)]) == 2
    assert "leave out --experiment" in capsys.readouterr().err
    assert not page.exists()


def test_out_of_time_nothing_is_judged_and_a_failed_run_is_named(places, tmp_path, capsys):
    runs = tmp_path / "runs"
    arguments = ["reproduce", "fm-primes", *places, "--seeds", "1", "--runs", str(runs), "--json"]
    assert main([*arguments, "--max-minutes", "0"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["claims"] == []
    said = f"the time is up; {answer['left']} runs are left, and the same command continues"
    assert err.splitlines()[2:] == [said]  # after the plan
    bad = EXPERIMENTS["fm-primes"].runs("smoke", 1)[0].id
    (runs / bad).mkdir(parents=True)
    (runs / bad / "manifest.json").write_text("{}")
    (runs / bad / "metrics.jsonl").write_text("no metrics\n")
    assert main([*arguments, "--workers", "2"]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith(f"unrandom: {bad} failed: ")
    assert sum(" finished: " in line for line in err) == answer["left"] - 1


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_and_ends_like_one_that_was_not(places, tmp_path, capsys):
    """The first run is stopped after some steps, as if the time were up; the command then continues it."""
    arguments = ["reproduce", "fm-grokking", *places, "--seeds", "1", "--max-minutes", "50", "--json"]
    assert main([*arguments, "--runs", str(tmp_path / "whole")]) == 0
    wanted = json.loads(capsys.readouterr().out)["claims"]
    planned = EXPERIMENTS["fm-grokking"].runs("smoke", 1)
    calls = iter(range(10_000))
    stopped = create_run(planned[0], tmp_path / "parts", [])
    execute(stopped, stop=lambda: next(calls) >= 10)
    assert 0 < saved_step(stopped.folder) < stopped.config.steps
    parts = [*arguments, "--runs", str(tmp_path / "parts")]
    assert main([*parts, "--max-minutes", "0"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["claims"], answer["left"]) == ([], len(planned))
    assert main(parts) == 0
    assert json.loads(capsys.readouterr().out)["claims"] == wanted
    losses = [
        [[row["train_loss"] for row in Run.open(tmp_path / out / spec.id).folder.read_metrics()] for spec in planned]
        for out in ("parts", "whole")
    ]
    assert losses[0] == losses[1]


def test_a_run_of_one_s_own_is_measured_into_its_own_folder(finished_run, tmp_path, places, capsys):
    own = shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id)
    assert main(["reproduce", "fm-attention", "--run", str(own), *places, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert len(made["claims"]) == 6
    assert all(f"--run {own}" in row["command"] for row in made["claims"])
    assert (own / "experiments" / "smoke" / "fm-attention" / "fm-attention.png").is_file()
    assert not (tmp_path / "results").exists()  # the experiment's own verdicts are not touched


def test_a_run_of_digits_is_measured_by_the_experiments_on_digits_alone(tiny, tmp_path, places, capsys):
    digits = tiny.override(["data.base=8", "model.positions=abacus", "steps=3"])
    run = create_run(RunSpec("tiny-digits", digits), tmp_path, [])
    execute(run)
    own = str(run.folder.path)
    assert main(["reproduce", "fm-order", "fm-lookbacks", "--run", own, *places]) == 0
    assert (run.folder.path / "experiments" / "smoke" / "fm-lookbacks" / "fm-lookbacks.png").is_file()
    capsys.readouterr()
    assert main(["reproduce", "fm-attention", "--run", own, *places]) == 2
    assert capsys.readouterr().err.endswith("fm-attention, which needs a run with one token per number\n")


def test_the_list_says_where_each_was_measured(tmp_path, capsys):
    made = tmp_path / "laptop" / "fm-primes"
    made.mkdir(parents=True)
    (made / "made.json").write_text("{}")
    assert main(["reproduce", "--list", "--json", "--results", str(tmp_path)]) == 0
    listed = json.loads(capsys.readouterr().out)["experiments"]
    assert [entry["name"] for entry in listed] == list(EXPERIMENTS)
    assert [entry["name"] for entry in listed if entry["measured"] == ["laptop"]] == ["fm-primes"]


def test_a_run_that_the_analyses_cannot_read_is_refused(tiny, um_data, tmp_path, places, capsys):
    run = create_run(RunSpec("tiny-um", tiny.replace(data=um_data)), tmp_path, [])
    assert main(["reproduce", "fm-attention", "--run", str(run.folder.path), *places]) == 2
    assert "which needs a run of a fixed modulus" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce"], "name an experiment, or --all"),
        (["reproduce", "--scale", "overnight", "--max-minutes", "1"], "name an experiment, or --all"),
        (["reproduce", "fm-stairs"], "near misses: fm-staircase"),
        (["reproduce", "fm-staircase", "--scale", "huge"], "invalid choice"),
        (["reproduce", "fm-staircase", "--run", "nowhere"], "nowhere is not a run folder"),
        (["reproduce", "fm-staircase", "--archived", "--from-tables"], "not allowed with argument"),
    ],
)
def test_mistakes(arguments, message, capsys):
    try:
        status = main(arguments)
    except SystemExit as left:
        status = left.code
    assert status == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_run_of_ones_own_in_the_other_regime(tiny, um_data, tmp_path, places, capsys):
    config = tiny.replace(data=um_data)
    shallow = create_run(RunSpec("tiny-um", config), tmp_path, [])
    execute(shallow)
    assert main(["reproduce", "um-lookback", "--run", str(shallow.folder.path), *places]) == 2
    assert "has one layer" in capsys.readouterr().err
    run = create_run(RunSpec("tiny-um", config.override(["model.depth=2"])), tmp_path, [])
    execute(run)
    assert main(["reproduce", "um-embedding", "um-lookback", "--run", str(run.folder.path), *places]) == 0
    assert (run.folder.path / "experiments" / "smoke" / "um-lookback" / "um-lookback.png").is_file()


@pytest.mark.slow
def test_archived_models_are_measured_without_training(tmp_path, places, capsys):
    common = ["reproduce", "um-embedding", "--seeds", "1", *places]
    assert main([*common, "--archived"]) == 2
    assert "is not archived in" in capsys.readouterr().err
    assert main([*common, "--runs", str(tmp_path / "runs")]) == 0
    shares = tmp_path / "results" / "smoke" / "um-embedding" / "shares.parquet"
    first = polars.read_parquet(shares)
    shutil.rmtree(tmp_path / "runs")
    assert main([*common, "--archived", "--runs", str(tmp_path / "runs")]) == 0
    again = polars.read_parquet(shares)
    polars.testing.assert_frame_equal(again, first, abs_tol=0.02)  # from weights in bf16
    assert not (tmp_path / "runs").exists()
