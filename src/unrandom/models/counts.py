"""The parameters and operations of a model: sums over its parts, computed from the configuration alone."""

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import block_parts, outer_parts


def parameter_count(config: TransformerConfig) -> int:
    """Distinct parameters: 12 d^2 + 2 d per block, the final gain, the embedding (twice if untied), the positions.

    With ``kv_shift``, each head has two more. With ``bias``, each block has 11 d more, and the final LayerNorm d.
    """
    block = sum(part.parameter_count(config) for part in block_parts(config))
    return config.depth * block + sum(part.parameter_count(config) for part in outer_parts(config))


def forward_flops(config: TransformerConfig, *, sequences: int, tokens: int, causal: bool = True) -> int:
    """Floating-point operations of the matrix products of one forward pass.

    2 (12 depth d^2 + V d) per token, and 4 d per pair of query and key in each block for scores and mixing; a causal
    kernel needs the tokens (tokens + 1) / 2 pairs below the diagonal, an explicit one computes all tokens^2.
    """
    pairs = tokens * (tokens + 1) // 2 if causal else tokens**2
    block = sum(part.forward_flops(config, tokens, pairs) for part in block_parts(config))
    outer = sum(part.forward_flops(config, tokens, pairs) for part in outer_parts(config))
    return sequences * (config.depth * block + outer)


def training_flops(config: TransformerConfig, *, sequences: int, tokens: int) -> int:
    """Operations of one training step: the forward pass and, at twice its cost, the backward pass."""
    return 3 * forward_flops(config, sequences=sequences, tokens=tokens)


def recomputed_flops(config: TransformerConfig, *, sequences: int, tokens: int) -> int:
    """Additional operations of a training step that recomputes its blocks in the backward pass."""
    pairs = tokens * (tokens + 1) // 2
    return sequences * config.depth * sum(part.forward_flops(config, tokens, pairs) for part in block_parts(config))
