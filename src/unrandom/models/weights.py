"""The weights of a model by the names that TransformerLens gives them.

Every property is a tensor with TransformerLens's axes, computed from the parameters, so gradients flow through it;
LayerNorm gains are not folded in. A head reads the residual stream by W_Q, W_K and W_V and writes to it by W_O. In a
model without biases, those are zeros.
"""

from typing import Any

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from unrandom.core.errors import UserError
from unrandom.models.config import TransformerConfig


class WeightAccessors:
    """Weights of a `Transformer` as tensors with named axes; rows multiply from the left, as in x @ W."""

    config: TransformerConfig
    embed: nn.Embedding
    pos_embed: nn.Module | None
    blocks: Any  # nn.ModuleList of Block
    unembed: nn.Linear

    @property
    def W_E(self) -> Float[Tensor, "vocab d_model"]:
        """The embedding: one vector per token."""
        return self.embed.weight

    @property
    def W_pos(self) -> Float[Tensor, "pos d_model"]:
        """The vectors added to the embedding by position. Raises UserError for rotary positions, which add nothing."""
        if self.pos_embed is None:
            raise UserError("a model with rotary positions has no W_pos")
        return self.pos_embed(self.config.context)

    @property
    def W_Q(self) -> Float[Tensor, "layer head d_model d_head"]:
        """From the (normalised) residual stream to the queries of each head."""
        return self._attention_weights(0)

    @property
    def W_K(self) -> Float[Tensor, "layer head d_model d_head"]:
        """From the residual stream to the keys, before rotation and the key-value shift."""
        return self._attention_weights(1)

    @property
    def W_V(self) -> Float[Tensor, "layer head d_model d_head"]:
        """From the residual stream to the values, before the key-value shift."""
        return self._attention_weights(2)

    @property
    def W_O(self) -> Float[Tensor, "layer head d_head d_model"]:
        """From each head's mixed values (tap ``hook_z``) to what it adds to the residual stream."""
        heads = self.config.n_heads
        return torch.stack([rearrange(block.attn.W_O.weight, "m (h f) -> h f m", h=heads) for block in self.blocks])

    @property
    def W_in(self) -> Float[Tensor, "layer d_model d_mlp"]:
        """From the residual stream to the neurons (tap ``hook_pre``)."""
        return torch.stack([block.mlp.W_in.weight.mT for block in self.blocks])

    @property
    def W_out(self) -> Float[Tensor, "layer d_mlp d_model"]:
        """From the activated neurons (tap ``hook_post``) to what the MLP adds to the residual stream."""
        return torch.stack([block.mlp.W_out.weight.mT for block in self.blocks])

    @property
    def W_U(self) -> Float[Tensor, "d_model vocab"]:
        """The unembedding: from the final (normalised) residual stream to logits; W_E transposed in a tied model."""
        return self.unembed.weight.mT

    @property
    def QK(self) -> Float[Tensor, "layer head d_model d_model"]:
        """W_Q W_Kᵀ: x QK yᵀ / √d_head is the score of a query x for a key y, without biases and rotation."""
        return self.W_Q @ self.W_K.mT

    @property
    def OV(self) -> Float[Tensor, "layer head d_model d_model"]:
        """W_V W_O: what a head adds to the residual stream where it attends to one (normalised) x alone is x OV."""
        return self.W_V @ self.W_O

    @property
    def b_Q(self) -> Float[Tensor, "layer head d_head"]:
        """Added to the queries of each head."""
        return self._attention_biases(0)

    @property
    def b_K(self) -> Float[Tensor, "layer head d_head"]:
        """Added to the keys, before rotation and the key-value shift."""
        return self._attention_biases(1)

    @property
    def b_V(self) -> Float[Tensor, "layer head d_head"]:
        """Added to the values, before the key-value shift."""
        return self._attention_biases(2)

    @property
    def b_O(self) -> Float[Tensor, "layer d_model"]:
        """Added to the residual stream by the attention, beside its heads."""
        return torch.stack([_bias(block.attn.W_O) for block in self.blocks])

    @property
    def b_in(self) -> Float[Tensor, "layer d_mlp"]:
        """Added to the neurons before their activation."""
        return torch.stack([_bias(block.mlp.W_in) for block in self.blocks])

    @property
    def b_out(self) -> Float[Tensor, "layer d_model"]:
        """Added to the residual stream by the MLP, beside its neurons."""
        return torch.stack([_bias(block.mlp.W_out) for block in self.blocks])

    def _attention_weights(self, which: int) -> Float[Tensor, "layer head d_model d_head"]:
        heads = self.config.n_heads
        parts = [rearrange(block.attn.W_QKV.weight, "(w h f) m -> w h m f", w=3, h=heads) for block in self.blocks]
        return torch.stack([part[which] for part in parts])

    def _attention_biases(self, which: int) -> Float[Tensor, "layer head d_head"]:
        heads = self.config.n_heads
        parts = [rearrange(_bias(block.attn.W_QKV), "(w h f) -> w h f", w=3, h=heads) for block in self.blocks]
        return torch.stack([part[which] for part in parts])


def _bias(layer: nn.Linear) -> Float[Tensor, " out"]:
    """The bias of a linear layer; zeros if it has none."""
    return layer.weight.new_zeros(len(layer.weight)) if layer.bias is None else layer.bias
