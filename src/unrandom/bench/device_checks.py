"""What does training need of a device, and how is each need checked? One function for each, which says what it found.

Numbers are held against float64 on the CPU, which every device can be compared with. A check that came out wrong raises
NotPassed, and one that says nothing on this device Skipped.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional as F

from unrandom.bench.timing import interleaved
from unrandom.core.quantities import duration, scaled
from unrandom.models import Transformer
from unrandom.models.attention import AttentionPath
from unrandom.models.numerics import autocast, choose_attention, choose_precision, has_fast_bf16
from unrandom.runs.execution import create_run, execute
from unrandom.runs.recipes import recipe
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig
from unrandom.training.distributed import Ranks, backend_of, process_group
from unrandom.training.estimate import step_memory
from unrandom.training.machine import matrix_product, synchronize
from unrandom.training.trainee import build_model
from unrandom.training.trial import trial_batches, trial_step, trial_stepper

SEQUENCES = 8  # compared with float64
LEAST_RATE = 0.02  # A step must reach this part of the rate of a large matrix product; on a busy machine it had 0.04.
MOST_MEMORY = 1.2  # A step may take this many times the memory that was estimated.
ROUNDS = 5


@dataclass(frozen=True)
class Place:
    """Where the checks take place, and with what."""

    config: RunConfig
    device: torch.device

    @property
    def precision(self) -> str:
        return choose_precision(self.config.precision, self.device)

    def allowed(self, precision: str) -> float:
        """The relative error of a gradient. Of each factor a GPU keeps ten bits in fp32 products, and seven in bf16."""
        return 5e-2 if precision == "bf16" else 1e-3 if self.device.type == "cpu" else 2e-2

    def model(self, device: torch.device | None = None) -> Transformer:
        """The configuration's model as a run begins, always the same."""
        return build_model(self.config, device or self.device)

    def batch(self, rows: int) -> Tensor:
        """Training tokens [row, position], on the CPU."""
        batches = trial_batches(self.config.replace(batch_size=rows, micro_batches=1))
        return torch.from_numpy(batches.tokens(0).astype(np.int64))


class NotPassed(Exception):
    """A check came out wrong; the message says how."""


class Skipped(Exception):
    """A check says nothing here; the message says why."""


def _judged(right: bool, words: str) -> str:
    """What a check found, where that is right. NotPassed otherwise, with the same words."""
    if not right:
        raise NotPassed(words)
    return words


def _tokens(place: Place) -> str:
    """Tokens are kept as the narrowest integers; each kind must arrive unchanged."""
    kinds = (np.uint8, np.uint16, np.uint32, np.int64)
    for kind in kinds:
        tokens = np.array([[0, 1, 100, np.iinfo(kind).max]], dtype=kind)
        if torch.from_numpy(tokens).to(place.device).long().cpu().tolist() != tokens.astype(np.int64).tolist():
            raise NotPassed(f"{np.dtype(kind)} tokens do not arrive as they are")
    return f"{', '.join(str(np.dtype(kind)) for kind in kinds)} arrive unchanged"


def _forward_and_backward(precision: str) -> Callable[[Place], str]:
    def check(place: Place) -> str:
        model, batch = place.model(), place.batch(SEQUENCES)
        loss, gradients = _gradients(model, batch, precision)
        exact_loss, exact = _gradients(place.model(torch.device("cpu")).double(), batch, "float64")
        error, allowed = _difference(gradients, exact), place.allowed(precision)
        taken = duration(_seconds(partial(_gradients, model, batch, precision), place.device))
        words = (
            f"loss {loss:.4f}, gradients off float64's by {error:.1e} (allowed {allowed:g}); "
            f"{taken} for {SEQUENCES} sequences"
        )
        slow = precision == "bf16" and not has_fast_bf16(place.device)
        right = error <= allowed and abs(loss - exact_loss) <= allowed * abs(exact_loss)
        return _judged(right, words + ", for which there is no unit here" * slow)

    return check


