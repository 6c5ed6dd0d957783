"""`import unrandom` is light, offers every name, explains each with an example that runs, and takes plain lists."""

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest
import torch

import unrandom
from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.interpretation import patch_heads
from unrandom.runs.loaded import LoadedRun
from unrandom.tasks.truncated_lcg import TruncatedLCG

ROOT = Path(__file__).parents[1]
FILES = {"unrandom": unrandom.__file__} | {
    module.name: module.module_finder.find_spec(module.name).origin
    for module in walk_packages(unrandom.__path__, "unrandom.")
    if not module.name.endswith("__main__")
}
MODULES = list(FILES)
WITH_EXAMPLES = [  # a module without examples has nothing to run
    name for name, file in FILES.items() if ">>>" in Path(file).read_text()
]
FUNCTIONS = sorted(set(unrandom.__all__) - {"tasks", "UserError"})


@pytest.fixture
def loaded(finished_run):
    return unrandom.load(finished_run.folder.path, device="cpu")


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_docstrings_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.DocTestFinder(recurse=True).find(import_module(name), name)
    runner = doctest.DocTestRunner(verbose=False)
    for example in found:
        said: list[str] = []
        runner.run(example, out=said.append)
        assert not said, "".join(said)
    assert runner.tries


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_name_explains_itself_by_an_example(name):
    value = getattr(unrandom, name)
    assert re.search(r">>> import .*unrandom", value.__doc__)
    if not inspect.isclass(value):
        assert all(
            parameter.annotation is not parameter.empty for parameter in inspect.signature(value).parameters.values()
        )


def test_what_a_loaded_run_can_do_explains_itself_by_examples():
    own = {name: value for name, value in vars(LoadedRun).items() if not name.startswith("_") and value is not None}
    assert {"cache", "evaluate", "intervene", "model", "predict", "record", "tokens", "train"} <= set(own)
    for name in set(own) - {"device", "reliability"}:
        assert ">>>" in own[name].__doc__, name


def test_dir_is_complete_and_a_star_import_has_every_name():
    assert set(dir(unrandom)) == {*unrandom.__all__, "__version__"}
    names: dict[str, object] = {}
    exec("from unrandom import *", names)
    assert set(unrandom.__all__) <= set(names)
    assert unrandom.tasks.__name__ == "unrandom.tasks"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = unrandom.nothing


def test_importing_imports_nothing_else():
    program = """
import sys
before = set(sys.modules)
import unrandom
dir(unrandom)
print(*sorted(name for name in set(sys.modules) - before if name.split(".")[0] not in sys.stdlib_module_names))
unrandom.audit, unrandom.recipes, unrandom.LCG
print("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "unrandom unrandom.core unrandom.core.lazy unrandom.core.version\nFalse\n"


@pytest.mark.slow
def test_names_stay_what_they_are_after_every_module_was_imported():
    program = f"""
import importlib, unrandom
for name in {MODULES}:
    importlib.import_module(name)
assert all(callable(getattr(unrandom, name)) for name in {FUNCTIONS})
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_weights_have_the_axes_and_the_meaning_that_transformer_lens_gives_them(loaded):
    model, config = loaded.model, loaded.model.config
    cache = loaded.cache(loaded.tokens([1, 5, 9]))
    shapes = {
        "W_E": (config.vocab_size, config.d_model),
        "W_pos": (config.context, config.d_model),
        **dict.fromkeys(("W_Q", "W_K", "W_V"), (config.depth, config.n_heads, config.d_model, config.d_head)),
        "W_O": (config.depth, config.n_heads, config.d_head, config.d_model),
        "W_in": (config.depth, config.d_model, config.d_mlp),
        "W_out": (config.depth, config.d_mlp, config.d_model),
        "W_U": (config.d_model, config.vocab_size),
    }
    assert {name: tuple(getattr(model, name).shape) for name in shapes} == shapes
    block, normal = "blocks.0.", cache["blocks.0.ln1.hook_normalized"]
    for name in "QKV":
        by_hand = torch.einsum("bpm,hmf->bphf", normal, getattr(model, f"W_{name}")[0])
        assert_agree(by_hand, cache[f"{block}attn.hook_{name.lower()}"], OPERATION)
    assert_agree(
        torch.einsum("bphf,hfm->bpm", cache[f"{block}attn.hook_z"], model.W_O[0]),
        cache[f"{block}hook_attn_out"],
        OPERATION,
    )
    assert_agree(cache[f"{block}ln2.hook_normalized"] @ model.W_in[0], cache[f"{block}mlp.hook_pre"], OPERATION)
    assert_agree(cache[f"{block}mlp.hook_post"] @ model.W_out[0], cache[f"{block}hook_mlp_out"], OPERATION)
    assert_agree(cache["ln_final.hook_normalized"] @ model.W_U, cache["logits"], OPERATION)
    assert_agree(model.W_E[torch.tensor([1, 5, 9])] + model.W_pos[:3], cache[f"{block}hook_resid_pre"][0], OPERATION)
    model.W_Q.sum().backward()
    assert model.blocks[0].attn.W_QKV.weight.grad is not None


