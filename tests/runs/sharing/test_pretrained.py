"""Models that come with the package are found by name, are what the list says, and are never written into."""

import json
import re
import shutil
import tomllib
from pathlib import Path
from runpy import run_path

import pytest

import unrandom
from unrandom.core.errors import UserError
from unrandom.runs.finding import find_run
from unrandom.runs.sharing import pretrained
from unrandom.runs.sharing.pretrained import IN_WHEEL, check_pretrained, copy_pretrained, find_pretrained, is_pretrained

ROOT = Path(__file__).parents[3]
WEIGHTS = ROOT / "results" / "laptop" / "weights"
MODELS = unrandom.pretrained()


def test_the_list_has_every_archived_model_of_the_repository():
    assert {model.id for model in MODELS.values()} == {folder.name for folder in ROOT.glob("results/*/weights/*")}


def test_archived_models_name_no_folder_of_the_machine_that_trained_them():
    for file in ROOT.glob("results/*/weights/*/*.json"):
        assert not re.search(r'["\s=]/\w', file.read_text()), file


@pytest.mark.parametrize("name", MODELS)
def test_a_listed_model_has_the_checksum_size_and_shape_of_the_list(name):
    model = MODELS[name]
    assert check_pretrained(model)
    run = unrandom.load(name)
    assert run.id == model.id
    assert run.folder.path == model.folder
    assert (run.config.model.depth, run.config.model.positions) == (model.depth, model.positions)
    assert run.folder.read_manifest()["parameters"] == model.parameters
    assert pretrained.weights_file(model.folder).stat().st_size == model.bytes
    for part in model.accuracy:
        assert part["sequences"]
        assert all(each["low"] <= each["value"] <= each["high"] for each in (part, *part["further"]))


@pytest.mark.slow
def test_the_accuracy_of_the_list_is_what_is_measured():
    (part,) = MODELS["fm-2p8"].accuracy
    tested = run_path(str(ROOT / "docs" / "tabulate_models.py"))
    measured = tested["entry"](unrandom.load("fm-2p8", device="cpu"), "fm-2p8", {})["accuracy"]
    assert [part] == measured


def test_the_page_has_the_tables_of_the_list():
    tabulated = run_path(str(ROOT / "docs" / "tabulate_models.py"))
    assert tabulated["PAGE"].read_text(encoding="utf-8") == tabulated["page"](), "python docs/tabulate_models.py"


def test_a_changed_weight_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "FOLDERS", (tmp_path,))
    model = MODELS["fm-256"]
    copy = shutil.copytree(WEIGHTS / model.id, tmp_path / model.id)
    assert check_pretrained(model)
    weights = pretrained.weights_file(copy)
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    assert not check_pretrained(model)


def test_the_demo_is_another_name_of_the_smallest_recipe():
    assert find_pretrained("demo") == find_pretrained("fm-256") == MODELS["fm-256"].folder
    assert MODELS["fm-256"].id == unrandom.load("fm-256").spec.id, "the model is that of the recipe as it is today"


def test_near_misses_name_models_of_the_package(tmp_path):
    with pytest.raises(UserError, match=r"near misses: .*um-144"):
        find_run("um-14", tmp_path)


def test_a_model_that_is_only_in_the_repository_says_where(monkeypatch, tmp_path):
    monkeypatch.setattr(pretrained, "FOLDERS", (tmp_path,))
    with pytest.raises(UserError, match="not in the installed package"):
        find_pretrained("fm-2p8")


def test_the_wheel_has_the_models_that_the_list_says():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {Path(source).name for source in included} == {MODELS[name].id for name in IN_WHEEL}
    assert all(target == f"unrandom/weights/{Path(source).name}" for source, target in included.items())
    assert MODELS["fm-256"].bytes < 10**6


def test_nothing_is_written_into_a_model_of_the_package(tmp_path):
    folder = MODELS["fm-256"].folder
    assert is_pretrained(folder)
    copy = copy_pretrained(folder, tmp_path / "runs")
    assert not is_pretrained(copy)
    with pytest.raises(UserError, match="holds no runs"):
        find_run("latest", tmp_path / "runs")  # a copy is no run of one's own
    (copy / "note").write_text("kept")
    assert copy_pretrained(folder, tmp_path / "runs") == copy
    assert (copy / "note").read_text() == "kept", "an existing copy is not replaced"
    assert json.loads((copy / "result.json").read_text()) == json.loads((folder / "result.json").read_text())
