"""The paper's GPT, with taps for its activations, costs in compute and memory, and predictions."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unrandom.models.config import ModelConfig, TransformerConfig, incompatibility
    from unrandom.models.counts import forward_flops, parameter_count, recomputed_flops, training_flops
    from unrandom.models.growth import grow
    from unrandom.models.memory import TrainingMemory, training_memory
    from unrandom.models.taps import intervene, record
    from unrandom.models.transformer import Transformer
else:  # imported lazily: configurations and counts must not import torch
    from unrandom.core.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "config": ("ModelConfig", "TransformerConfig", "incompatibility"),
            "counts": ("forward_flops", "parameter_count", "recomputed_flops", "training_flops"),
            "growth": ("grow",),
            "memory": ("TrainingMemory", "training_memory"),
            "taps": ("intervene", "record"),
            "transformer": ("Transformer",),
        },
    )