def test_lists_arrays_and_tensors_say_the_same(loaded):
    numbers = [3, 10, 17, 24]
    whole = loaded.predict(numbers, n=3)
    assert whole == loaded.predict(np.array(numbers), n=3) == unrandom.predict(loaded, tuple(numbers), 3)
    assert (len(whole.numbers), len(whole.probabilities), whole.numbers_used) == (3, 3, 4)
    long = loaded.predict(numbers * 5, n=1)
    assert long.numbers_used == loaded.config.data.context
    assert long.numbers == loaded.predict((numbers * 5)[-loaded.config.data.context :], n=1).numbers
    caches = [loaded.cache(tokens) for tokens in (numbers, [numbers], np.array(numbers), torch.tensor([numbers]))]
    assert all(torch.equal(cache["logits"], caches[0]["logits"]) for cache in caches)
    assert set(loaded.cache(numbers, "*.hook_z")) == {"blocks.0.attn.hook_z", "logits"}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run: run.predict([3, 64]), "64 is not from 0 to 63, the numbers this model knows"),
        (lambda run: run.predict([3, -1]), "numbers must be from 0 to 2"),
        (lambda run: run.predict([]), "numbers must be"),
        (lambda run: run.predict([1], n=0), "n must be a whole number of 1 or more"),
        (lambda run: run.cache([64]), "tokens must be from 0 to 63, but 64 was given"),
        (lambda run: run.cache([-1, 5]), "tokens must be from 0 to 2"),
        (lambda run: run.cache([1] * 50), "the context is"),
        (lambda run: run.cache([1], "blocks.7.*"), "no such tap: blocks.7"),
        (lambda run: run.evaluate(predictors=["oracle"]), "oracle"),
        (lambda run: run.evaluate(part=63), "63 is not a test"),
        (lambda run: run.evaluate(sequences=0), "sequences must be a whole number of 1 or more, but 0 was given"),
        (lambda run: patch_heads(run.model, run.tokens([1]), run.tokens([2]), float, "resid_pre"), "q, k, v or z"),
        (lambda run: unrandom.sweep("fm-256", {}), "grid must have a list of values for each key"),
        (lambda run: unrandom.sweep("fm-256", {"steps": []}), "grid must have a list of values for each key"),
        (lambda run: unrandom.sweep("fm-256", {"steps": [1]}, seeds=0), "seeds must be a whole number of 1 or more"),
        (lambda run: unrandom.sweep("fm-256", {"steps": [1]}, workers=0), "workers must be a whole number of 1"),
        (lambda run: unrandom.load("nowhere"), "nowhere is not a run folder"),
        (lambda run: unrandom.train("fm-257"), "near misses: fm-256"),
        (lambda run: unrandom.train("fm-256", step=3), "near misses: steps"),
        (lambda run: unrandom.audit([]), "holds no numbers"),
        (lambda run: unrandom.audit([1, 2], raw="u32"), "for files"),
        (lambda run: unrandom.audit([1, 2], family="lgc"), "no family is called 'lgc'"),
    ],
)
def test_mistakes_are_one_line(loaded, call, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=said) as raised:
        call(loaded)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run: run.predict([0.5]), "numbers must be whole numbers"),
        (lambda run: run.predict("3 4"), "numbers must be one sequence"),
        (lambda run: run.predict([[1, 2], [3, 4]]), "numbers must be one sequence"),
        (lambda run: run.tokens([[1, 2], [3]]), "numbers must be one sequence"),
        (lambda run: run.cache([0.5]), "tokens must be whole numbers"),
        (lambda run: run.cache([[1, 2], [3]]), "tokens must be one sequence"),
        (lambda run: unrandom.audit([[1], 2]), "lists of these"),
        (lambda run: unrandom.audit(5), "must be a list or an array"),
        (lambda run: unrandom.audit(["one"]), "'one' is not a number"),
    ],
)
def test_wrong_types_are_one_line_too(loaded, call, said, unchecked):
    with pytest.raises(UserError, match=said) as raised:
        call(loaded)
    assert "\n" not in str(raised.value)