def _attention(place: Place) -> str:
    """Two ways to compute the same; the chosen one should be the faster."""
    batch, seconds, found = place.batch(SEQUENCES), {}, {}
    paths: tuple[AttentionPath, AttentionPath] = ("explicit", "fused")
    for path in paths:
        model = place.model().use_attention(path)
        found[path] = _gradients(model, batch, "fp32")[1]
        seconds[path] = _seconds(partial(_gradients, model, batch, place.precision), place.device)
    error = _difference(found["fused"], found["explicit"])
    chosen = choose_attention(place.config.transformer, place.device)
    ratio = seconds["explicit"] / seconds["fused"]
    words = f"gradients differ by {error:.1e}; explicit takes {ratio:.2f} times as long as fused, {chosen} is used"
    return _judged(error <= place.allowed("fp32"), words)


def _compile(place: Place) -> str:
    if place.device.type != "cuda":
        raise Skipped(f"training on {place.device.type} runs eager; on a GPU it is compiled")
    model, batch = place.model(), place.batch(SEQUENCES)
    eager = _gradients(model, batch, place.precision)[1]
    compiled: Any = torch.compile(model)
    began = time.perf_counter()
    error = _difference(_gradients(compiled, batch, place.precision)[1], eager)
    seconds = time.perf_counter() - began
    words = f"compiled in {duration(seconds)}; gradients differ from eager ones by {error:.1e}"
    return _judged(error <= place.allowed(place.precision), words)


def _optimizers(place: Place) -> str:
    """A step with each optimiser moves every weight, and leaves numbers."""
    for name in ("adamw", "muon"):
        config = place.config.replace(optimizer={"name": name}, warmup_steps=0)
        model = build_model(config, place.device)
        before = [parameter.detach().clone() for parameter in model.parameters()]
        trial_stepper(config, model).advance()
        for parameter, old in zip(model.parameters(), before, strict=True):
            if not bool(parameter.isfinite().all()) or torch.equal(parameter, old):
                raise NotPassed(f"a step of {name} leaves a weight that is no number, or as it was")
    return "a step of AdamW and one of Muon move every weight"


def _resume(place: Place) -> str:
    """A small run in one go, and stopped after its first step and resumed."""
    steps = 10
    small = (
        recipe("fm-256")
        .build()
        .replace(
            data={"context": 16},
            batch_size=32,
            steps=steps,
            warmup_steps=2,
            test_sequences=64,
            evaluate_every=2,
            checkpoint_every=5,
        )
    )
    with tempfile.TemporaryDirectory(prefix="unrandom-bench-", ignore_cleanup_errors=True) as folder:
        whole, parts = (create_run(RunSpec("small", small), Path(folder) / name, []) for name in ("whole", "parts"))
        execute(whole)
        stopped = execute(parts, max_minutes=0)["steps"]
        execute(parts)
        losses, resumed = _losses(whole), _losses(parts)
    exact = losses == resumed
    error = max(abs(a - b) / abs(a) for a, b in zip(losses, resumed, strict=True))
    how = "bit for bit" if exact else f"to {error:.1e}"
    words = f"stopped after step {stopped} of {steps} and resumed, the losses are those of one go, {how}"
    if not (exact or (place.device.type != "cpu" and error <= place.allowed("bf16"))):
        raise NotPassed(words.replace("are those", "are not those"))
    return words


class _Wrapped(Ranks):
    """One rank that is wrapped as one of several is."""

    def wrap(self, model: nn.Module) -> nn.Module:
        return nn.parallel.DistributedDataParallel(model)


