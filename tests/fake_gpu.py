"""How does code for a GPU run on a machine without one? PyTorch's fake tensors carry every operation.

`FakeGpu` is PyTorch's mode for fake tensors. It knows the shape, the type and the device that every operation would
give on a GPU, and refuses what a GPU refuses: tensors of two devices. Each fake tensor of the GPU holds, besides, its
value as a tensor of the CPU, on which the same operation is run. So the shapes and types are compared with those of a
kernel that ran, what is copied to the CPU is real, and code that needs values, such as a measurement, comes to its end.

Not modelled: kernels and compiled code of CUDA, their rounding, memory, streams and several GPUs. Fused attention is
computed in its parts, and autocast by the two lists below. PyTorch's modes are not a public interface.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

CPU, GPU, META = torch.device("cpu"), torch.device("cuda:0"), torch.device("meta")
GIB = 2**30
UNKNOWN = object()
"""What is known of a result whose shape depends on values."""

aten = torch.ops.aten
COPIES = (aten._to_copy.default, aten.copy_.default, aten._foreach_copy_.default)
"""Operations from one device to another."""
INDEXED = (aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._unsafe_index.Tensor)
"""Operations on a tensor of the GPU whose indices, the second argument, may be on the CPU."""
HALVES = {"linear", "matmul", "__matmul__", "mm", "bmm", "addmm", "einsum", "scaled_dot_product_attention"}
SINGLES = {"softmax", "log_softmax", "layer_norm", "cross_entropy", "exp", "log", "pow", "sum", "cumsum", "prod"}
"""Operations that autocast of CUDA computes in bf16 and in fp32: those of PyTorch's lists that models may use."""


class FakeGpu(FakeTensorMode):
    """Within the ``with`` block, tensors of CUDA are fake and hold a value (`value`); those of the CPU are real."""

    avoid_device_init = True  # of PyTorch, which asks `torch.cuda.is_available` otherwise

    def __init__(self) -> None:
        super().__init__()
        self.operations = 0  # on the GPU so far
        self._propagating = False

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func is torch.ops.prim.device.default:
            # C++ asks, as for autograd. A build for CPUs has nothing to select a GPU with, so that it is told "meta";
            # Python and the rules of fake tensors have the true device from elsewhere.
            return CPU if args[0].fake_device == CPU else META
        given, form = tree_flatten((args, kwargs or {}))
        given = [GPU if _is_meta(each) else each for each in given]  # C++ makes a tensor on the device it was told
        if self._propagating:  # an operation of which another one consists
            args, kwargs = tree_unflatten(given, form)
            return super().__torch_dispatch__(func, types, args, kwargs)
        if not any(isinstance(each, FakeTensor) or _is_gpu(each) for each in given):
            return func(*args, **(kwargs or {}))
        self.operations += 1
        fakes = [self._place(each, CPU) if _is_real(each) else each for each in given]
        fake = self._propagate(func, types, fakes, form)
        _check_devices(func, args, fakes)
        real_args, real_kwargs = tree_unflatten([_on_cpu(each) for each in given], form)
        real = func(*real_args, **real_kwargs)
        if fake is UNKNOWN:
            return tree_map(lambda each: self._place(each, GPU) if isinstance(each, Tensor) else each, real)
        return _joined(func, fake, real)

    def _propagate(self, func: Any, types: Sequence[type], given: list[Any], form: Any) -> Any:
        """What the operation gives on the GPU, without values; UNKNOWN if that depends on values."""
        args, kwargs = tree_unflatten(given, form)
        self._propagating = True
        try:
            return super().__torch_dispatch__(func, types, args, kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException):
            return UNKNOWN
        finally:
            self._propagating = False
            # Tensors that PyTorch refers to weakly cannot be swapped, as `Module.to` does.
            self.fake_tensor_converter.meta_converter.tensor_memo.clear()

    def _place(self, value: Tensor, device: torch.device) -> FakeTensor:
        meta = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=META)
        fake = FakeTensor(self, meta, device)
        fake.value = value
        return fake