def test_an_evaluation_is_a_table_with_one_row_per_predictor_and_position(loaded):
    found = loaded.evaluate(sequences=32, predictors=["copy"])
    assert found.columns == ["part", "predictor", "seen", "accuracy", "low", "high"]
    guesses = found["seen"].max()
    assert found.group_by("predictor").len()["len"].to_list() == [guesses] * 2
    assert (found["low"] <= found["accuracy"]).all()
    assert (found["accuracy"] <= found["high"]).all()
    assert unrandom.evaluate(loaded, sequences=32, predictors="copy").equals(found)


def test_a_run_that_was_trained_from_python_says_how_to_make_it_again(tmp_path):
    changes = {"steps": 4, "model": {"d_model": 8}, "seed": 3}
    run = unrandom.train("quadratic-smoke", runs=tmp_path, **changes)
    assert run.result()["finished"]
    command = run.folder.read_manifest()["command"]
    assert command == (
        f"unrandom train quadratic-smoke --set model.d_model=8 --set steps=4 --set seed=3 --runs {tmp_path}"
    )
    again = unrandom.train("quadratic-smoke", runs=tmp_path, **changes)
    assert unrandom.train(run.spec, runs=tmp_path).id == run.id
    data = run.config.data.replace(modulus=32)
    other = unrandom.train("quadratic-smoke", runs=tmp_path, max_minutes=0, data=data)
    assert " --set data.modulus=32 " in other.folder.read_manifest()["command"]
    with pytest.raises(UserError, match="the task of quadratic-smoke is quadratic; for the task truncated-lcg, name"):
        unrandom.train("quadratic-smoke", runs=tmp_path, data=TruncatedLCG())
    assert (again.id, again.result()) == (run.id, run.result())
    assert unrandom.load(run.id, runs=tmp_path).model.config == run.model.config


def test_a_user_defined_task_is_trained_by_its_path(tmp_path):
    task = f"{ROOT / 'examples' / 'second_order.py'}:SecondOrder"
    small = {"steps": 2, "batch_size": 8, "warmup_steps": 1, "model": {"d_model": 8}, "data": {"context": 8}}
    run = unrandom.train(task, runs=tmp_path, **small)
    assert run.result()["steps"] == 2
    assert run.folder.read_manifest()["command"].startswith(f"unrandom train {task} --set data.context=8 ")
    assert len(unrandom.load(run.folder.path).predict([1, 2, 3], n=4).numbers) == 4


def test_an_audit_takes_a_list_an_array_and_a_file(tmp_path):
    numbers = unrandom.LCG(m=2**32, a=1664525, c=1013904223).orbit(x0=7, length=60)
    (tmp_path / "outputs.txt").write_text("\n".join(map(str, numbers)))
    verdicts = [
        unrandom.audit(each) for each in (numbers, np.array(numbers, dtype=np.uint32), tmp_path / "outputs.txt")
    ]
    assert all(verdict.next == verdicts[0].next for verdict in verdicts)
    fractions = unrandom.audit([number / 2**32 for number in numbers])
    assert fractions.next[0] == verdicts[0].next[0] / 2**32
