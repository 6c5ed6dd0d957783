"""A folder with the user's own random.py and numbers.py is a place to work in: no process imports from it."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import unrandom
from asking import AUDIT, address_of, answered
from sweeping import PATIENCE, synchronize
from unrandom.core.processes import python
from unrandom.generators.lcg import LCG

STREAM = LCG(m=2**31, a=1103515245, c=12345).orbit(x0=1, length=30)
EXAMPLE = Path(__file__).parents[2] / "examples" / "second_order.py"
OWN = [word for key in ("steps", "evaluate_every", "checkpoint_every") for word in ("--set", f"{key}=2")]
OWN += ["--set", "data.context=10", "--set", "model.d_model=16", "--set", "test_sequences=16"]
NAMES = ("random", "numbers", "json", "typing")
SWEEP = ("--grid", "optimizer.lr=1e-3,2e-3", "--workers", "2", "--sequences", "16", "--runs", "runs")


def needs(package):
    return pytest.mark.skipif(importlib.util.find_spec(package) is None, reason=f"2026-11-25: {package} is missing")


@pytest.fixture
def own_files(tmp_path, monkeypatch):
    """A folder of a user, whose files say that they were run; in the end, none was."""
    ran = tmp_path / "ran"
    folder = tmp_path / "own"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(
            f"import os\nos.close(os.open({str(ran)!r}, os.O_CREAT))\nraise SystemExit(7)"
        )
    yield folder
    assert not ran.exists()


def test_the_files_say_that_they_were_run(tmp_path, own_files):
    assert subprocess.run([sys.executable, "-c", "import random"], cwd=own_files).returncode == 7
    (tmp_path / "ran").unlink()


def test_python_is_started_in_one_way_only():
    source = Path(unrandom.__file__).parent
    starting = [file for file in source.rglob("*.py") if "sys.executable" in file.read_text()]
    assert [file.relative_to(source).as_posix() for file in starting] == ["core/processes.py"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("train", "fm-256", "--runs", "runs"),
        ("sweep", "fm-256", *SWEEP),
        pytest.param(("sweep", "fm-256", *SWEEP, "--engine", "ray"), marks=[needs("ray"), pytest.mark.nightly]),
        pytest.param(
            ("sweep", "fm-256", *SWEEP, "--engine", "slurm", "--slurm", "cluster=local"),
            marks=[needs("submitit"), pytest.mark.nightly],
        ),
        ("bench", "predictors"),
    ],
    ids=["train", "local", "ray", "slurm", "bench"],
)
def test_no_worker_imports_the_user_s_files(command, own_files, tiny_settings):
    settings = [] if command[0] == "bench" else tiny_settings()
    answer = subprocess.run(
        python("-m", "unrandom", *command, *settings, "--json"),
        cwd=own_files,
        env={name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert answer.returncode == 0, answer.stderr
    if command[0] == "sweep":
        assert [point["status"] for point in json.loads(answer.stdout)["grid_points"]] == ["finished"] * 2


@pytest.mark.slow
def test_the_user_s_own_scripts_import_what_is_beside_them(tmp_path):
    """The variable by which libraries start Python safely is not left set for a task's code, here or in workers."""
    task = (
        EXAMPLE.read_text() + "\nimport subprocess, sys\nsubprocess.run([sys.executable, 'own/script.py'], check=True)"
    )
    (tmp_path / "own").mkdir()
    (tmp_path / "task.py").write_text(task)
    (tmp_path / "own" / "script.py").write_text("from beside import value\nopen('ran', 'a').write(value)")
    (tmp_path / "own" / "beside.py").write_text("value = '.'")
    answer = subprocess.run(
        python("-m", "unrandom", "sweep", "task.py:SecondOrder", *SWEEP, "--json", *OWN),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert answer.returncode == 0, answer.stderr
    assert len((tmp_path / "ran").read_text()) >= 2  # in the command, and in a worker


@pytest.mark.slow
@needs("gradio")
def test_the_demo_and_the_audits_of_the_app_do_not_either(own_files):
    app = subprocess.Popen(
        python("-m", "unrandom", "app"), cwd=own_files, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        address = address_of(app)
        assert "Predictable" in answered(address, "audit", " ".join(map(str, STREAM)), *AUDIT)
        assert "has started" in answered(address, "start", "3")
        (metrics,) = synchronize(lambda: list(own_files.glob("runs/*/metrics.jsonl")))
        synchronize(metrics.read_text)
        app.send_signal(signal.SIGINT)
        _, said = app.communicate(timeout=PATIENCE)
        assert app.returncode == 0, said
    finally:
        app.kill()
        app.communicate()
