"""Causal attention by blocks of queries, for long contexts on a CPU: the whole pattern is never kept."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

QUERIES = 256
"""Queries of a block: larger blocks compute more pairs that the mask removes, smaller ones are slower products."""


class BlockwiseAttention(torch.autograd.Function):
    """softmax(q k^T / sqrt(d_head) + causal mask) v, for each block of queries over the keys up to its last one.

    Queries, keys and values are saved for the backward pass, which computes the pattern of each block again, as
    FlashAttention does (Dao et al. 2022, section 3.1), but with PyTorch's own products of matrices. Each sequence and
    head is copied into a matrix of its own: bfloat16 products would copy any other slice, block by block.
    """

    @staticmethod
    def forward(
        ctx: Any,
        q: Float[Tensor, "batch head pos d_head"],
        k: Float[Tensor, "batch head pos d_head"],
        v: Float[Tensor, "batch head pos d_head"],
    ) -> Float[Tensor, "batch head pos d_head"]:
        ctx.save_for_backward(q, k, v)
        z = _empty_like(v)
        future, scale = _future(q), q.shape[-1] ** -0.5
        for at in _heads(q):
            queries, keys, values = q[at] * scale, k[at].contiguous(), v[at].contiguous()
            for block, past in _blocks(q):
                z[at][block] = _pattern(queries[block], keys[past], future) @ values[past]
        return z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dz: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = ctx.saved_tensors
        dq, dk, dv = _empty_like(q), _empty_like(k), _empty_like(v)
        future, scale = _future(q), q.shape[-1] ** -0.5
        for at in _heads(q):
            queries, keys, values, dhead = q[at] * scale, k[at].contiguous(), v[at].contiguous(), dz[at].contiguous()
            dkeys, dvalues = (
                torch.zeros_like(each, dtype=torch.promote_types(each.dtype, torch.float32)) for each in (keys, values)
            )
            for block, past in _blocks(q):
                pattern = _pattern(queries[block], keys[past], future)
                dscores = torch._softmax_backward_data(dhead[block] @ values[past].mT, pattern, -1, q.dtype)
                dq[at][block] = dscores @ keys[past] * scale
                dkeys[past] += dscores.mT @ queries[block]
                dvalues[past] += pattern.mT @ dhead[block]
            dk[at], dv[at] = dkeys, dvalues
        return dq, dk, dv


def _pattern(queries: Tensor, keys: Tensor, future: Tensor) -> Float[Tensor, "query key"]:
    """The pattern of a block's scaled queries over the keys up to the last query."""
    size = len(queries)
    scores = queries @ keys.mT
    scores[:, -size:] += future[:size, :size]
    return scores.softmax(-1)


def _future(q: Tensor) -> Float[Tensor, "query key"]:
    """What the mask adds to the scores of a block's own keys: -inf where the key comes after the query."""
    return torch.full((QUERIES, QUERIES), float("-inf"), dtype=q.dtype, device=q.device).triu(1)


def _heads(q: Tensor) -> Iterator[tuple[int, int]]:
    """The indices of every sequence and head."""
    return product(range(q.shape[0]), range(q.shape[1]))


def _blocks(q: Tensor) -> Iterator[tuple[slice, slice]]:
    """The positions of each block of queries, and those up to its last one."""
    starts = range(0, q.shape[-2], QUERIES)
    return ((slice(start, start + QUERIES), slice(start + QUERIES)) for start in starts)


def _empty_like(tensor: Tensor) -> Tensor:
    """An empty tensor of this shape, token by token in memory, as `Attention` uses it next."""
    batch, heads, length, features = tensor.shape
    return tensor.new_empty(batch, length, heads, features).transpose(1, 2)
