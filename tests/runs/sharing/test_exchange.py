"""An exported folder is whole, says what the run measured, runs the code of its card, and becomes the run again."""

import json
import os
import pickle
import re
import shutil
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing here may look for a model elsewhere

import numpy as np
import pytest
import safetensors.torch
import torch

import unrandom
from rounding import assert_agree
from saved import metrics_line
from tiers import pairs, slow_but
from unrandom.core.errors import UserError
from unrandom.core.files import write_json
from unrandom.core.reading import read_json
from unrandom.models import Transformer
from unrandom.models.formats.plain import EXPRESSED
from unrandom.runs.running.execution import create_run
from unrandom.runs.sharing import exchange
from unrandom.runs.sharing.card import MEASURES
from unrandom.runs.sharing.exchange import FORMATS
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import save_checkpoint

ROOT = Path(__file__).parents[3]
ARCHIVED = ROOT / "results" / "laptop" / "weights"
NAMES = ("fm-256-11566064", "fm-2p8-6f3ff0d6", "um-144-52178bd0")
SETTINGS = ("tied", *EXPRESSED.choices)
FILES = {"config.json", "model.safetensors", "README.md", "unrandom.json"}


@pytest.fixture(params=slow_but(["fm-256-11566064"], NAMES))
def archived(request):
    return unrandom.load(ARCHIVED / request.param, device="cpu")


@pytest.fixture(params=FORMATS)
def to(request):
    return request.param


@pytest.fixture
def loaded(finished_run):
    return unrandom.load(finished_run.folder.path, device="cpu")


@pytest.fixture
def exported(loaded, to, tmp_path):
    return loaded.export(tmp_path / "exported", to)


def run_of(config, out):
    """A run with random weights and no evaluation."""
    run = create_run(RunSpec("tiny", config), out, ["unrandom", "train", "tiny"])
    model, generator = Transformer(config.transformer, seed=5), torch.Generator().manual_seed(5)
    for parameter in model.parameters():
        if parameter.dim() == 1:  # gains, and shares that begin at 0 or 1, where a part may do nothing
            parameter.data += 0.3 * torch.rand(parameter.shape, generator=generator)
    save_checkpoint(run.folder, 3, model, None, {"train_seconds": 0.5})
    return unrandom.load(run.folder.path, device="cpu")


def settings_of(values):
    """A name for a test: the settings that are not off, such as gelu-rotary-kv_shift."""
    named = zip(SETTINGS, values, strict=True)
    return "-".join(name if value is True else value for name, value in named if value is not False)


def inputs_of(run):
    """Tokens of as many numbers as the model reads."""
    rng = np.random.default_rng(0)
    return run.tokens(rng.integers(0, run.config.data.vocabulary, (3, run.config.data.context)).astype(np.uint64))


def code(folder):
    """The blocks of Python in a card."""
    return re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)


@torch.no_grad()
def test_the_code_of_a_card_loads_the_model_and_predicts_the_next_number(archived, to, tmp_path, monkeypatch, capsys):
    for library in {"huggingface": ["transformers"], "transformerlens": ["transformer_lens"]}.get(to, []):
        pytest.importorskip(library, reason="the extra 'export' is not installed")
    monkeypatch.chdir(archived.export(tmp_path / "exported", to))
    here, again = code(Path())
    names = {}
    exec(compile(here, "README.md", "exec"), names)
    said = int(capsys.readouterr().out)
    assert f"the next number is {said}\n" in here  # these models are right
    assert archived.predict(names["numbers"]).numbers == [said]
    x = inputs_of(archived)
    logits = names["model"](x)
    assert_agree(getattr(logits, "logits", logits), archived.model(x))
    if to == "transformerlens":
        with archived.record("blocks.0.attn.hook_pattern") as seen:
            archived.model(archived.tokens(names["numbers"]))
        assert_agree(names["pattern"], seen["blocks.0.attn.hook_pattern"])
    exec(compile(again, "README.md", "exec"), names)
    assert names["run"].id == archived.id