def _one_rank(place: Place) -> str:
    if not dist.is_available():
        raise Skipped("this torch was built without torch.distributed")
    config = place.config.replace(batch_size=32, micro_batches=2, warmup_steps=0)
    found = []
    with _group_of_one(place.device):
        for ranks in (Ranks(), _Wrapped()):
            model = build_model(config, place.device)
            stepper = trial_stepper(config, model, ranks)
            for _ in range(2):
                stepper.advance()
            stepper.flush_losses()
            found.append(torch.tensor(stepper.progress.losses))
    error = _difference(found[1:], found[:1])
    words = f"{backend_of(place.device)}: two steps of two micro-batches have the losses of one process to {error:.1e}"
    return _judged(error <= place.allowed("bf16"), words)


def _memory(place: Place) -> str:
    if place.device.type != "cuda":
        raise Skipped("only a GPU counts what is taken; on a CPU, `unrandom bench scaling` measures a step's memory")
    before = torch.cuda.memory_allocated()
    step = trial_step(place.config, place.device)
    step()
    step()  # compiled, and with the optimiser's state
    torch.cuda.reset_peak_memory_stats()
    step()
    peak = torch.cuda.max_memory_allocated() - before
    ratio = peak / step_memory(place.config, ranks=1, device=place.device).total
    words = f"a step takes {scaled(peak, 'B')}, {ratio:.2f} of the estimate (allowed {MOST_MEMORY})"
    return _judged(ratio <= MOST_MEMORY, words)


def _rate(place: Place) -> str:
    product, operations = matrix_product(place.precision, place.device)
    taken, multiplied = interleaved(trial_step(place.config, place.device), product, rounds=ROUNDS)
    rate = operations / multiplied
    fraction = place.config.step_flops / taken / rate
    words = (
        f"{duration(taken)} a step, {fraction:.2f} of the {scaled(rate, 'FLOP/s')} of a large matrix product "
        f"in {place.precision} (at least {LEAST_RATE})"
    )
    return _judged(fraction >= LEAST_RATE, words)


CHECKS: dict[str, Callable[[Place], str]] = {
    "tokens": _tokens,
    "forward and backward, fp32": _forward_and_backward("fp32"),
    "forward and backward, bf16": _forward_and_backward("bf16"),
    "fused against explicit attention": _attention,
    "compile": _compile,
    "optimisers": _optimizers,
    "resume": _resume,
    "one rank of DDP": _one_rank,
    "memory": _memory,
    "fraction of the matrix rate": _rate,
}


def _gradients(network: nn.Module, batch: Tensor, precision: str) -> tuple[float, list[Tensor]]:
    """The loss of a batch, and the gradient of every parameter."""
    own = list(network.parameters())
    tokens = batch.to(own[0].device)
    for parameter in own:
        parameter.grad = None
    with autocast(precision, own[0].device):
        logits = network(tokens[:, :-1])
    logits = logits if precision == "float64" else logits.float()
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    return loss.item(), [parameter.grad.detach().clone() for parameter in own if parameter.grad is not None]


def _difference(found: list[Tensor], wanted: list[Tensor]) -> float:
    """‖found − wanted‖ / ‖wanted‖ over all tensors; infinite where something is no number."""
    pairs = [(one.double().cpu(), other.double().cpu()) for one, other in zip(found, wanted, strict=True)]
    square = sum(float((one - other).square().sum()) for one, other in pairs)
    of = sum(float(other.square().sum()) for _, other in pairs)
    ratio = (square / of) ** 0.5
    return ratio if np.isfinite(ratio) else float("inf")


def _seconds(action: Callable[[], object], device: torch.device) -> float:
    def waited() -> None:
        action()
        synchronize(device)

    return interleaved(waited, rounds=ROUNDS)[0]


def _losses(run: Run) -> list[float]:
    return [row[name] for row in run.folder.read_metrics() for name in ("train_loss", "test_loss")]


@contextmanager
def _group_of_one(device: torch.device) -> Iterator[None]:
    """A process group of this process alone, that listens on the loopback interface at most."""
    before = {name: os.environ.get(name) for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")}
    os.environ |= dict.fromkeys(before, "lo0" if os.uname().sysname == "Darwin" else "lo")
    try:
        with process_group(device, store=dist.HashStore(), rank=0, world_size=1):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
