"""``reproduce`` and ``claims`` answer as text, as JSON and as a page."""

import json
import shutil
from dataclasses import replace

import polars
import polars.testing
import pytest
import safetensors.torch
import torch

from unrandom.cli import main, reproduction
from unrandom.experiments import timed_training
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.timed_plan import TimedPlan
from unrandom.runs.run import Run
from unrandom.runs.running import worker as worker_module
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec


@pytest.fixture
def places(tmp_path):
    return ["--scale", "smoke", "--results", str(tmp_path / "results")]


def test_reproduce_then_claims_then_the_page(places, tmp_path, capsys):
    arguments = ["reproduce", "fm-primes", "tokenization", *places, "--seeds", "1", "--out", str(tmp_path / "runs")]
    assert main([*arguments, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["claims"]
    assert {row["experiment"] for row in made} == {"fm-primes"}  # tokenization has nothing to judge
    assert main([*arguments, "--json"]) == 0  # nothing is trained again
    again = capsys.readouterr()
    assert json.loads(again.out)["claims"] == made
    assert "run 1 of" not in again.err
    assert main(["claims", *places, "--json", "--write", str(tmp_path / "docs" / "results.md")]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows = answer["claims"]
    keys = {"experiment", "figure", "claim", "scale", "value", "interval", "threshold", "verdict", "command"}
    keys |= {"key", "quantity", "interval_kind", "units", "precondition", "origin", "written", "reason", "why", "half"}
    assert all(keys <= set(row) for row in rows)
    assert len(rows) == sum(len(each.claims) for each in EXPERIMENTS.values())
    assert {"not run", "not judged"} == {row["verdict"] for row in rows}  # one seed judges nothing
    assert set(answer) == {"scale", "summary", "claims"}
    assert sum(sum(of.values()) for of in answer["summary"].values()) == len(rows)
    page = (tmp_path / "docs" / "results.md").read_text()
    assert "](../results/smoke/fm-primes/fm-primes.png)" in page
    assert main(["claims", *places]) == 0
    assert "not run" in capsys.readouterr().out


def test_each_verdict_is_said_once_and_then_where_everything_is(places, tmp_path, capsys):
    arguments = ["reproduce", "fm-primes", *places, "--seeds", "1", "--out", str(tmp_path / "runs")]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    for claim in EXPERIMENTS["fm-primes"].claims:
        assert (out + err).count(claim.statement) == 1
    folder = tmp_path / "results" / "smoke" / "fm-primes"
    assert f"tables    {folder}/*.parquet" in out
    assert f"picture   {folder}/fm-primes.png" in out
    assert f"page      {(tmp_path / 'results' / 'smoke' / 'index.html').resolve().as_uri()}" in out
    assert "fm-primes: 2 not judged" in err


def test_tables_can_be_judged_and_drawn_again_without_any_run(places, tmp_path, capsys):
    runs = tmp_path / "runs"
    assert main(["reproduce", "fm-primes", *places, "--seeds", "1", "--out", str(runs), "--json"]) == 0
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
    assert f"there are no results in {tmp_path}/nowhere/laptop" in capsys.readouterr().err


def test_out_of_time_nothing_is_judged_and_a_failed_run_is_named(places, tmp_path, capsys):
    runs = tmp_path / "runs"
    arguments = ["reproduce", "fm-primes", *places, "--seeds", "1", "--out", str(runs), "--json"]
    assert main([*arguments, "--max-minutes", "0"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["claims"] == []
    assert err == f"the time is up; {answer['left']} runs are left, and the same command continues\n"
    bad = EXPERIMENTS["fm-primes"].runs("smoke", 1)[0].id
    (runs / bad).mkdir(parents=True)
    (runs / bad / "manifest.json").write_text("{}")
    (runs / bad / "metrics.jsonl").write_text("no metrics\n")
    assert main([*arguments, "--workers", "2"]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith(f"unrandom: {bad} failed: ")
    assert sum(" finished: " in line for line in err) == answer["left"] - 1


def test_without_names_the_runs_most_worth_having_are_trained_and_kept(places, tmp_path, capsys):
    arguments = ["reproduce", *places, "--seeds", "1", "--out", str(tmp_path / "runs"), "--json"]
    assert main([*arguments, "--max-minutes", "0"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["runs"] == []
    assert "the time is up; 4 of 4 runs are left" in err
    assert main([*arguments, "--max-minutes", "60"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["left"] == 0
    assert [row["run"].rsplit("-", 1)[0] for row in answer["runs"]] == ["fm-16", "um-80", "fm-2p4", "fm-2p6"]
    assert all(row["steps"] == row["of"] for row in answer["runs"])
    assert "fm-16: 100% of the planned steps" in err
    kept = Run.open(answer["runs"][1]["archived"])
    assert kept.result()["finished"]
    assert kept.folder.read_metrics() == Run.open(tmp_path / "runs" / kept.id).folder.read_metrics()
    weights = safetensors.torch.load_file(next(kept.folder.checkpoints.glob("*/model.safetensors")))
    assert {tensor.dtype for tensor in weights.values()} == {torch.bfloat16}
    shutil.rmtree(tmp_path / "runs")  # as on another machine
    assert main([*arguments, "--max-minutes", "60"]) == 0
    again = capsys.readouterr()
    assert json.loads(again.out)["runs"] == answer["runs"]
    assert again.err == ""
    assert not (tmp_path / "runs").exists()


def test_a_run_that_was_stopped_is_kept_as_far_as_it_came_and_goes_on(places, tmp_path, capsys, monkeypatch):
    """The run is stopped after a few steps, as if the time were up."""
    arguments = ["reproduce", *places, "--seeds", "1", "--out", str(tmp_path / "runs"), "--json"]
    whole, parts = [*arguments, "--results", str(tmp_path / "whole")], arguments
    assert main([*whole, "--out", str(tmp_path / "other"), "--max-minutes", "50"]) == 0
    wanted = json.loads(capsys.readouterr().out)["runs"][0]
    monkeypatch.setattr(timed_training, "run_job", _stopping_after(10))
    assert main([*parts, "--max-minutes", "50"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]
    assert row["run"] == wanted["run"]
    assert 0 < row["steps"] < row["of"]
    assert not Run.open(row["archived"]).folder.finished
    path = tmp_path / "runs" / row["run"]
    shutil.move(path, tmp_path / "aside")  # as on another machine, where it gets less far
    monkeypatch.setattr(timed_training, "run_job", _stopping_after(4))
    assert main([*parts, "--max-minutes", "50"]) == 0
    capsys.readouterr()
    (kept,) = Run.open(row["archived"]).folder.checkpoints.iterdir()
    assert kept.name == f"step-{row['steps']:08d}"
    shutil.rmtree(path)
    shutil.move(tmp_path / "aside", path)
    monkeypatch.undo()
    assert main([*parts, "--max-minutes", "50"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]
    assert row["steps"] == row["of"]
    assert Run.open(row["archived"]).folder.finished
    losses = [
        [metrics["train_loss"] for metrics in Run.open(each["archived"]).folder.read_metrics()]
        for each in (row, wanted)
    ]
    assert losses[0] == losses[1]


def _stopping_after(steps):
    def carried_out(job, options):
        calls = iter(range(10_000))
        return worker_module.run_job(job, options, stop=lambda: next(calls) >= steps)

    return carried_out


def test_experiments_at_gpu_scale_are_cut_to_the_time_and_measured_as_they_are(tmp_path, capsys, monkeypatch):
    """With tiny runs in place of those of the gpu scale."""
    each = EXPERIMENTS["fm-primes"]
    tiny = replace(
        each, runs=lambda _, seeds: each.runs("smoke", seeds), measure=lambda runs, _: each.measure(runs, "smoke")
    )
    monkeypatch.setattr(reproduction, "experiment", lambda _: tiny)
    places = ["--scale", "gpu", "--results", str(tmp_path / "results"), "--out", str(tmp_path / "runs")]
    assert main(["reproduce", "fm-primes", *places, "--seeds", "1", "--max-minutes", "60", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "fm-primes: 100% of the planned steps" in err
    assert {row["experiment"] for row in json.loads(out)["claims"]} == {"fm-primes"}
    plan = TimedPlan("gpu", tmp_path / "results")
    made = json.loads((tmp_path / "results" / "gpu" / "fm-primes" / "made.json").read_text())["configurations"]
    assert list(made) == [run.id for run in plan.runs("fm-primes", tiny.runs("gpu", 1))]
    again = ["reproduce", "fm-primes", *places, "--seeds", "1", "--json"]
    assert main(again) == 0  # without a time limit: the same runs, none of them trained again
    assert "run 1 of" not in capsys.readouterr().err


def test_a_run_of_one_s_own_is_measured_into_its_own_folder(finished_run, tmp_path, places, capsys):
    own = shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id)
    assert main(["reproduce", "fm-attention", "--run", str(own), *places, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert len(made["claims"]) == 6
    assert all(f"--run {own}" in row["command"] for row in made["claims"])
    assert (own / "experiments" / "smoke" / "fm-attention" / "fm-attention.png").is_file()
    assert not (tmp_path / "results").exists()  # the experiment's own verdicts are not touched


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
        (["reproduce", "--scale", "gpu", "--max-minutes", "1", "--engine", "ray"], "leave out --engine"),
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


def test_archived_models_are_measured_without_training(tmp_path, places, capsys):
    common = ["reproduce", "um-embedding", "--seeds", "1", *places]
    assert main([*common, "--archived"]) == 2
    assert "is not archived in" in capsys.readouterr().err
    assert main([*common, "--out", str(tmp_path / "runs")]) == 0
    shares = tmp_path / "results" / "smoke" / "um-embedding" / "shares.parquet"
    first = polars.read_parquet(shares)
    shutil.rmtree(tmp_path / "runs")
    assert main([*common, "--archived", "--out", str(tmp_path / "runs")]) == 0
    again = polars.read_parquet(shares)
    polars.testing.assert_frame_equal(again, first, abs_tol=0.02)  # from weights in bf16
    assert not (tmp_path / "runs").exists()
