"""The shape and the variants of the model, in the paper's terms."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from unrandom.core.config import Config

Size = Annotated[int, Field(ge=1, le=2**31)]


class ModelConfig(Config):
    """A decoder-only Transformer: pre-LayerNorm, an MLP four times as wide as the residual stream."""

    depth: Size = 1  # number of blocks
    n_heads: Size = 1
    d_model: Size = 768  # width of the residual stream
    activation: Literal["relu", "gelu"] = "gelu"
    positions: Literal["learned", "abacus", "rotary"] = "learned"
    tied: bool = True  # the unembedding shares the weights of the embedding
    kv_shift: bool = False  # each head mixes its keys and values with the previous number's
    # Queries and keys turn with the index of their number, at periods 2, 4, 8, …: instead of the token's, with rotary
    # positions.
    number_rotation: bool = False
    # Biases in every linear layer of the blocks and in every LayerNorm, as in the paper's public code for scaling; the
    # unembedding has none.
    bias: bool = False

    added_later: ClassVar[frozenset[str]] = frozenset({"kv_shift", "bias", "number_rotation"})

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads

    @property
    def d_mlp(self) -> int:
        return 4 * self.d_model

    @property
    def rotates(self) -> bool:
        """Whether attention turns its queries and keys."""
        return self.number_rotation or self.positions == "rotary"

    @model_validator(mode="after")
    def _divisible(self) -> "ModelConfig":
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model={self.d_model} must be a multiple of n_heads={self.n_heads}")
        if self.rotates and self.d_head % 2:
            raise ValueError(f"rotation needs an even head width; d_model / n_heads is {self.d_head}")
        return self


class TransformerConfig(ModelConfig):
    """A model configuration with the sizes given by its task: all that is needed to build the model."""

    vocab_size: Size  # number of distinct tokens
    context: Size  # longest input, in tokens
    digits: Size = 1  # tokens per number

    @property
    def numbers(self) -> int:
        """The context in numbers, rounded up."""
        return -(-self.context // self.digits)


def incompatibility(small: TransformerConfig, large: TransformerConfig) -> str | None:
    """The reason why weights of one shape cannot be copied into the other; None if they can."""
    for name in ModelConfig.model_fields:
        before, now = getattr(small, name), getattr(large, name)
        if before != now:
            return f"model.{name} is {now}, and it was {before}"
    for name in ("vocab_size", "digits"):
        before, now = getattr(small, name), getattr(large, name)
        if before > now:
            return f"the model's {name.replace('_', ' ')} shrinks from {before} to {now}"
    return None
