"""What to expect of a run: operations, memory and what to set where it does not fit; time, by its first steps."""

import time

import pytest
import torch

from unrandom.evaluation.during_training import PROBES
from unrandom.models import training_memory
from unrandom.runs.recipes import recipe
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.tasks import make_batches
from unrandom.training import Progress
from unrandom.training import estimate as estimates
from unrandom.training.estimate import WARM_UP, StepTimer, data_bytes, estimate, step_memory
from unrandom.training.optimizers import OPTIMIZERS

CPU = torch.device("cpu")
GB = 10**9


@pytest.fixture(autouse=True)
def a_machine(monkeypatch):
    monkeypatch.setattr(estimates, "available_memory", lambda: 24 * GB)


def test_words(monkeypatch):
    config = recipe("um-2048").build().override(["precision=bf16"])
    expected = estimate(config, ranks=1, device=CPU)
    first, second = expected.text.splitlines()
    assert first == "about 1.22 EFLOP: 12.2 TFLOP per step"
    assert second == (
        "memory 19.8 GB of 24 GB per rank "
        "(weights 122 MB, gradients 122 MB, optimiser 243 MB, activations 17.6 GB, "
        "evaluations and checkpoints 486 MB, data 1.18 GB)"
    )
    assert expected.to_json() == {"flops": expected.flops, "memory_bytes": expected.memory_bytes, "seconds": None}
    monkeypatch.setattr(estimates, "available_memory", lambda: None)
    assert "memory 19.8 GB per rank" in estimate(config, ranks=1, device=CPU).text


def test_time_is_that_of_the_steps_and_evaluations_that_are_left(tiny):
    config = tiny.override(["steps=10", "evaluate_every=4"])
    whole, rest = (estimate(config, ranks=1, device=CPU, step=step, training_sequences=16) for step in (0, 4))
    assert (whole.steps, whole.evaluations) == (10, 3)  # after 4, 8 and 10 steps
    assert (rest.steps, rest.evaluations) == (6, 2)
    assert rest.flops * 10 == whole.flops * 6
    assert whole.steps_per_evaluation == (32 + 16) / (
        3 * 16
    )  # forward passes of sequences, where a step has three of each
    assert whole.seconds is None
    assert whole.timed(0.5).seconds == pytest.approx(0.5 * (10 + 3 * 1))
    said = "about 6.5 s for 10 steps: 500 ms per step as measured, and an evaluation of 500 ms every 4 steps"
    assert whole.timed(0.5).time_text == said
    assert whole.timed(0.5).to_json()["seconds"] == 6.5


def test_ranks_share_the_work_and_the_memory_of_the_machine(tiny):
    one, two = (estimate(tiny, ranks=ranks, device=CPU) for ranks in (1, 2))
    assert two.flops == one.flops
    assert two.steps_per_evaluation == 2 * one.steps_per_evaluation  # one rank evaluates alone
    assert two.available == one.available // 2
    assert two.memory.activations < one.memory.activations
    assert two.memory.gradients == 2 * one.memory.gradients


def test_blocks_that_run_twice_take_a_third_more_operations():
    config = recipe("um-2048").build()
    once, twice = (estimate(config.override([f"recompute={r}"]), ranks=1, device=CPU) for r in ("false", "true"))
    assert twice.flops == once.flops
    assert once.steps_per_evaluation / twice.steps_per_evaluation == pytest.approx(4 / 3, rel=0.05)
    assert "TFLOP once more" in twice.text


def seen(timer, *seconds):
    """Let the timer see steps that took so long each."""
    progress = Progress(train_seconds=100.0)  # of an earlier part of the run
    for each in seconds:
        progress.step += 1
        progress.train_seconds += each
        timer(progress)


def test_the_first_steps_do_not_count_and_the_others_are_averaged():
    found = []
    seen(StepTimer(CPU, found.append), *[9.0] * WARM_UP, 0.1, 0.3, 0.2, 0.2)
    assert found == []  # less than a second was measured
    seen(StepTimer(CPU, found.append), *[9.0] * WARM_UP, 0.1, 0.3, 0.2, 0.2, 0.3, 77.0, 77.0)
    assert found == [pytest.approx(0.22)]


