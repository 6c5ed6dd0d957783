"""A run can be measured for its report, on its own moduli and on others."""

import json

import pytest
from torch import nn

from unrandom.core.errors import UserError
from unrandom.report.run import render_page
from unrandom.runs.measurement import evaluate_run, measure_run
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec


def test_measurements_are_json_and_hold_every_part(finished_run):
    measured = measure_run(finished_run, sequences=32)
    assert json.loads(json.dumps(measured, allow_nan=False)) == measured
    parts = {"run", "metrics", "evaluation", "ceilings", "attention", "attention_sequence", "embedding", "samples"}
    assert set(measured) == parts
    assert len(measured["attention"]) == 2
    assert len(measured["samples"]) == 10


def test_by_period_covers_the_sequences_asked_for(finished_run):
    (tested,) = evaluate_run(finished_run, finished_run.predictor(), part=None, sequences=100)
    assert sum(group["total"] for group in tested["further"][0]["by_group"][0]["groups"]) == 100
    assert tested["last_number_accuracy"]["total"] == 100


def test_another_modulus_can_be_tried_and_one_that_cannot_be_written_is_refused(finished_run):
    (tested,) = evaluate_run(finished_run, finished_run.predictor(), part=48, sequences=20)
    assert tested["part"] == 48
    assert tested["about"] == "that training may have seen"
    for modulus in (65, 1, 0, -4):
        with pytest.raises(UserError, match=f"modulus {modulus} was given; this model writes numbers below 64"):
            evaluate_run(finished_run, finished_run.predictor(), part=modulus, sequences=20)


def test_unseen_moduli_and_digits_can_be_measured_too(tiny, um_data, tmp_path):
    data = um_data.replace(base=6)
    config = tiny.replace(data=data, steps=2).override(["model.positions=abacus"])
    run = create_run(RunSpec("tiny-um", config), tmp_path, [])
    execute(run)
    measured = measure_run(run, sequences=16)
    assert [tested["part"] for tested in measured["evaluation"]] == [32, 27]
    assert measured["embedding"]["labels"] == "digits"


class Shift(nn.Module):
    """Each position passes on what the one before it held: a sequence mixer without any attention pattern."""

    def forward(self, x):
        return nn.functional.pad(x, (0, 0, 1, 0))[:, :-1]


def test_what_a_model_has_no_tap_for_is_left_out(finished_run, monkeypatch):
    def load_model(self, device=None):
        model = load(self, device)
        model.blocks[0].attn = Shift()
        return model

    load = Run.load_model
    monkeypatch.setattr(Run, "load_model", load_model)
    measured = measure_run(finished_run, sequences=16)
    assert measured["attention"] == []
    assert measured["evaluation"][0]["last_number_accuracy"]["total"] == 16
    assert "Left out: this model has no attention patterns." in render_page(measured)
