"""Checks of what training needs from a device, against float64 on the CPU: one function each, which returns a
message, or raises NotPassed, or Skipped if it does not apply to the device."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

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
from unrandom.runs.recipes import recipe
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig
from unrandom.training.distributed import Ranks, backend_of, process_group
from unrandom.training.estimate import step_memory
from unrandom.training.machine import matrix_product, synchronize
from unrandom.training.optimizers import OPTIMIZERS
from unrandom.training.trainee import build_model
from unrandom.training.trial import training_batches, trial_step, trial_stepper

SEQUENCES = 8  # sequences in the comparison with float64
MIN_RATE_FRACTION = 0.02  # fraction of a large matrix product's rate that a step must reach; 0.04 on a busy machine
MAX_MEMORY_RATIO = 1.2  # allowed ratio of measured to estimated memory of a step
ROUNDS = 5  # repetitions of a time measurement


@dataclass(frozen=True)
class CheckContext:
    """The configuration and the device under test."""

    config: RunConfig
    device: torch.device

    @property
    def precision(self) -> str:
        return choose_precision(self.config.precision, self.device)

    def allowed(self, precision: str) -> float:
        """Allowed relative error of gradients. A GPU multiplies fp32 numbers with 10 bits of mantissa, bf16 with 7."""
        return 5e-2 if precision == "bf16" else 1e-3 if self.device.type == "cpu" else 2e-2

    def model(self, device: torch.device | None = None) -> Transformer:
        """The initial model of the configuration, identical at every call."""
        return build_model(self.config, device or self.device)

    def batch(self, rows: int) -> Tensor:
        """Training tokens [row, position], on the CPU."""
        batches = training_batches(self.config.replace(batch_size=rows, micro_batches=1))
        return torch.from_numpy(batches.tokens(0).astype(np.int64))


class NotPassed(Exception):
    """A check failed, for the reason in the message."""


class Skipped(Exception):
    """A check does not apply to this device, for the reason in the message."""


def _passed_if(passed: bool, message: str) -> str:
    """The message of a check if it passed; otherwise raises NotPassed with the same message."""
    if not passed:
        raise NotPassed(message)
    return message


def _tokens(context: CheckContext) -> str:
    """Tokens are stored as the narrowest integer type; each type must be transferred unchanged."""
    dtypes = (np.uint8, np.uint16, np.uint32, np.int64)
    for dtype in dtypes:
        tokens = np.array([[0, 1, 100, np.iinfo(dtype).max]], dtype=dtype)
        if torch.from_numpy(tokens).to(context.device).long().cpu().tolist() != tokens.astype(np.int64).tolist():
            raise NotPassed(f"{np.dtype(dtype)} tokens are changed by the transfer")
    return f"{', '.join(str(np.dtype(dtype)) for dtype in dtypes)} arrive unchanged"


def _forward_and_backward(precision: str) -> Callable[[CheckContext], str]:
    def check(context: CheckContext) -> str:
        model, batch = context.model(), context.batch(SEQUENCES)
        loss, gradients = _gradients(model, batch, precision)
        exact_loss, exact = _gradients(context.model(torch.device("cpu")).double(), batch, "float64")
        error, allowed = _difference(gradients, exact), context.allowed(precision)
        taken = duration(_seconds(partial(_gradients, model, batch, precision), context.device))
        message = (
            f"loss {loss:.4f}, gradients differ from float64 by {error:.1e} (allowed {allowed:g}); "
            f"{taken} for {SEQUENCES} sequences"
        )
        slow = precision == "bf16" and not has_fast_bf16(context.device)
        passed = error <= allowed and abs(loss - exact_loss) <= allowed * abs(exact_loss)
        return _passed_if(passed, message + " (no bf16 hardware)" * slow)

    return check


def _attention(context: CheckContext) -> str:
    """The attention paths must agree; the message compares their speed."""
    batch, seconds, gradients = context.batch(SEQUENCES), {}, {}
    for path in get_args(AttentionPath):
        model = context.model().use_attention(path)
        gradients[path] = _gradients(model, batch, "fp32")[1]
        seconds[path] = _seconds(partial(_gradients, model, batch, context.precision), context.device)
    error = max(_difference(gradients[path], gradients["explicit"]) for path in gradients)
    chosen = choose_attention(context.config.transformer, context.device)
    others = (f"{path} takes {seconds[path] / seconds[chosen]:.2f}" for path in seconds if path != chosen)
    message = f"gradients differ by {error:.1e}; {chosen} is used, {' and '.join(others)} times as long"
    return _passed_if(error <= context.allowed("fp32"), message)


def _compile(context: CheckContext) -> str:
    if context.device.type != "cuda":
        raise Skipped(f"training on {context.device.type} runs eager; on a GPU it is compiled")
    model, batch = context.model(), context.batch(SEQUENCES)
    eager = _gradients(model, batch, context.precision)[1]
    compiled: Any = torch.compile(model)
    began = time.perf_counter()
    error = _difference(_gradients(compiled, batch, context.precision)[1], eager)
    seconds = time.perf_counter() - began
    message = f"compiled in {duration(seconds)}; gradients differ from eager ones by {error:.1e}"
    return _passed_if(error <= context.allowed(context.precision), message)


def _optimizers(context: CheckContext) -> str:
    """A step with each optimiser must change every weight tensor and leave it finite."""
    for name in OPTIMIZERS:
        config = context.config.replace(optimizer={"name": name}, warmup_steps=0)
        model = build_model(config, context.device)
        before = [parameter.detach().clone() for parameter in model.parameters()]
        trial_stepper(config, model).advance()
        for parameter, old in zip(model.parameters(), before, strict=True):
            if not bool(parameter.isfinite().all()) or torch.equal(parameter, old):
                raise NotPassed(f"a step of {name} leaves a weight tensor non-finite or unchanged")
    return f"a step of {' and a step of '.join(OPTIMIZERS)} change every weight tensor"


def _resume(context: CheckContext) -> str:
    """A small run that is stopped after its first step and resumed must have the losses of an uninterrupted run."""
    steps = 10
    sizes = {"batch_size": 32, "steps": steps, "warmup_steps": 2, "test_sequences": 64}
    small = recipe("fm-256").build().replace(data={"context": 16}, evaluate_every=2, checkpoint_every=5, **sizes)
    with tempfile.TemporaryDirectory(prefix="unrandom-bench-", ignore_cleanup_errors=True) as folder:
        whole, parts = (create_run(RunSpec("small", small), Path(folder) / name, []) for name in ("whole", "parts"))
        execute(whole)
        stopped = execute(parts, max_minutes=0)["steps"]
        execute(parts)
        losses, resumed = _losses(whole), _losses(parts)
    exact = losses == resumed
    error = max(abs(a - b) / abs(a) for a, b in zip(losses, resumed, strict=True))
    accuracy = "bit for bit" if exact else f"to {error:.1e}"
    message = (
        f"stopped after step {stopped} of {steps} and resumed, the losses are the same as without a stop, {accuracy}"
    )
    if not (exact or (context.device.type != "cpu" and error <= context.allowed("bf16"))):
        raise NotPassed(message.replace("are those", "are not those"))
    return message


class _Wrapped(Ranks):
    """A single rank that is wrapped in DistributedDataParallel nevertheless."""

    def wrap(self, model: nn.Module) -> nn.Module:
        return nn.parallel.DistributedDataParallel(model)


def _one_rank(context: CheckContext) -> str:
    """Training wrapped in DDP must have the same losses as without."""
    if not dist.is_available():
        raise Skipped("this torch was built without torch.distributed")
    config = context.config.replace(batch_size=32, micro_batches=2, warmup_steps=0)
    losses = []
    with _group_of_one(context.device):
        for ranks in (Ranks(), _Wrapped()):
            model = build_model(config, context.device)
            stepper = trial_stepper(config, model, ranks)
            for _ in range(2):
                stepper.advance()
            stepper.flush_losses()
            losses.append(torch.tensor(stepper.progress.losses))
    error = _difference(losses[1:], losses[:1])
    how = f"{backend_of(context.device)}: two steps of two micro-batches"
    return _passed_if(error <= context.allowed("bf16"), f"{how} have the losses of one process to {error:.1e}")


def _memory(context: CheckContext) -> str:
    if context.device.type != "cuda":
        raise Skipped(
            "only a GPU reports allocated memory; on a CPU, `unrandom bench scaling` measures a step's memory"
        )
    before = torch.cuda.memory_allocated()
    step = trial_step(context.config, context.device)
    step()
    step()  # now compiled, and with optimiser state
    torch.cuda.reset_peak_memory_stats()
    step()
    peak = torch.cuda.max_memory_allocated() - before
    ratio = peak / step_memory(context.config, ranks=1, device=context.device).total
    message = f"a step needs {scaled(peak, 'B')}, {ratio:.2f} of the estimate (allowed {MAX_MEMORY_RATIO})"
    return _passed_if(ratio <= MAX_MEMORY_RATIO, message)


def _rate(context: CheckContext) -> str:
    product, operations = matrix_product(context.precision, context.device)
    taken, multiplied = interleaved(trial_step(context.config, context.device), product, rounds=ROUNDS)
    rate = operations / multiplied
    fraction = context.config.step_flops / taken / rate
    message = (
        f"{duration(taken)} per step, {fraction:.2f} of the {scaled(rate, 'FLOP/s')} of a large matrix product "
        f"in {context.precision} (at least {MIN_RATE_FRACTION})"
    )
    return _passed_if(fraction >= MIN_RATE_FRACTION, message)


CHECKS: dict[str, Callable[[CheckContext], str]] = {
    "tokens": _tokens,
    "forward and backward, fp32": _forward_and_backward("fp32"),
    "forward and backward, bf16": _forward_and_backward("bf16"),
    "attention paths against each other": _attention,
    "compile": _compile,
    "optimisers": _optimizers,
    "resume": _resume,
    "one rank of DDP": _one_rank,
    "memory": _memory,
    "fraction of the matrix rate": _rate,
}


def _gradients(network: nn.Module, batch: Tensor, precision: str) -> tuple[float, list[Tensor]]:
    parameters = list(network.parameters())
    tokens = batch.to(parameters[0].device)
    for parameter in parameters:
        parameter.grad = None
    with autocast(precision, parameters[0].device):
        logits = network(tokens[:, :-1])
    logits = logits if precision == "float64" else logits.float()
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    return loss.item(), [parameter.grad.detach().clone() for parameter in parameters if parameter.grad is not None]


def _difference(values: list[Tensor], reference: list[Tensor]) -> float:
    """‖values − reference‖ / ‖reference‖ over all tensors; infinite if any value is not finite."""
    pairs = [(one.double().cpu(), other.double().cpu()) for one, other in zip(values, reference, strict=True)]
    squared_error = sum(float((one - other).square().sum()) for one, other in pairs)
    squared_norm = sum(float(other.square().sum()) for _, other in pairs)
    ratio = (squared_error / squared_norm) ** 0.5
    return ratio if np.isfinite(ratio) else float("inf")


def _seconds(action: Callable[[], object], device: torch.device) -> float:
    def synchronized() -> None:
        action()
        synchronize(device)

    return interleaved(synchronized, rounds=ROUNDS)[0]


def _losses(run: Run) -> list[float]:
    return [row[name] for row in run.folder.read_metrics() for name in ("train_loss", "test_loss")]


@contextmanager
def _group_of_one(device: torch.device) -> Iterator[None]:
    """A process group of this process alone, restricted to the loopback interface."""
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
