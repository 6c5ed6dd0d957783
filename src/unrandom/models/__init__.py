"""The paper's GPT, with named taps to look inside."""

from unrandom.models.config import ModelConfig, TransformerConfig
from unrandom.models.counts import forward_flops, parameter_count, recomputed_flops, training_flops, training_memory
from unrandom.models.grow import grow, obstacle
from unrandom.models.taps import intervene, record
from unrandom.models.transformer import Transformer

__all__ = [
    "ModelConfig",
    "Transformer",
    "TransformerConfig",
    "forward_flops",
    "grow",
    "intervene",
    "obstacle",
    "parameter_count",
    "recomputed_flops",
    "record",
    "training_flops",
    "training_memory",
]
