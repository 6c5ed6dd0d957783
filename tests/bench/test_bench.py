"""Benchmarks give the numbers they promise. How large those are is no matter of a test."""

import math

from unrandom.bench import bench_data, bench_evaluation, bench_scaling, bench_sweep, bench_training, scaling, training
from unrandom.bench.timing import interleaved


def positive(measured, *keys):
    return all(measured[key] > 0 and math.isfinite(measured[key]) for key in keys)


def test_data():
    measured = bench_data(set_rows=64)
    assert positive(measured, "ns_per_number", "copy_ns_per_number", "ratio_to_copy", "baseline_ns_per_number")
    assert positive(measured, "token_set_peak_gigabytes")


def test_training(tiny, monkeypatch):
    monkeypatch.setattr(training, "SECONDS_WANTED", 0.1)
    measured = bench_training(tiny)
    assert positive(measured, "ms_per_step", "baseline_ms_per_step", "speedup", "matmul_tflops")
    assert {"step_tflops", "fraction_of_matmul"} <= set(measured)


def test_evaluation(tiny):
    assert positive(bench_evaluation(tiny), "sequences_per_second", "floor_sequences_per_second", "fraction_of_floor")


def test_scaling(tiny, monkeypatch):
    measured = bench_scaling(tiny, set_rows=64, unseen_rows=64, evaluated=8)
    assert positive(measured, "set_peak_gigabytes", "unseen_set_peak_to_size", "step_peak_to_estimate")
    assert positive(measured, "evaluation_fraction_of_floor", "fresh_share_of_step")
    monkeypatch.setattr(scaling, "available_memory", lambda: 2**20)
    assert scaling._unseen_set(2**20) == {"gigabytes": None, "reason": "1.1 GB are needed, 0.0 GB available"}


def test_sweep(tiny):
    assert positive(bench_sweep(tiny, steps=2), "seconds_in_turn", "speedup_of_processes", "speedup_of_stacking")


def test_things_are_timed_in_turn_and_the_warm_up_does_not_count():
    turns = []
    seconds = interleaved(lambda: turns.append("a"), lambda: turns.append("b"), rounds=2, warmup=1)
    assert turns == ["a", "b"] * 3
    assert len(seconds) == 2
