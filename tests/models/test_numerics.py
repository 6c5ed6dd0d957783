"""Precision and attention path are the ones measured to be faster."""

import pytest
import torch

from unrandom.models.numerics import choose_attention, choose_precision

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("found", "precision"),
    [({}, "fp32"), ({"avx2": True}, "fp32"), ({"amx_bf16": True}, "bf16"), ({"avx512_bf16": True}, "bf16")],
)
def test_bf16_is_chosen_only_where_the_processor_has_it(monkeypatch, found, precision):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)
    assert choose_precision("auto", CPU) == precision
    assert choose_precision("fp32", CPU) == "fp32"


def test_short_contexts_on_a_cpu_use_explicit_attention(tiny):
    assert choose_attention(tiny.transformer, CPU) == "explicit"
    wide = tiny.override(["model.d_model=768", "model.n_heads=1"]).transformer
    assert choose_attention(wide, torch.device("cuda")) == "explicit"  # no fused kernel supports this width
    assert choose_attention(tiny.transformer, torch.device("cuda")) == "fused"
