"""Times a training step beside a plain eager loop, and beside the rate of large matrix products."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from unrandom.bench.timing import interleaved
from unrandom.models import Transformer
from unrandom.models.numerics import choose_precision
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device, configure_process, matrix_product
from unrandom.training.trial import training_batches, trial_step

MEASURING_SECONDS = 20.0  # target duration of the whole measurement


def bench_training(config: RunConfig) -> dict[str, Any]:
    """Milliseconds per step of this package and of the baseline; rate of the step relative to a large matrix product.

    The operations of a step are counted in closed form: three forward passes, with the causal half of attention.
    """
    device = choose_device()
    configure_process(device)
    precision = choose_precision(config.precision, device)
    ours, baseline = trial_step(config, device), _baseline_step(config, device)
    product, operations = matrix_product(precision, device)
    trial = sum(interleaved(ours, baseline, product, rounds=1, warmup=1))
    rounds = max(5, min(50, int(MEASURING_SECONDS / trial)))
    step, baseline_step, multiplication = interleaved(ours, baseline, product, rounds=rounds)
    matmul, rate = operations / multiplication, config.step_flops / step
    return {
        "ms_per_step": round(step * 1e3, 2),
        "baseline_ms_per_step": round(baseline_step * 1e3, 2),
        "speedup": round(baseline_step / step, 2),
        "matmul_tflops": round(matmul / 1e12, 3),
        "step_tflops": round(rate / 1e12, 3),
        "fraction_of_matmul": round(rate / matmul, 3),
        "precision": precision,
        "batch_size": config.batch_size,
        "rounds": rounds,
    }


def _baseline_step(config: RunConfig, device: torch.device) -> Callable[[], None]:
    """A step as in the public scripts on a CPU: fp32, fused attention, a DataLoader over int64 tokens, AdamW."""
    batches = training_batches(config)
    tokens = torch.cat([torch.from_numpy(batches.tokens(step)).long() for step in range(8)])
    loader = DataLoader(TensorDataset(tokens[:, :-1], tokens[:, 1:]), config.batch_size, shuffle=True)

    def endless_batches() -> Iterator[list[torch.Tensor]]:
        while True:
            yield from loader

    stream = endless_batches()
    model = Transformer(config.transformer).to(device).use_attention("fused")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        inputs, targets = (part.to(device) for part in next(stream))
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step
