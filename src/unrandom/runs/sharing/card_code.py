"""Which code does a model card show? Lines that load the exported folder they are in, and predict the next number.

They need only the library that the format is for. The code for plain weights is the whole forward pass.
"""

import textwrap
from dataclasses import dataclass

from unrandom.models import TransformerConfig
from unrandom.models.formats import GPT2, GPT_NEOX
from unrandom.tokenization import Tokenizer

WIDTH = 100  # columns of a line of numbers


@dataclass(frozen=True)
class Sample:
    """A sequence that the code of a card continues."""

    numbers: list[int]
    following: int  # the number after them
    about: str  # where the sequence is from


def huggingface_code(model: TransformerConfig, tokenizer: Tokenizer, sample: Sample) -> str:
    """Code that loads the folder with transformers."""
    return f"""\
import torch
from transformers import {_class(model)}

folder = "."  # the folder of this file
model = {_class(model)}.from_pretrained(folder).eval()

{_tokens(tokenizer, sample)}
{_next_number(tokenizer, "model(tokens).logits")}
"""


def transformerlens_code(model: TransformerConfig, tokenizer: Tokenizer, sample: Sample) -> str:
    """Code that loads the folder with transformers, makes a bridge of TransformerLens of it, and records a pass."""
    return f"""\
import torch
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformers import {_class(model)}

folder = "."  # the folder of this file
loaded = {_class(model)}.from_pretrained(folder).eval()
model = build_bridge_from_module(loaded, "{_class(model)}", hf_config=loaded.config)

{_tokens(tokenizer, sample)}
with torch.no_grad():
    logits, cache = model.run_with_cache(tokens)
pattern = cache["blocks.0.attn.hook_pattern"]  # [batch, head, query, key]

{_next_number(tokenizer, "model(tokens)")}
"""


def plain_code(model: TransformerConfig, tokenizer: Tokenizer, sample: Sample) -> str:
    """Code that reads the tensors and computes logits from them by PyTorch alone."""
    unembedding = "embed" if model.tied else "unembed"
    return f"""\
import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch.nn import functional as F

folder = Path(".")  # the folder of this file
config = json.loads((folder / "config.json").read_text())
weights = load_file(folder / "model.safetensors")
heads = config["n_heads"]


def norm(x, name):  # with epsilon 1e-5
    return F.layer_norm(x, x.shape[-1:], weights[f"{{name}}.weight"])


def linear(x, name):
    return x @ weights[f"{{name}}.weight"].T

{_further_functions(model)}
def attention(x, name):  # [batch, pos, d_model]
    q, k, v = linear(x, f"{{name}}.W_QKV").unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
{_change_keys(model)}    z = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # [batch, head, pos, d_head]
    return linear(z.transpose(1, 2).flatten(2), f"{{name}}.W_O")


def model(tokens):  # [batch, pos] to logits [batch, pos, vocab]
    x = weights["embed.weight"][tokens]
{_add_positions(model)}    for layer in range(config["depth"]):
        block = f"blocks.{{layer}}"
        x = x + attention(norm(x, f"{{block}}.ln1"), f"{{block}}.attn")
        neurons = F.{model.activation}(linear(norm(x, f"{{block}}.ln2"), f"{{block}}.mlp.W_in"))
        x = x + linear(neurons, f"{{block}}.mlp.W_out")
    return linear(norm(x, "ln_final"), "{unembedding}")


{_tokens(tokenizer, sample)}
{_next_number(tokenizer, "model(tokens)")}
"""


def _class(model: TransformerConfig) -> str:
    return GPT_NEOX if model.positions == "rotary" else GPT2


def _tokens(tokenizer: Tokenizer, sample: Sample) -> str:
    """Lines that define ``tokens`` [batch, pos]."""
    numbers = textwrap.fill(f"numbers = [{', '.join(map(str, sample.numbers))}]", WIDTH, subsequent_indent="    ")
    base, width = tokenizer.base, tokenizer.width
    if width == 1:
        tokens = "tokens = torch.tensor([numbers])  # one token per number"
    else:
        digits = f"number // {base}**k % {base} for number in numbers for k in range({width})"
        tokens = f"tokens = torch.tensor([[{digits}]])  # least significant digit first"
    return f"# {sample.about}; the next number is {sample.following}\n{numbers}\n{tokens}"


def _next_number(tokenizer: Tokenizer, logits: str) -> str:
    """Lines that append the most likely next number's tokens and print it; ``logits`` is an expression for them."""
    base, width = tokenizer.base, tokenizer.width
    number = "tokens[0, -1].item()"
    if width > 1:
        number = f"sum(digit * {base}**k for k, digit in enumerate(tokens[0, -{width}:].tolist()))"
    return f"""\
with torch.no_grad():
    for _ in range({width}):  # tokens of the next number, each the most likely one
        tokens = torch.cat([tokens, {logits}[:, -1:].argmax(-1)], dim=1)
print({number})"""


def _further_functions(model: TransformerConfig) -> str:
    """Definitions that only some models need."""
    found = ""
    if model.kv_shift:
        found += """
def shifted(x, own):  # mixed with what is one number before
    previous = F.pad(x, (0, 0, config["digits"], 0))[:, :, : x.shape[2]]
    return own[:, None, None] * x + (1 - own[:, None, None]) * previous

"""
    if model.positions == "rotary":
        found += """
def rotated(x):  # pairs (f, f + d_head / 2) by the angle position * 10000^(-2 f / d_head)
    first, second = x.chunk(2, dim=-1)
    frequencies = 10_000.0 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    angles = torch.arange(x.shape[-2])[:, None] * frequencies
    return torch.cat((first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()), -1)

"""
    return found


def _change_keys(model: TransformerConfig) -> str:
    """Lines between the projection to keys and the attention, for models that change keys there."""
    shift = '    k, v = shifted(k, weights[f"{name}.kv_shift.own_k"]), shifted(v, weights[f"{name}.kv_shift.own_v"])\n'
    rotate = "    q, k = rotated(q), rotated(k)\n"
    return shift * model.kv_shift + rotate * (model.positions == "rotary")


def _add_positions(model: TransformerConfig) -> str:
    """The line that adds positions to the embedding; none for rotary positions."""
    learned = '    x = x + weights["pos_embed.W_pos"][: tokens.shape[1]]\n'
    abacus = (
        '    sums = weights["pos_embed.W_int"][:, None] + weights["pos_embed.W_digit"]\n'
        "    x = x + sums.flatten(0, 1)[: tokens.shape[1]]\n"
    )
    return {"learned": learned, "abacus": abacus, "rotary": ""}[model.positions]
