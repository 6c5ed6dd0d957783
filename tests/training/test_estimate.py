"""What to expect of a run is said before it begins: operations, memory, time, and what to set where it does not fit."""

import pytest
import torch

from unrandom.data import make_batches, make_split
from unrandom.experiments.recipes import recipe
from unrandom.training import estimate as estimates
from unrandom.training import machine
from unrandom.training.estimate import data_bytes, estimate, step_memory

CPU = torch.device("cpu")
GB = 10**9


@pytest.fixture(autouse=True)
def a_machine(monkeypatch):
    monkeypatch.setattr(estimates, "matrix_rate", lambda _precision, _device: 0.7e12)
    monkeypatch.setattr(estimates, "available_memory", lambda: 24 * GB)


def test_words(monkeypatch):
    config = recipe("um-2048").build().override(["precision=bf16"])
    expected = estimate(config, ranks=1, device=CPU)
    first, second = expected.words.splitlines()
    assert first == "about 1.22 EFLOP: 12.2 TFLOP a step; about 50 days at 40 % of 700 GFLOP/s"
    assert second == (
        "memory 19.3 GB of 24 GB a rank "
        "(weights 122 MB, gradients 122 MB, optimiser 243 MB, activations 17.6 GB, data 1.18 GB)"
    )
    assert expected.tree() == {
        "flops": expected.flops,
        "memory_bytes": expected.memory_bytes,
        "seconds": round(expected.flops / 0.28e12, 1),
    }
    monkeypatch.setattr(estimates, "available_memory", lambda: None)
    assert "memory 19.3 GB a rank" in estimate(config, ranks=1, device=CPU).words


def test_a_run_that_goes_on_pays_for_the_steps_that_are_left(tiny):
    whole = estimate(tiny, ranks=1, device=CPU)
    assert whole.after(9).flops * 4 == whole.flops
    assert " s at 40 % of" in whole.after(9).words


def test_ranks_share_the_work_and_the_memory_of_the_machine(tiny):
    one, two = (estimate(tiny, ranks=ranks, device=CPU) for ranks in (1, 2))
    assert two.flops == one.flops
    assert two.seconds == pytest.approx(one.seconds / 2)
    assert two.available == one.available // 2
    assert two.memory.activations < one.memory.activations
    assert two.memory.gradients == 2 * one.memory.gradients


def test_blocks_that_run_twice_take_a_third_more_time():
    config = recipe("um-2048").build()
    once, twice = (estimate(config.override([f"recompute={r}"]), ranks=1, device=CPU) for r in ("false", "true"))
    assert twice.flops == once.flops
    assert twice.seconds / once.seconds == pytest.approx(4 / 3, rel=0.05)
    assert "TFLOP once more" in twice.words


def test_what_does_not_fit_is_told_what_to_set(monkeypatch):
    config = recipe("fm-base256").build().override(["precision=bf16"])

    def advice(gigabytes, *settings):
        monkeypatch.setattr(estimates, "available_memory", lambda: int(gigabytes * GB))
        return estimate(config.override(settings), ranks=1, device=CPU).words.rpartition("; ")[2]

    assert advice(24) == "set micro_batches=4 to need 13.1 GB"
    assert "set" not in advice(24, "micro_batches=4")
    assert advice(5, "micro_batches=4") == "set micro_batches=16 to need 4.47 GB"
    assert advice(1.65) == "set micro_batches=512 and recompute=true to need 1.61 GB"
    assert advice(1) == "no number of micro_batches makes it fit, nor recompute"


def test_memory_that_is_not_kept_has_no_holes(tiny):
    kept, returned = (step_memory(tiny.override([f"micro_batches={n}"]), ranks=1, device=CPU) for n in (1, 2))
    assert kept.activations + kept.working > 2.9 * (returned.activations + returned.working)


@pytest.mark.parametrize("data", ["fm", "um"])
def test_the_training_set_is_counted(tiny, fm_data, um_data, data):
    sizes = {"mode": "fixed", "n_sequences": 500}
    config = tiny.model_copy(update={"data": {"fm": fm_data, "um": um_data}[data].model_copy(update=sizes)})
    batches = make_batches(make_split(config.data, 0), 16)
    parameters = batches.parameters
    rows = [parameters.a, parameters.c, parameters.x0, *([] if isinstance(parameters.m, int) else [parameters.m])]
    held = batches.set_tokens.nbytes + sum(row.nbytes for row in rows) + 2 * batches._order(0).nbytes
    assert data_bytes(config) == held
    assert data_bytes(tiny) == 0


def test_every_pair_of_a_product_is_counted():
    tokens, parameters, order = 1024, 32, 16
    assert data_bytes(recipe("um-base256").build()) == 32_768 * 128 * (tokens + parameters + order)
    assert data_bytes(recipe("fm-base256").build()) == 2**20 * (tokens + 24 + order)


def test_the_rate_is_measured():
    assert machine.matrix_rate("fp32", CPU) > 1e8
