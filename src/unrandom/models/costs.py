"""The parameters, operations and memory of each part of the model, from the configuration, without torch. A part
inherits its class of costs; nested parts (the key-value shift in the attention) are counted separately."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from unrandom.models.config import TransformerConfig

Shapes = dict[str, tuple[int, ...]]  # shapes of parameters, by their names within the part


@dataclass(frozen=True)
class ForwardPass:
    """The settings of a forward pass that influence its memory."""

    precision: str  # fp32 or bf16
    attention: str  # explicit, fused or blockwise

    @property
    def operand_bytes(self) -> int:
        """Bytes per number of the operands of a matrix product."""
        return 2 if self.precision == "bf16" else 4

    @property
    def copy_bytes(self) -> int:
        """Bytes per number of the bf16 copy of an fp32 operand; 0 in fp32, where no copy is made."""
        return 2 if self.precision == "bf16" else 0


class SavedTensor(NamedTuple):
    """A tensor that the forward pass saves for the backward pass."""

    tensor: str
    bytes: int  # size for one sequence of full context length
    by: str  # the operation whose backward pass needs the tensor


class PartCosts:
    """The costs of a part, by default none."""

    matrices: ClassVar[tuple[str, ...]] = ()  # names of the parameters that Muon updates if it is the optimiser

    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {}

    @classmethod
    def parameter_count(cls, config: TransformerConfig) -> int:
        return sum(math.prod(shape) for shape in cls.shapes(config).values())

    @classmethod
    def matrix_count(cls, config: TransformerConfig) -> int:
        """The number of parameters in the matrices that Muon updates."""
        shapes = cls.shapes(config)
        return sum(math.prod(shapes[name]) for name in cls.matrices)

    @classmethod
    def weights_read(cls, config: TransformerConfig) -> int:
        """Number of weights in the part's matrix products; each takes two operations per token."""
        return cls.matrix_count(config)

    @classmethod
    def forward_flops(cls, config: TransformerConfig, tokens: int, pairs: int) -> int:
        """Operations of its matrix products on one sequence with this number of tokens and of (query, key) pairs."""
        return 2 * cls.weights_read(config) * tokens

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
        """Tensors saved per sequence, without the bf16 copies of weights."""
        return []

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: ForwardPass) -> int:
        """Peak bytes of gradients inside the part, per sequence."""
        return 0


def _biases(config: TransformerConfig, **sizes: int) -> Shapes:
    """The shapes of a part's biases, given the sizes of its layers by name; none in a model without biases."""
    return {f"{name}.bias": (size,) for name, size in sizes.items()} if config.bias else {}


class EmbeddingCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {"weight": (config.vocab_size, config.d_model)}


class LearnedPositionsCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {"W_pos": (config.context, config.d_model)}


class AbacusPositionsCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {"W_int": (config.numbers, config.d_model), "W_digit": (config.digits, config.d_model)}


class LayerNormCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return dict.fromkeys(("weight", "bias")[: 1 + config.bias], (config.d_model,))

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
        return [
            SavedTensor("input", 4 * config.context * config.d_model, "normalisation"),
            SavedTensor("mean and deviation of each token", 8 * config.context, "normalisation"),
        ]


class KeyValueShiftCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {"own_k": (config.n_heads,), "own_v": (config.n_heads,)}

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
        features = forward.operand_bytes * config.context * config.d_model
        return [SavedTensor("keys and values of the number before", 2 * features, "gradients of the shares")]


