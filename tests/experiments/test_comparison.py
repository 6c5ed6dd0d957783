"""A model stands beside its ceilings on one test set, and its distance to them is counted in numbers seen."""

import json

import pytest

from unrandom.cli import main
from unrandom.core.errors import UserError
from unrandom.experiments.beyond import ceilings
from unrandom.experiments.comparison import compare, with_ratios
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.predictors.named import make_predictors


def test_every_predictor_sees_the_same_sequences(finished_run):
    others = make_predictors(["copy", "algebraic", "bayes"], finished_run.config.data)
    (compared,) = compare(finished_run, [finished_run.predictor(), *others], modulus=None, sequences=32)
    rows = {row["predictor"]: row for row in compared["predictors"]}
    assert list(rows) == ["transformer", "copy", "algebraic", "bayes"]
    assert {row["last_number_accuracy"]["total"] for row in rows.values()} == {32}
    assert rows["algebraic"]["needed"]["99%"] == {"numbers": 3, "low": 3, "high": 3, "over_ceiling": 1.0}
    assert "full-period pairs" in rows["bayes"]["assumes"]  # the prior of the test sequences, whatever training drew
    assert rows["copy"]["needed"]["60%"]["numbers"] is None
    assert rows["bayes"]["by_position"]["value"][2:] == [1.0] * 10


def test_the_ratio_is_to_the_posterior_and_needs_both():
    rows = [
        {"predictor": name, "needed": {"99%": {"numbers": numbers}}}
        for name, numbers in (("transformer", 12), ("bayes", 3), ("copy", None))
    ]
    assert [row["needed"]["99%"]["over_ceiling"] for row in with_ratios(rows)] == [4.0, 1.0, None]
    assert [row["needed"]["99%"]["over_ceiling"] for row in with_ratios(rows[:1])] == [None]


def test_from_the_command_line(finished_run, capsys):
    folder = str(finished_run.folder.path)
    command = ["evaluate", folder, "--sequences", "32", "--predictors", "lookback, bayes"]
    assert main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["predictor"] for row in answer["comparison"][0]["predictors"]] == ["transformer", "lookback", "bayes"]
    assert (finished_run.folder.path / "figures" / "predictors.png").stat().st_size > 1000
    assert main(command) == 0
    assert "numbers seen until accuracy stays" in capsys.readouterr().out
    assert main(["evaluate", folder, "--predictors", "bays"]) == 2
    assert "near misses: bayes" in capsys.readouterr().err
    assert main(["evaluate", folder, "--predictors", "copy", "--modulus", "63"]) == 2
    assert "63 is no test modulus of this run; those are 64" in capsys.readouterr().err


def test_a_modulus_that_is_not_a_test_modulus_is_refused(finished_run):
    with pytest.raises(UserError, match="no test modulus"):
        compare(finished_run, [finished_run.predictor()], modulus=60, sequences=8)


def test_ceilings_judges_by_the_runs_that_got_there():
    needed = [
        {"run": run, "regime": regime, "predictor": name, "threshold": threshold, "over_ceiling": ratio}
        for run, regime, name, threshold, ratio in (
            ("a", "fm", "transformer", "99%", 10.0),
            ("a", "fm", "algebraic", "99%", 1.0),
            ("b", "um", "transformer", "60%", 4.0),
            ("b", "um", "transformer", "60%", 6.0),
            ("c", "um", "transformer", "60%", None),
        )
    ]
    digits = [
        {"run": "a", "certain": certain, "value": value}
        for certain, value in ((True, 1.0), (True, 0.5), (False, 0.5), (False, 0.95))
    ]
    positions = [
        {"run": "a", "regime": "fm", "predictor": "transformer", "modulus": 256, "value": value} for value in (0.1, 1.0)
    ]
    found = EXPERIMENTS["ceilings"].evidence({"needed": needed, "digits": digits, "positions": positions})
    assert found.findings == {"fixed-far": [10.0], "unseen-far": [5.0], "explained": [0.5], "unexplained": [0.5]}
    assert found.conditions == {"learned-fixed": 1.0, "learned-unseen": None}
    assert ceilings.MODEL == "transformer"
