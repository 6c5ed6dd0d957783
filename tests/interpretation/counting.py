"""A model written by hand that counts modulo 6: head 0 passes on x mod 3, head 1 x mod 2, and head 2 nothing.

The next number is read off as the only one with both residues, so that without head 0 nothing is known of the digit of
base 3, and without head 1 nothing of that of base 2.
"""

import numpy as np
import torch

from unrandom.models import Transformer, TransformerConfig
from unrandom.tasks import Examples, LCGParameters

M, CONTEXT = 6, 8
CONFIG = TransformerConfig(depth=1, n_heads=3, d_model=36, activation="relu", tied=False, vocab_size=M, context=CONTEXT)
NUMBER, POSITION = slice(0, 6), slice(6, 14)  # dimensions of the residual stream
RESIDUES = {3: slice(14, 17), 2: slice(17, 19)}


@torch.no_grad()
def counting_model() -> Transformer:
    model = Transformer(CONFIG, seed=1)
    block, numbers = model.blocks[0], torch.arange(M)
    w_q, w_k, w_v = block.attn.W_QKV.weight.unflatten(0, (3, 3, 12)).unbind(0)  # [head, d_head, d_model], views
    for weight in (model.embed.weight, model.pos_embed.W_pos, model.unembed.weight, block.mlp.W_out.weight,
                   block.attn.W_QKV.weight, block.attn.W_O.weight):  # fmt: skip
        weight.zero_()
    model.embed.weight[:, NUMBER] = torch.eye(M)
    model.pos_embed.W_pos[:, POSITION] = torch.eye(CONTEXT)
    for head, (p, written) in enumerate(RESIDUES.items()):
        w_q[head, :CONTEXT, POSITION] = 10 * torch.eye(CONTEXT)  # each query attends to itself
        w_k[head, :CONTEXT, POSITION] = torch.eye(CONTEXT)
        w_v[head, :p, NUMBER] = torch.eye(p)[:, numbers % p]
        block.attn.W_O.weight[written, 12 * head : 12 * head + p] = torch.eye(p)
        model.unembed.weight[:, written] = torch.eye(p)[(numbers - 1) % p]
    return model


def counting_sequences() -> Examples:
    """0, 1, 2, … from every seed."""
    one = np.ones(M, dtype=np.uint64)
    return Examples.of(LCGParameters(M, one, one, np.arange(M, dtype=np.uint64)), CONTEXT + 1)