class AttentionCosts(PartCosts):
    matrices = ("W_QKV.weight", "W_O.weight")

    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        d = config.d_model
        return {"W_QKV.weight": (3 * d, d), "W_O.weight": (d, d), **_biases(config, W_QKV=3 * d, W_O=d)}

    @classmethod
    def forward_flops(cls, config: TransformerConfig, tokens: int, pairs: int) -> int:
        """Operations of the weights, and per pair 2 d for the scores and 2 d for mixing the values."""
        return super().forward_flops(config, tokens, pairs) + 4 * config.d_model * pairs

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
        """A tensor that is a view has no bytes of its own; the tensor that it views is saved instead."""
        features = forward.operand_bytes * config.context * config.d_model
        explicit, rotates, shift = forward.attention == "explicit", config.rotates, config.kv_shift
        # A batched product over several heads copies its operands, so that each head is contiguous.
        copies = explicit and config.n_heads > 1
        # The fused kernel writes in the memory order of its queries: head by head if they are rotated. W_O needs token
        # by token.
        reordered = rotates and forward.attention == "fused" and config.n_heads > 1
        return [
            SavedTensor("input", features, "W_QKV"),
            SavedTensor("W_QKV's output", 3 * features * (shift or not copies), "the shift, and the views below"),
            SavedTensor("queries", features * (copies or rotates), "scores"),
            SavedTensor("keys", features * (copies or rotates or shift), "scores"),
            SavedTensor("values", features * (copies or shift), "mixing"),
            *_saved_of_pattern(config, forward),
            SavedTensor("mixed values, head by head", features * reordered, "fused kernel"),
            SavedTensor("mixed values", features, "W_O"),
        ]

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: ForwardPass) -> int:
        """Gradients of pattern and scores, in fp32, after the pattern's copy is freed; the other paths have none."""
        pairs = config.n_heads * config.context**2
        return (4 + 4 - forward.copy_bytes) * pairs if forward.attention == "explicit" else 0


def _saved_of_pattern(config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
    rows, pairs = config.n_heads * config.context, config.n_heads * config.context**2
    if forward.attention == "explicit":
        return [
            SavedTensor("pattern", 4 * pairs, "softmax"),
            SavedTensor("pattern's copy", forward.copy_bytes * pairs, "mixing"),
        ]
    if forward.attention == "fused":
        return [SavedTensor("logarithm of each row's sum", 4 * rows, "fused kernel")]
    return []


class MLPCosts(PartCosts):
    matrices = ("W_in.weight", "W_out.weight")

    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        wide, narrow = config.d_mlp, config.d_model
        biases = _biases(config, W_in=wide, W_out=narrow)
        return {"W_in.weight": (wide, narrow), "W_out.weight": (narrow, wide), **biases}

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
        hidden = forward.operand_bytes * config.context * config.d_mlp
        return [
            SavedTensor("input", forward.operand_bytes * config.context * config.d_model, "W_in"),
            SavedTensor(
                "activation's input", hidden * (config.activation == "gelu"), "gelu (relu needs only its output)"
            ),
            SavedTensor("activation's output", hidden, "W_out"),
        ]

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: ForwardPass) -> int:
        """For relu, the gradients of its input and its output. For gelu, the gradient of its input and a copy of the
        gradient of the MLP's output, because gelu's own output is freed before these are computed.
        """
        if config.activation == "relu":
            return 2 * forward.operand_bytes * config.context * config.d_mlp
        return config.context * (forward.operand_bytes * config.d_mlp + forward.copy_bytes * config.d_model)


class UnembeddingCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {} if config.tied else {"weight": (config.vocab_size, config.d_model)}

    @classmethod
    def weights_read(cls, config: TransformerConfig) -> int:
        return config.vocab_size * config.d_model

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: ForwardPass) -> list[SavedTensor]:
        return [
            SavedTensor("input", forward.operand_bytes * config.context * config.d_model, "unembedding"),
            SavedTensor("log-probabilities", 4 * config.context * config.vocab_size, "cross-entropy"),
        ]

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: ForwardPass) -> int:
        """Gradients of the log-probabilities and of the logits."""
        return 2 * 4 * config.context * config.vocab_size


POSITIONS: dict[str, type[PartCosts]] = {"learned": LearnedPositionsCosts, "abacus": AbacusPositionsCosts}


def block_parts(config: TransformerConfig) -> list[type[PartCosts]]:
    """The parts of one block."""
    shift: list[type[PartCosts]] = [KeyValueShiftCosts] if config.kv_shift else []
    return [LayerNormCosts, AttentionCosts, *shift, LayerNormCosts, MLPCosts]


def outer_parts(config: TransformerConfig) -> list[type[PartCosts]]:
    """The parts outside the blocks. Rotary positions have no parameters and belong to the attention."""
    positions = [POSITIONS[config.positions]] if config.positions in POSITIONS else []
    return [EmbeddingCosts, *positions, LayerNormCosts, UnembeddingCosts]
