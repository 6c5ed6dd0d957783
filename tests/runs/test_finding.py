"""A name in `unrandom models` means that model; runs of one's own have ids, prefixes, RECIPE:newest and latest."""

import json
import os
import shutil

import pytest

from unrandom.core.errors import UserError
from unrandom.runs.finding import find_run
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import ALIASES, pretrained


@pytest.fixture
def runs(finished_run, tmp_path):
    """Some runs, made one after the other."""
    made = [
        ("fm-256-11aa", "fm-256", "2026-01-01T00:00:00+00:00"),
        ("fm-256-11bb", "fm-256", "2026-01-03T00:00:00+00:00"),
        ("um-80-22cc", "um-80", "2026-01-02T00:00:00+00:00"),
        ("um-128-arbitrary-33dd", "um-128-arbitrary", "2026-01-01T00:00:00+00:00"),
        ("um-2048-44dd", "um-2048", "2025-01-02T00:00:00+00:00"),
        ("um-2048-44ee", "um-2048", "2025-01-01T00:00:00+00:00"),
    ]
    for name, recipe, created in made:
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        shutil.copy(finished_run.folder.manifest, folder)
        shutil.copy(finished_run.folder.result, folder)
        change(folder, recipe=recipe, created=created)
    (tmp_path / "runs" / "no run").mkdir()
    (tmp_path / "runs" / "damaged").mkdir()
    (tmp_path / "runs" / "damaged" / "manifest.json").write_text("{")
    return tmp_path / "runs"


def change(folder, **values):
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **values}))


def refused(name, parent):
    with pytest.raises(UserError) as mistake:
        find_run(name, parent)
    assert "\n" not in str(mistake.value)
    return str(mistake.value)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("fm-256-11aa", "fm-256-11aa"),
        ("fm-256-11b", "fm-256-11bb"),
        ("um-1", "um-128-arbitrary-33dd"),
        ("um-8", "um-80-22cc"),
        ("fm-256:newest", "fm-256-11bb"),
        ("um-80:newest", "um-80-22cc"),
        ("um-2048:newest", "um-2048-44dd"),
        ("um-80", "um-80-22cc"),
        ("um-128-arbitrary", "um-128-arbitrary-33dd"),
        ("latest", "fm-256-11bb"),
    ],
)
def test_names(runs, name, found):
    assert find_run(name, runs).folder.path == runs / found
    assert find_run(f"{runs}/{name}", runs / "elsewhere").folder.path == runs / found


@pytest.mark.parametrize("name", [*pretrained(), *ALIASES])
def test_a_name_of_the_package_is_never_a_run_of_ones_own(runs, name, monkeypatch):
    """Whatever was trained last, and wherever: `predict fm-256` answers with the model that `unrandom models` lists."""
    expected = pretrained()[ALIASES.get(name, name)].folder
    own = runs / "fm-256-11bb"
    change(own, recipe=name)
    shutil.copytree(own, runs / name)
    monkeypatch.chdir(runs)
    assert find_run(name, runs).folder.path == expected
    assert find_run(f"./{name}", runs).folder.path.resolve() == runs / name


def test_an_id_is_that_of_ones_own_run_if_there_is_one(runs):
    model = pretrained()["fm-256"]
    assert find_run(model.id, runs).folder.path == model.folder
    (runs / "fm-256-11bb").rename(runs / model.id)
    assert find_run(model.id, runs).folder.path == runs / model.id
    assert find_run("fm-256-115", runs).folder.path == runs / model.id


@pytest.mark.parametrize("name", ["fm-256-11aa", "fm-256:newest", "latest", "fm-256-11b"])
def test_an_unfinished_run_is_never_taken_silently(runs, name, caplog):
    for run in ("fm-256-11aa", "fm-256-11bb"):
        (runs / run / "result.json").unlink()
    found = find_run(name, runs)
    assert caplog.messages == [f"{found.folder.path} is not finished: step 0 of 12"]
    caplog.clear()
    assert find_run(name, runs, unfinished=True).id == found.id
    assert find_run("um-80", runs).folder.finished
    assert not caplog.messages


def test_several_runs_are_named_instead_of_choosing_one(runs):
    assert refused("um-", runs) == (
        f"4 runs in {runs} begin with um-: um-128-arbitrary-33dd, um-2048-44dd, um-2048-44ee, um-80-22cc"
    )
    assert refused("um-2048", runs) == (
        f"2 runs in {runs} are of the recipe um-2048: um-2048-44dd, um-2048-44ee; um-2048:newest means the newest"
    )


def test_the_folder_that_is_searched_is_runs_unless_another_is_given(runs, monkeypatch):
    monkeypatch.chdir(runs.parent)
    assert str(find_run("latest").folder.path) == "runs/fm-256-11bb"


def test_a_folder_goes_before_a_name(runs, monkeypatch, finished_run):
    monkeypatch.chdir(runs.parent)
    shutil.copytree(finished_run.folder.path, "latest")
    assert str(find_run("latest", runs).folder.path) == "latest"


def test_runs_that_were_made_in_the_same_second_are_told_apart_by_their_files(runs):
    change(runs / "um-80-22cc", created="2026-01-03T00:00:00+00:00")
    for order in (1, -1):
        for age, name in enumerate(["um-80-22cc", "fm-256-11bb"][::order]):
            os.utime(runs / name / "manifest.json", (1e9 - age, 1e9 - age))
        assert find_run("latest", runs).id == ["um-80-22cc", "fm-256-11bb"][::order][0]


def test_what_means_no_run(runs, tmp_path):
    nowhere = f"nowhere is not a run folder, and {tmp_path / 'empty'} holds no runs"
    assert refused("nowhere", tmp_path / "empty") == f"{nowhere}; unrandom models lists the models of the package"
    assert refused("fm-265", runs).endswith(
        f"nor the beginning of a run's name in {runs}; near misses: fm-256, fm-216, fm-2p16, fm-360, fm-2p8"
    )
    assert refused("", runs) == "'' is not a run folder: it has no manifest.json"
    assert refused(str(runs / "no run"), runs).endswith("no run is not a run folder: it has no manifest.json")
    assert "is not JSON" in refused(str(runs / "damaged"), runs)


def test_a_recipe_without_a_run_is_not_taken_for_the_beginning_of_anothers_name(runs):
    (runs / "um-80-22cc").rename(runs / "um-108-wide-55ff")
    change(runs / "um-108-wide-55ff", recipe="um-108-wide")
    for name in ("um-108", "um-108:newest"):
        said = refused(name, runs)
        assert said.endswith(f"{runs} holds no run of this recipe; make one: unrandom train um-108")


def test_many_candidates_are_not_all_named(runs):
    for index in range(9):
        shutil.copytree(runs / "um-80-22cc", runs / f"x-{index}")
    assert refused("x-", runs) == f"9 runs in {runs} begin with x-: x-0, x-1, x-2, x-3, x-4, ..."


def test_a_run_is_opened_by_a_path_in_either_form(finished_run):
    for path in (finished_run.folder.path, str(finished_run.folder.path)):
        assert Run.open(path).folder.path == finished_run.folder.path
