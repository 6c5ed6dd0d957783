"""A file is the old one or the new one, never half of either."""

import errno
import os

import pytest

from unrandom.core import files, reading
from unrandom.core.errors import UserError


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "value.json"
    files.write_json(path, {"x": 1})

    def broken(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", broken)
    with pytest.raises(OSError, match="No space left"):
        files.write_json(path, {"x": 2})
    assert reading.read_json(path) == {"x": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["value.json"]


def test_json_has_no_nan(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "value.json", float("nan"))


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.json does not exist"):
        reading.read_json(tmp_path / "none.json")
    (tmp_path / "half.json").write_text('{"x": ')
    with pytest.raises(UserError, match=r"half\.json is not JSON"):
        reading.read_json(tmp_path / "half.json")


def test_a_folder_where_a_file_is_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file"):
        files.make_folder(tmp_path / "file")
    with pytest.raises(UserError, match="cannot create"):
        files.make_folder(tmp_path / "file" / "below")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_is_too_full_for_a_folder_is_no_mistake_of_the_user(tmp_path, monkeypatch, number):
    def full(*_arguments, **_options):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.Path, "mkdir", full)
    with pytest.raises(OSError, match=os.strerror(number)):
        files.make_folder(tmp_path / "runs")


def test_a_folder_does_not_replace_something_else(tmp_path):
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").touch()
    for name in ("circle", "file"):
        with pytest.raises(UserError, match=f"{name} is not a folder"), files.replaced_atomically(tmp_path / name):
            pytest.fail("it is made")
    (tmp_path / "link").symlink_to("elsewhere")
    with files.replaced_atomically(tmp_path / "link") as made:
        (made / "value").touch()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["circle", "elsewhere", "file", "link"]
    assert (tmp_path / "link" / "value").exists()