@torch.no_grad()
@pytest.mark.parametrize("values", pairs((False, True), *EXPRESSED.choices.values()), ids=settings_of)
def test_the_forward_pass_in_a_card_is_that_of_any_two_settings(tiny, values, tmp_path, monkeypatch):
    model = {"depth": 2, **dict(zip(SETTINGS, values, strict=True))}
    run = run_of(tiny.replace(model=model, data={"base": 4}), tmp_path)
    monkeypatch.chdir(run.export(tmp_path / "exported", "safetensors"))
    names = {}
    exec(compile(code(Path())[0], "README.md", "exec"), names)
    assert_agree(names["model"](inputs_of(run)), run.model(inputs_of(run)))


@torch.no_grad()
def test_the_code_of_a_card_fits_a_model_with_rotary_positions(tiny, to, tmp_path, monkeypatch):
    for library in {"huggingface": ["transformers"], "transformerlens": ["transformer_lens"]}.get(to, []):
        pytest.importorskip(library, reason="the extra 'export' is not installed")
    run = run_of(tiny.replace(model={"positions": "rotary"}, data={"base": 4}), tmp_path)
    monkeypatch.chdir(run.export(tmp_path / "exported", to))
    names = {}
    exec(compile(code(Path())[0], "README.md", "exec"), names)
    logits = names["model"](inputs_of(run))
    assert_agree(getattr(logits, "logits", logits), run.model(inputs_of(run)))


@torch.no_grad()
def test_an_imported_run_is_the_run_that_was_exported(archived, to, tmp_path):
    again = unrandom.import_run(archived.export(tmp_path / "exported", to), runs=tmp_path / "runs")
    assert again.folder.path == tmp_path / "runs" / archived.id
    assert (again.id, again.recipe, again.config) == (archived.id, archived.recipe, archived.config)
    assert_agree(again.model.cpu()(inputs_of(archived)), archived.model(inputs_of(archived)))
    assert again.folder.read_metrics() == archived.folder.read_metrics()
    assert again.result() == {**archived.result(), "run": str(again.folder.path)}
    manifest = again.folder.read_manifest()
    imported = manifest.pop("imported")
    assert manifest == archived.folder.read_manifest()
    expected = {"format": to, "from": str(tmp_path / "exported"), "weights_changed": False}
    assert {key: imported[key] for key in expected} == expected
    numbers = [1, 2, 3, 4]
    assert again.predict(numbers, n=2).numbers == archived.predict(numbers, n=2).numbers
    assert again.reliability == archived.reliability
    assert again.evaluate(sequences=32).equals(archived.evaluate(sequences=32))


def test_weights_that_were_changed_have_no_accuracy(exported, to, tmp_path, caplog):
    tensors = safetensors.torch.load_file(exported / "model.safetensors")
    tensors[next(name for name in tensors if name in ("embed.weight", "transformer.wte.weight"))] *= 2
    safetensors.torch.save_file(tensors, exported / "model.safetensors")
    run = unrandom.import_run(exported, runs=tmp_path / "runs")
    assert "has other weights than were exported: metrics and result are not theirs" in caplog.text
    assert run.folder.read_manifest()["imported"]["weights_changed"]
    assert run.folder.path.name == f"{run.spec.id}-changed"  # or training, and experiments, would take it for the run
    card = (run.export(tmp_path / "again", to) / "README.md").read_text(encoding="utf-8")
    assert "how accurate they are was not measured" in card
    assert "model-index" not in card


def test_an_imported_run_can_be_exported_and_imported_again(loaded, exported, to, tmp_path):
    again = unrandom.import_run(exported, runs=tmp_path / "runs")
    twice = unrandom.import_run(again.export(tmp_path / "twice", to), runs=tmp_path / "others")
    assert twice.result() == {**loaded.result(), "run": str(twice.folder.path)}


def test_metrics_of_any_size_that_a_run_may_have_come_back(tiny, tmp_path):
    run = run_of(tiny, tmp_path / "runs")
    row = metrics_line(1, numbers_needed={"x" * 20_000_000: None})  # more than JSON in one piece may have
    run.folder.append_metrics(row)
    exported = unrandom.load(run.folder.path, device="cpu").export(tmp_path / "exported")
    assert exchange.import_exported(exported, tmp_path / "imported").folder.read_metrics() == [row]


