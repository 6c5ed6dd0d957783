"""The paper's GPT, with named taps to look inside."""

from unrandom.models.config import ModelConfig, TransformerConfig
from unrandom.models.counts import forward_flops, parameter_count, training_flops
from unrandom.models.taps import intervene, record
from unrandom.models.transformer import Transformer

__all__ = [
    "ModelConfig",
    "Transformer",
    "TransformerConfig",
    "forward_flops",
    "intervene",
    "parameter_count",
    "record",
    "training_flops",
]
