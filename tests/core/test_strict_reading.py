"""Files that anyone may have written: regular ones, up to a size, strictly parsed, against a schema."""

import json
import os
import socket

import pytest

from unrandom.core import reading
from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.core.reading import about, read_bytes, read_json, read_json_lines


class Line(Config):
    step: int
    x: None = None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ('{"step": 1', "not JSON"),
        ("NaN", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("1e999", "larger than any double"),
        ("7" * 5000, "5,000 digits"),
        ("[" * 100_000, "more than 100 levels"),
        ("[" * 101 + "]" * 101, "more than 100 levels"),
        ('{"a": "\\ud800"}', "not JSON"),
        ('{"\\ud800": 1}', "not JSON"),
        ("\xff", "not JSON"),
    ],
)
def test_what_is_not_strictly_json_is_one_line_that_names_the_file(tmp_path, text, said):
    path = tmp_path / "value.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UserError, match=said) as refused:
        read_json(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_values_of_json_are_read_as_they_are(tmp_path):
    value = {"a": [1, -2.5, "é\n", None, True, {}, 10**39], "": [[[]]] * 30}
    (tmp_path / "value.json").write_text(json.dumps(value))
    assert read_json(tmp_path / "value.json") == value


@pytest.mark.parametrize("name", ["l", "x"])
def test_a_short_name_is_not_mistaken_for_a_part_of_the_message(name):
    with pytest.raises(UserError, match=f"^{name}: line 1: 'x' is a letter$"), about(name):
        raise UserError("line 1: 'x' is a letter")
    with pytest.raises(UserError, match=f"^there is no {name}; choose one$"), about(name):
        raise UserError(f"there is no {name}; choose one")


def test_only_regular_files_are_read(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name in ("pipe", "socket", ".", "/dev/zero", "/dev/null", "none", "file/below", "x" * 300, "a\0b"):
            (tmp_path / "file").touch()
            with pytest.raises(UserError, match=r"not a regular file|cannot be read|does not exist"):
                read_bytes(reading.Path(name), 100)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path):
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 2**40)
    with pytest.raises(UserError, match=r"large has 1,099,511,627,776 bytes; at most 16,777,216 are read"):
        read_json(tmp_path / "large")
    with pytest.raises(UserError, match="at most 100 are read"):
        reading.sha256(tmp_path / "large", 100)


def test_a_schema_names_the_file_the_line_and_the_value(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"step": 1, "x": null}\n\n{"step": "a"}\n{"st')
    with pytest.raises(UserError, match=r"lines\.jsonl: line 3: step='a'"):
        read_json_lines(path, Line, growing=True)
    path.write_text('{"step": 1, "x": null}\n{"st')
    assert read_json_lines(path, Line, growing=True) == [{"step": 1, "x": None}]
    with pytest.raises(UserError, match="line 2 is not JSON"):
        read_json_lines(path, Line)
