"""Muon's update of a stack is that of PyTorch for every run, whatever its rates."""

import pytest
import torch

from unrandom.training.stacked_muon import StackedMuon

RATES = (0.02, 0.05, 0.01)


@pytest.mark.parametrize("shape", [(8, 8), (12, 4), (4, 12)])
@pytest.mark.parametrize("resumed", [False, True])
def test_a_stack_is_updated_as_single_runs_are(shape, resumed):
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(len(RATES), *shape, generator=generator)
    gradients = torch.randn(4, len(RATES), *shape, generator=generator)
    alone = [start[run].clone().requires_grad_() for run in range(len(RATES))]
    single = [torch.optim.Muon([p], lr=rate, weight_decay=0.1) for p, rate in zip(alone, RATES, strict=True)]
    begun = 2 if resumed else 0
    for gradient in gradients[:begun]:
        for run, optimizer in enumerate(single):
            alone[run].grad = gradient[run].clone()
            optimizer.step()
    stack = torch.stack([p.detach() for p in alone]).requires_grad_()
    views = [stack.detach()[run].requires_grad_() for run in range(len(RATES))]
    optimizers = [torch.optim.Muon([p], lr=rate, weight_decay=0.1) for p, rate in zip(views, RATES, strict=True)]
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
        # Both orthogonalise in bf16, with sums in another order.
        assert (stack[run] - alone[run]).norm() < 0.1 * (alone[run] - start[run]).norm()
        momentum = optimizer.state[alone[run]]["momentum_buffer"]
        assert torch.allclose(optimizers[run].state[views[run]]["momentum_buffer"], momentum, atol=1e-6)
