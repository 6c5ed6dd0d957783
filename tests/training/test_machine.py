"""The machine's choices are those that were measured to pay."""

import time

import pytest
import torch

from unrandom.core.errors import UserError
from unrandom.training import machine

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("found", "precision"),
    [({}, "fp32"), ({"avx2": True}, "fp32"), ({"amx_bf16": True}, "bf16"), ({"avx512_bf16": True}, "bf16")],
)
def test_bf16_is_chosen_only_where_the_processor_has_it(monkeypatch, found, precision):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)
    assert machine.choose_precision("auto", CPU) == precision
    assert machine.choose_precision("fp32", CPU) == "fp32"


def test_short_contexts_on_a_cpu_use_explicit_attention(tiny):
    assert machine.choose_attention(tiny.transformer, CPU) == "explicit"
    wide = tiny.override(["model.d_model=768", "model.n_heads=1"]).transformer
    assert machine.choose_attention(wide, torch.device("cuda")) == "explicit"  # no fused kernel is that wide
    assert machine.choose_attention(tiny.transformer, torch.device("cuda")) == "fused"


def test_a_device_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(UserError, match="device 'cuda:77' cannot be used"):
        machine.choose_device("cuda:77")


def test_waiting_for_a_device_takes_as_long_as_it_is_behind(monkeypatch):
    assert machine.wait_for(CPU) == 0
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda _device: time.sleep(0.05))
    assert machine.wait_for(torch.device("meta")) >= 0.05


def test_denormals_are_flushed():
    machine.prepare(CPU)
    tiny = torch.full((64,), 1e-39)
    assert (tiny * 1.0 == 0).all()
    torch.set_flush_denormal(False)
