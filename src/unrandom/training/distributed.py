"""Who am I among how many? One process alone, or one rank of ``torchrun`` (plain DDP)."""

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
    """This process's place: ``rank`` of ``count``."""

    rank: int = 0
    count: int = 1

    @property
    def is_main(self) -> bool:
        """Whether this rank writes, prints and measures."""
        return self.rank == 0

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model with its gradients averaged over the ranks."""
        return nn.parallel.DistributedDataParallel(model) if self.count > 1 else model

    def no_sync(self, wrapped: nn.Module) -> AbstractContextManager:
        """Within it, backward passes of what ``wrap`` gave add up their gradients on this rank alone.

        The next backward pass outside adds its own, and the sum is averaged over the ranks.
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
        """Rank 0's flag, on every rank."""
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
    """Whether this is rank 0 of torchrun, or the only process."""
    return os.environ.get("RANK", "0") == "0"


def launched_ranks() -> int:
    """How many processes torchrun started, or 1."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def launched_device() -> str | None:
    """The device torchrun means for this process, or None."""
    local = os.environ.get("LOCAL_RANK")
    return f"cuda:{local}" if local is not None and torch.cuda.is_available() else None


@contextmanager
def joined_ranks(device: torch.device) -> Iterator[Ranks]:
    """Join the process group that torchrun set up, if it did, and leave it at the end."""
    if launched_ranks() == 1:
        yield Ranks()
        return
    with process_group(device):
        yield Ranks(dist.get_rank(), dist.get_world_size())


def backend_of(device: torch.device) -> str:
    """What ranks on such devices speak to each other by."""
    return "nccl" if device.type == "cuda" else "gloo"


@contextmanager
def process_group(device: torch.device, **place: Any) -> Iterator[None]:
    """A process group, joined and left. ``place`` is what torchrun has not set: the store, rank and number of ranks."""
    dist.init_process_group(backend_of(device), **place)
    try:
        yield
    finally:
        gc.collect()  # a wrapped model that is still about keeps threads of the group, which can abort the process
        dist.destroy_process_group()