def test_a_run_that_is_not_finished_stays_so(tiny, tmp_path, to):
    run = run_of(tiny, tmp_path)
    folder = run.export(tmp_path / "exported", to)
    assert "The run has no recorded evaluation." in (folder / "README.md").read_text(encoding="utf-8")
    again = unrandom.import_run(folder, runs=tmp_path / "runs")
    assert not again.folder.finished
    with pytest.raises(UserError, match=r"optimizer.safetensors does not exist"):
        again.train()


def test_a_run_of_a_user_defined_task_needs_its_code(tmp_path):
    task = f"{ROOT / 'examples' / 'second_order.py'}:SecondOrder"
    small = {"steps": 2, "batch_size": 8, "warmup_steps": 1, "model": {"d_model": 8}, "data": {"context": 8}}
    run = unrandom.train(task, runs=tmp_path, **small)
    folder = run.export(tmp_path / "exported", "safetensors")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert 'unrandom.tasks.load_task("second_order.py:SecondOrder")' in card
    assert str(ROOT) not in card
    assert unrandom.import_run(folder, runs=tmp_path / "runs").result()["steps"] == 2
    tree = read_json(folder / "unrandom.json")
    tree["manifest"]["task"]["sha256"] = "0"
    write_json(folder / "unrandom.json", tree)
    with pytest.raises(UserError, match="the run was made by other code than"):
        unrandom.import_run(folder, runs=tmp_path / "others")
    tree["manifest"]["config"]["data"]["regime"] = "/elsewhere/my_task.py:MyTask"
    write_json(folder / "unrandom.json", tree)
    with pytest.raises(UserError, match=r"my_task\.py:MyTask"):
        unrandom.import_run(folder, runs=tmp_path / "others")


def test_the_header_of_a_card_is_what_the_hub_reads(archived, to, tmp_path):
    yaml = pytest.importorskip("yaml", reason="the extra 'test' is not installed")
    card = (archived.export(tmp_path / "exported", to) / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(card.split("---\n")[1])
    assert header["license"] == "mit"
    assert header["library_name"] == ("unrandom" if to == "safetensors" else "transformers")
    assert ("transformer-lens" in header["tags"]) == (to == "transformerlens")
    (model,) = header["model-index"]
    measured = {metric["value"] for metric in model["results"][0]["metrics"]}
    assert measured == {archived.result()[name] for name in MEASURES}
    hub = pytest.importorskip("huggingface_hub", reason="the extra 'export' is not installed")
    data = hub.ModelCard(card).data
    assert {result.metric_value for result in data.eval_results} == measured
    assert data.model_name == archived.id


def test_a_card_has_no_accuracy_that_was_not_measured(archived, tmp_path):
    card = (archived.export(tmp_path / "exported") / "README.md").read_text(encoding="utf-8")
    section = card.split("## Accuracy")[1].split("## Use")[0]
    last = archived.folder.read_metrics()[-1]
    parts = [part["last_number_accuracy"] for part in last["test_moduli"].values()]
    known = {f"{100 * share:.1f}" for share in [*(last[m] for m in MEASURES), *parts, *last["accuracy_after"].values()]}
    assert set(re.findall(r"\| ([\d.]+) %", section)) == known
    assert f"after {last['step']:,} updates" in section
    assert "bfloat16" in section


def test_a_card_says_what_the_run_is(loaded, exported):
    card = (exported / "README.md").read_text(encoding="utf-8")
    assert {file.name for file in exported.iterdir()} == FILES
    for said in (loaded.id, "x → (a x + c) mod 64", "multiplier a and increment c", "12 of 12", "at most 12 numbers"):
        assert said in card
    assert "bfloat16" not in card  # this run has fp32 weights
    record = read_json(exported / "unrandom.json")
    assert record["manifest"] == loaded.folder.read_manifest()
    assert record["metrics"] == loaded.folder.read_metrics()
    assert record["result"] == loaded.result()


def test_what_is_there_is_not_overwritten(loaded, to, tmp_path):
    (tmp_path / "empty").mkdir()
    assert {file.name for file in loaded.export(tmp_path / "empty", to).iterdir()} == FILES
    with pytest.raises(UserError, match="empty exists already; name a folder that does not exist"):
        loaded.export(tmp_path / "empty", to)
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UserError, match="file exists already"):
        loaded.export(tmp_path / "file", to)
    with pytest.raises(UserError, match=r"cannot create the folder|a folder is needed there"):
        loaded.export(tmp_path / "file" / "below", to)
    assert (tmp_path / "file").read_text() == "kept"
    again = unrandom.import_run(tmp_path / "empty", runs=tmp_path / "runs")
    before = {path: path.read_bytes() for path in again.folder.path.rglob("*") if path.is_file()}
    with pytest.raises(UserError, match=f"{again.id} exists already; import into another folder with --runs"):
        unrandom.import_run(tmp_path / "empty", runs=tmp_path / "runs")
    assert before == {path: path.read_bytes() for path in again.folder.path.rglob("*") if path.is_file()}


