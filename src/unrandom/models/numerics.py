"""How does a model compute on a device? In which number format, and on which attention path; as measured (docs)."""

from contextlib import AbstractContextManager, nullcontext

import torch

from unrandom.models.attention import AttentionPath
from unrandom.models.config import TransformerConfig


def has_fast_bf16(device: torch.device) -> bool:
    """Whether bf16 matrix products run on units of their own; elsewhere they are slower than fp32."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type == "cpu" and hasattr(torch.cpu, "get_capabilities"):
        found = torch.cpu.get_capabilities()
        return bool(found.get("amx_bf16") or found.get("avx512_bf16"))
    return False


def choose_precision(asked: str, device: torch.device) -> str:
    """``"bf16"`` or ``"fp32"``: as asked, or for ``"auto"`` whichever pays."""
    if asked == "auto":
        return "bf16" if has_fast_bf16(device) else "fp32"
    return asked


def autocast(precision: str, device: torch.device) -> AbstractContextManager:
    """The context in which the forward pass runs."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if precision == "bf16" else nullcontext()


def choose_attention(config: TransformerConfig, device: torch.device) -> AttentionPath:
    """The faster path.

    Explicit on the CPU for short contexts (the fused backward is slower there) and for heads wider than 256 features,
    which no fused kernel takes; fused otherwise.
    """
    if device.type == "cpu":
        return "explicit" if config.context <= 512 else "fused"
    return "explicit" if config.d_head > 256 else "fused"
