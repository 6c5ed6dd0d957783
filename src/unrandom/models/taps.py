"""Records and edits activations: every activation of interest passes a tap, a named identity module.

The names are TransformerLens's (``blocks.0.attn.hook_pattern``), and so are their short forms (``("pattern", 0)``), so
that habits and notebooks carry over. A tap that never ran is an error: in a compiled model, or without explicit
attention, an edit would otherwise seem to have no effect.
"""

import fnmatch
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torch import Tensor, nn

from unrandom.core.errors import NAMES_SHOWN, UserError, near_misses


@dataclass(frozen=True)
class Hook:
    """The place of an edit."""

    name: str

    def layer(self) -> int:
        """The number of the block. Raises UserError for a tap that is in none."""
        if not self.name.startswith("blocks."):
            raise UserError(f"{self.name} is in no block")
        return int(self.name.split(".")[1])


Edit: TypeAlias = Callable[..., Tensor]
"""The new value of an activation, as a function of its value and, if it has an argument ``hook``, of its `Hook`."""

TapName: TypeAlias = str | tuple[str | int, ...]
"""A tap's name, or its short form: ``"embed"``, ``("pattern", 0)``, ``("normalized", 0, "ln1")``."""

TapNames: TypeAlias = TapName | Sequence[TapName] | Callable[[str], bool]
"""The taps to use: a name, several, or a predicate of whole names."""

Edits: TypeAlias = Mapping[str, Edit] | Mapping[TapName, Edit]
"""Edits by the taps' names."""


class Tap(nn.Module):
    """An identity; `record` and `intervene` hook it."""

    def forward(self, value: Tensor) -> Tensor:
        return value


class Activations(dict[str, Tensor]):
    """Activations by the name of their tap, whole (``blocks.0.attn.hook_pattern``) or short (``"pattern", 0``).

    >>> import torch
    >>> from unrandom.models.taps import Activations
    >>> seen = Activations({"blocks.0.attn.hook_pattern": torch.zeros(1, 2, 3, 3)})
    >>> seen["pattern", 0].shape
    torch.Size([1, 2, 3, 3])
    """

    known: Sequence[str] = ()  # all taps of the model, to count layers; (): the taps here

    def __repr__(self) -> str:
        """The names and shapes, one per line."""
        return "\n".join(f"{name:32} {list(value.shape)}" for name, value in self.items())

    if TYPE_CHECKING:

        def __getitem__(self, name: TapName) -> Tensor: ...

    def __missing__(self, name: TapName) -> Tensor:
        try:
            called = tap_called(name, self.known or self.keys())
        except UserError as error:
            raise KeyError(str(error)) from None
        if called not in self.keys():
            raise KeyError(f"{called} was not recorded")
        return self[called]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, (str, tuple)) and self[name] is not None
        except KeyError:
            return False

    def get(self, name: TapName, default: Tensor | None = None) -> Tensor | None:  # type: ignore[override]
        try:
            return self[name]
        except KeyError:
            return default


def tap_names(model: nn.Module) -> list[str]:
    """Every tap of a model, in the order of the forward pass."""
    return [name for name, module in model.named_modules() if isinstance(module, Tap)]


def tap_called(name: TapName, known: Iterable[str]) -> str:
    """The known name that ``name`` means; negative layers count from the last. Raises UserError with near misses."""
    names = list(known)
    if name in names:
        return str(name)
    short, *place = (name,) if isinstance(name, str) else name
    layers = 1 + max((int(each.split(".")[1]) for each in names if each.startswith("blocks.")), default=-1)
    inside = [f".{part + layers if isinstance(part, int) and part < 0 else part}." for part in place]
    so_called = [each for each in names if each.rpartition(".")[2] == f"hook_{short}"]
    meant = [each for each in so_called if all(part in f".{each}" for part in inside)]
    if len(meant) == 1:
        return meant[0]
    text = name if isinstance(name, str) else ", ".join(map(repr, name))
    if meant or (so_called and not place):
        among = f"; it may be {', '.join((meant or so_called)[:NAMES_SHOWN])}"
    elif so_called and any(isinstance(part, int) for part in place):
        among = f"; layers are 0 to {layers - 1}"
    else:
        shorts = [each.rpartition("hook_")[2] for each in names]
        among = near_misses(str(short), [*names, *shorts] if "." in str(short) else shorts)
    raise UserError(f"no such tap: {text}{among}")


