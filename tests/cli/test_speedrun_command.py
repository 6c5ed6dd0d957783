"""``speedrun`` shows records, races candidates, saves races, and writes the page."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from unrandom.cli import main, speedrun
from unrandom.experiments.speedrun.catalogue import TRACKS
from unrandom.experiments.speedrun.records import read_records
from unrandom.experiments.speedrun.tracks import Target, Track, hash_of_test
from unrandom.report.records import records_page


@pytest.fixture
def small(tiny) -> Iterator[Track]:
    """A track that any model reaches at its third step."""
    target = Target("three steps were made", lambda line: line["step"] >= 3)
    made = Track(
        "small", "a test", lambda: tiny, lambda: tiny, target, check_every=16, test_sequences=16, seeds=2, test=""
    )
    made = replace(made, test=hash_of_test(made.prepared(tiny, 0)))
    before = dict(TRACKS)
    TRACKS.clear()
    TRACKS["small"] = made
    yield made
    TRACKS.clear()
    TRACKS.update(before)


@pytest.fixture
def places(tmp_path):
    return ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]


def test_a_race_a_record_and_the_page(small, places, tmp_path, capsys):
    narrow = ["speedrun", "small", "--set", "model.d_model=8", *places]
    kept = [*narrow, "--name", "narrow", "--keep", "half of the width"]
    assert main([*kept, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["is_record"]
    assert made["class"] == "open"
    assert made["ratios"]["steps"] == {"value": 1.0, "low": 1.0, "high": 1.0, "at_most": False}
    assert made["ratios"]["flops"]["high"] < 1
    (record,) = read_records(small, tmp_path / "results")
    assert record["changes"] == {"model.d_model": [16, 8]}
    assert {"against_digest", "config", "date"} <= set(record)
    page = tmp_path / "docs" / "records.md"
    assert main(["speedrun", "--write", str(page), *places]) == 0
    assert "**narrow**" in page.read_text()
    assert "half of the width. It reached under 2 of 2 seeds" in page.read_text()
    capsys.readouterr()
    assert main(["speedrun", "small", "--json", *places]) == 0
    assert json.loads(capsys.readouterr().out)["records"] == [record]
    assert main(["speedrun", "small", *places]) == 0
    assert "narrow (open" in capsys.readouterr().out


def test_what_is_no_record_can_be_kept_as_that(small, places, tmp_path, capsys):
    arguments = ["speedrun", "small", "--set", "optimizer.lr=0.01", "--name", "x", "--keep", "a rate", *places]
    assert main(arguments) == 0
    assert (
        "a record: no, as the interval of the ratio of training FLOPs, with the record one check earlier, "
        "is not wholly below 1" in capsys.readouterr().out
    )
    (entry,) = read_records(small, tmp_path / "results")
    assert not entry["is_record"]
    page = tmp_path / "records.md"
    assert main(["speedrun", "--write", str(page), *places]) == 0
    assert "No record yet" in page.read_text()
    assert "*No record:* **x**" in page.read_text()
    assert "record   none yet" in capsys.readouterr().out


def test_seconds_that_were_not_compared_are_shown_as_that(small, places, tmp_path):
    narrow = ["speedrun", "small", "--set", "model.d_model=8", "--name", "narrow", "--keep", "half of the width"]
    assert main([*narrow, *places]) == 0
    (path,) = (tmp_path / "results" / "records").iterdir()
    record = json.loads(path.read_text())
    del record["ratios"]["seconds"]
    path.write_text(json.dumps(record) + "\n")
    page = tmp_path / "records.md"
    assert main(["speedrun", "--write", str(page), *places]) == 0
    assert "| not comparable | house |" in page.read_text()


def test_how_a_race_is_run_is_passed_on(small, places, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(speedrun, "race", lambda *arguments: asked.append(arguments))
    how = ["--seeds", "4", "--threads", "3", "--pack", "2"]
    assert main(["speedrun", "small", "--set", "optimizer.lr=0.01", *how, *places]) == 0
    ((pairing, seeds, options, pack),) = asked
    assert (pairing.candidate.optimizer.lr, list(seeds)) == (0.01, [100, 101, 102, 103])
    assert (options.threads, pack, options.out) == (3, 2, tmp_path / "runs" / "speedrun-2-at-once")


def test_time_that_is_up(small, places, capsys):
    assert main(["speedrun", "small", "--set", "optimizer.lr=0.01", "--max-minutes", "0", *places]) == 0
    assert capsys.readouterr().out == "the time is up; the same command continues\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["other"], "no track is called 'other'"),
        (["--set", "steps=3"], "name a track; there are small"),
        (["small", "--keep", "words"], "a race needs a candidate"),
        (["small", "--seeds", "3"], "a race needs a candidate"),
        (["--pack", "2"], "name a track; there are small"),
        (["small", "--set", "data.min_period=1000"], "found no training parameters"),
        (["small", "--set", "steps=9", "--keep", "", "--name", "x"], "--name NAME and --keep"),
        (["small", "--set", "steps=9", "--keep", "words", "--name", "a|b"], "--name takes letters"),
        (["--write", "."], "is a folder"),
        (["small", "--set", "steps=12"], "the candidate is paper itself"),
        (["small", "--set", "steps=9", "--keep", "words"], "--name NAME and --keep"),
        (["small", "--set", "steps=9", "--against", "nobody"], "no record called 'nobody'"),
        (["small", "--from", "nothing"], "no record called 'nothing'"),
        (["small", "--set", "data.context=9"], "the test would not be that of the track small"),
        (["small", "--write", "page.md"], "--write takes no track"),
    ],
)
def test_mistakes_are_one_line(small, places, capsys, arguments, message):
    assert main(["speedrun", *arguments, *places]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_page_in_the_documentation_is_that_of_the_records():
    root = Path(__file__).parents[2]
    assert (root / "docs" / "records.md").read_text() == records_page(root / "results")
