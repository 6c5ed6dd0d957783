"""What does each part of the model take? Parameters, operations and memory, from the configuration and without torch.

The module of a part inherits what is said of it here. Parts inside a part (the shift in the attention) speak for
themselves.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from unrandom.models.config import TransformerConfig

Shapes = dict[str, tuple[int, ...]]  # of parameters, by their names within the part


@dataclass(frozen=True)
class Forward:
    """How a forward pass is computed, as far as its memory depends on it."""

    precision: str  # fp32 or bf16
    attention: str  # explicit or fused

    @property
    def read(self) -> int:
        """Bytes of a number that a matrix product reads."""
        return 2 if self.precision == "bf16" else 4

    @property
    def copied(self) -> int:
        """Bytes of the copy that a product reads of a number held in fp32; in fp32 it reads the number itself."""
        return 2 if self.precision == "bf16" else 0


class SavedTensor(NamedTuple):
    """A tensor that the forward pass keeps for the backward pass."""

    tensor: str
    bytes: int  # of one sequence that fills the context
    by: str


class PartCosts:
    """What a part takes. Whatever a part does not say is nothing."""

    matrices: ClassVar[tuple[str, ...]] = ()  # names of the parameters that Muon updates where it is the optimiser

    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {}

    @classmethod
    def parameter_count(cls, config: TransformerConfig) -> int:
        return sum(math.prod(shape) for shape in cls.shapes(config).values())

    @classmethod
    def matrix_count(cls, config: TransformerConfig) -> int:
        """Those of the parameters that are in matrices for Muon."""
        shapes = cls.shapes(config)
        return sum(math.prod(shapes[name]) for name in cls.matrices)

    @classmethod
    def weights_read(cls, config: TransformerConfig) -> int:
        """Weights that the part's matrix products read, each with two operations a token."""
        return cls.matrix_count(config)

    @classmethod
    def forward_flops(cls, config: TransformerConfig, tokens: int, pairs: int) -> int:
        """Operations of its matrix products on one sequence of so many tokens, and pairs of a query and a key."""
        return 2 * cls.weights_read(config) * tokens

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
        """Tensors kept of one sequence. The copies of weights that products read are not among them."""
        return []

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: Forward) -> int:
        """Bytes of one sequence's gradients inside the part that exist at the same time, for a moment."""
        return 0


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
        return {"weight": (config.d_model,)}

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
        return [
            SavedTensor("input", 4 * config.context * config.d_model, "normalisation"),
            SavedTensor("mean and deviation of each token", 8 * config.context, "normalisation"),
        ]


class KeyValueShiftCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {"own_k": (config.n_heads,), "own_v": (config.n_heads,)}

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
        features = forward.read * config.context * config.d_model
        return [SavedTensor("keys and values of the number before", 2 * features, "the shares' gradients")]


class AttentionCosts(PartCosts):
    matrices = ("W_QKV.weight", "W_O.weight")

    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        d = config.d_model
        return {"W_QKV.weight": (3 * d, d), "W_O.weight": (d, d)}

    @classmethod
    def forward_flops(cls, config: TransformerConfig, tokens: int, pairs: int) -> int:
        """Beside the weights', 2 d operations a pair for the scores and as many for what is mixed by them."""
        return super().forward_flops(config, tokens, pairs) + 4 * config.d_model * pairs

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
        """A tensor that is a view of another has no bytes of its own; the other is kept for its sake."""
        features = forward.read * config.context * config.d_model
        explicit, rotary, shift = forward.attention == "explicit", config.positions == "rotary", config.kv_shift
        # A product of several heads copies its factors, so that the numbers of each head lie together.
        copies = explicit and config.n_heads > 1
        # The fused kernel writes in the order of its queries. Turned ones lie head by head; W_O reads token by token.
        reordered = rotary and not explicit and config.n_heads > 1
        return [
            SavedTensor("input", features, "W_QKV"),
            SavedTensor("W_QKV's output", 3 * features * (shift or not copies), "the shift, and views of it below"),
            SavedTensor("queries", features * (copies or rotary), "scores"),
            SavedTensor("keys", features * (copies or rotary or shift), "scores"),
            SavedTensor("values", features * (copies or shift), "mixing"),
            *_saved_of_pattern(config, forward),
            SavedTensor("what is mixed, head by head", features * reordered, "fused kernel"),
            SavedTensor("what is mixed", features, "W_O"),
        ]

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: Forward) -> int:
        """Those of the pattern and of the scores, in fp32, when the pattern's copy is gone. Fused, there are none."""
        pairs = config.n_heads * config.context**2
        return (4 + 4 - forward.copied) * pairs if forward.attention == "explicit" else 0


def _saved_of_pattern(config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
    rows, pairs = config.n_heads * config.context, config.n_heads * config.context**2
    if forward.attention == "fused":
        return [SavedTensor("logarithm of each row's sum", 4 * rows, "fused kernel")]
    return [
        SavedTensor("pattern", 4 * pairs, "softmax"),
        SavedTensor("pattern's copy", forward.copied * pairs, "mixing"),
    ]


class MLPCosts(PartCosts):
    matrices = ("W_in.weight", "W_out.weight")

    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {"W_in.weight": (config.d_mlp, config.d_model), "W_out.weight": (config.d_model, config.d_mlp)}

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
        inside = forward.read * config.context * config.d_mlp
        return [
            SavedTensor("input", forward.read * config.context * config.d_model, "W_in"),
            SavedTensor(
                "activation's input", inside * (config.activation == "gelu"), "gelu; relu needs its output alone"
            ),
            SavedTensor("activation's output", inside, "W_out"),
        ]

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: Forward) -> int:
        """Those of both sides of relu; of gelu, whose output is gone before its input's gradient is made, of one.

        With it there is the copy of the gradient of what the MLP writes.
        """
        if config.activation == "relu":
            return 2 * forward.read * config.context * config.d_mlp
        return config.context * (forward.read * config.d_mlp + forward.copied * config.d_model)


class UnembeddingCosts(PartCosts):
    @classmethod
    def shapes(cls, config: TransformerConfig) -> Shapes:
        return {} if config.tied else {"weight": (config.vocab_size, config.d_model)}

    @classmethod
    def weights_read(cls, config: TransformerConfig) -> int:
        return config.vocab_size * config.d_model

    @classmethod
    def saved_tensors(cls, config: TransformerConfig, forward: Forward) -> list[SavedTensor]:
        return [
            SavedTensor("input", forward.read * config.context * config.d_model, "unembedding"),
            SavedTensor("log-probabilities", 4 * config.context * config.vocab_size, "cross-entropy"),
        ]

    @classmethod
    def gradient_bytes(cls, config: TransformerConfig, forward: Forward) -> int:
        """Those of the log-probabilities and of the logits."""
        return 2 * 4 * config.context * config.vocab_size


POSITIONS: dict[str, type[PartCosts]] = {"learned": LearnedPositionsCosts, "abacus": AbacusPositionsCosts}


def block_parts(config: TransformerConfig) -> list[type[PartCosts]]:
    """The parts of one block."""
    shift: list[type[PartCosts]] = [KeyValueShiftCosts] if config.kv_shift else []
    return [LayerNormCosts, AttentionCosts, *shift, LayerNormCosts, MLPCosts]


def outer_parts(config: TransformerConfig) -> list[type[PartCosts]]:
    """The parts outside the blocks. Rotary positions are turns inside the attention, and have no parameters."""
    positions = [POSITIONS[config.positions]] if config.positions in POSITIONS else []
    return [EmbeddingCosts, *positions, LayerNormCosts, UnembeddingCosts]
