"""How are activations recorded and edited? Every activation of interest passes a tap, a named identity module.

The names are TransformerLens's (``blocks.0.attn.hook_pattern``), so that habits and notebooks carry over. A tap that
never ran is an error: with a fused or compiled model, an edit would otherwise seem to have no effect.
"""

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from torch import Tensor, nn

from unrandom.core.errors import UserError

Edit = Callable[[Tensor], Tensor]


class Tap(nn.Module):
    """An identity; `record` and `intervene` hook it."""

    def forward(self, value: Tensor) -> Tensor:
        return value


def tap_names(model: nn.Module) -> list[str]:
    """Every tap of a model, in the order of the forward pass."""
    return [name for name, module in model.named_modules() if isinstance(module, Tap)]


@contextmanager
def record(model: nn.Module, names: str | Sequence[str]) -> Iterator[dict[str, Tensor]]:
    """Record activations: within the ``with`` block, the value at each named tap, detached; the latest pass counts.

    ``names`` is one name or several; ``*`` stands for any characters. Raises UserError for a name that matches no tap,
    RuntimeError when a tap never ran.

    >>> import torch, unrandom
    >>> model = unrandom.load("um-144", device="cpu").model
    >>> with unrandom.record(model, ["blocks.*.attn.hook_z", "hook_embed"]) as seen:
    ...     logits = model(torch.tensor([[5, 66, 19]]))
    >>> seen["blocks.3.attn.hook_z"].shape  # [batch, pos, head, d_head]
    torch.Size([1, 3, 4, 32])
    >>> seen["hook_embed"].shape  # [batch, pos, d_model]
    torch.Size([1, 3, 128])
    """
    seen: dict[str, Tensor] = {}

    def keep(name: str) -> Edit:
        def edit(value: Tensor) -> Tensor:
            seen[name] = value.detach()
            return value

        return edit

    asked = [names] if isinstance(names, str) else names
    known = tap_names(model)
    matched = [match for name in asked for match in fnmatch.filter(known, name) or [name]]
    with intervene(model, {name: keep(name) for name in matched}):
        yield seen


@contextmanager
def intervene(model: nn.Module, edits: Mapping[str, Edit]) -> Iterator[None]:
    """Edit activations: within the ``with`` block, the value at each named tap is replaced by what its edit returns.

    Raises UserError for an unknown name, and in a forward pass with recomputed blocks, where the backward pass would
    run without the edits. Raises RuntimeError when a tap never ran (fused attention computes no pattern, and compiled
    code does not call hooks).

    >>> import torch, unrandom
    >>> model = unrandom.load("um-144", device="cpu").model
    >>> tokens = torch.tensor([[5, 66, 19]])
    >>> with unrandom.intervene(model, {"blocks.0.attn.hook_z": lambda z: 0 * z}):  # no head of the first layer writes
    ...     edited = model(tokens)
    >>> bool((edited == model(tokens)).all())
    False
    """
    if hasattr(model, "_orig_mod"):
        raise UserError("a compiled model does not see hooks; look inside the model it was compiled from")
    known = set(tap_names(model))
    if unknown := sorted(set(edits) - known):
        raise UserError(f"no such tap: {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    handles, pending = [], set(edits)

    def hook(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], Tensor]:
        def apply(_module: nn.Module, _inputs: tuple[Tensor, ...], value: Tensor) -> Tensor:
            if getattr(model, "recomputes", False):
                raise UserError("a model that recomputes its blocks runs them twice; set its recompute to False")
            pending.discard(name)
            return edits[name](value)

        return apply

    try:
        for name in edits:
            handles.append(model.get_submodule(name).register_forward_hook(hook(name)))
        yield
    finally:
        for handle in handles:
            handle.remove()
    if pending:
        raise RuntimeError(f"taps that never ran: {', '.join(sorted(pending))} (a fused or compiled model?)")