@contextmanager
def record(model: nn.Module, names: TapNames) -> Iterator[Activations]:
    """Record activations: within the ``with`` block, the value at each named tap, detached; the latest pass counts.

    ``names`` is one name or a list of several, whole or short, or a function that is true of the whole names that are
    meant; ``*`` stands for any characters of a whole name. Raises UserError for a name that matches no tap,
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
    seen = Activations()

    def keep(value: Tensor, hook: Hook) -> Tensor:
        seen[hook.name] = value.detach()
        return value

    seen.known = known = tap_names(model)
    with intervene(model, {match: keep for name in _listed(names, known) for match in _matches(name, known)}):
        yield seen


def _listed(names: TapNames, known: Sequence[str]) -> Sequence[TapName]:
    if callable(names):
        return [name for name in known if names(name)]
    return [names] if isinstance(names, (str, tuple)) else names


def _matches(name: TapName, known: Sequence[str]) -> Sequence[TapName]:
    """The taps that a name with wildcards matches; else the name."""
    return (fnmatch.filter(known, name) if isinstance(name, str) else ()) or [name]


@contextmanager
def intervene(model: nn.Module, edits: Edits) -> Iterator[None]:
    """Edit activations: within the ``with`` block, the value at each named tap is replaced by what its edit returns.

    An edit takes the value, and its `Hook` if it has an argument named ``hook``, as in TransformerLens; if it returns
    None, the value stays. Raises UserError for an unknown name, for an edit that is not a function or returns another
    shape, and in a forward pass with recomputed blocks, where the backward pass would run without the edits. Raises
    RuntimeError when a tap never ran (only explicit attention has a pattern, and compiled code does not call hooks).

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
    if not isinstance(edits, Mapping):
        raise UserError("edits must be a mapping from names of taps to functions, {name: edit}")
    known = tap_names(model)
    named = {tap_called(name, known): edit for name, edit in edits.items()}
    takes_hook = {name for name, edit in named.items() if _takes_hook(edit)}
    handles, pending = [], set(named)

    def hook(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], Tensor]:
        def apply(_module: nn.Module, _inputs: tuple[Tensor, ...], value: Tensor) -> Tensor:
            if getattr(model, "recomputes", False):
                raise UserError("a model that recomputes its blocks runs them twice; set its recompute to False")
            pending.discard(name)
            edited = named[name](value, hook=Hook(name)) if name in takes_hook else named[name](value)
            return _of_same_shape(name, value, edited)

        return apply

    try:
        for name in named:
            handles.append(model.get_submodule(name).register_forward_hook(hook(name)))
        yield
    finally:
        for handle in handles:
            handle.remove()
    if pending:
        raise RuntimeError(
            f"taps that never ran: {', '.join(sorted(pending))} "
            "(no forward pass, no explicit attention, or a compiled model?)"
        )


def _of_same_shape(name: str, value: Tensor, edited: object) -> Tensor:
    """The edited value; the value itself for None. Raises UserError for one that would be broadcast, or fail later."""
    if edited is None:
        return value
    if not isinstance(edited, Tensor) or edited.shape != value.shape:
        found = f"one of shape {list(edited.shape)}" if isinstance(edited, Tensor) else f"{edited!r:.40}"
        raise UserError(f"the edit of {name} must return a tensor of shape {list(value.shape)}, but returned {found}")
    return edited


def _takes_hook(edit: Edit) -> bool:
    """Whether an edit has an argument named ``hook``; built-in functions, which may not tell, have none."""
    if not callable(edit):
        raise UserError(f"an edit must be a function of an activation, not {edit!r:.40}")
    try:
        return "hook" in inspect.signature(edit).parameters
    except ValueError:
        return False
