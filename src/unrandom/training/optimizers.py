"""OPTIMIZERS names the rule that updates each parameter, and the state that it keeps.

AdamW updates all of them, or Muon the matrices in the blocks and AdamW the rest.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import torch
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.models.numerics import choose_precision
from unrandom.training.config import OptimizerConfig, RunConfig
from unrandom.training.muon import Muon

Groups = list[dict[str, Any]]
"""Parameter groups of PyTorch: ``params`` and their ``weight_decay``."""


@dataclass(frozen=True)
class UpdateRule:
    """An optimiser of PyTorch, and the tensors that it keeps for each parameter."""

    make: Callable[[Groups, OptimizerConfig, torch.device], torch.optim.Optimizer]
    moments: tuple[str, ...]  # keys of the tensors as large as the parameter
    counters: tuple[str, ...] = ()  # keys of the tensors that hold one number


@dataclass(frozen=True)
class OptimizerKind:
    """The meaning of a name in `OptimizerConfig`."""

    rule: UpdateRule
    about: Callable[[OptimizerConfig], str]  # with its rates, for readers
    matrices: UpdateRule | None = None  # of the matrices inside the blocks, if they have another one

    @property
    def moments(self) -> dict[str, int]:
        """Numbers kept for each parameter, inside the blocks' matrices and elsewhere, for `training_memory`."""
        return {"matrix_moments": len((self.matrices or self.rule).moments), "moments": len(self.rule.moments)}


def _adamw(groups: Groups, config: OptimizerConfig, device: torch.device) -> torch.optim.Optimizer:
    betas = (config.beta1, config.beta2)
    return torch.optim.AdamW(groups, lr=config.lr, betas=betas, fused=device.type == "cuda")


def _muon(groups: Groups, config: OptimizerConfig, device: torch.device) -> torch.optim.Optimizer:
    return Muon(groups, lr=config.muon_lr, momentum=config.muon_momentum, device=device)


ADAMW = UpdateRule(_adamw, moments=("exp_avg", "exp_avg_sq"), counters=("step",))
MUON = UpdateRule(_muon, moments=("momentum_buffer",))

OPTIMIZERS: Mapping[str, OptimizerKind] = {
    "adamw": OptimizerKind(ADAMW, lambda config: f"AdamW (rate {config.lr:g})"),
    "muon": OptimizerKind(
        ADAMW,
        lambda config: f"Muon (rate {config.muon_lr:g}) inside the blocks, AdamW (rate {config.lr:g}) elsewhere",
        matrices=MUON,
    ),
}
NAMES = get_args(OptimizerConfig.model_fields["name"].annotation)
assert set(OPTIMIZERS) == set(NAMES), f"OPTIMIZERS has {list(OPTIMIZERS)}, and the configuration allows {list(NAMES)}"


def precisions(config: RunConfig, device: torch.device) -> str:
    """The number formats of a run on a device, for readers: of the forward pass, and of Muon's orthogonalisation."""
    forward = choose_precision(config.precision, device)
    if OPTIMIZERS[config.optimizer.name].matrices is not MUON:
        return forward
    return f"{forward}; Muon orthogonalises in {choose_precision('auto', device)}"


class Optimizers:
    """One or two optimisers that step together. Their state is saved as tensors, by parameter name."""

    def __init__(self, model: Transformer, config: OptimizerConfig) -> None:
        self._names: dict[Tensor, str] = {parameter: name for name, parameter in model.named_parameters()}
        kind, device = OPTIMIZERS[config.name], next(model.parameters()).device
        matrices = model.matrices() if kind.matrices else []
        taken = set(matrices)
        others = [p for p in self._names if p not in taken]
        groups = [
            {"params": [p for p in others if p.dim() >= 2], "weight_decay": config.weight_decay},
            {"params": [p for p in others if p.dim() < 2], "weight_decay": 0.0},
        ]
        self._parts = [kind.rule.make(groups, config, device)]
        self._rules = [kind.rule]
        if kind.matrices and matrices:
            groups = [{"params": matrices, "weight_decay": config.weight_decay}]
            self._parts.append(kind.matrices.make(groups, config, device))
            self._rules.append(kind.matrices)
        self._base_rates = [group["lr"] for group in self._groups()]

    def _groups(self) -> Iterator[dict]:
        for part in self._parts:
            yield from part.param_groups

    def scale_learning_rates(self, factor: float) -> None:
        """Set every learning rate to ``factor`` times its configured value."""
        for group, target in zip(self._groups(), self._base_rates, strict=True):
            group["lr"] = target * factor

    @property
    def muon(self) -> Muon | None:
        """The optimiser of the matrices inside the blocks, unless AdamW updates them, too."""
        return next((part for part in self._parts if isinstance(part, Muon)), None)

    def step(self, *, without: torch.optim.Optimizer | None = None) -> None:
        """One update by all optimisers but ``without``."""
        for part in self._parts:
            if part is not without:
                part.step()

    def zero_grad(self) -> None:
        for part in self._parts:
            part.zero_grad(set_to_none=True)

    def state(self) -> dict[str, Tensor]:
        """Every state tensor as ``<parameter>|<key>``; none before the first step."""
        state = {
            f"{self._names[parameter]}|{key}": value
            for part in self._parts
            for parameter, entries in part.state.items()
            for key, value in entries.items()
        }
        assert set(state) in (set(), set(self._state_shapes())), (
            "OPTIMIZERS states other tensors than the optimiser keeps"
        )
        return state

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """Restore what ``state`` returned. Raises UserError when it is the state of other optimisers."""
        shapes = self._state_shapes()
        if set(tensors) != set(shapes):
            raise UserError("the checkpoint is of another optimizer.name: resume with the settings that it began with")
        by_name: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if tensor.shape != shapes[name] or not tensor.is_floating_point():
                raise UserError(f"the optimiser's state {name} in the checkpoint has another shape or type than needed")
            parameter, key = name.split("|")
            by_name.setdefault(parameter, {})[key] = tensor
        for part in self._parts:
            parameters = [p for group in part.param_groups for p in group["params"]]
            state = {i: by_name[self._names[p]] for i, p in enumerate(parameters)}
            part.load_state_dict({"state": state, "param_groups": part.state_dict()["param_groups"]})

    def _state_shapes(self) -> dict[str, torch.Size]:
        """The keys of ``state`` after any step, with the shapes of its tensors."""
        return {
            f"{self._names[parameter]}|{key}": parameter.shape if key in rule.moments else torch.Size()
            for part, rule in zip(self._parts, self._rules, strict=True)
            for group in part.param_groups
            for parameter in group["params"]
            for key in rule.moments + rule.counters
        }
