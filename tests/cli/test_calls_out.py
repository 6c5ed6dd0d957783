"""No command, engine, log or child of the app asks anything of another machine unless the user names one."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from asking import AUDIT, address_of, answered
from sockets import STRACE, Watch, asked_by
from sweeping import PATIENCE, synchronize
from tiers import nightly_but
from tiny_settings import settings
from unrandom.cli.commands import COMMANDS
from unrandom.core.processes import python

ROOT = Path(__file__).parents[2]
TINY = settings()
GRID = ("--grid", "optimizer.lr=1e-3,2e-3", "--workers", "2", "--sequences", "16")
LOGS = ("--log", "csv", "--log", "tensorboard", "--log", "wandb")
# RUN is a finished run. Each command once, with each engine and all logs; `app` has a test of its own.
CALLS = {
    "demo": ["demo", *TINY],
    "train": ["train", "fm-256", *TINY],
    "logs": ["train", "fm-256", *TINY, *LOGS],
    "resume": ["resume", "RUN"],
    "sweep": ["sweep", "fm-256", *TINY, *GRID],
    "sweep on Ray": ["sweep", "fm-256", *TINY, *GRID, "--engine", "ray"],
    "sweep on Slurm": ["sweep", "fm-256", *TINY, *GRID, "--engine", "slurm", "--slurm", "cluster=local"],
    "evaluate": ["evaluate", "RUN"],
    "lcg": ["lcg", "--m", "16", "--a", "5", "--c", "3"],
    "predict": ["predict", "RUN", "numbers"],
    "models": ["models", "--check"],
    "report": ["report", "RUN"],
    "open": ["open", "RUN"],
    "compare": ["compare", "RUN", "--out", "curves"],
    "export": ["export", "RUN", "--to", "huggingface", "exported"],
    "import": ["import", "exported"],
    "reproduce": ["reproduce", "tokenization", "--scale", "smoke", "--seeds", "1", "--results", "results"],
    "claims": ["claims", "--results", str(ROOT / "results")],
    "speedrun": ["speedrun", "--results", str(ROOT / "results")],
    "audit": ["audit", "numbers"],
    "bench": ["bench", "predictors"],
    "completion": ["completion", "bash"],
}
NEEDS = {"logs": "wandb", "sweep on Ray": "ray", "sweep on Slurm": "submitit", "export": "transformers"}
WITH_OUT = ("demo", "train", "logs", "sweep", "sweep on Ray", "sweep on Slurm", "import", "reproduce")
# Commands that run one after another in a folder, each in a fork of a process that has imported torch.
TOGETHER = {
    "train and audit": ["train", "audit"],
    "of a run": [
        "demo",
        "resume",
        "evaluate",
        "lcg",
        "predict",
        "models",
        "report",
        "open",
        "compare",
        "export",
        "import",
    ],
    "of results": ["reproduce", "claims", "speedrun", "bench", "completion"],
    **{name: [name] for name in ("logs", "sweep", "sweep on Ray", "sweep on Slurm")},
}
IN_FORKS = """
import json, os, sys
import torch._dynamo
from unrandom.cli import main
for name, arguments in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child == 0:
        os.environ["WATCHED"] = os.environ["WATCHED"] + " by " + name
        sys.stdout.flush()
        os.dup2(2, 1)
        status = main(arguments)
        sys.stdout.flush()
        os._exit(status)
    print(json.dumps([name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]), flush=True)
"""


def test_every_command_is_watched():
    assert {arguments[0] for arguments in CALLS.values()} | {"app"} == set(COMMANDS)
    assert {name for names in TOGETHER.values() for name in names} == set(CALLS)


def test_what_is_asked_is_seen(tmp_path):
    """Names, addresses, in children, and, with strace, of programs that are not watched from within."""
    inner = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.7', 9))"
    program = f"import socket, subprocess, sys; subprocess.run([sys.executable, *sys.argv[1:], '-c', {inner!r}])"
    (tmp_path / "seen").mkdir()
    assert any("192.0.2.7" in each for each in asked_by(tmp_path / "seen", program, [sys.executable]))
    name = "import socket\ntry: socket.getaddrinfo('no-such-host.invalid', 80)\nexcept OSError: pass"
    (tmp_path / "name").mkdir()
    assert "no-such-host.invalid" in asked_by(tmp_path / "name", name, [sys.executable])
    if STRACE:
        (tmp_path / "isolated").mkdir()
        assert asked_by(tmp_path / "isolated", inner, [sys.executable, "-I"]) == {"192.0.2.7:9"}


@pytest.mark.slow
@pytest.mark.parametrize("together", nightly_but(set(TOGETHER) - {"sweep on Ray", "sweep on Slurm"}, TOGETHER))
def test_a_command_asks_no_other_machine(together, tmp_path, finished_run):
    names = TOGETHER[together]
    for name in names:
        if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
            pytest.skip(f"2026-11-25: {NEEDS[name]} is missing")
    work, watched = tmp_path / "work", tmp_path / "watched"
    work.mkdir()
    watched.mkdir()
    (work / "numbers").write_text("1 2 3 4 5 6 7 8")
    run = str(finished_run.folder.path)
    calls = {
        name: [run if word == "RUN" else word for word in CALLS[name]] + ["--runs", "runs"] * (name in WITH_OUT)
        for name in names
    }
    watch = Watch(watched)
    environment = {key: value for key, value in watch.environment().items() if key not in ("RAY_ADDRESS", "WANDB_MODE")}
    answer = subprocess.run(
        watch.command(python("-c", IN_FORKS, json.dumps(calls))),
        cwd=work,
        env={**environment, "BROWSER": "true"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    statuses = dict(map(json.loads, answer.stdout.splitlines()))
    assert set(statuses) == set(names), answer.stderr
    for name, status in statuses.items():
        assert status not in (1, 2), f"{name}: {answer.stderr}"  # of audits, others are verdicts
    assert watch.asked() == set()


@pytest.mark.slow
def test_the_app_and_its_children_ask_no_other_machine(tmp_path):
    pytest.importorskip("gradio", reason="the app needs gradio")
    httpx = pytest.importorskip("httpx", reason="the app needs gradio")
    (watched := tmp_path / "watched").mkdir()
    watch = Watch(watched)
    app = subprocess.Popen(
        watch.command(python("-m", "unrandom", "app", "--json")),
        cwd=tmp_path,
        env=watch.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        address = address_of(app)
        assert httpx.get(address, timeout=PATIENCE).status_code == 200
        assert "verdict" in answered(address, "audit", "1 2 3 4 5 6 7 8", *AUDIT)
        assert "The next number" in answered(
            address, "play", "fm-256", "lcg", "256", "5", "3", "1", 40, "", "layer 0 head 0"
        )
        assert "has started" in answered(address, "start", "3")
        synchronize(lambda: list(tmp_path.glob("runs/*/metrics.jsonl")))
        assert httpx.post(f"{address}gradio_api/upload", files={"files": ("a", b"1 2")}, timeout=PATIENCE).is_success
    finally:
        os.killpg(app.pid, signal.SIGINT)
        out, said = app.communicate(timeout=PATIENCE)
    assert json.loads(out)["ended"], said
    assert watch.asked() == set()
