"""How do the tests serve an app? In a process of its own on a free port, with a small model for a demo."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sweeping import PATIENCE
from tiny_settings import assigned
from unrandom.core.errors import Busy
from unrandom.core.run_folder import RunFolder

ROOT = Path(__file__).parents[2]
SERVE = """
import sys
from pathlib import Path
from unrandom.app.server import leave_answers, serve
runs, results, port, *settings = sys.argv[1:]
serve(Path(runs), Path(results), port=int(port), open_browser=False, demo_settings=settings,
      ready=lambda address: print(address, flush=True))
print("ended", flush=True)
leave_answers()
"""
STARTS_IN = PATIENCE  # seconds, on a machine that has other work


@dataclass
class App:
    """An app that is served by a process."""

    process: subprocess.Popen[str]
    address: str
    port: int
    runs: Path
    log: Path  # its standard error
    temporary: Path  # where it keeps uploads

    @property
    def memory(self) -> int:
        """Bytes that the process holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for(condition: Callable[[], object], seconds: float = STARTS_IN) -> None:
    """Wait until the condition holds; fail if it does not within some seconds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "this took too long"
        time.sleep(0.1)


def demo_settings(**changes: object) -> list[str]:
    """Settings of a demo that trains for long, a step in milliseconds."""
    return assigned(**{"steps": 1_000_000, "evaluate_every": 20, "checkpoint_every": 20, **changes})


def is_held(folder: RunFolder) -> bool:
    """Whether a process is working on the run."""
    try:
        with folder.lock():
            return False
    except Busy:
        return True


def start_app(folder: Path, environment: dict[str, str] | None = None) -> App:
    port, runs, log = free_port(), folder / "runs", folder / "log"
    (temporary := folder.with_name(f"{folder.name}-temporary")).mkdir()
    program = [sys.executable, "-c", SERVE, str(runs), str(ROOT / "results"), str(port), *demo_settings()]
    with log.open("w") as written:
        process = subprocess.Popen(
            program,
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(temporary), **(environment or {})},
        )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address, log.read_text()
    return App(process, address, port, runs, log, temporary)
