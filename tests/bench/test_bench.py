"""Benchmarks return all the numbers that they promise; the values are not tested."""

import math
import time

import pytest
import torch

from unrandom.bench import (
    bench_data,
    bench_device,
    bench_evaluation,
    bench_scaling,
    bench_sweep,
    bench_training,
    device_checks,
    scaling,
    training,
)
from unrandom.bench.timing import interleaved
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.training.optimizers import Optimizers


def positive(measured, *keys):
    return all(measured[key] > 0 and math.isfinite(measured[key]) for key in keys)


def test_data():
    measured = bench_data(set_rows=64)
    assert positive(measured, "ns_per_number", "copy_ns_per_number", "ratio_to_copy", "baseline_ns_per_number")
    assert positive(measured, "token_set_peak_gigabytes")
    assert positive(
        measured, *(f"{name}_sequences_per_second" for name in ("full_period", "skipping", *PermutedLCG.partial))
    )


@pytest.mark.slow
def test_training(tiny, monkeypatch):
    monkeypatch.setattr(training, "MEASURING_SECONDS", 0.1)
    measured = bench_training(tiny)
    assert positive(measured, "ms_per_step", "baseline_ms_per_step", "speedup", "matmul_tflops")
    assert {"step_tflops", "fraction_of_matmul"} <= set(measured)


def test_evaluation(tiny):
    assert positive(bench_evaluation(tiny), "sequences_per_second", "floor_sequences_per_second", "fraction_of_floor")


@pytest.mark.slow
def test_scaling(tiny, monkeypatch):
    measured = bench_scaling(tiny, set_rows=64, unseen_rows=64, evaluated=8)
    assert positive(measured, "set_peak_gigabytes", "unseen_set_peak_to_size", "step_peak_to_estimate")
    assert positive(measured, "evaluation_fraction_of_floor", "fresh_share_of_step")
    monkeypatch.setattr(scaling, "available_memory", lambda: 2**20)
    assert scaling._unseen_set(2**20) == {"gigabytes": None, "reason": "1.1 GB are needed, 0.0 GB available"}


@pytest.mark.slow
def test_sweep(tiny):
    assert positive(bench_sweep(tiny, steps=2), "seconds_in_turn", "speedup_of_processes", "speedup_of_stacking")


def test_actions_are_timed_alternately_without_the_warm_up():
    turns = []
    seconds = interleaved(lambda: turns.append("a"), lambda: turns.append("b"), rounds=2, warmup=1)
    assert turns == ["a", "b"] * 3
    assert len(seconds) == 2


@pytest.mark.slow
def test_every_device_check_passes_on_the_cpu_or_is_skipped_with_a_reason(tiny, monkeypatch):
    monkeypatch.setattr(device_checks, "MIN_RATE_FRACTION", 0.0)  # tiny models are far below
    outcomes = {outcome.check: outcome for outcome in bench_device(tiny)}
    assert list(outcomes) == ["device", *device_checks.CHECKS]
    results = {name: outcome.result for name, outcome in outcomes.items()}
    assert {name for name, result in results.items() if result == "skipped"} == {"compile", "memory"}
    assert set(results.values()) == {"passed", "skipped"}
    assert all(outcome.message for outcome in outcomes.values())


@pytest.mark.slow
def test_faults_of_a_device_are_found(tiny, monkeypatch):
    gradients = device_checks._gradients

    def wrong(network, batch, precision):
        loss, found = gradients(network, batch, precision)
        return loss, [tensor * (1.01 if precision == "fp32" else 1) for tensor in found]

    monkeypatch.setattr(device_checks, "_gradients", wrong)
    monkeypatch.setattr(Optimizers, "step", lambda self: None)
    monkeypatch.setattr(device_checks, "trial_step", lambda config, device: time.sleep)
    results = {outcome.check: outcome for outcome in bench_device(tiny)}
    for name in ("forward and backward, fp32", "optimisers", "fraction of the matrix rate"):
        assert results[name].result == "not passed", name
    assert "differ from float64 by 1.0e-02" in results["forward and backward, fp32"].message
    assert "TypeError" in results["fraction of the matrix rate"].message  # an exception is reported as a failure


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_the_difference_of_non_finite_numbers_is_infinite(bad):
    one = torch.ones(3)
    assert device_checks._difference([one], [one]) == 0
    assert device_checks._difference([torch.tensor([1.0, bad, 1.0])], [one]) == float("inf")
