"""The machine's choices are those that were measured to pay."""

import time

import pytest
import torch

from unrandom.core.errors import UserError
from unrandom.training import machine

CPU = torch.device("cpu")


def test_a_device_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(UserError, match="device 'cuda:77' cannot be used"):
        machine.choose_device("cuda:77")


def test_waiting_for_a_device_takes_as_long_as_it_is_behind(monkeypatch):
    assert machine.synchronize(CPU) == 0
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda _device: time.sleep(0.05))
    assert machine.synchronize(torch.device("meta")) >= 0.05


def test_freed_memory_is_returned_by_runs_that_recompute_alone(tiny, monkeypatch):
    options = []
    monkeypatch.setattr(machine, "_set_malloc_options", options.append)
    for settings in (["recompute=true"], ["micro_batches=2"], []):
        machine.configure_process(CPU, tiny.override(settings))
    machine.configure_process(CPU)
    torch.set_flush_denormal(False)
    assert options == [machine.RETURN_FREED_MEMORY, *[machine.KEEP_FREED_MEMORY] * 3]


def test_denormals_are_flushed():
    machine.configure_process(CPU)
    tiny = torch.full((64,), 1e-39)
    assert (tiny * 1.0 == 0).all()
    torch.set_flush_denormal(False)
