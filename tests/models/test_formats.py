"""A model in another format has the same logits, by the library that the format is for, and comes back unchanged."""

import json
import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing here may look for a model elsewhere

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from rounding import assert_agree
from unrandom.core.errors import UserError
from unrandom.models import Transformer, TransformerConfig, record
from unrandom.models.formats import (
    from_gpt2,
    from_gpt_neox,
    from_huggingface,
    from_plain,
    huggingface_model,
    meaning,
    to_gpt2,
    to_gpt_neox,
    to_huggingface,
    to_plain,
    transformer_lens_model,
)
from unrandom.models.formats.gpt2 import POSITIONS, unfold
from unrandom.models.numerics import TOLERANCE, agree, difference
from unrandom.models.taps import tap_names
from unrandom.training.checkpoint import load_model

ARCHIVED = Path(__file__).parents[2] / "results" / "laptop" / "weights"
NAMES = ("fm-256-11566064", "fm-2p8-6f3ff0d6", "um-144-52178bd0")
CONFIGS = {
    "learned-relu-tied-1": {"depth": 1, "n_heads": 1, "activation": "relu"},
    "learned-gelu-untied-4": {"depth": 4, "n_heads": 2, "tied": False},
    "abacus-gelu-tied-2": {"depth": 2, "n_heads": 3, "positions": "abacus", "digits": 3},
    "abacus-relu-untied-1": {
        "depth": 1, "n_heads": 4, "positions": "abacus", "digits": 7, "activation": "relu", "tied": False,
    },
    "abacus-of-one-digit": {"depth": 1, "n_heads": 2, "positions": "abacus"},
    "rotary-gelu-untied-4": {"depth": 4, "n_heads": 2, "positions": "rotary", "tied": False},
    "rotary-relu-tied-2": {"depth": 2, "n_heads": 3, "positions": "rotary", "digits": 3, "activation": "relu"},
    "rotary-gelu-tied-1": {"depth": 1, "n_heads": 4, "positions": "rotary"},
    "learned-bias": {"depth": 2, "n_heads": 2, "bias": True},
    "abacus-bias": {"depth": 2, "n_heads": 3, "positions": "abacus", "digits": 3, "tied": False, "bias": True},
    "rotary-bias": {"depth": 2, "n_heads": 3, "positions": "rotary", "bias": True},
}  # fmt: skip


def random_model(**changes: object) -> Transformer:
    """Weights with which attention is far from uniform, and gains that are not 1."""
    model = Transformer(TransformerConfig(**{"d_model": 24, "vocab_size": 17, "context": 20, **changes}))
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(0.3 * noise if parameter.dim() == 2 else 1 + 0.5 * noise)
    return model.eval()


@pytest.fixture(params=[*CONFIGS, *NAMES])
def model(request):
    if request.param in CONFIGS:
        return random_model(**CONFIGS[request.param])
    (checkpoint,) = (ARCHIVED / request.param / "checkpoints").iterdir()
    return load_model(checkpoint)


