"""Files of numbers; limits of time that do not depend on what else the machine is doing."""

import time
from types import SimpleNamespace

import pytest
from streams import PATIENT

from unrandom.auditing import audit, deadline, search
from unrandom.auditing.families import FAMILIES


@pytest.fixture(autouse=True)
def processor_time(monkeypatch):
    """Limits of audits count the time of this process on the processor, of all its threads: beside busy processes,
    seconds of the clock pass many times as fast. An audit whose time is not limited by the test has more of it than by
    default, for slow processors, and so have the solvers, whose time is that of the clock.
    """
    clock = SimpleNamespace(monotonic=time.process_time)
    monkeypatch.setattr(deadline, "time", clock)
    monkeypatch.setattr(search, "time", clock)
    monkeypatch.setattr(audit, "SEARCH_SECONDS", PATIENT)
    for one in FAMILIES:
        if hasattr(one, "seconds"):
            monkeypatch.setattr(one, "seconds", 5 * one.seconds)


@pytest.fixture
def file(tmp_path):
    """The path of a file with this content."""

    def write(content):
        path = tmp_path / "numbers"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write
