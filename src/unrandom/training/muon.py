"""Muon in the precision that the device multiplies fast, for one run or for a stack of runs.

PyTorch's Muon always orthogonalises in bf16. A processor without bf16 units emulates it, which takes 26 to 36 times as
long as fp32 for the matrices of this package's models; there, and for stacks, the iteration below is used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim._muon import _adjust_lr

from unrandom.models.numerics import has_fast_bf16


class Muon(torch.optim.Muon):
    """`torch.optim.Muon` on one device, with the same state; it orthogonalises in fp32 where bf16 is slow."""

    def __init__(self, groups: list[dict[str, Any]], *, lr: float, momentum: float, device: torch.device) -> None:
        super().__init__(groups, lr=lr, momentum=momentum)
        self.dtype = torch.bfloat16 if has_fast_bf16(device) else torch.float32

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One update of every matrix that has a gradient."""
        assert closure is None, "losses are computed before the step"
        if self.dtype == torch.bfloat16:
            super().step()
            return
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is not None:
                    momentum = self.state[matrix].setdefault("momentum_buffer", torch.zeros_like(matrix))
                    _update(matrix, matrix.grad, momentum, [group], self.dtype)


class StackedMuon:
    """The update of `Muon` for parameters [runs, out, in], with the rates of each run's own optimiser.

    One launch serves all runs, so that a GPU is not kept waiting for the many small products of each run's matrices.
    The momentum that each optimiser keeps is a view of the stack, so that it is saved as if the run were alone.
    """

    def __init__(
        self,
        optimizers: Sequence[Muon],
        parameters: Sequence[Mapping[str, Tensor]],
        stacked: Mapping[str, Tensor],
    ) -> None:
        """``parameters`` maps, for each run, names to the matrices that are views of ``stacked`` by the same names."""
        self._groups = [optimizer.param_groups[0] for optimizer in optimizers]
        self._dtype = optimizers[0].dtype
        self._stacked = {name: stacked[name] for name in parameters[0]}
        self._momenta = {}
        for name, values in self._stacked.items():
            momenta = torch.zeros_like(values, requires_grad=False)
            for index, (optimizer, own) in enumerate(zip(optimizers, parameters, strict=True)):
                kept = optimizer.state[own[name]]
                if "momentum_buffer" in kept:
                    momenta[index] = kept["momentum_buffer"]
                kept["momentum_buffer"] = momenta[index]
            self._momenta[name] = momenta

    @torch.no_grad()
    def step(self) -> None:
        """One update of every matrix of every run, from the gradients of the stack."""
        for name, values in self._stacked.items():
            assert values.grad is not None, name
            _update(values, values.grad, self._momenta[name], self._groups, self._dtype)


def _update(
    values: Tensor, gradient: Tensor, momenta: Tensor, groups: Sequence[Mapping[str, Any]], dtype: torch.dtype
) -> None:
    """Update one matrix [out, in] with one group of settings, or a stack [runs, out, in] with one group for each."""
    assert all(group["nesterov"] for group in groups), "Muon is used with Nesterov's momentum alone"
    kept = _column([group["momentum"] for group in groups], values)
    momenta.lerp_(gradient, 1 - kept)
    update = orthogonalised(gradient.lerp(momenta, kept), groups[0], dtype).to(values.dtype)
    rates = [_adjust_lr(group["lr"], group["adjust_lr_fn"], values.shape[-2:]) for group in groups]
    decays = [group["lr"] * group["weight_decay"] for group in groups]
    values.mul_(1 - _column(decays, values)).sub_(_column(rates, values) * update)


def orthogonalised(update: Tensor, settings: Mapping[str, Any], dtype: torch.dtype) -> Tensor:
    """Matrices [..., out, in] with singular values brought near 1 by a quintic Newton–Schulz iteration (Jordan 2024).

    ``settings`` are Muon's: ``ns_coefficients``, ``ns_steps`` and ``eps``. The result has the given ``dtype``.
    """
    a, b, c = settings["ns_coefficients"]
    tall = update.shape[-2] > update.shape[-1]
    x = (update.mT if tall else update).to(dtype)
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=settings["eps"])
    for _ in range(settings["ns_steps"]):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if tall else x


def _column(numbers: Sequence[float], like: Tensor) -> Tensor:
    """One number for a matrix, or one for each matrix of a stack, to be multiplied with it."""
    shape = (len(numbers), 1, 1) if like.dim() == 3 else ()
    return torch.tensor(numbers, dtype=like.dtype, device=like.device).reshape(shape)
