"""Times evaluation beside its floor: the forward passes alone, on tokens prepared in advance."""

from typing import Any

import numpy as np
import torch

from unrandom.bench.timing import interleaved
from unrandom.evaluation import evaluate
from unrandom.models.predictor import TransformerPredictor
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device, configure_process
from unrandom.training.trainee import build_model

SEQUENCES = 256  # default number of sequences


def bench_evaluation(config: RunConfig, sequences: int = SEQUENCES, rounds: int = 9) -> dict[str, Any]:
    """Sequences per second of an evaluation (fp32) and of the bare forward passes, and their ratio."""
    device = choose_device()
    configure_process(device)
    model = build_model(config, device).eval().use_attention("explicit")
    predictor = TransformerPredictor(model, config.data.tokenizer)
    tested = config.data.split(config.split_seed).test_of_largest(sequences, name="test")
    tokens = torch.from_numpy(predictor.tokenizer.encode(tested.numbers).astype(np.int64))[:, :-1].to(device)

    @torch.no_grad()
    def forward() -> None:
        for chunk in tokens.split(predictor.chunk):
            model(chunk)
        if device.type == "cuda":
            torch.cuda.synchronize()

    whole, floor = interleaved(lambda: evaluate(predictor, tested), forward, rounds=rounds, warmup=min(2, rounds - 1))
    return {
        "sequences_per_second": round(sequences / whole, 1),
        "floor_sequences_per_second": round(sequences / floor, 1),
        "fraction_of_floor": round(floor / whole, 3),
    }
