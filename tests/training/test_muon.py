"""Muon's update is that of PyTorch, whatever the precision, and that of a stack is that of every run in it."""

import pytest
import torch

from rounding import assert_agree
from unrandom.training.muon import Muon, StackedMuon, orthogonalised

RATES = (0.02, 0.05, 0.01)
SHAPES = [(8, 8), (12, 4), (4, 12)]
CPU = torch.device("cpu")


def muon(parameters, rate, dtype):
    optimizer = Muon([{"params": parameters, "weight_decay": 0.1}], lr=rate, momentum=0.95, device=CPU)
    optimizer.dtype = dtype
    return optimizer


@pytest.mark.parametrize("shape", SHAPES)
def test_in_fp32_a_matrix_gets_the_update_of_pytorch_up_to_the_rounding_of_bf16(shape):
    generator = torch.Generator().manual_seed(0)
    start, gradients = torch.randn(*shape, generator=generator), torch.randn(5, *shape, generator=generator)
    ours, theirs = start.clone().requires_grad_(), start.clone().requires_grad_()
    here = muon([ours], 0.02, torch.float32)
    there = torch.optim.Muon([theirs], lr=0.02, weight_decay=0.1)
    for gradient in gradients:
        ours.grad, theirs.grad = gradient.clone(), gradient.clone()
        here.step()
        there.step()
    assert (ours - theirs).norm() < 0.05 * (theirs - start).norm()
    assert_agree(here.state[ours]["momentum_buffer"], there.state[theirs]["momentum_buffer"])


def muon_of_one():
    return Muon([{"params": [torch.nn.Parameter(torch.eye(2))]}], lr=0.1, momentum=0.9, device=CPU)


def test_a_device_without_bf16_units_gets_fp32(monkeypatch):
    monkeypatch.setattr("unrandom.training.muon.has_fast_bf16", lambda device: False)
    assert muon_of_one().dtype == torch.float32
    monkeypatch.setattr("unrandom.training.muon.has_fast_bf16", lambda device: True)
    assert muon_of_one().dtype == torch.bfloat16


@pytest.mark.parametrize("shape", SHAPES)
def test_singular_values_come_near_one_and_directions_stay(shape):
    matrices = torch.randn(3, *shape, generator=torch.Generator().manual_seed(0))
    settings = torch.optim.Muon([torch.nn.Parameter(matrices[0])]).param_groups[0]
    made = orthogonalised(matrices, settings, torch.float32)
    assert torch.linalg.svdvals(made).sub(1).abs().max() < 0.5
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    inside = left.mT @ made @ right.mT  # diagonal if the singular vectors are the same
    assert_agree(inside, torch.diag_embed(inside.diagonal(dim1=-2, dim2=-1)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("resumed", [False, True])
def test_a_stack_is_updated_as_single_runs_are(shape, resumed, dtype):
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(len(RATES), *shape, generator=generator)
    gradients = torch.randn(4, len(RATES), *shape, generator=generator)
    alone = [start[run].clone().requires_grad_() for run in range(len(RATES))]
    single = [muon([p], rate, dtype) for p, rate in zip(alone, RATES, strict=True)]
    begun = 2 if resumed else 0
    for gradient in gradients[:begun]:
        for run, optimizer in enumerate(single):
            alone[run].grad = gradient[run].clone()
            optimizer.step()
    stack = torch.stack([p.detach() for p in alone]).requires_grad_()
    views = [stack.detach()[run].requires_grad_() for run in range(len(RATES))]
    optimizers = [muon([p], rate, dtype) for p, rate in zip(views, RATES, strict=True)]
    for run, optimizer in enumerate(optimizers if resumed else ()):
        optimizer.state[views[run]]["momentum_buffer"] = single[run].state[alone[run]]["momentum_buffer"].clone()
    stacked = StackedMuon(optimizers, [{"w": view} for view in views], {"w": stack})
    for gradient in gradients[begun:]:
        stack.grad = gradient.clone()
        stacked.step()
        for run, optimizer in enumerate(single):
            alone[run].grad = gradient[run].clone()
            optimizer.step()
    for run, optimizer in enumerate(single):
        rounding = 0.1 if dtype == torch.bfloat16 else 1e-4  # sums are in another order
        assert (stack[run] - alone[run]).norm() < rounding * (alone[run] - start[run]).norm()
        momentum = optimizer.state[alone[run]]["momentum_buffer"]
        assert torch.allclose(optimizers[run].state[views[run]]["momentum_buffer"], momentum, atol=1e-6)
