"""Precision and attention path are the ones measured to be faster; rounding errors are told from other ones."""

import pytest
import torch

from unrandom.models.numerics import agree, choose_attention, choose_precision, difference

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("found", "precision"),
    [({}, "fp32"), ({"avx2": True}, "fp32"), ({"amx_bf16": True}, "bf16"), ({"avx512_bf16": True}, "bf16")],
)
def test_bf16_is_chosen_only_where_the_processor_has_it(monkeypatch, found, precision):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)
    assert choose_precision("auto", CPU) == precision
    assert choose_precision("fp32", CPU) == "fp32"


def test_attention_is_chosen_by_context_and_device(tiny):
    assert choose_attention(tiny.transformer, CPU) == "explicit"
    assert choose_attention(tiny.override(["data.context=300"]).transformer, CPU) == "blockwise"
    wide = tiny.override(["model.d_model=768", "model.n_heads=1"]).transformer
    assert choose_attention(wide, torch.device("cuda")) == "explicit"  # no fused kernel supports this width
    assert choose_attention(tiny.transformer, torch.device("cuda")) == "fused"


def test_values_agree_up_to_a_share_of_the_largest_one():
    expected = torch.tensor([[-30.0, 0.001], [2.0, 0.0]])
    assert difference(expected + 0.0015, expected) == pytest.approx(5e-5, rel=1e-2)
    assert agree(expected + 0.0015, expected)
    assert not agree(expected + 0.006, expected)
    assert not agree(expected / 10_000 + 0.0015, expected / 10_000)
    assert agree(torch.zeros(2), torch.zeros(2))
    assert not agree(torch.full((2,), 1e-9), torch.zeros(2))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_that_are_no_numbers_never_agree(bad):
    one, other = torch.tensor([1.0, 2.0]), torch.tensor([bad, 2.0])
    assert not any(agree(*pair) for pair in ((one, other), (other, one), (other, other)))
    with pytest.raises(ValueError, match="cannot be compared"):
        agree(one, one[:1])
