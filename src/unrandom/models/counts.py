"""How large is a model, and what does it cost? Closed forms, which the tests hold against the model and a counter."""

from dataclasses import dataclass

from unrandom.models.config import TransformerConfig


def parameter_count(config: TransformerConfig) -> int:
    """Distinct parameters: 12 d^2 + 2 d a block, the final gain, the embedding (twice if untied), the positions.

    A block whose heads shift keys and values has two shares a head more.
    """
    d = config.d_model
    positions = {
        "learned": config.context,
        "abacus": config.numbers + config.digits,
        "rotary": 0,
    }[config.positions]
    embeddings = config.vocab_size * (1 if config.tied else 2)
    shares = 2 * config.n_heads if config.kv_shift else 0
    return config.depth * (12 * d**2 + 2 * d + shares) + d + (embeddings + positions) * d


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


def recomputed_flops(config: TransformerConfig, *, sequences: int, tokens: int) -> int:
    """Operations that a step makes a second time when its blocks run again in the backward pass."""
    unembedding = 2 * config.vocab_size * config.d_model * sequences * tokens
    return forward_flops(config, sequences=sequences, tokens=tokens) - unembedding


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes of a training step at its highest, by what they are for."""

    weights: int
    gradients: int
    optimizer: int
    activations: int  # kept by the forward pass for the backward pass of one micro-batch
    working: int  # more than that, for a moment, in the backward pass

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.activations + self.working


def training_memory(
    config: TransformerConfig,
    *,
    sequences: int,
    precision: str,
    attention: str,
    optimizer: str,
    micro_batches: int = 1,
    recompute: bool = False,
) -> TrainingMemory:
    """What a step of ``sequences`` full contexts takes, cut into ``micro_batches``.

    ``precision`` is fp32 or bf16, ``attention`` explicit or fused, ``optimizer`` adamw or muon. Weights, gradients,
    optimiser and the residual stream are in fp32 always; bf16 is what the matrix products read.
    """
    b, T, d, V = -(-sequences // micro_batches), config.context, config.d_model, config.vocab_size
    narrow = _narrow(precision)
    casts = 0 if precision == "fp32" else narrow  # bytes a weight
    mixing, mlp = _kept_by_attention(config, precision, attention), _kept_by_mlp(config, precision)
    block, stream = b * (mixing + mlp) + 12 * d**2 * casts, 4 * b * T * d
    top = b * T * (_norm(config, precision) + 4 * V) + V * d * casts  # with the log-probabilities in fp32
    # the gradient of the residual stream, and beside it: that of the logits and of what they are made of; those of the
    # MLP's inside; or, once what the MLP kept is gone, those of both sides of the softmax
    logits = 2 * 4 * b * T * V
    # gelu's output is gone before the gradient of its input is made; relu's output is all that it keeps
    mlp_gradients = 2 * narrow * config.d_mlp if config.activation == "relu" else narrow * config.d_mlp + casts * d
    inside = stream + b * T * mlp_gradients
    if attention == "explicit":
        pattern = b * config.n_heads * T**2 * (8 - casts)
        inside = max(inside, stream + pattern - b * (mlp + narrow * T * d))
    parameters, matrices = parameter_count(config), 12 * config.depth * d**2
    return TrainingMemory(
        weights=4 * parameters,
        gradients=4 * parameters,
        optimizer=8 * parameters - (4 * matrices if optimizer == "muon" else 0),
        activations=top + config.depth * (stream if recompute else block),
        working=max(logits, inside - top + (block - stream if recompute else 0)),
    )


def _narrow(precision: str) -> int:
    """Bytes of a number that a matrix product reads."""
    return 2 if precision == "bf16" else 4


def _norm(config: TransformerConfig, precision: str) -> int:
    """Bytes that a norm keeps of a token: its input with mean and deviation, and its output."""
    return 4 * config.d_model + 8 + _narrow(precision) * config.d_model


def _kept_by_attention(config: TransformerConfig, precision: str, attention: str) -> int:
    """Bytes that attention and its norm keep of a sequence: the inputs of every product, and the pattern."""
    T, d, heads, narrow = config.context, config.d_model, config.n_heads, _narrow(precision)
    parts = 4  # queries, keys, values, and what is mixed of them
    if config.positions == "rotary" and attention == "fused":
        parts = 6 if heads == 1 else 7  # what was turned is new, and mixed in another order than it is read
    elif config.positions == "rotary" and heads == 1:
        parts = 6  # values that are not copied keep what all three were cut from
    if config.kv_shift:
        parts += 4  # the keys and values of the number before, and the mixed ones
        if attention == "explicit" and heads > 1:
            parts += 1  # queries that are copied, beside what all three were cut from
        elif config.positions == "rotary":
            parts -= 1  # turned keys are new, so that mixed ones are kept once
    linear = T * (_norm(config, precision) + parts * narrow * d)
    if attention == "fused":
        return linear + 4 * heads * T  # the logarithm of each row's sum
    return linear + heads * T**2 * (4 if precision == "fp32" else 4 + narrow)  # in fp32, and as the product reads it


def _kept_by_mlp(config: TransformerConfig, precision: str) -> int:
    """Bytes that the MLP and its norm keep of a sequence; relu needs its output alone."""
    sides = 1 if config.activation == "relu" else 2
    return config.context * (_norm(config, precision) + sides * _narrow(precision) * config.d_mlp)
