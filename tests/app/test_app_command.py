"""`unrandom app` serves until Ctrl-C, then ends all that it started; a mistake is one line and exit status 2."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from serving import STARTS_IN, free_port, is_held, start_app, wait_for

from asking import AUDIT
from tiers import nightly
from unrandom.cli import main
from unrandom.core.run_folder import RunFolder

needs_gradio = pytest.mark.skipif(importlib.util.find_spec("gradio") is None, reason="2026-11-24: the app needs gradio")
COMMAND = [sys.executable, "-m", "unrandom", "app"]


@pytest.fixture
def command(tmp_path):
    """Starts the command; it is ended after the test."""
    started = []

    def start(*arguments, **environment):
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            start_new_session=True,  # as a terminal does
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def address_of(process):
    line = process.stderr.readline()
    assert line.startswith("the app is at http://127.0.0.1:"), line + process.stderr.read()
    assert process.stderr.readline() == "end it with Ctrl-C\n"
    return line.split()[4]


def answers(address):
    httpx = pytest.importorskip("httpx")
    return httpx.get(address, timeout=STARTS_IN).status_code == 200


def mistake(capsys, *arguments):
    try:
        status = main(["app", *map(str, arguments)])
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("port", ["0", "-1", "65536", "99999", "1" * 30])
def test_a_port_that_is_none_is_a_mistake(capsys, port):
    assert f"argument --port: {port} was given; 1 to 65535 are allowed" in mistake(capsys, "--port", port)


def test_words_are_no_ports(capsys):
    assert "argument --port: invalid int value: 'http'" in mistake(capsys, "--port", "http")
    assert "invalid int value" in mistake(capsys, "--port", "80.5")


def test_folders_that_are_files_are_mistakes(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: object())
    (tmp_path / "file").write_text("")
    for option in ("--runs", "--results"):
        said = mistake(capsys, option, tmp_path / "file")
        assert said == f"unrandom: {option} {tmp_path / 'file'} is not a folder\n"


@pytest.mark.slow
@needs_gradio
def test_a_port_that_is_taken_is_a_mistake(command):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        out, err = (process := command("--port", port, "--json")).communicate(timeout=STARTS_IN)
    assert (process.returncode, out) == (2, "")
    assert err == f"unrandom: the port {port} cannot be used: taken, or not permitted; choose another with --port\n"


@pytest.mark.slow
@needs_gradio
@pytest.mark.parametrize("how", [signal.SIGINT, *nightly(signal.SIGTERM)])
def test_ctrl_c_ends_the_app_in_order(command, how, tmp_path):
    process = command("--port", port := free_port(), "--json", TMPDIR=str(tmp_path))
    address = address_of(process)
    assert address == f"http://127.0.0.1:{port}/"
    assert answers(address)
    assert [each.name[:13] for each in tmp_path.iterdir()] == ["unrandom-app-"]
    os.killpg(process.pid, how)
    out, err = process.communicate(timeout=STARTS_IN)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out) == {"address": address, "ended": True}
    assert list(tmp_path.iterdir()) == []
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))


@pytest.mark.slow
@needs_gradio
def test_ctrl_c_ends_the_demo_and_an_audit(command):
    gradio_client = pytest.importorskip("gradio_client")
    process = command()
    client = gradio_client.Client(address_of(process), verbose=False, analytics_enabled=False)
    said = client.predict("5", api_name="/start")
    assert "has started: fm-256-" in said
    name = said.partition("started: ")[2].partition(".")[0]
    client.submit(" ".join(str(pow(7, n, 2**61 - 1) % 2**32) for n in range(3000)), *AUDIT, api_name="/audit")
    folder = RunFolder(Path(f"/proc/{process.pid}/cwd").resolve() / "runs" / name)
    wait_for(lambda: folder.exists and is_held(folder))
    children = children_of(process.pid)
    assert len(children) == 2
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=STARTS_IN)
    assert (process.returncode, out) == (0, "the app has ended\n")
    assert "Traceback" not in err
    wait_for(lambda: not any(is_alive(child) for child in children))
    assert not is_held(folder)


def children_of(pid):
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@needs_gradio
def test_the_environment_cannot_open_the_app_which_needs_no_network_and_no_home(tmp_path):
    (tmp_path / "secret").write_text("secret")
    served = start_app(
        tmp_path,
        {
            "GRADIO_SERVER_NAME": "0.0.0.0",
            "GRADIO_SHARE": "True",
            "GRADIO_ALLOWED_PATHS": str(tmp_path),
            "GRADIO_ROOT_PATH": "/elsewhere",
            "GRADIO_SERVER_PORT": "1",
            "GRADIO_MCP_SERVER": "True",
            "GRADIO_NUM_WORKERS": "2",
            "GRADIO_TEMP_DIR": str(tmp_path / "shared"),
            "HTTP_PROXY": "http://127.0.0.1:1",
            "ALL_PROXY": "http://127.0.0.1:1",
            "HOME": "/nonexistent",
            "XDG_CACHE_HOME": "/nonexistent",
        },
    )
    try:
        assert answers(served.address)
        listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        assert {words[1] for words in listening if words[3] == "0A" and words[1].endswith(f":{served.port:04X}")} == {
            f"0100007F:{served.port:04X}"
        }
        httpx = pytest.importorskip("httpx")
        assert httpx.get(f"{served.address}gradio_api/file={tmp_path}/secret").status_code == 404
        assert {each.name for each in tmp_path.iterdir()} == {
            "log",
            "secret",
        }  # nothing is written where it was started
    finally:
        served.process.terminate()
        served.process.communicate()


@pytest.mark.slow
@needs_gradio
@pytest.mark.parametrize(
    ("busy", "how"),
    [
        ("demo", signal.SIGINT),
        ("audit", signal.SIGTERM),
        ("guesses", signal.SIGINT),
        *nightly(("demo", signal.SIGTERM), ("audit", signal.SIGINT), ("guesses", signal.SIGTERM)),
    ],
)
def test_the_app_ends_within_seconds_whatever_runs(command, busy, how):
    """Five seconds of a machine that has nothing else to do; the limit is for one that has."""
    httpx = pytest.importorskip("httpx")
    process = command()
    address = address_of(process)

    def ask(name, *data):
        return httpx.post(f"{address}gradio_api/call/{name}", json={"data": data}, timeout=STARTS_IN).json()["event_id"]

    if busy == "demo":
        ask("start", "5")
        folder = Path(f"/proc/{process.pid}/cwd").resolve() / "runs"
        wait_for(lambda: list(folder.glob("*/metrics.jsonl")))
    elif busy == "audit":
        ask("audit", " ".join(str(pow(7, n, 2**61 - 1) % 2**32) for n in range(3000)), *AUDIT)
        wait_for(lambda: children_of(process.pid))
    else:
        for seed in range(20):  # of which each takes a while, two at a time
            ask("play", "um-144", "lcg", "144", "37", str(seed), "5", 40, "", "layer 0 head 0")
    children, began = children_of(process.pid), time.monotonic()
    with httpx.stream("GET", f"{address}gradio_api/heartbeat/open", timeout=STARTS_IN):
        process.send_signal(how)
        out, err = process.communicate(timeout=STARTS_IN)
    print(f"{busy}, {how.name}: {time.monotonic() - began:.1f} s")
    assert (process.returncode, out, err) == (0, "the app has ended\n", "")
    assert not any(is_alive(child) for child in children)
    assert time.monotonic() - began < STARTS_IN / 2
