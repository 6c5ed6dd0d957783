"""Sequences to continue come from files, pipes and standard input; what is not one is one line that names it."""

import os
import threading

import pytest

from tiers import slow
from unrandom.core.errors import UserError
from unrandom.runs.continuation import MAX_TEXT, read_sequences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n2\n\n 3 \n", [[1, 2, 3]]),
        ("1, 2\n3\n", [[1, 2], [3]]),
        ("1\n,\n", [[1]]),
        *slow(("\n" * (MAX_TEXT - 2) + "5\n", [[5]])),
    ],
)
def test_sequences_are_lines_or_the_whole_file(tmp_path, text, expected):
    (tmp_path / "numbers").write_text(text)
    assert read_sequences(str(tmp_path / "numbers"), limit=10) == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no numbers"),
        (b"\n , \n", "holds no numbers"),
        (b"1\nx\n", "line 2: 'x' is not a whole number"),
        (b"1 10\n", "line 1: 10 is not from 0 to 9"),
        (b"\xff\xfe", "is not text"),
        (b"1\n" * (MAX_TEXT // 2 + 1), "is larger than 4 MB"),
    ],
)
def test_what_is_no_sequence_is_one_line_that_names_the_file(tmp_path, monkeypatch, content, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l").write_bytes(content)
    with pytest.raises(UserError, match=f"^l:? {said}") as refused:
        read_sequences("l", limit=10)
    assert "\n" not in str(refused.value)


def test_a_pipe_of_the_shell_is_read_and_another_one_refused(tmp_path):
    receiver, sender = os.pipe()
    threading.Thread(target=lambda: (os.write(sender, b"1 2 3\n"), os.close(sender))).start()
    assert read_sequences(f"/dev/fd/{receiver}", limit=10) == [[1, 2, 3]]
    os.close(receiver)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="pipe is a pipe, not a regular file"):
        read_sequences(str(tmp_path / "pipe"), limit=10)


def test_a_closed_standard_input_is_one_line(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UserError, match="standard input is closed"):
        read_sequences("-", limit=10)
