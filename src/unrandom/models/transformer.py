"""The paper's GPT: embedding, blocks of attention and MLP, unembedding."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from unrandom.core.errors import UserError
from unrandom.models.attention import Attention, AttentionPath
from unrandom.models.config import TransformerConfig
from unrandom.models.costs import EmbeddingCosts, LayerNormCosts, MLPCosts, UnembeddingCosts
from unrandom.models.part import Part, fill_normal, initialise, residual_deviation, zero_biases
from unrandom.models.positions import AbacusPositions, LearnedPositions, PositionTable
from unrandom.models.taps import Activations, Edit, Tap, TapName, TapNames, intervene, record, tap_names
from unrandom.models.weights import WeightAccessors

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
POSITIONS: dict[str, Callable[[TransformerConfig], PositionTable]] = {
    "learned": LearnedPositions,
    "abacus": AbacusPositions,
}


class Embedding(EmbeddingCosts, Part, nn.Embedding):
    """One vector per token."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config.vocab_size, config.d_model)

    def initialise(self, generator: torch.Generator) -> None:
        fill_normal(self.weight, generator)


class LayerNorm(LayerNormCosts, Part, nn.LayerNorm):
    """LayerNorm with a gain and, with ``bias``, a bias; its output passes a tap."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config.d_model, bias=config.bias)
        self.hook_normalized = Tap()

    def initialise(self, generator: torch.Generator) -> None:
        self.weight.fill_(1.0)
        zero_biases(self)

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return self.hook_normalized(super().forward(x))


class MLP(MLPCosts, Part):
    """W_out activation(W_in x); with ``bias``, both linear layers have one."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.W_in = nn.Linear(config.d_model, config.d_mlp, bias=config.bias)
        self.W_out = nn.Linear(config.d_mlp, config.d_model, bias=config.bias)
        self.activation, self.residual_deviation = ACTIVATIONS[config.activation], residual_deviation(config)
        self.hook_pre, self.hook_post = Tap(), Tap()  # [batch, pos, d_mlp]

    def initialise(self, generator: torch.Generator) -> None:
        fill_normal(self.W_in.weight, generator)
        fill_normal(self.W_out.weight, generator, self.residual_deviation)
        zero_biases(self.W_in, self.W_out)

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return self.W_out(self.hook_post(self.activation(self.hook_pre(self.W_in(x)))))


class Block(nn.Module):
    """x + attention(norm(x)), then x + MLP(norm(x))."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.ln1, self.attn = LayerNorm(config), Attention(config)
        self.ln2, self.mlp = LayerNorm(config), MLP(config)
        self.hook_resid_pre, self.hook_resid_mid, self.hook_resid_post = Tap(), Tap(), Tap()
        self.hook_attn_out, self.hook_mlp_out = Tap(), Tap()

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        x = self.hook_resid_pre(x)
        x = self.hook_resid_mid(x + self.hook_attn_out(self.attn(self.ln1(x))))
        return self.hook_resid_post(x + self.hook_mlp_out(self.mlp(self.ln2(x))))


class Unembedding(UnembeddingCosts, Part, nn.Linear):
    """One logit per token, by weights of its own or (``tied``) by the embedding's."""

    def __init__(self, config: TransformerConfig, embedding: Embedding) -> None:
        super().__init__(config.d_model, config.vocab_size, bias=False)
        self.tied = config.tied
        if self.tied:
            self.weight = embedding.weight

    def initialise(self, generator: torch.Generator) -> None:
        if not self.tied:
            fill_normal(self.weight, generator)


class Transformer(WeightAccessors, nn.Module):
    """A decoder-only Transformer: tokens [batch, pos] to logits [batch, pos, vocab], each from its past only.

    Weights can be read by TransformerLens's names: ``W_E``, ``W_pos``, ``W_Q``, ``W_K``, ``W_V``, ``W_O``, ``W_in``,
    ``W_out`` and ``W_U``, biases by ``b_Q`` to ``b_out``, and the products ``QK`` and ``OV`` (`WeightAccessors`);
    activations by taps (`run_with_cache`, `run_with_hooks`, or around other code `record` and `intervene`).
    """

    def __init__(self, config: TransformerConfig, *, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        self.recompute = False  # activation checkpointing: run each block again in the backward pass
        self.embed = Embedding(config)
        self.hook_embed = Tap()
        self.pos_embed: PositionTable | None = None  # rotary positions live in the attention instead
        if config.positions in POSITIONS:
            self.pos_embed, self.hook_pos_embed = POSITIONS[config.positions](config), Tap()
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.depth))
        self.ln_final = LayerNorm(config)
        self.unembed = Unembedding(config, self.embed)
        initialise(self, seed)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos vocab"]:
        """Logits for the token after each position. Raises UserError for other axes or too many tokens."""
        if not isinstance(tokens, Tensor) or tokens.ndim != 2:
            raise UserError("tokens must be a tensor [batch, pos], as run.tokens(numbers) makes it of numbers")
        length = tokens.shape[1]
        if length > self.config.context:
            raise UserError(f"{length} tokens were given; the context is {self.config.context}")
        x = self.hook_embed(self.embed(tokens))
        if self.pos_embed is not None:
            x = x + self.hook_pos_embed(self.pos_embed(length))
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False) if self.recomputes else block(x)
        return self.unembed(self.ln_final(x))

    @torch.no_grad()
    def run_with_cache(
        self, tokens: Int[Tensor, "batch pos"], names_filter: TapNames | None = None
    ) -> tuple[Float[Tensor, "batch pos vocab"], Activations]:
        """Logits and the activations of the named taps (None: all) in one forward pass, without gradients.

        >>> import torch, unrandom
        >>> model = unrandom.load("um-144", device="cpu").model
        >>> logits, cache = model.run_with_cache(torch.tensor([[5, 66, 19]]))
        >>> cache["pattern", 0].shape, cache["resid_post", 3].shape
        (torch.Size([1, 4, 3, 3]), torch.Size([1, 3, 128]))
        """
        with record(self, tap_names(self) if names_filter is None else names_filter) as cache:
            logits = self(tokens)
        return logits, cache

    def run_with_hooks(
        self, tokens: Int[Tensor, "batch pos"], fwd_hooks: Sequence[tuple[TapName, Edit]]
    ) -> Float[Tensor, "batch pos vocab"]:
        """Logits of one forward pass with edits of activations, in their order: pairs of a tap's name and its edit.

        >>> import torch, unrandom
        >>> model = unrandom.load("um-144", device="cpu").model
        >>> tokens = torch.tensor([[5, 66, 19]])
        >>> edited = model.run_with_hooks(tokens, [("blocks.0.hook_attn_out", lambda out, hook: 0 * out)])
        >>> bool((edited == model(tokens)).all())
        False
        """
        with ExitStack() as edits:
            for name, edit in fwd_hooks:
                edits.enter_context(intervene(self, {name: edit}))
            return self(tokens)

    @property
    def recomputes(self) -> bool:
        """Whether a forward pass now would use activation checkpointing."""
        return self.recompute and self.training and torch.is_grad_enabled()

    def matrices(self) -> list[nn.Parameter]:
        """The parameters that Muon updates if it is the optimiser; each part names its own."""
        parts = (module for module in self.modules() if isinstance(module, Part))
        return [parameter for part in parts for parameter in part.matrix_parameters()]

    def has_tap(self, name: str) -> bool:
        return name in tap_names(self)

    def use_attention(self, path: AttentionPath) -> "Transformer":
        """Choose how attention is computed; the results agree to rounding. Returns the model."""
        for module in self.modules():
            if isinstance(module, Attention):
                module.path = path
        return self
