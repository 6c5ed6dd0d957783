"""A model written by hand, whose head 0 copies number t - 2^k, and whose head 1 attends but writes nothing.

The MLP reads out what was copied: one neuron per number, at the places `VOTERS`; all others write nothing. So what each
look-back carries, which head is needed, and what each neuron votes for are known.
"""

import numpy as np
import torch

from unrandom.core.arithmetic import largest_power
from unrandom.models import Transformer, TransformerConfig

M, CONTEXT = 8, 12
CONFIG = TransformerConfig(depth=1, n_heads=2, d_model=32, activation="relu", tied=False, vocab_size=M, context=CONTEXT)
VOTERS = np.array([90, 3, 41, 17, 127, 66, 8, 55])  # the neuron that stands for number 0, 1, …
NUMBER, POSITION, COPIED = slice(0, 8), slice(8, 20), slice(20, 28)  # dimensions of the residual stream


@torch.no_grad()
def copying_model() -> Transformer:
    model = Transformer(CONFIG, seed=1)
    block = model.blocks[0]
    w_q, w_k, w_v = block.attn.W_QKV.weight.unflatten(0, (3, 2, 16)).unbind(0)  # [head, d_head, d_model], views
    for weight in (model.embed.weight, model.pos_embed.W_pos, model.unembed.weight, block.mlp.W_in.weight,
                   block.mlp.W_out.weight, block.attn.W_O.weight, w_q[0], w_k[0], w_v[0]):  # fmt: skip
        weight.zero_()
    model.embed.weight[:, NUMBER] = torch.eye(M)
    model.pos_embed.W_pos[:, POSITION] = torch.eye(CONTEXT)
    model.unembed.weight[:, COPIED] = torch.eye(M)
    for query in range(CONTEXT):
        w_q[0, query + 1 - largest_power(query + 1, 2), POSITION.start + query] = 10
    w_k[0, :CONTEXT, POSITION] = torch.eye(CONTEXT)
    w_v[0, :M, NUMBER] = torch.eye(M)
    block.attn.W_O.weight[COPIED, :M] = torch.eye(M)
    block.mlp.W_in.weight[VOTERS, COPIED] = torch.eye(M)
    block.mlp.W_out.weight[COPIED, VOTERS] = torch.eye(M)
    return model