class _Python(TorchFunctionMode):
    """What a tensor of a GPU does before an operation is dispatched."""

    def __torch_function__(
        self, func: Callable, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = {name: _numbered(value) for name, value in (kwargs or {}).items()}
        args = tuple(map(_numbered, args))
        name = getattr(func, "__name__", "")
        if torch.is_autocast_enabled("cuda") and name in HALVES | SINGLES:
            # PyTorch's own, in C++, passes over fake tensors, as it is told that their device is not CUDA.
            target = torch.get_autocast_dtype("cuda") if name in HALVES else torch.float32
            args, kwargs = tree_map(lambda each: each.to(target) if _is_cast(each) else each, (args, kwargs))
        if not args or not isinstance(args[0], FakeTensor):
            return func(*args, **kwargs)
        if func in (Tensor.numpy, Tensor.__array__):
            raise TypeError(f"can't convert {GPU} device type tensor to numpy. Use Tensor.cpu() to copy the tensor")
        if func is Tensor.__deepcopy__:  # PyTorch's would copy the mode, too
            copied = args[0].detach().clone().requires_grad_(args[0].requires_grad)
            copied._is_param = getattr(args[0], "_is_param", False)
            args[1][id(args[0])] = copied
            return copied
        found = func(*args, **kwargs)
        if func == Tensor.data.__set__:
            args[0].value = args[1].value
        return found


@contextmanager
def fake_gpu() -> Iterator[FakeGpu]:
    """Within the ``with`` block, PyTorch has a GPU, the best device; nothing is compiled for it."""
    precision, swaps = torch.get_float32_matmul_precision(), torch.__future__.get_swap_module_params_on_conversion()
    # A real tensor cannot become a fake one by a new `data`. Parameters are swapped, so that tied ones stay tied.
    torch.__future__.set_swap_module_params_on_conversion(True)
    run_backward = torch.autograd._engine_run_backward
    with pytest.MonkeyPatch.context() as patch, FakeGpu() as gpu, _Python() as python:

        def run_in_mode(*args: Any, **kwargs: Any) -> Any:
            """PyTorch has left the mode when it goes backward, where blocks may be computed again."""
            with python:
                return run_backward(*args, **kwargs)

        patch.setattr(torch.autograd, "_engine_run_backward", run_in_mode)
        patch.setattr(torch.cuda, "is_available", lambda: True)
        patch.setattr(torch.cuda, "is_bf16_supported", lambda **_options: True)
        patch.setattr(torch.cuda, "get_device_name", lambda _device=None: "fake GPU")
        patch.setattr(torch.cuda, "mem_get_info", lambda _device=None: (64 * GIB, 64 * GIB))
        patch.setattr(torch.accelerator, "synchronize", lambda _device=None: None)
        patch.setattr(torch, "compile", lambda model: model)
        try:
            yield gpu
        finally:
            torch.set_float32_matmul_precision(precision)
            torch.__future__.set_swap_module_params_on_conversion(swaps)


def _is_gpu(value: Any) -> bool:
    return isinstance(value, torch.device) and value.type == "cuda"


def _is_meta(value: Any) -> bool:
    return isinstance(value, torch.device) and value.type == "meta"


def _is_real(value: Any) -> bool:
    return isinstance(value, Tensor) and not isinstance(value, FakeTensor)


def _is_cast(value: Any) -> bool:
    """Whether autocast of CUDA may change its type; within `vmap` a tensor has the device that C++ is told."""
    return isinstance(value, Tensor) and value.device in (GPU, META) and value.dtype in (torch.float32, torch.bfloat16)


def _numbered(value: Any) -> Any:
    """The device with its number: a build for CPUs does not know which the current one is."""
    return GPU if _is_gpu(value) or (isinstance(value, str) and value == "cuda") else value


def _on_cpu(value: Any) -> Any:
    return value.value if isinstance(value, FakeTensor) else CPU if isinstance(value, torch.device) else value


def _check_devices(func: Any, args: Sequence[Any], given: Sequence[Any]) -> None:
    """Raise RuntimeError where the rule for fake tensors allows what a GPU refuses, as in operations on lists."""
    generators = any(isinstance(each, torch.Generator) for each in given)  # of the CPU: there are no others here
    devices = {each.fake_device for each in given if isinstance(each, FakeTensor)}
    if func in COPIES or (len(devices) == 1 and not generators):
        return
    if func in INDEXED and given[0].fake_device == GPU:
        given = [given[0], *given[1 + len(args[1]) :]]
    fused = "_fused_" in str(func)  # in all others, a number may be on the CPU
    on_cpu = [each for each in given if isinstance(each, FakeTensor) and each.fake_device == CPU]
    if generators or any(each.dim() or fused for each in on_cpu):
        raise RuntimeError(f"{func}: Expected all tensors and generators to be on the same device, a GPU or the CPU")


def _joined(func: Any, fake: Any, real: Any) -> Any:
    """The fake tensors with the real ones as their values; the real ones for those on the CPU."""
    fakes, form = tree_flatten(fake)
    reals, _ = tree_flatten(real)
    joined = []
    for one, other in zip(fakes, reals, strict=True):
        if isinstance(one, FakeTensor):
            found, expected = ((each.dtype, tuple(each.shape)) for each in (other, one))
            assert found == expected, f"{func} gives {expected} on a GPU and {found} on a CPU"
            one.value = other
        joined.append(other if not isinstance(one, FakeTensor) or one.fake_device == CPU else one)
    return tree_unflatten(joined, form)
