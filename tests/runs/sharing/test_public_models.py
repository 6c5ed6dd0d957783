"""A file of the paper's public code becomes a run that is evaluated, predicts and is exported; others are refused."""

import json
import pickle
import shlex
import subprocess
import sys

import numpy as np
import pytest
import safetensors.torch
import torch

import unrandom
from public_code import DIGITS_NAME, OF_DIGITS, OF_NUMBERS, SMALL_TEST, digits_model, numbers_model
from rounding import assert_agree
from tiers import slow
from unrandom.core.errors import UserError
from unrandom.runs.recipes import recipe
from unrandom.runs.sharing.public_models import import_public, settings_in_name

SCALING = "p4294967296_b256_d4_sl512_na1024_nc1024_ne1_n1024_h8_d2_ds71_I9_lr0.000100_Twarm5000_T200000_B512_wd1.00"


@pytest.fixture
def saved(tmp_path):
    """Saves a model's tensors as a file of this name; returns its path."""

    def save(model, name="model.safetensors", prefix=""):
        tensors = {f"{prefix}{key}": tensor for key, tensor in model.tensors().items()}
        safetensors.torch.save_file(tensors, tmp_path / name)
        return tmp_path / name

    return save


def test_the_name_of_a_scaling_run_is_the_paper_s_recipe():
    config = recipe("fm-base256").build()
    named = settings_in_name(f"gpt_{SCALING}.safetensors")
    typed = [f"{key}={json.dumps(value)}" for key, value in named.items()]
    found = config.override(typed)
    assert found == config.replace(
        data={"modulus": 2**32}, optimizer={"beta2": 0.98}, model={"d_model": 1024}, seed=9, data_seed=71
    )
    assert found.data.tokenizer.width == 4


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        (SCALING.replace("_ne1_", "_ne4_"), "data.n_sequences", 4 * 2**20),
        (SCALING.replace("_d4_", "_d5_"), "data.digits", 5),
        (SCALING.replace("lr0.000100", "lr1"), "optimizer.lr", 1.0),
        (f"{SCALING}5", "optimizer.weight_decay", 1.005),
        (SCALING.replace("_sl512_", "_sl100_"), "data.context", 99),
    ],
)
def test_what_is_unusual_in_a_name_is_read_too(name, key, value):
    assert settings_in_name(name)[key] == value


@pytest.mark.parametrize(
    "name", ["model.safetensors", SCALING[1:], f"x{SCALING}", SCALING.replace("_h8", ""), "p" * 9999]
)
def test_another_name_tells_nothing(name):
    assert settings_in_name(name) == {}


def test_an_impossible_name_is_refused():
    with pytest.raises(UserError, match="modulus 1 and base 256; both must be 2 or more"):
        settings_in_name(SCALING.replace("p4294967296", "p1"))


@torch.no_grad()
@pytest.mark.parametrize("prefix", ["", "module.", "_orig_mod."])
def test_a_file_with_the_name_of_a_scaling_run_needs_no_settings(saved, tmp_path, prefix):
    reference = digits_model()
    path = saved(reference, DIGITS_NAME, prefix)
    run = import_public(path, tmp_path / "runs", assignments=SMALL_TEST)
    config = run.config
    assert (run.recipe, config.seed, config.data_seed, config.steps) == ("fm-base256", 9, 71, 2000)
    assert (config.data.modulus, config.data.base, config.data.context) == (64, 8, 11)
    assert config.model.bias
    x = torch.randint(8, (3, 23), generator=torch.Generator().manual_seed(1))
    assert_agree(run.load_model()(x), reference(x))
    imported = run.folder.read_manifest()["imported"]
    assert imported["from"] == str(path)
    assert imported["assumed"] == {"model.activation": "gelu"}
    assert "unknown" in imported["metrics"]


def test_an_imported_run_is_whole_and_has_no_measures(saved, tmp_path):
    path = saved(digits_model(), DIGITS_NAME)
    test = {"data": {"n_test_a": 2, "n_test_c": 4}, "test_sequences": 8}
    run = unrandom.import_run(path, runs=tmp_path / "runs", **test)
    assert run.folder.finished
    assert run.folder.read_metrics() == []
    result = run.result()
    assert (result["finished"], result["steps"]) == (True, 2000)
    assert all(value is None for key, value in result.items() if "accuracy" in key or "loss" in key)
    assert len(run.predict([1, 2, 3], n=2).numbers) == 2
    table = run.evaluate(sequences=8)
    assert table["part"].unique().to_list() == [64]
    assert run.train()["steps"] == 2000  # nothing is left to train
    again = unrandom.import_run(run.export(tmp_path / "exported", "huggingface"), runs=tmp_path / "others")
    assert again.config == run.config
    assert again.folder.read_manifest()["trained_by"] == "the paper's public code"
    card = (tmp_path / "exported" / "README.md").read_text(encoding="utf-8")
    assert "It was trained by the paper's public code, and imported into Unrandom" in card
    assert "The run has no recorded evaluation." in card
    assert "no biases" not in card
    with pytest.raises(UserError, match=f"{run.id} exists already; import into another folder with --runs"):
        unrandom.import_run(path, runs=tmp_path / "runs", **test)


