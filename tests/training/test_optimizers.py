"""Who is updated by whom, who decays, and that the state can be put back."""

import pytest
import torch
from torch.testing import assert_close

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.training import OptimizerConfig
from unrandom.training.optimizers import ADAMW, OPTIMIZERS, Optimizers, UpdateRule


def a_step(model, optimizers, seed):
    tokens = torch.randint(64, (4, 12), generator=torch.Generator().manual_seed(seed))
    optimizers.zero_grad()
    model(tokens).square().mean().backward()
    optimizers.step()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_parameter_has_one_optimiser_and_gains_never_decay(tiny, name):
    model = Transformer(tiny.transformer)
    optimizers = Optimizers(model, OptimizerConfig(name=name, lr=0.0, muon_lr=0.0, weight_decay=0.5))
    groups = [group for part in optimizers._parts for group in part.param_groups]
    owned = [parameter for group in groups for parameter in group["params"]]
    assert len(owned) == len(set(owned)) == len(list(model.parameters()))
    for group in groups:
        for parameter in group["params"]:
            assert group["weight_decay"] == (0.5 if parameter.dim() >= 2 else 0.0)


def test_muon_takes_the_matrices_inside_the_blocks_alone(tiny):
    model = Transformer(tiny.transformer)
    muon = Optimizers(model, OptimizerConfig(name="muon"))._parts[1]
    names = {name for name, p in model.named_parameters() if any(p is q for q in muon.param_groups[0]["params"])}
    assert names == {f"blocks.0.{part}.weight" for part in ("attn.W_QKV", "attn.W_O", "mlp.W_in", "mlp.W_out")}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_state_that_is_kept_is_the_one_that_the_table_states(tiny, name):
    model, kind = Transformer(tiny.transformer), OPTIMIZERS[name]
    optimizers = Optimizers(model, OptimizerConfig(name=name))
    assert optimizers.state() == {}
    a_step(model, optimizers, seed=0)
    matrices = {id(parameter) for parameter in model.matrices()}
    state = optimizers.state()
    for parameter_name, parameter in model.named_parameters():
        rule = (id(parameter) in matrices and kind.matrices) or kind.rule
        kept = {key.partition("|")[2]: tensor for key, tensor in state.items() if key.startswith(f"{parameter_name}|")}
        assert set(kept) == {*rule.moments, *rule.counters}
        assert all(kept[key].shape == parameter.shape for key in rule.moments)
        assert all(kept[key].numel() == 1 for key in rule.counters)


def test_a_table_that_states_other_tensors_fails_at_the_first_checkpoint_and_not_at_a_resume(tiny, monkeypatch):
    model = Transformer(tiny.transformer)
    optimizers = Optimizers(model, OptimizerConfig())
    a_step(model, optimizers, seed=0)
    monkeypatch.setattr(optimizers, "_rules", [UpdateRule(ADAMW.make, moments=("exp_avg",))])
    with pytest.raises(AssertionError, match="states other tensors"):
        optimizers.state()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_restored_state_goes_on_as_if_nothing_had_happened(tiny, name):
    config = OptimizerConfig(name=name, lr=1e-2)
    model = Transformer(tiny.transformer)
    optimizers = Optimizers(model, config)
    a_step(model, optimizers, seed=0)
    copy = Transformer(tiny.transformer)
    copy.load_state_dict(model.state_dict())
    restored = Optimizers(copy, config)
    restored.load_state({key: value.clone() for key, value in optimizers.state().items()})
    for seed in (1, 2):
        a_step(model, optimizers, seed)
        a_step(copy, restored, seed)
    for there, here in zip(model.parameters(), copy.parameters(), strict=True):
        assert torch.equal(there, here)


def test_the_state_of_another_optimiser_is_refused(tiny):
    model = Transformer(tiny.transformer)
    muon, adamw = (Optimizers(model, OptimizerConfig(name=name)) for name in ("muon", "adamw"))
    a_step(model, muon, seed=0)
    with pytest.raises(UserError, match="another optimizer"):
        adamw.load_state(muon.state())


def test_scaling_acts_on_every_rate(tiny):
    optimizers = Optimizers(Transformer(tiny.transformer), OptimizerConfig(name="muon", lr=0.1, muon_lr=0.4))
    optimizers.scale_learning_rates(0.5)
    assert [group["lr"] for part in optimizers._parts for group in part.param_groups] == [0.05, 0.05, 0.2]


def test_a_muon_update_has_nearly_equal_singular_values(tiny):
    model = Transformer(tiny.transformer)
    before = model.blocks[0].attn.W_O.weight.detach().clone()
    a_step(model, Optimizers(model, OptimizerConfig(name="muon", muon_lr=1.0, weight_decay=0.0)), seed=0)
    scales = torch.linalg.svdvals(before - model.blocks[0].attn.W_O.weight.detach())
    assert_close(scales[:8], torch.ones(8), atol=0.4, rtol=0)
