"""``speedrun`` shows records, races candidates and saves races."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from unrandom.cli import main, speedrun
from unrandom.experiments.speedrun.records import read_records
from unrandom.experiments.speedrun.tracks import TRACKS, Track, hash_of_test

ROOT = Path(__file__).parents[2]


@pytest.fixture
def small(tiny, monkeypatch) -> Track:
    """A track that any model reaches at its third step."""
    made = replace(
        TRACKS["fm-256"],
        name="small",
        house=lambda: tiny,
        met=lambda line: line["step"] >= 3,
        check_every=16,
        test_sequences=16,
        seeds=2,
    )
    made = replace(made, test=hash_of_test(made.prepared(tiny, 0)))
    monkeypatch.setitem(TRACKS, "small", made)
    return made


@pytest.fixture
def places(tmp_path):
    return ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]


def test_a_race_becomes_a_record_which_is_shown(small, places, tmp_path, capsys):
    narrow = ["speedrun", "small", "--set", "model.d_model=8", "--keep", "narrow", "half of the width", *places]
    assert main([*narrow, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["is_record"]
    assert made["ratios"]["steps"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert made["ratios"]["flops"]["high"] < 1
    (record,) = read_records(small, tmp_path / "results")
    assert record["changes"] == {"model.d_model": [16, 8]}
    assert main(["speedrun", "small", "--json", *places]) == 0
    assert json.loads(capsys.readouterr().out)["tracks"][0]["records"] == [record]
    assert main(["speedrun", "small", *places]) == 0
    shown = capsys.readouterr().out
    assert "record   narrow (" in shown
    assert "reached under 2 of 2 seeds, after 3 steps" in shown


def test_what_is_no_record_can_be_kept_as_that(small, places, tmp_path, capsys):
    assert main(["speedrun", "small", "--set", "optimizer.lr=0.01", "--keep", "x", "a rate", *places]) == 0
    assert (
        "a record: no, as the interval of the ratio of training FLOPs, with the record one check earlier, "
        "is not wholly below 1" in capsys.readouterr().out
    )
    (entry,) = read_records(small, tmp_path / "results")
    assert not entry["is_record"]


def test_how_a_race_is_run_is_passed_on(small, places, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(speedrun, "race", lambda *arguments: asked.append(arguments))
    assert main(["speedrun", "small", "--set", "optimizer.lr=0.01", "--seeds", "4", "--threads", "3", *places]) == 0
    ((pairing, seeds, options),) = asked
    assert (pairing.candidate.optimizer.lr, list(seeds)) == (0.01, [100, 101, 102, 103])
    assert (options.threads, options.out) == (3, tmp_path / "runs" / "speedrun")


def test_time_that_is_up(small, places, capsys):
    assert main(["speedrun", "small", "--set", "optimizer.lr=0.01", "--max-minutes", "0", *places]) == 0
    assert capsys.readouterr().out == "the time is up; the same command continues\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--keep", "x", "words"], "a race needs a candidate"),
        (["--seeds", "3"], "a race needs a candidate"),
        (["--set", "data.min_period=1000"], "found no training parameters"),
        (["--set", "steps=9", "--keep", "house", "words"], "already has an entry called 'house'"),
        (["--set", "steps=12"], "the candidate is house itself"),
        (["--set", "steps=9"], "name the track to race on; there are fm-256, fm-4096, fm-65536, fm-2p24"),
        (["fm-265", "--set", "steps=9"], "no track is called 'fm-265'; near misses: fm-256"),
        (["--set", "data.context=9"], "the test would differ from the track small"),
    ],
)
def test_mistakes_are_one_line(small, places, capsys, arguments, message):
    track = [] if "track" in message.split()[1:3] else ["small"]
    assert main(["speedrun", *track, *arguments, *places]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", TRACKS)
def test_the_page_in_the_documentation_has_every_race(name):
    page = (ROOT / "docs" / "log" / "records.md").read_text()
    assert TRACKS[name].test in page
    for race in read_records(TRACKS[name], ROOT / "results"):
        for said in (race["name"], race["changed"], *map(speedrun.arm_text, (race["candidate"], race["record"]))):
            assert said in page
        assert speedrun.ratio_text(race["ratios"]["flops"]) in page
