"""What a killed program leaves running in a folder is ended, and nothing else."""

import os
import signal
import subprocess
import sys
import time

import pytest

from sweeping import PATIENCE, synchronize
from tiers import slow
from unrandom.core.leftovers import MOST_SECONDS, ended_with_this, users_of

NAMING = "import sys, time; print('up', flush=True); time.sleep(10_000)"
HOLDING = "import os, sys, time; f = open(os.environ['FILE'], 'w'); print('up', flush=True); time.sleep(10_000)"
PROGRAM = f"""
import os, subprocess, sys
from pathlib import Path
from unrandom.core.leftovers import ended_with_this
folder = Path(sys.argv[1])
with ended_with_this(folder):
    own = (folder / "own").open("w")  # a file of the program itself
    os.environ["FILE"] = str(folder / "log")
    for arguments in ([{NAMING!r}, str(folder)], [{HOLDING!r}]):
        child = subprocess.Popen([sys.executable, "-c", *arguments], stdout=subprocess.PIPE, start_new_session=True)
        assert child.stdout.readline() == b"up\\n"
    print("up", flush=True)
    sys.stdin.read()
print("ended", flush=True)
"""


@pytest.mark.parametrize("how", ["block", *slow(signal.SIGKILL, signal.SIGTERM)])
def test_what_runs_in_the_folder_ends_with_the_program(how, tmp_path):
    folder, beside = tmp_path / "folder", tmp_path / "folder-of-others"
    folder.mkdir()
    other = subprocess.Popen([sys.executable, "-c", NAMING, str(beside)], stdout=subprocess.PIPE)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout.readline() == "up\n"
        assert len(users_of(folder)) >= 4  # program, two children, and what watches
        if how == "block":
            program.stdin.close()
            assert program.stdout.readline() == "ended\n"
        else:
            program.send_signal(how)
        program.wait(PATIENCE)
    synchronize(lambda: not folder.exists())
    synchronize(lambda: not users_of(folder))
    assert other.poll() is None
    other.kill()
    other.communicate()


def test_a_block_without_leftovers_takes_no_long_time(tmp_path):
    (tmp_path / "folder").mkdir()
    with ended_with_this(tmp_path / "folder"):
        began = time.monotonic()
    assert time.monotonic() - began < MOST_SECONDS
    assert os.listdir(tmp_path) == []
