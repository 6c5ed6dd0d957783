"""The rank of this process, and how ranks communicate: one process alone, or DDP under ``torchrun``."""

import gc
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from unrandom.core.errors import UserError


@dataclass(frozen=True)
class Ranks:
    """This process is ``rank``, from 0, of ``count`` ranks; a single process by default."""

    rank: int = 0
    count: int = 1

    @property
    def is_main(self) -> bool:
        """Whether this is rank 0, which writes, prints and evaluates."""
        return self.rank == 0

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model wrapped in DDP, which averages gradients over the ranks; unchanged on a single process."""
        return nn.parallel.DistributedDataParallel(model) if self.count > 1 else model

    def no_sync(self, wrapped: nn.Module) -> AbstractContextManager:
        """Skip the gradient all-reduce within the block (DDP's ``no_sync``), so that micro-batches accumulate locally.

        The next backward pass outside the block averages the accumulated gradients over the ranks.
        """
        return wrapped.no_sync() if isinstance(wrapped, nn.parallel.DistributedDataParallel) else nullcontext()

    def mean(self, value: Tensor) -> Tensor:
        """The mean of a tensor over the ranks."""
        if self.count == 1:
            return value
        total = value.clone()
        dist.all_reduce(total)
        return total / self.count

    def broadcast(self, flag: bool, device: torch.device) -> bool:
        """The flag of rank 0, returned on every rank."""
        if self.count == 1:
            return flag
        answer = torch.tensor(int(flag), device=device)
        dist.broadcast(answer, src=0)
        return bool(answer.item())

    def check_batch(self, batch_size: int, micro_batches: int = 1) -> None:
        if batch_size % (self.count * micro_batches):
            parts = f" with micro_batches={micro_batches} each" if micro_batches > 1 else ""
            raise UserError(f"batch_size={batch_size} must be a multiple of the {self.count} ranks{parts}")


def is_main_process() -> bool:
    """Whether this is rank 0 of torchrun, or a single process."""
    return os.environ.get("RANK", "0") == "0"


def launched_ranks() -> int:
    """The number of processes that torchrun started; 1 without torchrun."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def launched_device() -> str | None:
    """The GPU that torchrun assigns to this process, such as ``cuda:1``, or None."""
    local = os.environ.get("LOCAL_RANK")
    return f"cuda:{local}" if local is not None and torch.cuda.is_available() else None


@contextmanager
def joined_ranks(device: torch.device) -> Iterator[Ranks]:
    """Within the block, be a member of torchrun's process group; a single process without torchrun."""
    if launched_ranks() == 1:
        yield Ranks()
        return
    with process_group(device):
        yield Ranks(dist.get_rank(), dist.get_world_size())


def backend_of(device: torch.device) -> str:
    """The communication backend for a device: NCCL on GPUs, Gloo elsewhere."""
    return "nccl" if device.type == "cuda" else "gloo"


@contextmanager
def process_group(device: torch.device, **place: Any) -> Iterator[None]:
    """Within the block, be a member of a process group. ``place`` gives store, rank and world size without torchrun."""
    dist.init_process_group(backend_of(device), **place)
    try:
        yield
    finally:
        gc.collect()  # a DDP model that is still referenced keeps threads of the group, which can abort the process
        dist.destroy_process_group()