def tokens(model, batch=3):
    shape = (batch, model.config.context)
    return torch.randint(model.config.vocab_size, shape, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip("transformers", reason="the extra 'export' is not installed")


@pytest.fixture(scope="module")
def build_bridge():
    """TransformerLens's function that makes a bridge of a model; its import takes seconds."""
    sources = pytest.importorskip("transformer_lens.model_bridge.sources", reason="the extra 'export' is not installed")
    return sources.build_bridge_from_module


def load(transformers, folder, values, tensors):
    """The model that transformers loads from the two files."""
    (folder / "config.json").write_text(json.dumps(values))
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (architecture,) = values["architectures"]
    model, found = getattr(transformers, architecture).from_pretrained(folder, output_loading_info=True)
    assert not any(found.values()), found  # no tensor is missing, unexpected or of another shape
    return model.eval()


def check_same(found: torch.Tensor, expected: torch.Tensor, what: str = "logit") -> None:
    """The values differ by rounding errors alone. The difference is printed, for docs/export.md."""
    print(f"largest {what} {float(expected.abs().max()):.1f}, differences {difference(found, expected):.1e} of it")
    assert_agree(found, expected)


@torch.no_grad()
def test_transformers_computes_the_same_logits(model, transformers, tmp_path):
    x, loaded = tokens(model), load(transformers, tmp_path, *to_huggingface(model))
    check_same(loaded(x).logits, model(x))
    check_same(loaded(x[:, :7]).logits, model(x)[:, :7])


@torch.no_grad()
def test_transformerlens_has_the_same_logits_activations_and_weights(model, transformers, build_bridge, tmp_path):
    loaded = load(transformers, tmp_path, *to_huggingface(model))
    bridge = build_bridge(loaded, type(loaded).__name__, hf_config=loaded.config)
    x = tokens(model)
    with record(model, tap_names(model)) as ours:
        expected = model(x)
    logits, theirs = bridge.run_with_cache(x)
    check_same(logits, expected)
    for name, value in ours.items():
        # its hook_normalized is before the gain; the LayerNorm's output, after it, is hook_out
        found = theirs[name.replace("hook_normalized", "hook_out")]
        seen = value.isfinite()  # scores of later tokens are minus infinity here, the least number there
        check_same(found.expand_as(seen)[seen] if found.dim() == value.dim() else found[0][seen], value[seen], name)
    weights = ("W_E", "W_U", "W_Q", "W_K", "W_V", "W_O", "W_in", "W_out", "b_Q", "b_K", "b_V", "b_O", "b_in", "b_out")
    for name in weights:
        assert torch.equal(getattr(bridge, name), getattr(model, name)), name
    edited = bridge.run_with_hooks(x, fwd_hooks=[("blocks.0.attn.hook_z", lambda z, hook: 0 * z)])
    assert not agree(edited, expected, 100 * TOLERANCE)


@torch.no_grad()
def test_what_comes_back_is_what_went(model):
    x = tokens(model)
    back, exact = from_huggingface(*to_huggingface(model)), from_plain(*to_plain(model))
    assert back.config == exact.config == model.config
    check_same(back(x), model(x))
    for name, parameter in model.named_parameters():
        assert torch.equal(exact.get_parameter(name), parameter)
        if not name.startswith("pos_embed."):  # abacus positions are folded and unfolded
            assert torch.equal(back.get_parameter(name), parameter)


@torch.no_grad()
@pytest.mark.parametrize("name", ["abacus-gelu-tied-2", "rotary-gelu-untied-4", "rotary-bias"])
def test_what_transformers_saved_again_can_be_read(name, transformers, tmp_path):
    model = random_model(**CONFIGS[name])
    load(transformers, tmp_path, *to_huggingface(model)).save_pretrained(tmp_path / "again")
    values = json.loads((tmp_path / "again" / "config.json").read_text())
    assert values != to_huggingface(model)[0]
    back = from_huggingface(values, safetensors.torch.load_file(tmp_path / "again" / "model.safetensors"))
    check_same(back(tokens(model)), model(tokens(model)))


@torch.no_grad()
@pytest.mark.parametrize("positions", ["learned", "abacus", "rotary"])
def test_shifted_keys_and_values_can_only_be_written_as_they_are(positions):
    model = random_model(depth=2, n_heads=3, positions=positions, digits=2, kv_shift=True)
    with pytest.raises(UserError, match=r"cannot express model.kv_shift=true, .*; --to safetensors writes the model"):
        to_huggingface(model)
    back = from_plain(*to_plain(model))
    assert torch.equal(back(tokens(model)), model(tokens(model)))


def test_each_class_refuses_the_positions_of_the_other():
    with pytest.raises(UserError, match=r"GPT-2 cannot express model\.positions=rotary"):
        to_gpt2(random_model(positions="rotary"))
    with pytest.raises(UserError, match=r"GPT-NeoX cannot express model\.positions=abacus"):
        to_gpt_neox(random_model(positions="abacus"))


WRITERS = {"gpt2": (to_gpt2, "abacus"), "gpt_neox": (to_gpt_neox, "rotary"), "plain": (to_plain, "learned")}


@pytest.mark.parametrize("written", WRITERS)
@pytest.mark.parametrize("owner", ["", "blocks.0.attn", "blocks.1.mlp", "pos_embed"])
def test_every_format_refuses_a_parameter_that_it_does_not_know(written, owner):
    """A part that a format drops would change logits silently."""
    write, positions = WRITERS[written]
    model = random_model(depth=2, n_heads=3, positions=positions, digits=2)
    if owner == "pos_embed" and positions == "rotary":
        model.pos_embed = torch.nn.Module()
    model.get_submodule(owner).register_parameter("temperature", torch.nn.Parameter(torch.full((3,), 2.0)))
    name = f"{owner}.temperature".removeprefix(".")
    with pytest.raises(UserError, match=f"cannot express the model's parameter {name}, which changes logits") as raised:
        write(model)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("written", WRITERS)
def test_every_format_refuses_a_setting_that_it_does_not_know(written):
    """A setting can change logits without a parameter of its own."""

    class Softcapped(TransformerConfig):
        softcap: float | None = None

    write, positions = WRITERS[written]
    shape = {"d_model": 24, "vocab_size": 17, "context": 20, "positions": positions}
    model = Transformer(Softcapped(**shape))
    write(model)
    model.config = Softcapped(**shape, softcap=30.0)
    with pytest.raises(UserError, match=r"cannot express model.softcap=30.0"):
        write(model)


def test_folded_positions_are_the_sum_of_number_and_digit():
    model = random_model(**CONFIGS["abacus-gelu-tied-2"])
    table = to_gpt2(model)[1][POSITIONS]
    for i in range(20):
        assert torch.equal(table[i], model.pos_embed.W_int[i // 3] + model.pos_embed.W_digit[i % 3])


@settings(deadline=None)
@given(
    numbers=st.integers(1, 9),
    digits=st.integers(1, 9),
    left_out=st.integers(0, 3),
    dtype=st.sampled_from([torch.float32, torch.bfloat16, torch.float16]),
    seed=st.integers(0, 99),
)
def test_unfolding_is_exact_to_rounding_whatever_the_format_of_the_table(numbers, digits, left_out, dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda rows: torch.randn(rows, 4, generator=generator)  # noqa: E731
    exact = (draw(numbers)[:, None] + 30 * draw(digits)).flatten(0, 1)
    table = exact[: max(1, len(exact) - left_out)].to(dtype).float()
    W_int, W_digit = unfold(table, digits, torch.finfo(dtype).eps)
    assert (W_digit[0] == 0).all()
    sums = (W_int[:, None] + W_digit).flatten(0, 1)[: len(table)]
    assert_close(sums, table, atol=4 * torch.finfo(dtype).eps * float(table.abs().max()), rtol=0)


def test_a_table_of_positions_that_was_trained_further_is_no_sum():
    values, tensors = to_gpt2(random_model(**CONFIGS["abacus-gelu-tied-2"]))
    tensors[POSITIONS][7, 5] += 1e-3
    with pytest.raises(UserError, match="no longer a sum of a number's and a digit's vector"):
        from_gpt2(values, tensors)


def test_a_table_that_was_changed_but_is_still_a_sum_is_read():
    model = random_model(**CONFIGS["abacus-gelu-tied-2"])
    values, tensors = to_gpt2(model)
    tensors[POSITIONS][1::3] += 1.0  # digit 1 of every number
    assert_close(from_gpt2(values, tensors).W_pos[1::3], model.W_pos[1::3] + 1)


FIRST = "transformer.h.0.attn.c_attn"
CHANGES = {
    "bias is not zero": (
        lambda v, t: t[f"{FIRST}.bias"].add_(1e-9),
        rf"{FIRST}.bias is not zero, but this model has no biases \(model.bias is false\)",
    ),
    "missing": (lambda v, t: t.pop("transformer.ln_f.bias"), "'transformer.ln_f.bias' is missing"),
    "unknown": (lambda v, t: t.update(x=torch.zeros(1)), "'x' is no tensor of this model"),
    "shape": (lambda v, t: t.update({f"{FIRST}.bias": torch.zeros(71)}), r"has shape \(71,\), but .* needs \(72,\)"),
    "integers": (lambda v, t: t.update({f"{FIRST}.bias": torch.zeros(72).long()}), "has whole numbers"),
    "infinite": (lambda v, t: t[f"{FIRST}.weight"].fill_(torch.inf), "not finite"),
    "activation": (lambda v, t: v.update(activation_function="gelu_new"), "activation_function='gelu_new'"),
    "no activation": (lambda v, t: v.pop("activation_function"), "activation_function=None"),
    "heads": (lambda v, t: v.update(n_head=2), "n_head=2, but this model needs 1"),
    "epsilon": (lambda v, t: v.update(layer_norm_epsilon=1e-6), "layer_norm_epsilon"),
    "another class": (lambda v, t: v.update(model_type="llama"), "no supported model type is called 'llama'"),
    "no class": (lambda v, t: v.pop("model_type"), "no supported model type"),
    "foreign": (lambda v, t: v.pop("unrandom"), "not written by unrandom export"),
    "own": (lambda v, t: v.update(unrandom=5), "valid dictionary|object"),
    "huge": (lambda v, t: v["unrandom"].update(vocab_size=2**31), "vocab_size=17|parameters"),
    "huge twice": (
        lambda v, t: (v["unrandom"].update(depth=2**31), v.update(n_layer=2**31)),
        "describes a model of 14,946,486,190,992 parameters, but 8,160 numbers are stored",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_the_model_that_was_written_is_refused(change):
    make, said = CHANGES[change]
    values, tensors = to_gpt2(random_model(**CONFIGS["learned-relu-tied-1"]))
    make(values, tensors)
    with pytest.raises(UserError, match=said) as raised:
        from_huggingface(values, tensors)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("use_parallel_residual", True),
        ("rope_parameters", {"rope_type": "default", "rope_theta": 1e6, "partial_rotary_factor": 1.0}),
        ("rope_parameters", None),
        ("hidden_act", "relu"),
    ],
)
def test_another_variant_of_gpt_neox_is_refused(key, value):
    values, tensors = to_gpt_neox(random_model(positions="rotary"))
    with pytest.raises(UserError, match=f"config.json has {key}="):
        from_gpt_neox({**values, key: value}, tensors)


def test_the_tensors_that_are_written_are_explained():
    for positions in ("learned", "abacus", "rotary"):
        _, tensors = to_plain(random_model(positions=positions, digits=2, kv_shift=True, tied=False, bias=True))
        assert all(meaning(name) for name in tensors)


@pytest.mark.slow
def test_writing_and_reading_import_no_library():
    program = """
import sys
from unrandom.models import Transformer, TransformerConfig
from unrandom.models.formats import from_huggingface, to_huggingface
for positions in ("abacus", "rotary"):
    model = Transformer(TransformerConfig(d_model=8, n_heads=2, positions=positions, vocab_size=5, context=6))
    from_huggingface(*to_huggingface(model))
print({"transformers", "transformer_lens", "huggingface_hub"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_models_in_memory_have_the_same_logits(model):
    pytest.importorskip("transformers", reason="the export extra is not installed (2026-11-26)")
    before, x = torch.random.get_rng_state(), tokens(model)
    with torch.no_grad():
        expected, found = model(x), huggingface_model(model)(x).logits
    assert agree(found, expected)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_bridge_in_memory_leaves_the_model_and_has_its_caches():
    pytest.importorskip("transformer_lens", reason="the export extra is not installed (2026-11-26)")
    model = random_model(**CONFIGS["learned-gelu-untied-4"])
    x = tokens(model)
    logits, cache = transformer_lens_model(model).run_with_cache(x)
    expected, ours = model.run_with_cache(x)
    assert agree(logits.detach(), expected)
    assert agree(cache["pattern", 3], ours["pattern", 3])


def test_without_the_extra_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(UserError, match=r"transformers is not installed: pip install 'unrandom\[export\]'"):
        huggingface_model(random_model())
