"""How large is a model, and what does it cost? Closed forms, which the tests hold against the model and a counter."""

from unrandom.models.config import TransformerConfig


def parameter_count(config: TransformerConfig) -> int:
    """Distinct parameters: 12 d^2 + 2 d a block, the final gain, the embedding (twice if untied), the positions."""
    d = config.d_model
    positions = {
        "learned": config.context,
        "abacus": -(-config.context // config.digits) + config.digits,
        "rotary": 0,
    }[config.positions]
    embeddings = config.vocab_size * (1 if config.tied else 2)
    return config.depth * (12 * d**2 + 2 * d) + d + (embeddings + positions) * d


def forward_flops(config: TransformerConfig, *, sequences: int, tokens: int, causal: bool = True) -> int:
    """Floating-point operations of the matrix products of one forward pass.

    2 (12 depth d^2 + V d) a token, and for the scores and their use 4 d a query and key in each block; a causal
    kernel needs the tokens (tokens + 1) / 2 pairs below the diagonal, an explicit one computes all tokens^2.
    """
    d = config.d_model
    dense = 2 * (12 * config.depth * d**2 + config.vocab_size * d) * tokens
    pairs = tokens * (tokens + 1) // 2 if causal else tokens**2
    return sequences * (dense + 4 * config.depth * d * pairs)


def training_flops(config: TransformerConfig, *, sequences: int, tokens: int) -> int:
    """Operations of one training step: the forward pass and, at twice its cost, the backward pass."""
    return 3 * forward_flops(config, sequences=sequences, tokens=tokens)
