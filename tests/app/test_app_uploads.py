"""Uploads are removed when the app ends; of an app that was killed by the next one, and nothing else is removed."""

import errno
import fcntl
import os
import signal
import subprocess
import sys

import pytest

from sweeping import PATIENCE
from unrandom.app.uploads import PREFIX, remove_abandoned, upload_folder
from unrandom.core.errors import UserError

HOLD = """
import time
from unrandom.app.uploads import upload_folder
with upload_folder() as folder:
    (folder / "numbers").write_text("1 2 3")
    print(folder, flush=True)
    time.sleep(10_000)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, of this test alone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def app(temporary):
    """A process that holds a folder of uploads, and the folder."""
    command = [sys.executable, "-c", HOLD]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process, temporary / os.path.basename(process.stdout.readline().strip())
        process.kill()


def test_the_folder_is_this_user_s_alone_and_goes_with_its_block(temporary):
    with upload_folder() as folder:
        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(temporary.iterdir())


def test_the_folder_of_a_killed_app_is_removed_by_the_next_one(app, temporary):
    process, folder = app
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    assert (folder / "numbers").exists()
    with upload_folder() as own:
        assert list(temporary.iterdir()) == [own]


def test_the_folder_of_a_running_app_stays(app):
    _, folder = app
    remove_abandoned()
    assert (folder / "numbers").read_text() == "1 2 3"


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "no locks"), PermissionError("not ours")])
def test_where_folders_cannot_be_locked_one_is_made_and_the_others_stay(temporary, monkeypatch, error):
    def refuse(*_given):
        raise error

    (other := temporary / f"{PREFIX}other").mkdir()
    monkeypatch.setattr(fcntl, "flock", refuse)
    with upload_folder() as folder:
        assert set(temporary.iterdir()) == {folder, other}
    assert list(temporary.iterdir()) == [other]


def test_where_folders_always_vanish_the_app_says_so(temporary, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", lambda *_: [path.rmdir() for path in temporary.iterdir()])
    with pytest.raises(UserError, match=f"no folder for uploads stays in {temporary}"), upload_folder():
        pytest.fail("it has a folder")


def test_links_and_files_of_such_a_name_stay(temporary):
    precious = temporary / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("years of work")
    (temporary / f"{PREFIX}link").symlink_to(precious)
    (temporary / f"{PREFIX}file").write_text("")
    abandoned = temporary / f"{PREFIX}abandoned"
    abandoned.mkdir()
    (abandoned / "link").symlink_to(precious)
    remove_abandoned()
    assert (precious / "thesis").read_text() == "years of work"
    assert {path.name for path in temporary.iterdir()} == {"precious", f"{PREFIX}link", f"{PREFIX}file"}


@pytest.mark.skipif(os.geteuid() != 0, reason="2026-11-25: only root can give a folder to another user")
def test_another_user_s_folder_stays(temporary):
    (folder := temporary / f"{PREFIX}other").mkdir()
    os.chown(folder, 12345, 12345)
    remove_abandoned()
    assert folder.exists()
