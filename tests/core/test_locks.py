"""One process at a time: the lock ends with its process, and where locks cannot be trusted no work begins."""

import errno
import fcntl
import os
import subprocess
import sys

import pytest

from sweeping import PATIENCE
from unrandom.core.errors import Busy, UserError
from unrandom.core.locks import locked

HOLD = """
import sys, time
from pathlib import Path
from unrandom.core.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(10_000)
"""


def test_a_lock_keeps_others_away_until_its_block_ends(tmp_path):
    lock = tmp_path / "lock"
    for _ in range(2):
        with locked(lock), pytest.raises(Busy, match=f"^another process is working on {tmp_path}$"), locked(lock):
            pass
    assert lock.is_file()


def test_a_lock_ends_with_its_process_even_if_that_is_killed(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy), locked(tmp_path / "lock"):
            pass
        holder.kill()
        holder.wait(PATIENCE)
    with locked(tmp_path / "lock"):
        pass


def test_a_child_that_the_process_forks_does_not_keep_the_lock(tmp_path):
    awaited, done = os.pipe()
    with locked(tmp_path / "lock"):
        child = os.fork()
        if child == 0:
            os.close(done)
            os.read(awaited, 1)
            os._exit(0)
    with locked(tmp_path / "lock"):
        os.close(done)
        os.waitpid(child, 0)
    os.close(awaited)


def test_locks_that_are_granted_to_everybody_are_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    twice = r"locks cannot be trusted \(it grants the same lock twice\)"
    with pytest.raises(UserError, match=twice) as said, locked(tmp_path / "lock"):
        pytest.fail("work began")
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EIO])
def test_locks_that_are_missing_are_refused_in_one_line(tmp_path, monkeypatch, number):
    def flock(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(UserError, match=os.strerror(number)) as said, locked(tmp_path / "lock"):
        pytest.fail("work began")
    assert not isinstance(said.value, Busy)


def test_no_descriptor_is_left(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with locked(tmp_path / "lock"), pytest.raises(Busy), locked(tmp_path / "lock"):
            pass
    assert len(os.listdir("/proc/self/fd")) == before
