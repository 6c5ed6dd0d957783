"""Chooses the device that a run computes on, and tunes how the process manages memory there."""

import ctypes
import gc
import platform
import time
from collections.abc import Callable, Mapping

import torch

from unrandom.core.errors import UserError
from unrandom.training.config import RunConfig
from unrandom.training.distributed import launched_device

# Options of glibc's mallopt, by their numbers in malloc.h. By default glibc allocates large blocks with mmap and
# returns them to the system when they are freed; smaller ones come from a heap, whose free top is returned.
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_MMAP_MAX = -1, -2, -3, -4

# Every step frees large tensors and the next one allocates the same sizes again; each page that comes back from the
# system costs a page fault. So mmap is not used, and the heap keeps up to 2 GB free at its top and grows by 64 MiB at a
# time. Measured on 60 steps of a small run: 184,000 page faults instead of 438,000, and steps that are 15 % shorter.
KEEP_FREED_MEMORY = {_M_MMAP_MAX: 0, _M_TRIM_THRESHOLD: 2**31 - 1, _M_TOP_PAD: 2**26}  # blocks, bytes, bytes

# A heap that is never returned fragments and takes 1.4 to 1.9 times what is in use (measured). For runs that save
# memory, each block of 1 MiB or more comes from mmap and is returned when it is freed. The heap is trimmed and grown in
# small amounts, or a large tensor would be allocated at its free top and pin it.
RETURN_FREED_MEMORY = {_M_MMAP_MAX: 2**16, _M_MMAP_THRESHOLD: 2**20, _M_TRIM_THRESHOLD: 2**20, _M_TOP_PAD: 2**17}


def choose_device(name: str | None = None) -> torch.device:
    """The named device, or the best available: CUDA, then MPS, then the CPU. Raises UserError if it cannot be used."""
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UserError(f"device {name!r} cannot be used: {str(error).splitlines()[0]}") from None
    return device


def training_device(name: str | None = None) -> torch.device:
    """The device that a run is trained on: torchrun's, the named one, or the best. Raises UserError as above."""
    return choose_device(launched_device() or name)


def configure_process(device: torch.device, config: RunConfig | None = None) -> None:
    """Set process-wide options before training a run or, without ``config``, before anything else, such as evaluation.

    On a GPU, fp32 matrix products use TF32. On a CPU, denormal numbers are flushed to zero (a saturated softmax is 20
    times slower with them), and freed memory is kept or returned, as the run needs it.
    """
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
        return
    torch.set_flush_denormal(True)
    saves = config is not None and returns_memory(config)
    _set_malloc_options(RETURN_FREED_MEMORY if saves else KEEP_FREED_MEMORY)


def returns_memory(config: RunConfig) -> bool:
    """Whether freed memory goes back to the system at once (slow, so only for activation checkpointing)."""
    return config.recompute


def _set_malloc_options(options: Mapping[int, int]) -> None:
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        for option, value in options.items():
            libc.mallopt(option, value)


def matrix_product(precision: str, device: torch.device) -> tuple[Callable[[], None], int]:
    """A function that multiplies two large square matrices, an upper bound on training speed, and its operations."""
    size = 8192 if device.type == "cuda" else 2048
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))

    def product() -> None:
        (left @ right)[0, 0].item()  # .item() waits for the result on any device

    return product, 2 * size**3


def release_models(device: torch.device) -> None:
    """Free the memory and the compiled code of models that are no longer referenced."""
    gc.collect()
    if device.type == "cuda":
        torch.compiler.reset()
        torch.cuda.empty_cache()


def synchronize(device: torch.device) -> float:
    """Wait for all work queued on the device; returns the seconds waited, 0 on a CPU."""
    if device.type == "cpu":
        return 0.0
    began = time.perf_counter()
    torch.accelerator.synchronize(device)
    return time.perf_counter() - began


def describe(device: torch.device) -> str:
    """The device's name as text."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type} ({torch.get_num_threads()} threads, {platform.machine()})"
