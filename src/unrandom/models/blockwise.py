"""Causal attention by blocks of queries, for long contexts on a CPU: the whole pattern is never kept."""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

QUERIES = 192
"""Queries of a block: larger blocks compute more pairs that the mask removes, smaller ones are slower products."""

PAIRS = 2**19
"""Pairs of query and key in one product, which stay in the cache; short contexts take several sequences at a time."""


class BlockwiseAttention(torch.autograd.Function):
    """softmax(q k^T / sqrt(d_head) + causal mask) v, for each block of queries over the keys up to its last one.

    Queries, keys and values are saved for the backward pass, which computes the pattern of each block again, as
    FlashAttention does (Dao et al. 2022, section 3.1), but with PyTorch's own products of matrices.
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
        for q_part, k_part, v_part, z_part in _parts(q, k, v, z):
            for block in _blocks(q):
                past = slice(0, block.stop)
                z_part[:, block] = _pattern(q_part[:, block], k_part[:, past]) @ v_part[:, past]
        return z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dz: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = ctx.saved_tensors
        dq, dk, dv = _empty_like(q), _empty_like(k), _empty_like(v)
        for q_part, k_part, v_part, dz_part, dq_part, dk_part, dv_part in _parts(q, k, v, dz, dq, dk, dv):
            sum_dtype = torch.promote_types(q.dtype, torch.float32)
            dk_sum, dv_sum = (torch.zeros_like(part, dtype=sum_dtype) for part in (k_part, v_part))
            for block in _blocks(q):
                past = slice(0, block.stop)
                pattern = _pattern(q_part[:, block], k_part[:, past])
                dpattern = dz_part[:, block] @ v_part[:, past].mT
                dscores = torch._softmax_backward_data(dpattern, pattern, -1, q.dtype) * q.shape[-1] ** -0.5
                dq_part[:, block] = dscores @ k_part[:, past]
                dk_sum[:, past] += dscores.mT @ q_part[:, block]
                dv_sum[:, past] += pattern.mT @ dz_part[:, block]
            dk_part[:], dv_part[:] = dk_sum, dv_sum
        return dq, dk, dv


def _pattern(q: Tensor, k: Tensor) -> Float[Tensor, "part query key"]:
    """The pattern of a block's queries over the keys up to the last query."""
    scores = (q * q.shape[-1] ** -0.5) @ k.mT
    queries = q.shape[-2]
    future = torch.full((queries, queries), float("-inf"), dtype=q.dtype, device=q.device).triu(1)
    scores[..., -queries:] += future
    return scores.softmax(-1)


def _blocks(q: Tensor) -> Iterator[slice]:
    length = q.shape[-2]
    return (slice(first, min(first + QUERIES, length)) for first in range(0, length, QUERIES))


def _parts(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """The tensors' views [sequence, pos, d_head] of some sequences and one head."""
    batch, heads, length, _ = tensors[0].shape
    size = max(1, PAIRS // max(1, min(QUERIES, length) * length))
    for first in range(0, batch, size):
        for head in range(heads):
            yield tuple(tensor[first : first + size, head] for tensor in tensors)


def _empty_like(tensor: Tensor) -> Tensor:
    """An empty tensor of this shape, token by token in memory, as `Attention` uses it next."""
    batch, heads, length, features = tensor.shape
    return tensor.new_empty(batch, length, heads, features).transpose(1, 2)
