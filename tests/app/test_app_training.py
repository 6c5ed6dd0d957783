"""The Runs page shows the curves of runs in its folder, no others; the demo starts once, stops, continues and ends."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from serving import demo_settings, is_held, wait_for

from saved import manifest, metrics_line
from tiers import slow
from unrandom.app import training
from unrandom.app.curves import curves, run_names
from unrandom.app.limits import RUNS_TOGETHER
from unrandom.app.training import Demo
from unrandom.core.run_folder import RunFolder
from unrandom.training.checkpoint import checkpoint_to_resume


@pytest.fixture
def demo(tmp_path):
    """A demo that trains for long; it is ended after the test."""
    made = Demo(tmp_path / "runs", demo_settings())
    yield made
    made.end()


def text(said):
    (sentence,) = re.findall(r'^<p class="(?:said|mistake)">([^<\n]+)</p>$', said)
    return sentence


def wait_for_curves(demo, beyond=0):
    """The folder of the demo's run, once it has been evaluated after some step."""
    folder = RunFolder(demo.runs / demo.name)
    wait_for(lambda: any(row["step"] > beyond for row in folder.read_metrics()))
    return folder


def test_the_curves_are_those_of_the_metrics(finished_run):
    runs, name = finished_run.folder.path.parent, finished_run.id
    metrics = finished_run.folder.read_metrics()
    said, accuracy, loss = curves(runs, Demo(runs), name)
    assert text(said).startswith(f"{name}: step 12 of 12, finished. The last number of held-out sequences is right in ")
    assert f"{100 * metrics[-1]['last_number_accuracy']:.1f} %" in said
    lines = {trace.name: trace for trace in (*accuracy.data, *loss.data)}
    assert list(lines["test: last number"].x) == [row["step"] for row in metrics]
    assert list(lines["test: last number"].y) == [row["last_number_accuracy"] for row in metrics]
    assert list(lines["training"].y) == [row["train_loss"] for row in metrics]


def copies(finished_run, runs, *seeds):
    """Runs that differ in their seeds alone."""
    for seed in seeds:
        folder = shutil.copytree(finished_run.folder.path, runs / f"copy-{seed}") / "manifest.json"
        tree = json.loads(folder.read_text())
        tree["config"]["seed"] = seed
        folder.write_text(json.dumps(tree))
    return [f"copy-{seed}" for seed in seeds]


def test_the_curves_of_several_runs_are_named_by_the_settings_that_differ(finished_run, tmp_path):
    names = copies(finished_run, tmp_path, 3, 5)
    metrics = finished_run.folder.read_metrics()
    said, accuracy, loss = curves(tmp_path, Demo(tmp_path), names)
    assert said.count('<p class="said">') == 2
    for figure, key in ((accuracy, "last_number_accuracy"), (loss, "test_loss")):
        assert [trace.name for trace in figure.data] == ["seed=3", "seed=5"]
        assert all(list(trace.y) == [row[key] for row in metrics] for trace in figure.data)
    one, _, _ = curves(tmp_path, Demo(tmp_path), names[:1])
    assert one == curves(tmp_path, Demo(tmp_path), names[0])[0]
    assert text(curves(tmp_path, Demo(tmp_path), [])[0]) == "Choose one run or several."


def test_so_many_runs_and_no_more_are_drawn_together(finished_run, tmp_path):
    names = copies(finished_run, tmp_path, *range(RUNS_TOGETHER + 1))
    assert len(curves(tmp_path, Demo(tmp_path), names[:-1])[1].data) == RUNS_TOGETHER
    assert (
        text(curves(tmp_path, Demo(tmp_path), names)[0]) == "9 runs were chosen; the curves of 8 can be drawn together"
    )


def test_the_time_that_is_left_is_estimated_from_the_pace_so_far(tmp_path):
    folder = RunFolder(tmp_path / "a")
    folder.create(manifest(steps=400))
    folder.append_metrics(metrics_line(100, seconds=5.0))
    said = text(curves(tmp_path, Demo(tmp_path), "a")[0])
    assert said.endswith("50.0 % of them. At 50 ms per step, as so far, the rest takes about 15 s.")
    for seconds, step in ((0, 100), (5.0, 400)):
        folder.metrics.unlink()
        folder.append_metrics(metrics_line(step, seconds=seconds))
        assert text(curves(tmp_path, Demo(tmp_path), "a")[0]).endswith("50.0 % of them.")


def test_runs_that_cannot_be_opened_are_named_by_their_folders(tmp_path):
    for name in ("a", "b"):
        RunFolder(tmp_path / name).create(manifest(steps=5))
        RunFolder(tmp_path / name).append_metrics(metrics_line(1))
    _, accuracy, _ = curves(tmp_path, Demo(tmp_path), ["a", "b"])
    assert [trace.name for trace in accuracy.data] == ["a", "b"]


def test_runs_are_listed_newest_first(tmp_path):
    for age, name in enumerate(("new", "old", ".hidden", "older")):
        RunFolder(tmp_path / name).create(manifest(steps=5))
        os.utime(tmp_path / name, (10**9 - age, 10**9 - age))
    (tmp_path / "no run").mkdir()
    assert run_names(tmp_path) == ["new", "old", "older"]
    assert run_names(tmp_path / "nowhere") == []
    assert text(curves(tmp_path, Demo(tmp_path), "new")[0]) == "new: not finished. There is no evaluation yet."


