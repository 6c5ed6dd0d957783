"""A model with the tensors of the paper's public code, written for tests alone, from a description of them."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ReferenceBlock(nn.Module):
    def __init__(self, width: int, heads: int, bias: bool, activation: str) -> None:
        super().__init__()
        self.heads, self.activation = heads, activation
        self.ln_1, self.ln_2 = nn.LayerNorm(width, bias=bias), nn.LayerNorm(width, bias=bias)
        linear = lambda inputs, outputs: nn.Linear(inputs, outputs, bias=bias)  # noqa: E731
        self.attn = nn.ModuleDict({"c_attn": linear(width, 3 * width), "c_proj": linear(width, width)})
        self.mlp = nn.ModuleDict({"c_fc": linear(width, 4 * width), "c_proj": linear(4 * width, width)})

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        rows = self.attn["c_attn"](self.ln_1(x)).split(width, dim=2)
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for part in rows)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + self.attn["c_proj"](mixed)
        return x + self.mlp["c_proj"](getattr(F, self.activation)(self.mlp["c_fc"](self.ln_2(x))))


class Reference(nn.Module):
    """Logits of tokens; ``digits`` are those of a number, or None for one vector per token position."""

    def __init__(
        self,
        *,
        vocab: int,
        positions: int,
        width: int,
        heads: int,
        depth: int,
        bias: bool,
        activation: str,
        digits: int | None,
    ) -> None:
        super().__init__()
        self.digits = digits
        rows = positions if digits is None else -(-positions // digits)
        parts = {"wte": nn.Embedding(vocab, width), "wpe": nn.Embedding(rows, width)}
        if digits is not None:
            parts["abacus"] = nn.Embedding(digits, width)
        blocks = nn.ModuleList(ReferenceBlock(width, heads, bias, activation) for _ in range(depth))
        self.transformer = nn.ModuleDict({**parts, "h": blocks, "ln_f": nn.LayerNorm(width, bias=bias)})
        self.lm_head = nn.Linear(width, vocab, bias=False)
        self.lm_head.weight = parts["wte"].weight
        generator = torch.Generator().manual_seed(7)
        with torch.no_grad():  # attention far from uniform, gains that are not 1, biases that are not 0
            for parameter in self.parameters():
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(0.3 * noise if parameter.dim() == 2 else parameter + 0.5 * noise)

    def forward(self, tokens: Tensor) -> Tensor:
        place = torch.arange(tokens.shape[1])
        x = self.transformer["wte"](tokens)
        if self.digits is None:
            x = x + self.transformer["wpe"](place)
        else:
            x = x + self.transformer["wpe"](place // self.digits) + self.transformer["abacus"](place % self.digits)
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))

    def tensors(self) -> dict[str, Tensor]:
        """The state dictionary without the unembedding, which is the embedding."""
        return {name: each.detach().clone() for name, each in self.state_dict().items() if name != "lm_head.weight"}


def digits_model() -> Reference:
    """A small scaling model: modulus 64 in two digits of base 8, 12 numbers in a sequence, biases, gelu."""
    return Reference(vocab=8, positions=23, width=12, heads=3, depth=2, bias=True, activation="gelu", digits=2)


def numbers_model() -> Reference:
    """A small model of one token per number: modulus 32, 11 numbers read, no biases, relu."""
    return Reference(vocab=32, positions=11, width=12, heads=2, depth=1, bias=False, activation="relu", digits=None)


DIGITS_NAME = "p64_b8_d2_sl12_na8_nc8_ne1_n12_h3_d2_ds71_I9_lr0.000100_Twarm50_T2000_B16_wd1.00.safetensors"
SMALL_TEST = ("data.n_test_a=2", "data.n_test_c=4", "test_sequences=8")
OF_DIGITS = (
    "data.modulus=64",
    "data.base=8",
    "data.context=11",
    "data.n_a=8",
    "data.n_c=8",
    "batch_size=16",
    *SMALL_TEST,
)
OF_NUMBERS = ("data.modulus=32", "data.context=11", "model.n_heads=2", *SMALL_TEST)