def test_the_folder_of_the_process_can_be_exported_to(loaded, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    loaded.export(".")
    assert {file.name for file in (tmp_path / "here").iterdir()} == FILES


def test_a_folder_is_never_half_written(loaded, exported, to, tmp_path, monkeypatch):
    def fail(*_given, **_named):
        raise OSError("the disk is full")

    monkeypatch.setattr(exchange, "write_json", fail)
    with pytest.raises(OSError, match="full"):
        loaded.export(tmp_path / "half", to)
    with pytest.raises(OSError, match="full"):
        unrandom.import_run(exported, runs=tmp_path / "runs")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exported", "runs"]
    assert not list((tmp_path / "runs").iterdir())


def test_an_unknown_format_and_a_model_that_a_format_cannot_express(loaded, tiny, tmp_path):
    with pytest.raises(UserError, match="no format is called 'hugginface'; near misses: huggingface"):
        loaded.export(tmp_path / "exported", "hugginface")
    shifted = run_of(tiny.replace(model={"kv_shift": True}), tmp_path)
    for to in ("huggingface", "transformerlens"):
        with pytest.raises(UserError, match="--to safetensors writes the model as it is"):
            shifted.export(tmp_path / "exported", to)
    assert not (tmp_path / "exported").exists()


def change_json(name, change):
    def damage(folder):
        tree = read_json(folder / name)
        change(tree)
        (folder / name).write_text(json.dumps(tree))

    return damage


def write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def record_with(**changes):
    return change_json("unrandom.json", lambda tree: tree.update(changes))


def manifest_with(key, value):
    return change_json("unrandom.json", lambda tree: tree["manifest"].update({key: value}))


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def pickle_with_the_right_name(folder):
    (folder / "model.safetensors").write_bytes(pickle.dumps({"embed.weight": [1.0]}))


def cut(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-7])


def one_tensor_less(folder):
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    tensors.pop(sorted(tensors)[0])
    safetensors.torch.save_file(tensors, folder / "model.safetensors")


