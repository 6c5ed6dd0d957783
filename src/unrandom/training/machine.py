"""On which device does a run compute, and how is its memory managed there?"""

import ctypes
import gc
import platform
import time
from collections.abc import Callable

import torch

from unrandom.core.errors import UserError
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
