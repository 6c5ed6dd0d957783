"""Sequences to continue come from files, pipes and standard input; what is not one is one line that names it."""

import os
import threading

import pytest

from tiers import slow
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.sequences import MAX_BYTES, read_sequences
from unrandom.core.errors import UserError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n2\n\n 3 \n", [[1, 2, 3]]),
        ("1, 2\n3\n", [[1, 2], [3]]),
        ("1 2 3\n4,5\n\n6\r\n", [[1, 2, 3], [4, 5], [6]]),
        ("[1, 2]\n(3 4)\n5 6", [[1, 2], [3, 4], [5, 6]]),
        ("[7, 6, 1]", [[7, 6, 1]]),
        ("7 6 1", [[7, 6, 1]]),
        ("1, 2,\n3, 4", [[1, 2, 3, 4]]),  # a list over several lines
        ("[ 1 2\n  3 4]", [[1, 2, 3, 4]]),  # the same, as numpy prints it
        ("# made by me\n1 2\n3", [[1, 2, 3]]),
        ("0x10\n0x1f", [[16, 31]]),
        ('{"outputs": [1, 2, 3]}', [[1, 2, 3]]),
        ("x\n5\n8", [[5, 8]]),
        *slow(("\n" * (MAX_BYTES - 2) + "5\n", [[5]])),
    ],
)
def test_sequences_are_lines_that_are_lists_or_the_whole_file(tmp_path, text, expected):
    (tmp_path / "numbers").write_text(text)
    assert read_sequences(str(tmp_path / "numbers"))[0] == expected


@pytest.mark.parametrize("text", ["[7, 6, 1]", "1\n2", "0x10 0x1f", "'5', '6'", "# c\n8;\n9;", '{"a": [1, 2]}'])
def test_one_sequence_is_read_as_an_audit_reads_it(tmp_path, text):
    (tmp_path / "numbers").write_text(text)
    assert read_sequences(str(tmp_path / "numbers"))[0] == [read(tmp_path / "numbers").whole]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"column": "x"}, [7, 6, 5]),
        ({"regex": r"x=(\d)"}, [7, 6, 5]),
        ({"regex": r"\d", "notation": "decimal"}, [1, 2, 3]),
    ],
)
def test_a_log_is_one_sequence_of_what_is_chosen(tmp_path, options, expected):
    (tmp_path / "log").write_text("at=1 x=7\nat=2 x=6\nat=3 x=5\n")
    assert read_sequences(str(tmp_path / "log"), **options)[0] == [expected]


def test_raw_words_are_one_sequence(tmp_path):
    (tmp_path / "words").write_bytes(b"1 2\n3 4\n")
    assert read_sequences(str(tmp_path / "words"), raw="u8") == ([list(b"1 2\n3 4\n")], [])


def test_of_more_numbers_than_are_read_the_last_ones_are_asked_for(tmp_path):
    (tmp_path / "words").write_bytes(bytes(1_000_001))
    with pytest.raises(UserError, match="it has more than 1,000,000 numbers; give the last ones"):
        read_sequences(str(tmp_path / "words"), raw="u8")


def test_what_was_inferred_is_said(tmp_path):
    (tmp_path / "rows").write_text("1 2\n3 4")
    assert read_sequences(str(tmp_path / "rows"))[1] == ["each of the 2 lines is a sequence of its own"]
    (tmp_path / "headed").write_text("x\n5\n8")
    assert read_sequences(str(tmp_path / "headed"))[1] == ["heading 'x' left out"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no numbers"),
        (b"\n\n", "holds no numbers"),
        (b"1\nx\n", "line 2: 'x' is not a number"),
        (b"X0=7", "line 1: 'X0=7' is not a number; choose the numbers with --column or --regex"),
        (b"1.5", "the numbers have decimals; models continue whole numbers"),
        (b"heads tails heads", "it holds words; models continue whole numbers"),
        (b"[[0, 1, 2], [2, 1, 0]]", "it holds shuffles; models continue whole numbers"),
        (b"\xff\xfe\0", "is not text"),
        (b"1\n" * (MAX_BYTES // 2 + 1), "is larger than 4 MB"),
    ],
)
def test_what_is_no_sequence_is_one_line_that_names_the_file(tmp_path, monkeypatch, content, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l").write_bytes(content)
    with pytest.raises(UserError, match=f"^l:? {said}") as refused:
        read_sequences("l")
    assert "\n" not in str(refused.value)


def test_a_pipe_of_the_shell_is_read_and_another_one_refused(tmp_path):
    receiver, sender = os.pipe()
    threading.Thread(target=lambda: (os.write(sender, b"1 2 3\n"), os.close(sender))).start()
    assert read_sequences(f"/dev/fd/{receiver}")[0] == [[1, 2, 3]]
    os.close(receiver)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="pipe is a pipe, not a regular file"):
        read_sequences(str(tmp_path / "pipe"))


def test_a_closed_standard_input_is_one_line(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UserError, match="standard input is closed"):
        read_sequences("-")


def test_all_columns_of_a_table_are_one_sequence(tmp_path):
    (tmp_path / "table").write_text("id,x,y\n1,5,7\n2,9,3\n3,1,2\n")
    assert read_sequences(str(tmp_path / "table"), rows=True)[0] == [[5, 7, 9, 3, 1, 2]]


def test_symbols_are_no_sequence(tmp_path):
    (tmp_path / "signs").write_text("♈♓♊" * 20)
    with pytest.raises(UserError, match="it holds words; models continue whole numbers"):
        read_sequences(str(tmp_path / "signs"))
