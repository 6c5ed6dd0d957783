"""The commands that lead to models and curves: models, open, compare, completion; and colours that can be refused."""

import json
import os
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from unrandom.cli import main
from unrandom.cli.commands import COMMANDS
from unrandom.cli.parsing import full_parser
from unrandom.runs.sharing import pretrained

ROOT = Path(__file__).parents[2]


def answer(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_models_are_listed_with_size_accuracy_and_checksum(capsys):
    listed = {model["name"]: model for model in answer(capsys, "models", "--check")["models"]}
    assert listed["fm-256"]["parameters"] == 237_952
    assert listed["fm-256"]["accuracy"][0]["value"] == 1.0
    assert listed["um-144"]["in_wheel"]
    assert main(["models"]) == 0
    shown = capsys.readouterr().out
    assert "fm-256 (also: demo)" in shown
    assert "last number right: m = 256, full period, unseen a and c: 1.000 [" in shown
    assert "on other sequences: m = 256, arbitrary a and c: 0.127 [" in shown  # fm-2p8 knows full period alone
    assert listed["fm-2p8"]["sha256"][:12] in shown


def test_a_changed_model_fails_the_check(capsys, monkeypatch):
    monkeypatch.setattr(pretrained, "check_pretrained", lambda model: model.name != "um-144")
    assert main(["models", "--check"]) == 1
    assert "um-144" in capsys.readouterr().err


def test_the_demo_predicts_without_training(tmp_path):
    """In an empty folder, as after ``pip install``."""
    command = [sys.executable, "-m", "unrandom", "predict", "demo", "-", "-n", "3", "--json"]
    numbers = "\n".join(str(3 + 7 * i) for i in range(37))
    done = subprocess.run(command, input=numbers, capture_output=True, text=True, cwd=tmp_path)
    assert json.loads(done.stdout)["predictions"] == [[6, 13, 20]]
    assert not list(tmp_path.iterdir()), "nothing is left behind"


@pytest.mark.slow
def test_a_report_of_a_model_of_the_package_is_written_to_a_copy(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    folder = pretrained.pretrained()["fm-256"].folder
    before = sorted(folder.rglob("*"))
    found = answer(capsys, "open", "demo")
    assert opened == [Path(found["report"]).resolve().as_uri()]
    assert found == {"report": f"runs/pretrained/{folder.name}/report.html", "opened": True}
    assert sorted(folder.rglob("*")) == before
    written = Path(found["report"]).stat().st_mtime_ns
    answer(capsys, "open", "demo")
    assert Path(found["report"]).stat().st_mtime_ns == written, "a report that exists is opened as it is"


@pytest.mark.slow
def test_results_about_a_model_of_the_package_are_written_to_a_copy(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = pretrained.pretrained()["um-144"].folder
    before = sorted(folder.rglob("*"))
    found = answer(capsys, "reproduce", "um-embedding", "--run", "um-144")
    compared = answer(capsys, "evaluate", "um-144", "--modulus", "96", "--predictors", "copy", "--sequences", "8")
    assert found["results"].startswith(f"runs/pretrained/{folder.name}")
    assert compared["picture"].startswith(f"runs/pretrained/{folder.name}")
    assert sorted(folder.rglob("*")) == before


def test_a_mistake_makes_no_copy(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "um-144", "--predictors", "copie"]) == 2
    assert capsys.readouterr().err.startswith(
        "unrandom: --predictors: no predictor is called 'copie'; near misses: copy"
    )
    assert not list(tmp_path.iterdir())


def test_without_a_browser_the_address_is_the_answer(capsys, monkeypatch, finished_run, tmp_path):
    run = shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id)
    (run / "report.html").write_text("a report")
    monkeypatch.setattr(webbrowser, "open", lambda _address: False)
    assert main(["open", str(run)]) == 0
    shown = capsys.readouterr().out
    assert (run / "report.html").as_uri() in shown
    assert "no browser could be opened here" in shown


def test_runs_are_compared_in_one_picture_and_a_table(capsys, finished_run, tmp_path):
    found = answer(capsys, "compare", finished_run.folder.path, "fm-256", "--out", tmp_path / "made" / "curves.png")
    tiny, demo = found["runs"]
    assert (tiny["run"], tiny["step"]) == (str(finished_run.folder.path), 12)
    assert (tiny["name"], demo["name"]) == ("tiny", "fm-256")  # they differ in more settings than a name has
    assert tiny["settings"]["model.d_model"] != demo["settings"]["model.d_model"]
    assert demo["last number"] == 1.0
    metrics = pretrained.pretrained()["fm-256"].folder / "metrics.jsonl"
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    assert demo["step of 0.9"] == next(row["step"] for row in rows if row["last_number_accuracy"] >= 0.9)
    assert tiny["step of 0.9"] is None
    assert Path(found["picture"]) == tmp_path / "made" / "curves.png"
    assert {path.name for path in (tmp_path / "made").iterdir()} == {"curves.png", "curves.svg"}


def test_a_model_of_the_package_and_a_run_with_its_id_are_two(capsys, tmp_path):
    model = pretrained.pretrained()["fm-256"]
    own = shutil.copytree(model.folder, tmp_path / model.id)
    found = answer(capsys, "compare", "fm-256", "demo", own, "--out", tmp_path / "curves")
    assert [row["run"] for row in found["runs"]] == [str(model.folder), str(own)]


@pytest.mark.slow
def test_a_sweep_is_compared_by_the_settings_that_differ(capsys, tmp_path, tiny_settings, monkeypatch):
    grid = ["--grid", "model.n_heads=1,2", "--sequences", "16", "--workers", "1", "--runs", tmp_path]
    sweep = answer(capsys, "sweep", "fm-256", *tiny_settings(), *grid)["sweep"]
    found = answer(capsys, "compare", sweep, "--out", tmp_path / "curves")["runs"]
    assert [row["name"] for row in found] == ["n_heads=1", "n_heads=2"]
    assert [row["settings"] for row in found] == [{"model.n_heads": "1"}, {"model.n_heads": "2"}]
    assert main(["compare", sweep, "--out", str(tmp_path / "curves")]) == 0
    head, *rows, _ = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["model.n_heads", "step"]
    assert [row.split()[0] for row in rows] == ["1", "2"]
    monkeypatch.chdir(sweep)
    assert main(["compare", ".", "--out", str(tmp_path / "curves")]) == 0
    for metrics in tmp_path.glob("*/metrics.jsonl"):
        metrics.unlink()
    assert main(["compare", ".", "--out", str(tmp_path / "curves")]) == 2
    assert "has an evaluation yet" in capsys.readouterr().err
    (Path(sweep) / "sweep.json").write_text("{}")
    assert main(["compare", sweep]) == 2
    assert "sweep.json" in capsys.readouterr().err


def test_runs_of_several_tasks_of_ones_own_are_compared(capsys, tmp_path):
    tasks = []
    for name in ("one", "two"):
        tasks.append(f"{tmp_path / name}.py:{name.title()}")
        code = (Path(__file__).parents[2] / "examples" / "second_order.py").read_text()
        (tmp_path / f"{name}.py").write_text(code.replace("SecondOrder(", f"{name.title()}("))
        small = ["--set", "steps=2", "--set", "model.d_model=8", "--set", "test_sequences=8", "--runs", tmp_path]
        answer(capsys, "train", tasks[-1], *small)
    runs = sorted(path.parent for path in tmp_path.glob("*/manifest.json"))
    found = answer(capsys, "compare", *runs, "--task", tasks[0], "--task", tasks[1], "--out", tmp_path / "curves")
    assert len(found["runs"]) == 2


def test_a_run_without_evaluations_cannot_be_compared(capsys, tmp_path, tiny_settings):
    command = ["train", "fm-256", *tiny_settings(), "--max-minutes", "0", "--runs", str(tmp_path), "--json"]
    assert main(command) == 0
    capsys.readouterr()
    assert main(["compare", str(next(tmp_path.iterdir()))]) == 2
    assert "has no evaluation yet" in capsys.readouterr().err


def test_curves_are_logged_by_train_and_resume(capsys, tmp_path, tiny_settings):
    trained = ["train", "fm-256", *tiny_settings(), "--max-minutes", "0", "--runs", tmp_path, "--log", "csv"]
    run = Path(answer(capsys, *trained)["run"])
    answer(capsys, "resume", run, "--log", "csv")
    assert [line.split(",")[0] for line in (run / "metrics.csv").read_text().splitlines()] == ["step", "3", "6"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="completion is tried in bash (2026-11-24)")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("mod", "models"), ("train --lo", "--log"), ("train --log ten", "tensorboard"), ("completion z", "zsh")],
)
def test_bash_completes_commands_options_and_choices(capsys, typed, expected):
    assert main(["completion", "bash"]) == 0
    words = ["unrandom", *typed.split()]
    asked = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_unrandom; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", f"{capsys.readouterr().out}\n{asked}"], capture_output=True, text=True)
    assert done.stdout.split() == [expected], done.stderr


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_completion_of_other_shells_names_every_command(capsys, shell):
    script = answer(capsys, "completion", shell)["script"]
    assert all(command in script for command in COMMANDS)


