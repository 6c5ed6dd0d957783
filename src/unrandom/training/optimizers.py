"""Which optimiser updates which parameter? AdamW all of them, or Muon the matrices in the blocks and AdamW the rest."""

from collections.abc import Iterator

import torch
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.training.config import OptimizerConfig


class Optimizers:
    """One or two optimisers that step together. Their state is saved as tensors, by parameter name."""

    def __init__(self, model: Transformer, config: OptimizerConfig) -> None:
        self._names: dict[Tensor, str] = {parameter: name for name, parameter in model.named_parameters()}
        matrices = model.matrices() if config.name == "muon" else []
        taken = set(matrices)
        others = [p for p in self._names if p not in taken]
        groups = [
            {"params": [p for p in others if p.dim() >= 2], "weight_decay": config.weight_decay},
            {"params": [p for p in others if p.dim() < 2], "weight_decay": 0.0},
        ]
        fused = next(model.parameters()).device.type == "cuda"
        self._parts: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(groups, lr=config.lr, betas=(config.beta1, config.beta2), fused=fused)
        ]
        if matrices:
            self._parts.append(
                torch.optim.Muon(
                    matrices,
                    lr=config.muon_lr,
                    momentum=config.muon_momentum,
                    weight_decay=config.weight_decay,
                )
            )
        self._base_rates = [group["lr"] for group in self._groups()]

    def _groups(self) -> Iterator[dict]:
        for part in self._parts:
            yield from part.param_groups

    def scale_learning_rates(self, factor: float) -> None:
        """Set every learning rate to ``factor`` times its configured value."""
        for group, target in zip(self._groups(), self._base_rates, strict=True):
            group["lr"] = target * factor

    def step(self) -> None:
        for part in self._parts:
            part.step()

    def zero_grad(self) -> None:
        for part in self._parts:
            part.zero_grad(set_to_none=True)

    def state(self) -> dict[str, Tensor]:
        """Every state tensor as ``<parameter>|<key>``."""
        return {
            f"{self._names[parameter]}|{key}": value
            for part in self._parts
            for parameter, entries in part.state.items()
            for key, value in entries.items()
        }

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """Restore what ``state`` returned. Raises UserError when it is the state of other optimisers."""
        by_name: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            parameter, key = name.split("|")
            by_name.setdefault(parameter, {})[key] = tensor
        if set(tensors) != self._state_names():
            raise UserError("the checkpoint was made with another optimizer than the configuration asks for")
        for part in self._parts:
            parameters = [p for group in part.param_groups for p in group["params"]]
            state = {i: by_name[self._names[p]] for i, p in enumerate(parameters)}
            part.load_state_dict({"state": state, "param_groups": part.state_dict()["param_groups"]})

    def _state_names(self) -> set[str]:
        """The keys of ``state`` after any step."""
        keys = {torch.optim.AdamW: ("step", "exp_avg", "exp_avg_sq"), torch.optim.Muon: ("momentum_buffer",)}
        return {
            f"{self._names[parameter]}|{key}"
            for part in self._parts
            for group in part.param_groups
            for parameter in group["params"]
            for key in keys[type(part)]
        }
