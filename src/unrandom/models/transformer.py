"""What is the model? The paper's GPT in one page: embedding, blocks of attention and MLP, unembedding (section 3.2)."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from unrandom.core.errors import UserError
from unrandom.models.attention import Attention, AttentionPath
from unrandom.models.config import TransformerConfig
from unrandom.models.positions import AbacusPositions, LearnedPositions
from unrandom.models.taps import Tap

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
POSITIONS: dict[str, Callable[[TransformerConfig], nn.Module]] = {
    "learned": LearnedPositions,
    "abacus": AbacusPositions,
}


class LayerNorm(nn.LayerNorm):
    """LayerNorm with a gain and no bias, and a tap on what leaves it."""

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model, bias=False)
        self.hook_normalized = Tap()

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return self.hook_normalized(super().forward(x))


class MLP(nn.Module):
    """W_out activation(W_in x)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.W_in = nn.Linear(config.d_model, config.d_mlp, bias=False)
        self.W_out = nn.Linear(config.d_mlp, config.d_model, bias=False)
        self.activation = ACTIVATIONS[config.activation]
        self.hook_pre, self.hook_post = Tap(), Tap()  # [batch, pos, d_mlp]

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return self.W_out(self.hook_post(self.activation(self.hook_pre(self.W_in(x)))))


class Block(nn.Module):
    """x + attention(norm(x)), then x + MLP(norm(x))."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.ln1, self.attn = LayerNorm(config.d_model), Attention(config)
        self.ln2, self.mlp = LayerNorm(config.d_model), MLP(config)
        self.hook_resid_pre, self.hook_resid_mid, self.hook_resid_post = Tap(), Tap(), Tap()
        self.hook_attn_out, self.hook_mlp_out = Tap(), Tap()

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.hook_resid_pre(x)
        x = self.hook_resid_mid(x + self.hook_attn_out(self.attn(self.ln1(x))))
        return self.hook_resid_post(x + self.hook_mlp_out(self.mlp(self.ln2(x))))


class Transformer(nn.Module):
    """A decoder-only Transformer: tokens [batch, pos] to logits [batch, pos, vocab], each from its past only."""

    def __init__(self, config: TransformerConfig, *, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        self.recompute = False  # in training, keep of each block only its input, and run it again in the backward pass
        self.embed = nn.Embedding(config.vocab_size, config.d_model)
        # rotary positions live in the attention instead
        self.pos_embed = POSITIONS[config.positions](config) if config.positions in POSITIONS else None
        self.hook_embed, self.hook_pos_embed = Tap(), Tap()
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.depth))
        self.ln_final = LayerNorm(config.d_model)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tied:
            self.unembed.weight = self.embed.weight
        self._initialise(seed)

    @torch.no_grad()
    def _initialise(self, seed: int) -> None:
        """GPT-2's: normal with deviation 0.02, smaller by sqrt(2 depth) where a block writes to the residual stream."""
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                writes = name.endswith(("W_O.weight", "W_out.weight"))
                std = 0.02 * (2 * self.config.depth) ** -0.5 if writes else 0.02
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * std)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos vocab"]:
        """Logits for the token after each position. Raises UserError for more tokens than the context."""
        length = tokens.shape[1]
        if length > self.config.context:
            raise UserError(f"{length} tokens were given; the context is {self.config.context}")
        x = self.hook_embed(self.embed(tokens))
        if self.pos_embed is not None:
            x = x + self.hook_pos_embed(self.pos_embed(length))
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False) if self.recomputes else block(x)
        return self.unembed(self.ln_final(x))

    @property
    def recomputes(self) -> bool:
        """Whether a forward pass now would be one whose blocks run again."""
        return self.recompute and self.training and torch.is_grad_enabled()

    def use_attention(self, path: AttentionPath) -> "Transformer":
        """Choose how attention is computed; the results agree to rounding. Returns the model."""
        for module in self.modules():
            if isinstance(module, Attention):
                module.path = path
        return self
