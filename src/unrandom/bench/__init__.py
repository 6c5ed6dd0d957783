"""Benchmarks with ratios to a baseline or a ceiling, measured alternately in one run."""

from unrandom.bench.data import bench_data
from unrandom.bench.device import bench_device, for_this_device
from unrandom.bench.evaluation import bench_evaluation
from unrandom.bench.predictors import bench_predictors
from unrandom.bench.scaling import bench_scaling, on_this_machine
from unrandom.bench.sweep import bench_sweep
from unrandom.bench.training import bench_training