@torch.no_grad()
def test_a_file_without_a_telling_name_has_the_settings_of_a_recipe(saved, tmp_path):
    reference = numbers_model()
    run = import_public(saved(reference), tmp_path / "runs", assignments=OF_NUMBERS)
    assert run.recipe == "fm-2048"
    assert (run.config.model.depth, run.config.model.d_model, run.config.model.bias) == (1, 12, False)
    x = torch.randint(32, (3, 11), generator=torch.Generator().manual_seed(1))
    assert_agree(run.load_model()(x), reference(x))
    assert run.folder.read_manifest()["imported"]["assumed"] == {"model.activation": "relu"}
    run = import_public(
        saved(digits_model(), "x.safetensors"), tmp_path / "runs", assignments=[*OF_DIGITS, "model.n_heads=3"]
    )
    assert run.recipe == "fm-base256"
    named = import_public(saved(numbers_model()), tmp_path / "runs", recipe="fm-7776", assignments=OF_NUMBERS)
    assert named.recipe == "fm-7776"


MISTAKES = {
    "heads": ([], {}, "d_model=12 must be a multiple of n_heads=8"),
    "modulus": (["model.n_heads=3"], {}, "set data.base, or data.modulus where a number is one token"),
    "context": (["model.n_heads=3", *OF_DIGITS, "data.context=12"], {}, "set data.context=11"),
    "digits": (["model.n_heads=3", *OF_DIGITS, "data.modulus=512"], {}, "set data.modulus or data.digits"),
    "depth": (["model.n_heads=3", *OF_DIGITS, "model.depth=3"], {}, "have model.depth=2, but 3 was given"),
    "bias": (["model.n_heads=3", *OF_DIGITS, "model.bias=false"], {}, "have model.bias=true, but false was given"),
    "key": (["model.head=3"], {}, r"unknown key 'model\.head'"),
    "no recipe": ([], {"recipe": "fm-base265"}, "no recipe is called 'fm-base265'; near misses: fm-base256"),
    "another task": (["model.n_heads=3"], {"recipe": "um-base256"}, "set data.base"),
    "test": (["model.n_heads=3", *OF_DIGITS, "data.n_test_a=999"], {}, "999"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_that_names_the_file(saved, tmp_path, mistake):
    assignments, further, said = MISTAKES[mistake]
    path = saved(digits_model())
    with pytest.raises(UserError, match=said) as raised:
        import_public(path, tmp_path / "runs", assignments=assignments, **further)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)
    assert not (tmp_path / "runs").exists()


def test_a_file_that_is_no_such_model_is_refused(saved, tmp_path):
    path = tmp_path / "model.safetensors"
    for content, said in (
        (pickle.dumps({"transformer.wte.weight": [1.0]}), "is not a safetensors file"),
        (b"", "is not a safetensors file"),
        (b"\x02" + bytes(7) + b"{}", "it has no tensor transformer.wte.weight"),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError, match=said):
            unrandom.import_run(path, runs=tmp_path / "runs")
    with pytest.raises(UserError, match=r"gone\.safetensors does not exist"):
        unrandom.import_run(tmp_path / "gone.safetensors", runs=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_settings_are_for_files_alone(finished_run, tmp_path):
    folder = unrandom.load(finished_run.folder.path, device="cpu").export(tmp_path / "exported")
    for further in ({"recipe": "fm-2048"}, {"steps": 3}):
        with pytest.raises(UserError, match="a recipe and settings are for a file of the paper's public code"):
            unrandom.import_run(folder, runs=tmp_path / "runs", **further)


@pytest.mark.parametrize("name", [*slow("model.pth"), 'it\'s "mine" $HOME.pt'])
def test_a_pickle_is_not_loaded_and_the_command_that_converts_it_works(tmp_path, name):
    class Evil:
        def __reduce__(self):
            return print, ("run",)

    path = tmp_path / name
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(
        UserError, match="is a pickle, which is never loaded, because unpickling can run code"
    ) as raised:
        unrandom.import_run(path, runs=tmp_path / "runs")
    said = str(raised.value)
    assert "\n" not in said
    torch.save(digits_model().state_dict(), path)
    words = shlex.split(said[said.index("python -c") :])
    assert words[0] == "python"
    subprocess.run([sys.executable, *words[1:]], check=True, cwd=tmp_path)
    run = import_public(
        path.with_suffix(".safetensors"), tmp_path / "runs", assignments=["model.n_heads=3", *OF_DIGITS]
    )
    assert run.config.model.tied


def test_any_changed_byte_is_read_as_a_model_or_refused(saved, tmp_path):
    path = saved(digits_model())
    rng, whole = np.random.default_rng(0), path.read_bytes()
    for attempt in range(30):
        changed = bytearray(whole)
        for _ in range(1 + attempt % 3):
            changed[rng.integers(min(len(whole), 4000))] = rng.integers(256)
        path.write_bytes(bytes(changed))
        try:
            run = import_public(path, tmp_path / f"runs-{attempt}", assignments=["model.n_heads=3", *OF_DIGITS])
        except UserError:
            continue
        assert run.load_model() is not None
