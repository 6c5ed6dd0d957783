"""How does Muon update the same matrix of many runs at once? By PyTorch's own orthogonalisation, mapped over the runs.

One launch serves all runs, so that a GPU is not kept waiting for the many small products of each run's matrices.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.func import vmap
from torch.optim._muon import _adjust_lr, _zeropower_via_newtonschulz


class StackedMuon:
    """The update of `torch.optim.Muon` for parameters [runs, out, in], with the rates of each run's own optimiser.

    The momentum that each optimiser keeps is a view of the stack, so that it is saved as if the run were alone.
    """

    def __init__(
        self,
        optimizers: Sequence[torch.optim.Muon],
        parameters: Sequence[Mapping[str, Tensor]],
        stacked: Mapping[str, Tensor],
    ) -> None:
        """``parameters`` maps, for each run, names to the matrices that are views of ``stacked`` by the same names."""
        self._groups = [optimizer.param_groups[0] for optimizer in optimizers]
        assert all(group["nesterov"] for group in self._groups), "Muon is used with Nesterov's momentum alone"
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
        first = self._groups[0]
        settings = first["ns_coefficients"], first["ns_steps"], first["eps"]
        orthogonalised = vmap(lambda update: _zeropower_via_newtonschulz(update, *settings))
        for name, values in self._stacked.items():
            gradient, momenta = values.grad, self._momenta[name]
            assert gradient is not None, name
            kept = self._per_run("momentum", values)
            momenta.lerp_(gradient, 1 - kept)
            update = orthogonalised(gradient.lerp(momenta, kept)).to(values.dtype)
            rates = [_adjust_lr(group["lr"], group["adjust_lr_fn"], values.shape[1:]) for group in self._groups]
            decays = [group["lr"] * group["weight_decay"] for group in self._groups]
            values.mul_(1 - _column(decays, values)).sub_(_column(rates, values) * update)

    def _per_run(self, setting: str, like: Tensor) -> Tensor:
        return _column([group[setting] for group in self._groups], like)


def _column(numbers: Sequence[float], like: Tensor) -> Tensor:
    """One number per run, to be multiplied with matrices [runs, out, in]."""
    return torch.tensor(numbers, dtype=like.dtype, device=like.device)[:, None, None]
