"""Measures token sets, the memory of a step, evaluation and fresh batches for large moduli and long sequences."""

import json
import subprocess
from typing import Any

from unrandom.bench.data import LENGTH, SET_ROWS, M, make_set
from unrandom.bench.evaluation import bench_evaluation
from unrandom.bench.timing import interleaved
from unrandom.core.memory import available_memory
from unrandom.core.processes import python
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device, configure_process
from unrandom.training.trial import training_batches, trial_step

UNSEEN_ROWS = 32_768 * 128  # the paper's n_m x n_a, with one increment per pair
UNSEEN_MODULI = (1025, 65_535)
EVALUATED = 512  # default number of sequences in the evaluation
STREAMING = {"mode": "streaming", "n_sequences": None, "n_a": None, "n_c": None}
CPU_SETTINGS: dict[str, Any] = {"data": {"modulus": 2**32}, "model": {"d_model": 128}, "batch_size": 32}

# Run in a separate process, so that the peak memory is the step's. Tiny steps run first, so that the memory of
# libraries loaded on first use is not counted.
STEP_MEMORY = """
import json, sys
from unrandom.training.trial import trial_step
from unrandom.core.memory import peak_memory, resident_memory
from unrandom.training import RunConfig
from unrandom.training.estimate import step_memory
from unrandom.training.machine import choose_device, configure_process
device = choose_device("cpu")
configure_process(device)
config = RunConfig.parse(json.loads(sys.argv[1]))
tiny = config.replace(model={"d_model": 2 * config.model.n_heads}, batch_size=config.micro_batches)
for shape in (tiny, config):
    before = resident_memory()
    step = trial_step(shape, device)
    step()
    step()  # with the optimiser's state
peak = peak_memory()
taken = None if peak is None or before is None else peak - before
print(json.dumps([taken, step_memory(config, ranks=1, device=device).total]))
"""


def on_this_machine() -> dict[str, Any]:
    """Settings that adapt a recipe to this machine: the paper's modulus, and on a CPU a narrower model."""
    return {"data": {"modulus": 2**32}} if choose_device().type == "cuda" else CPU_SETTINGS


def bench_scaling(
    config: RunConfig, *, set_rows: int = SET_ROWS, unseen_rows: int = UNSEEN_ROWS, evaluated: int = EVALUATED
) -> dict[str, Any]:
    """Seconds and memory of the paper's two token sets, and of a step, an evaluation and a fresh batch of ``config``.

    The data are streaming; the memory of a step is measured on the CPU. A value that cannot be measured is None, with a
    reason.
    """
    config = config.replace(data=STREAMING)
    step = step_on_cpu(config if choose_device().type == "cpu" else config.replace(**CPU_SETTINGS))
    return {
        "d_model": config.model.d_model,
        "depth": config.model.depth,
        "batch_size": config.batch_size,
        "tokens": config.data.context_tokens,
        **_prefixed("set", make_set((M, M), set_rows)),
        **_prefixed("unseen_set", _unseen_set(unseen_rows)),
        **step,
        **_prefixed("evaluation", {"sequences": evaluated, **bench_evaluation(config, evaluated, rounds=1)}),
        **_fresh(config),
    }


def step_on_cpu(config: RunConfig) -> dict[str, Any]:
    """Peak memory of a training step on the CPU, the estimate, and their ratio."""
    command = python("-c", STEP_MEMORY, json.dumps(config.to_json()))
    measured, expected = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return {
        "step_peak_gigabytes": measured and round(measured / 1e9, 3),
        "step_estimate_gigabytes": round(expected / 1e9, 3),
        "step_peak_to_estimate": measured and round(measured / expected, 3),
    }


def _unseen_set(rows: int) -> dict[str, Any]:
    size, free = rows * LENGTH * 2, available_memory()
    if free is not None and free < 1.2 * size:
        return {"gigabytes": None, "reason": f"{size / 1e9:.1f} GB are needed, {free / 1e9:.1f} GB available"}
    return make_set(UNSEEN_MODULI, rows, width=2)


def _fresh(config: RunConfig) -> dict[str, Any]:
    device = choose_device()
    configure_process(device)
    batches = training_batches(config)
    steps = iter(range(2**32))
    step, batch = interleaved(trial_step(config, device), lambda: batches.tokens(next(steps)), rounds=5, warmup=1)
    return {
        "ms_per_step": round(step * 1e3, 2),
        "ms_per_fresh_batch": round(batch * 1e3, 2),
        "fresh_share_of_step": round(batch / step, 4),
    }


def _prefixed(prefix: str, measured: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}_{key}": value for key, value in measured.items()}
