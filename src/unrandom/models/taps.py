"""How does one look inside? Every place of interest is a tap, a named identity module; record it, or edit what passes.

The names are TransformerLens's (``blocks.0.attn.hook_pattern``), so that habits and notebooks carry over. A tap that
never ran is an error: a fused or compiled model would otherwise report, silently, that a head does nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from torch import Tensor, nn

from unrandom.core.errors import UserError

Edit = Callable[[Tensor], Tensor]


class Tap(nn.Module):
    """Passes its input on unchanged, unless someone is looking."""

    def forward(self, value: Tensor) -> Tensor:
        return value


def tap_names(model: nn.Module) -> list[str]:
    """Every tap of a model, in the order of the forward pass."""
    return [name for name, module in model.named_modules() if isinstance(module, Tap)]


@contextmanager
def record(model: nn.Module, names: Sequence[str]) -> Iterator[dict[str, Tensor]]:
    """Within the block, keep what passes each named tap (detached; the latest pass wins).

    Raises UserError for an unknown name, RuntimeError when a tap never ran.
    """
    seen: dict[str, Tensor] = {}

    def keep(name: str) -> Edit:
        def edit(value: Tensor) -> Tensor:
            seen[name] = value.detach()
            return value

        return edit

    with intervene(model, {name: keep(name) for name in names}):
        yield seen


@contextmanager
def intervene(model: nn.Module, edits: Mapping[str, Edit]) -> Iterator[None]:
    """Within the block, replace what passes each named tap by its edit of it.

    Raises UserError for an unknown name, and in a forward pass whose blocks run again in the backward pass, where the
    edits may be gone. RuntimeError when a tap never ran (fused attention has no pattern to edit, and compiled code does
    not see hooks).
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