@pytest.mark.parametrize(
    "name",
    ["../..", "../secret", "/etc", "..", ".", "", "a/../../secret", "secret\0", "\ud800", "*", [], {}, 5, "~", "C:\\"],
)
def test_a_run_outside_the_folder_is_refused(tmp_path, name):
    RunFolder(tmp_path / "secret").create(manifest(steps=5))
    RunFolder(tmp_path / "secret").append_metrics(metrics_line(1))
    runs = tmp_path / "runs"
    RunFolder(runs / "a").create(manifest(steps=5))
    for asked in ([name], ["a", name], str(tmp_path / "secret"), *([name] if name != [] else [])):
        said, *figures = curves(runs, Demo(runs), asked)
        assert said == '<p class="mistake">there is no such run in the folder of runs</p>'
        assert figures == [None, None]


def test_a_run_that_was_tampered_with_is_a_sentence(tmp_path):
    folder = RunFolder(tmp_path / "a")
    folder.create(manifest(steps=5))
    folder.metrics.write_text("{\n")
    assert "line 1 is not JSON" in curves(tmp_path, Demo(tmp_path), "a")[0]
    folder.metrics.unlink()
    folder.append_metrics(metrics_line(1, last_number_accuracy=None))
    assert "metrics.jsonl: line 1: last_number_accuracy=None" in curves(tmp_path, Demo(tmp_path), "a")[0]
    folder.metrics.unlink()
    folder.append_metrics(metrics_line(1))
    folder.manifest.write_text("[]")
    assert "manifest.json: a JSON object is needed" in curves(tmp_path, Demo(tmp_path), "a")[0]


def test_without_a_run_the_page_says_how_to_make_one(tmp_path):
    assert text(curves(tmp_path, Demo(tmp_path), None)[0]).startswith("There is no run yet.")


@pytest.mark.slow
def test_the_demo_starts_once_stops_at_a_checkpoint_and_continues_from_it(demo):
    assert text(demo.stop()) == "the demo is not running"
    assert text(demo.start(" 7 ")) == f"The demo with seed 7 has started: {demo.name}."
    assert "training. There is no evaluation yet." in curves(demo.runs, demo, demo.name)[0]  # before its folder is made
    for seed in ("7", "8"):
        assert text(demo.start(seed)) == "the demo is running already; stop it first"
    folder = wait_for_curves(demo)
    assert is_held(folder)
    said, accuracy, _ = curves(demo.runs, demo, demo.name)
    assert ", training. The last number" in said
    assert accuracy.data[0].x[0] == 20
    assert folder.read_manifest()["config"]["seed"] == 7
    assert text(demo.stop()).startswith("The demo has stopped.")
    assert not is_held(folder)
    assert ", not finished. The last number" in curves(demo.runs, demo, demo.name)[0]
    saved = checkpoint_to_resume(folder).step
    kept = [row for row in folder.read_metrics() if row["step"] <= saved]
    demo.start("7")
    wait_for_curves(demo, beyond=folder.read_metrics()[-1]["step"])
    assert folder.read_metrics()[: len(kept)] == kept  # training from the start would have removed them
    assert run_names(demo.runs) == [demo.name]


@pytest.mark.slow
def test_a_demo_that_was_trained_before_is_shown(tmp_path):
    demo = Demo(tmp_path, demo_settings(steps=5))
    demo.start("0")
    wait_for(lambda: not demo.running)
    assert text(demo.start("0")) == f"The demo with seed 0 was trained before: {demo.name}."
    assert not demo.running
    assert "step 5 of 5, finished." in curves(tmp_path, demo, demo.name)[0]


@pytest.mark.slow
def test_a_demo_that_fails_says_why(tmp_path):
    (tmp_path / "runs").write_text("")
    demo = Demo(tmp_path / "runs", demo_settings())
    demo.start("0")
    wait_for(lambda: not demo.running)
    said = text(curves(demo.runs, demo, demo.name)[0])
    assert said.startswith(f"{demo.name}: the demo failed: ")
    assert "is a file; a folder is needed there" in said or "cannot create the folder" in said


@pytest.mark.parametrize(
    "seed", ["-1", "1.0", "x", "1000001", "9" * 5000, "²", "٣", "1; rm -rf /", "$(id)", "\0", "--help"]
)
def test_a_seed_that_is_no_number_is_a_mistake(demo, seed):
    assert text(demo.start(seed)) == "the seed must be a whole number from 0 to 1,000,000"
    assert not demo.running


def test_a_demo_that_does_not_end_is_killed(demo, monkeypatch):
    monkeypatch.setattr(training, "SECONDS_TO_STOP", 0.2)
    demo.start("0")
    os.kill(demo._process.pid, signal.SIGSTOP)
    demo.end()  # or it would wait for ever
    assert not demo.running


@pytest.mark.parametrize("how", slow(signal.SIGKILL, signal.SIGTERM, signal.SIGHUP))
def test_the_demo_ends_with_the_app_however_it_ends(tmp_path, how):
    program = (
        "import signal, sys, time; from pathlib import Path; from unrandom.app.training import Demo\n"
        "if sys.argv[2] == '1': signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup lets its children ignore\n"
        "demo = Demo(Path(sys.argv[1]), sys.argv[3:]); demo.start('0'); print(demo.name, flush=True); time.sleep(999)"
    )
    app = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path), str(int(how)), *demo_settings()],
        stdout=subprocess.PIPE,
        text=True,
    )
    folder = RunFolder(tmp_path / app.stdout.readline().strip())
    wait_for(folder.read_metrics)
    assert is_held(folder)
    app.send_signal(how)
    app.communicate()
    wait_for(lambda: not is_held(folder))
    rows = folder.metrics.read_bytes()
    time.sleep(0.5)
    assert folder.metrics.read_bytes() == rows
    assert all(json.loads(line) for line in rows.splitlines())
