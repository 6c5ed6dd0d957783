"""``reproduce`` and ``claims`` answer in words, as JSON and as a page."""

import json
import shutil

import pytest

from unrandom.cli import main
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.runs import create_run, execute


@pytest.fixture
def places(tmp_path):
    return ["--scale", "smoke", "--results", str(tmp_path / "results")]


def test_reproduce_then_claims_then_the_page(places, tmp_path, capsys):
    arguments = ["reproduce", "fm-primes", "tokenization", *places, "--seeds", "1", "--out", str(tmp_path / "runs")]
    assert main([*arguments, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["claims"]
    assert {row["experiment"] for row in made} == {"fm-primes", "tokenization"}
    assert main([*arguments, "--json"]) == 0  # nothing is trained again
    again = capsys.readouterr()
    assert json.loads(again.out)["claims"] == made
    assert "run 1 of" not in again.err
    assert main(["claims", *places, "--json", "--write", str(tmp_path / "docs" / "results.md")]) == 0
    rows = json.loads(capsys.readouterr().out)
    keys = {"experiment", "figure", "claim", "scale", "value", "interval", "threshold", "verdict", "command"}
    assert all(keys <= set(row) for row in rows)
    assert len(rows) == sum(len(each.claims) for each in EXPERIMENTS.values())
    assert {"not run", "reproduced"} <= {row["verdict"] for row in rows}
    page = (tmp_path / "docs" / "results.md").read_text()
    assert "](../results/smoke/fm-primes/fm-primes.png)" in page
    assert main(["claims", *places]) == 0
    assert "not run" in capsys.readouterr().out


def test_out_of_time_nothing_is_judged_and_a_failed_run_is_named(places, tmp_path, capsys):
    runs = tmp_path / "runs"
    arguments = ["reproduce", "fm-primes", *places, "--seeds", "1", "--out", str(runs), "--json"]
    assert main([*arguments, "--max-minutes", "0"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["claims"] == []
    assert err == f"the time is up; {answer['left']} runs are left, and the same command goes on\n"
    bad = EXPERIMENTS["fm-primes"].runs("smoke", 1)[0].id
    (runs / bad).mkdir(parents=True)
    (runs / bad / "manifest.json").write_text("{}")
    (runs / bad / "metrics.jsonl").write_text("no metrics\n")
    assert main([*arguments, "--workers", "2"]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith(f"unrandom: {bad} failed: ")
    assert sum(" finished: " in line for line in err) == answer["left"] - 1


def test_a_run_of_one_s_own_is_measured_into_its_own_folder(finished_run, tmp_path, places, capsys):
    own = shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id)
    assert main(["reproduce", "fm-attention", "--run", str(own), *places, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert len(made["claims"]) == 3
    assert all(f"--run {own}" in row["command"] for row in made["claims"])
    assert (own / "experiments" / "smoke" / "fm-attention" / "fm-attention.png").is_file()
    assert not (tmp_path / "results").exists()  # the experiment's own verdicts are not touched


def test_the_list_says_what_each_costs(capsys):
    assert main(["reproduce", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["experiments"]
    assert [entry["name"] for entry in listed] == list(EXPERIMENTS)
    assert all(set(entry["flops"]) == set(entry["state"]) == {"smoke", "laptop", "gpu", "paper"} for entry in listed)


def test_a_run_that_the_analyses_cannot_read_is_refused(tiny, um_data, tmp_path, places, capsys):
    run = create_run("tiny-um", tiny.model_copy(update={"data": um_data}), tmp_path, [])
    assert main(["reproduce", "fm-attention", "--run", str(run.folder.path), *places]) == 2
    assert "which needs a fixed-modulus run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reproduce"], "name an experiment, or --all"),
        (["reproduce", "fm-lader"], "near misses: fm-ladder"),
        (["reproduce", "fm-ladder", "--scale", "huge"], "invalid choice"),
        (["reproduce", "fm-ladder", "--run", "nowhere"], "nowhere is not a run folder"),
    ],
)
def test_mistakes(arguments, said, capsys):
    try:
        status = main(arguments)
    except SystemExit as left:
        status = left.code
    assert status == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_run_of_ones_own_in_the_other_regime(tiny, um_data, tmp_path, places, capsys):
    config = tiny.model_copy(update={"data": um_data})
    shallow = create_run("tiny-um", config, tmp_path, [])
    execute(shallow)
    assert main(["reproduce", "um-lookback", "--run", str(shallow.folder.path), *places]) == 2
    assert "has one layer" in capsys.readouterr().err
    run = create_run("tiny-um", config.override(["model.depth=2"]), tmp_path, [])
    execute(run)
    assert main(["reproduce", "um-embedding", "um-lookback", "--run", str(run.folder.path), *places]) == 0
    assert (run.folder.path / "experiments" / "smoke" / "um-lookback" / "um-lookback.png").is_file()


def test_kept_models_are_measured_without_training(tmp_path, places, capsys):
    common = ["reproduce", "um-embedding", "--seeds", "1", *places]
    assert main([*common, "--kept"]) == 2
    assert "is not kept in" in capsys.readouterr().err
    assert main([*common, "--out", str(tmp_path / "runs")]) == 0
    first = json.loads((tmp_path / "results" / "smoke" / "um-embedding" / "shares.json").read_text())
    shutil.rmtree(tmp_path / "runs")
    assert main([*common, "--kept", "--out", str(tmp_path / "runs")]) == 0
    assert json.loads((tmp_path / "results" / "smoke" / "um-embedding" / "shares.json").read_text()) == first
    assert not (tmp_path / "runs").exists()