def test_the_full_parser_has_the_options_of_every_command(capsys):
    arguments = full_parser().parse_args(["train", "fm-256", "--seed", "3"])
    assert (arguments.command, arguments.seed) == ("train", 3)
    assert full_parser().parse_args(["completion", "zsh"]).shell == "zsh"


@pytest.mark.slow
def test_colours_are_refused_by_no_color(tmp_path, tiny_settings):
    """In a pseudo-terminal, where a bar is drawn: with NO_COLOR there is no escape sequence of a colour in it."""
    pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")

    def drawn(**environment):
        main_end, terminal = pty.openpty()
        command = [sys.executable, "-m", "unrandom", "train", "fm-256", *tiny_settings(), "--runs", str(tmp_path / "x")]
        process = subprocess.Popen(
            command, stdout=terminal, stderr=terminal, env={**os.environ, "TERM": "xterm-256color", **environment}
        )
        os.close(terminal)
        said = b""
        while True:
            try:
                piece = os.read(main_end, 4096)
            except OSError:  # the other end was closed: this is how Linux says so
                break
            if not piece:
                break
            said += piece
        os.close(main_end)
        assert process.wait() == 0
        shutil.rmtree(tmp_path / "x")
        return said

    assert b"\x1b[38;5;" in drawn()
    assert b"\x1b[38;5;" not in drawn(NO_COLOR="1")
