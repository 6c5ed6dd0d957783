"""A model stands beside its ceilings on one test set, and its distance to them is counted in numbers seen."""

import json

import pytest

from frames import frames
from unrandom.cli import main
from unrandom.core.errors import UserError
from unrandom.experiments.baselines import ceilings
from unrandom.experiments.claims import Bound
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.runs.comparison import compare, with_ratios
from unrandom.tasks import make_predictors


def test_every_predictor_sees_the_same_sequences(finished_run):
    others = make_predictors(["copy", "algebraic", "bayes"], finished_run.config.data)
    (compared,) = compare(finished_run, [finished_run.predictor(), *others], part=None, sequences=32)
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
    command = ["evaluate", folder, "--sequences", "32", "--predictors", "lookback, lookback:3, bayes"]
    assert main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows = {row["predictor"]: row for row in answer["comparison"][0]["predictors"]}
    assert list(rows) == ["transformer", "lookback", "lookback:3", "bayes"]
    assert rows["lookback"]["bits_known"][:8] == [0, 2, 2, 4, 4, 4, 4, 6]  # of 64
    assert rows["lookback:3"]["bits_known"][:8] == [0, 2, 4, 4, 4, 6, 6, 6]
    assert (finished_run.folder.path / "figures" / "predictors.png").stat().st_size > 1000
    assert main(command) == 0
    assert "numbers seen from which accuracy stays" in capsys.readouterr().out
    assert main(["evaluate", folder, "--predictors", "bays"]) == 2
    assert "near misses: bayes" in capsys.readouterr().err
    assert main(["evaluate", folder, "--predictors", "copy", "--modulus", "63"]) == 2
    assert "63 is not a test modulus; this run's test moduli: 64" in capsys.readouterr().err


def test_a_modulus_that_is_not_a_test_modulus_is_refused(finished_run):
    with pytest.raises(UserError, match="not a test modulus"):
        compare(finished_run, [finished_run.predictor()], part=60, sequences=8)


def needed_rows(*rows):
    """Numbers needed by run, regime, modulus, predictor and threshold, and positions up to 64."""
    keys = ("run", "regime", "modulus", "predictor", "threshold", "numbers")
    needed = [dict(zip(keys, row, strict=True)) for row in rows]
    places = {(row["run"], row["regime"], row["modulus"]) for row in needed}
    positions = [
        {"run": run, "regime": regime, "modulus": m, "predictor": "transformer", "seen": seen, "value": seen / 64}
        for run, regime, m in sorted(places)
        for seen in (1, 64)
    ]
    return {"needed": needed, "positions": positions}


def test_ceilings_compares_the_model_with_the_posterior():
    tables = needed_rows(
        ("a", "fm", 256, "transformer", "99%", 30), ("a", "fm", 256, "bayes", "99%", 3),
        ("b", "um", 108, "transformer", "60%", 20), ("b", "um", 108, "bayes", "60%", 5),
        ("b", "um", 125, "transformer", "60%", 30), ("b", "um", 125, "bayes", "60%", 5),
    )  # fmt: skip
    digits = [
        {"run": "a", "certain": certain, "value": value}
        for certain, value in ((True, 1.0), (True, 0.5), (False, 0.5), (False, 0.95))
    ]
    found = EXPERIMENTS["ceilings"].evidence(frames({**tables, "digits": digits}))
    findings = {"fixed-far": [10.0], "unseen-far": [5.0], "explained": [0.5], "unexplained": [0.5]}
    assert found == {**findings, ceilings.FIXED: 1.0, ceilings.UNSEEN: 1.0}


def test_a_model_that_never_gets_there_leaves_a_bound():
    tables = needed_rows(
        ("b", "um", 108, "transformer", "60%", 20), ("b", "um", 108, "bayes", "60%", 5),
        ("b", "um", 127, "transformer", "60%", None), ("b", "um", 127, "bayes", "60%", 5),
    )  # fmt: skip
    found = ceilings.ratios(frames(tables), "um", "60%")
    assert isinstance(found, Bound)
    assert (found.at_least, found.limits) == (True, [(20 / 5 + 65 / 5) / 2])