def test_what_a_device_has_yet_to_do_is_waited_for_and_counts(monkeypatch):
    found = []
    monkeypatch.setattr(estimates, "synchronize", lambda _device: 0.5)
    seen(StepTimer(torch.device("meta"), found.append), *[0.1] * (WARM_UP + 5))
    assert found == [pytest.approx(0.6)]


def test_fast_steps_are_measured_for_a_second_and_slow_ones_once():
    found = []
    seen(StepTimer(CPU, found.append), *[0.01] * (WARM_UP + 99))
    assert found == []
    seen(StepTimer(CPU, found.append), *[0.01] * (WARM_UP + 101))
    assert found.pop() == pytest.approx(0.01)
    seen(StepTimer(CPU, found.append), *[50.0] * (WARM_UP + 1))
    assert found.pop() == pytest.approx(50)


def test_what_is_found_in_a_run_is_what_it_takes(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(estimates, "ENOUGH_SECONDS", 0.2)
    monkeypatch.setattr(time, "perf_counter", time.process_time)  # other processes do not change what steps take
    config = tiny.override(["steps=200", "evaluate_every=10", "checkpoint_every=200", "batch_size=64"])
    run = create_run(RunSpec("tiny", config), tmp_path, ["test"])
    found, began = [], []

    def watch(_progress):
        began.append(time.perf_counter())

    execute(run, observers=(StepTimer(CPU, found.append), watch))
    expected = estimate(config, ranks=1, device=CPU, step=1, training_sequences=PROBES).timed(found[0]).seconds
    took = began[-1] - began[0]
    assert took / 3 < expected < 3 * took


def test_what_does_not_fit_is_told_what_to_set(monkeypatch):
    config = recipe("fm-base256").build().override(["precision=bf16"])

    def advice(gigabytes, *settings):
        monkeypatch.setattr(estimates, "available_memory", lambda: int(gigabytes * GB))
        return estimate(config.override(settings), ranks=1, device=CPU).text.rpartition("; ")[2]

    assert advice(24) == "set micro_batches=4 to need 21.6 GB"
    assert "set" not in advice(24, "micro_batches=4")
    assert advice(5, "micro_batches=4") == "set micro_batches=32 to need 4.48 GB"
    assert advice(2.1) == "set micro_batches=256 and recompute=true to need 2.08 GB"
    assert (
        advice(1)
        == "no number of micro_batches makes it fit, nor recompute: make the model, batch_size or data smaller"
    )


@pytest.mark.parametrize(("settings", "fragmentation"), [(["micro_batches=2"], 1.7), (["recompute=true"], 1.0)])
def test_memory_that_is_not_kept_is_not_fragmented(tiny, settings, fragmentation):
    config = tiny.override(settings)
    how = {"precision": "fp32", "attention": "explicit", **OPTIMIZERS["muon"].moments}
    parts = {"micro_batches": config.micro_batches, "recompute": config.recompute}
    closed = training_memory(config.transformer, sequences=config.batch_size, **how, **parts)
    memory = step_memory(config, ranks=1, device=CPU)
    assert memory.activations == closed.activations
    passing = closed.activations + closed.working
    assert memory.activations + memory.working == pytest.approx(fragmentation * passing, abs=1)


@pytest.mark.parametrize("data", ["fm", "um"])
def test_the_training_set_is_counted(tiny, fm_data, um_data, data):
    sizes = {"mode": "fixed", "n_sequences": 500}
    config = tiny.replace(data={"fm": fm_data, "um": um_data}[data].replace(**sizes))
    batches = make_batches(config.data.split(0), 16)
    parameters = batches.parameters
    rows = [parameters.a, parameters.c, parameters.x0, *([] if isinstance(parameters.m, int) else [parameters.m])]
    held = batches.set_tokens.nbytes + sum(row.nbytes for row in rows) + 2 * batches._order(0).nbytes
    assert data_bytes(config) == held
    assert data_bytes(tiny) == 0


def test_every_pair_of_a_product_is_counted():
    tokens, parameters, order = 1024, 32, 16
    assert data_bytes(recipe("um-base256").build()) == 32_768 * 128 * (tokens + parameters + order)
    assert data_bytes(recipe("fm-base256").build()) == 2**20 * (tokens + 24 + order)


def test_nothing_is_left_of_a_run_at_its_end(tiny):
    left = estimate(tiny, ranks=1, device=CPU, step=tiny.steps)
    assert (left.steps, left.flops) == (0, 0)
    assert left.timed(1.0).seconds == 0
