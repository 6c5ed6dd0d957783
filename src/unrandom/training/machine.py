"""What does this machine do best? Device, number format and attention path, chosen from what was measured (docs)."""

import ctypes
import gc
import platform
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch

from unrandom.core.errors import UserError
from unrandom.models import TransformerConfig
from unrandom.models.attention import AttentionPath
from unrandom.training.config import RunConfig

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_MMAP_MAX = -1, -2, -3, -4  # malloc.h


def choose_device(name: str | None = None) -> torch.device:
    """The named device, or the best there is: CUDA, then MPS, then the CPU. UserError when it is not there."""
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UserError(f"device {name!r} cannot be used: {str(error).splitlines()[0]}") from None
    return device


def prepare(device: torch.device) -> None:
    """Process-wide settings: flush denormals (saturated softmax is 20 times slower with them), keep freed memory.

    glibc returns every large tensor to the system and asks for it again the next step; keeping it saves the page
    faults, a tenth of a small step.
    """
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
        return
    torch.set_flush_denormal(True)
    _malloc(((_M_MMAP_MAX, 0), (_M_TRIM_THRESHOLD, 2**31 - 1), (_M_TOP_PAD, 2**26)))


def saves_memory(config: RunConfig) -> bool:
    """Whether a run is asked to do with less memory."""
    return config.micro_batches > 1 or config.recompute


def returns_memory(config: RunConfig) -> bool:
    """Whether freed memory goes back at once: only where blocks run again, too, as it doubles the time of a step."""
    return config.recompute


def return_freed_memory(device: torch.device) -> None:
    """The opposite, for runs that save all they can: what is kept is in pieces, and half as much again is taken for it.

    What is free at the top of the heap must go too: a large tensor that fits there is put there, and stays.
    """
    if device.type != "cuda":
        _malloc(((_M_MMAP_MAX, 2**16), (_M_MMAP_THRESHOLD, 2**20), (_M_TRIM_THRESHOLD, 2**20), (_M_TOP_PAD, 2**17)))


def _malloc(options: tuple[tuple[int, int], ...]) -> None:
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        for option, value in options:
            libc.mallopt(option, value)


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


def matrix_product(precision: str, device: torch.device) -> tuple[Callable[[], None], int]:
    """A large square matrix product, the ceiling of any step that is made of them, and its operations."""
    size = 8192 if device.type == "cuda" else 2048
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))

    def product() -> None:
        (left @ right)[0, 0].item()  # waits until it is there, on any device

    return product, 2 * size**3


def forget_models(device: torch.device) -> None:
    """Give back what models that are gone have left, memory and compiled code, so that the next begins afresh."""
    gc.collect()
    if device.type == "cuda":
        torch.compiler.reset()
        torch.cuda.empty_cache()


def wait_for(device: torch.device) -> float:
    """Wait until the device has done what it was given; returns for how many seconds. A CPU is never behind."""
    if device.type == "cpu":
        return 0.0
    began = time.perf_counter()
    torch.accelerator.synchronize(device)
    return time.perf_counter() - began


def describe(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type} ({torch.get_num_threads()} threads, {platform.machine()})"
