"""Runs are named by the settings in which they differ, if these are few; no two have one name."""

from unrandom.runs.differences import differing_settings, names_of
from unrandom.runs.spec import RunSpec
from unrandom.training import StartFrom


def specs(tiny, *changes, recipe="tiny"):
    return [RunSpec(recipe, tiny.override(each)) for each in changes]


def test_few_settings_are_the_names(tiny):
    runs = specs(tiny, ["model.depth=1", "seed=0"], ["model.depth=2", "seed=1"])
    assert differing_settings(runs) == [{"model.depth": "1", "seed": "0"}, {"model.depth": "2", "seed": "1"}]
    assert names_of(runs) == ["depth=1 seed=0", "depth=2 seed=1"]


def test_keys_with_one_ending_are_written_out(tiny):
    runs = specs(tiny, ["optimizer.lr=0.1", "optimizer.muon_lr=0.1"], ["optimizer.lr=0.2", "optimizer.muon_lr=0.2"])
    assert names_of(runs)[0] == "lr=0.1 muon_lr=0.1"


def test_other_recipes_with_many_settings_are_named_by_them(tiny, um_data):
    runs = [*specs(tiny, []), RunSpec("other", tiny.replace(data=um_data, steps=3, model={"depth": 3, "d_model": 24}))]
    assert len(differing_settings(runs)[0]) > 6
    assert names_of(runs) == ["tiny", "other"]
    again = [*runs, RunSpec("other", runs[1].config.replace(seed=9))]
    assert names_of(again) == [run.id for run in again]


def test_what_a_run_starts_from_is_an_id(tiny):
    parent = tiny.override(["seed=5"])
    grown = tiny.replace(start=StartFrom(recipe="tiny", config=parent))
    runs = [RunSpec("tiny", tiny), RunSpec("tiny", grown)]
    assert differing_settings(runs) == [{"start": "-"}, {"start": RunSpec("tiny", parent).id}]


def test_the_same_run_twice_still_has_two_names(tiny):
    runs = specs(tiny, [], [])
    assert len(set(names_of(runs))) == 2
    assert names_of([]) == []