DAMAGE = {
    "no record": (lambda folder: (folder / "unrandom.json").unlink(), "has no unrandom.json"),
    "record is a list": (write("unrandom.json", b"[]"), "unrandom.json: a JSON object is needed"),
    "record is no JSON": (write("unrandom.json", b"{"), "is not JSON"),
    "record is no text": (write("unrandom.json", b"\xff\xfe\x00"), "is not JSON"),
    "record of a huge number": (write("unrandom.json", b'{"step": ' + b"9" * 9999 + b"}"), "not JSON that can be read"),
    "record of deep nesting": (write("unrandom.json", b"[" * 99999), "not JSON that can be read"),
    "record of infinity": (write("unrandom.json", b'{"step": 1e999}'), "not JSON that can be read"),
    "record of NaN": (write("unrandom.json", b'{"step": NaN}'), "not JSON that can be read"),
    "record is empty": (write("unrandom.json", b"{}"), "field required"),
    "record of another program": (record_with(further=1), "unknown key 'further'"),
    "unknown format": (record_with(format="onnx"), "no format is called 'onnx'"),
    "step is negative": (record_with(step=-1), "step=-1"),
    "step is huge": (record_with(step=10**30), "step="),
    "result is a number": (record_with(result=5), "result=5"),
    "result without steps": (record_with(result={"recipe": "x"}), "steps: field required"),
    "metrics are numbers": (record_with(metrics=[5]), "metrics"),
    "metrics without steps": (record_with(metrics=[{}]), "step: field required"),
    "metrics of words": (
        record_with(metrics=[metrics_line(1, accuracy_after={"x": "y"})]),
        "accuracy_after.x",
    ),
    "accuracy of words": (
        record_with(metrics=[metrics_line(1, accuracy_after={"1": "y"})]),
        "accuracy_after.1='y'",
    ),
    "losses of words": (
        record_with(metrics=[metrics_line(1, train_loss="y")]),
        "train_loss='y'",
    ),
    "versions are words": (manifest_with("versions", "y"), "versions='y'"),
    "no recipe": (manifest_with("recipe", None), "recipe=None"),
    "recipe is a path": (manifest_with("recipe", "../../elsewhere"), "recipe='../../elsewhere'"),
    "no configuration": (manifest_with("config", None), "config=None"),
    "configuration is empty": (manifest_with("config", {}), "config.steps: field required"),
    "unknown task": (manifest_with("config", {"steps": 1, "data": {"regime": "nothing"}}), "nothing"),
    "another model": (
        change_json("unrandom.json", lambda tree: tree["manifest"]["config"]["model"].update(d_model=32)),
        "another model than the configuration in unrandom.json",
    ),
    "huge model": (
        change_json("unrandom.json", lambda tree: tree["manifest"]["config"]["model"].update(depth=2**31)),
        "another model than the configuration in unrandom.json",
    ),
    "no config.json": (lambda folder: (folder / "config.json").unlink(), "config.json does not exist"),
    "config.json is a list": (write("config.json", b"[]"), "config.json is not a JSON object"),
    "config.json is no JSON": (write("config.json", b"\x00"), "is not JSON"),
    "config.json is empty": (write("config.json", b"{}"), "no key 'unrandom'|vocab_size: field required"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "model.safetensors does not exist"),
    "pickled weights": (pickled, "pytorch_model.bin is not read, because unpickling can run code"),
    "pickle as safetensors": (pickle_with_the_right_name, "not a safetensors file"),
    "cut weights": (cut, "not a safetensors file"),
    "empty weights": (write("model.safetensors", b""), "not a safetensors file"),
    "weights without tensors": (write("model.safetensors", b"\x02" + bytes(7) + b"{}"), "0 numbers are stored"),
    "one tensor less": (one_tensor_less, "numbers are stored|is missing"),
    "weights are a folder": (
        lambda folder: ((folder / "model.safetensors").unlink(), (folder / "model.safetensors").mkdir()),
        "model.safetensors does not exist",
    ),
    "record is a folder": (
        lambda folder: ((folder / "unrandom.json").unlink(), (folder / "unrandom.json").mkdir()),
        "has no unrandom.json",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_foreign_folder_is_refused_in_one_line(exported, damage, tmp_path):
    make, said = DAMAGE[damage]
    make(exported)
    with pytest.raises(UserError, match=said) as raised:
        unrandom.import_run(exported, runs=tmp_path / "runs")
    assert "\n" not in str(raised.value)
    assert str(exported) in str(raised.value)
    assert not list(tmp_path.glob("runs/*"))


def test_a_missing_folder_a_run_folder_and_a_file_are_no_exports(loaded, tmp_path):
    with pytest.raises(UserError, match="nowhere is not a folder"):
        unrandom.import_run(tmp_path / "nowhere", runs=tmp_path)
    with pytest.raises(UserError, match=r"has no unrandom.json: it was not written by unrandom export"):
        unrandom.import_run(loaded.folder.path, runs=tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "unrandom.json"])
def test_any_changed_byte_is_read_as_a_model_or_refused(exported, name, tmp_path):
    rng, whole = np.random.default_rng(0), (exported / name).read_bytes()
    for attempt in range(40):
        changed = bytearray(whole)
        for _ in range(1 + attempt % 3):
            changed[rng.integers(min(len(whole), 6000))] = rng.integers(256)
        (exported / name).write_bytes(bytes(changed))
        try:
            run = unrandom.import_run(exported, runs=tmp_path / "runs")
        except UserError:
            continue
        assert run.predict([1, 2, 3]).numbers
        shutil.rmtree(run.folder.path)
    assert not list(tmp_path.glob("runs/*"))


@pytest.mark.slow
def test_the_python_of_the_document_runs(tmp_path, monkeypatch):
    pytest.importorskip("transformer_lens", reason="the extra 'export' is not installed")
    document = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", document, flags=re.DOTALL)
    assert blocks
    (tmp_path / "results").symlink_to(ROOT / "results")
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, "export.md", "exec"), {})
