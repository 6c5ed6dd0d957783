"""How large is a model, and how many operations does it take? Sums over its parts, from the configuration alone.

The tests hold them against the model and against PyTorch's counter.
"""

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import block_parts, outer_parts


def parameter_count(config: TransformerConfig) -> int:
    """Distinct parameters: 12 d^2 + 2 d a block, the final gain, the embedding (twice if untied), the positions.

    A block whose heads shift keys and values has two shares a head more.
    """
    block = sum(part.parameter_count(config) for part in block_parts(config))
    return config.depth * block + sum(part.parameter_count(config) for part in outer_parts(config))


def forward_flops(config: TransformerConfig, *, sequences: int, tokens: int, causal: bool = True) -> int:
    """Floating-point operations of the matrix products of one forward pass.

    2 (12 depth d^2 + V d) a token, and for the scores and their use 4 d a query and key in each block; a causal
    kernel needs the tokens (tokens + 1) / 2 pairs below the diagonal, an explicit one computes all tokens^2.
    """
    pairs = tokens * (tokens + 1) // 2 if causal else tokens**2
    block = sum(part.forward_flops(config, tokens, pairs) for part in block_parts(config))
    outside = sum(part.forward_flops(config, tokens, pairs) for part in outer_parts(config))
    return sequences * (config.depth * block + outside)


def training_flops(config: TransformerConfig, *, sequences: int, tokens: int) -> int:
    """Operations of one training step: the forward pass and, at twice its cost, the backward pass."""
    return 3 * forward_flops(config, sequences=sequences, tokens=tokens)


def recomputed_flops(config: TransformerConfig, *, sequences: int, tokens: int) -> int:
    """Operations that a step makes a second time when its blocks run again in the backward pass."""
    pairs = tokens * (tokens + 1) // 2
    return sequences * config.depth * sum(part.forward_flops(config, tokens, pairs) for part in block_parts(config))
