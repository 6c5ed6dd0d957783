"""The command prints text or one JSON object, in the number format of its input; mistakes give one line, status 2."""

import json
import os
import random
import subprocess
import sys

import pytest

from plainly import lcg, take
from sweeping import PATIENCE
from unrandom.cli import main


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("\n".join(map(str, take(lcg(2**64, 6364136223846793005, 1442695040888963407, 5), 1000))))
    return path


def audit(capsys, *arguments, status=10):
    assert main(["audit", *map(str, arguments)]) == status
    return capsys.readouterr().out


def test_the_words(capsys, numbers):
    words = audit(capsys, numbers)
    assert words.startswith("PREDICTABLE")
    for line in ("mmix", "outputs needed   5 of the 1000 given", "held-back outputs predicted", "next  "):
        assert line in words


def test_the_tree(capsys, numbers):
    tree = json.loads(audit(capsys, numbers, "--json"))
    assert tree["verdict"] == "predictable"
    assert tree["family"] == "lcg"
    assert tree["parameters"]["a"] == 6364136223846793005
    assert tree["certificate"]["held_back"] == tree["certificate"]["correct"] > 900
    assert set(tree) >= {"outputs_needed", "next", "previous", "tried"}


def test_next_is_in_the_form_of_the_input(capsys, tmp_path):
    path = tmp_path / "numbers"
    states = take(lcg(2**32, 1664525, 1013904223, 5), 110)
    for show in (str, lambda x: f"0x{x:08x}", lambda x: str(x - 2**32 * (x >> 31)), lambda x: repr(x / 2**32)):
        path.write_text("\n".join(map(show, states[:100])))
        following = json.loads(audit(capsys, path, "--json"))["next"]
        assert following == [show(x) if show(x).startswith("0x") else json.loads(show(x)) for x in states[100:]]


def test_options(capsys, numbers, tmp_path):
    assert "NOT PREDICTED" in audit(capsys, numbers, "--family", "xorshift", "--max-seconds", 5, status=0)
    path = tmp_path / "raw"
    path.write_bytes(b"".join(x.to_bytes(4, "little") for x in take(lcg(2**32, 1664525, 1, 5), 100)))
    assert json.loads(audit(capsys, path, "--raw", "u32", "--json"))["parameters"]["a"] == 1664525
    path.write_text("n,x\n" + "\n".join(f"{i},{x}" for i, x in enumerate(take(lcg(2**31 - 1, 48271, 0, 5), 50))))
    tree = json.loads(audit(capsys, path, "--column", "x", "--modulus", 2**31 - 1, "--bits", 31, "--json"))
    assert tree["outputs_needed"] == 3


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["none"], "none does not exist"),
        (["FILE", "--family", "rand"], "no family is called 'rand'"),
        (["FILE", "--bits", "5000"], "--bits must be from 1 to 4096"),
        (["FILE", "--modulus", "1"], "--modulus must be from 2 to 2^4096"),
        (["FILE", "--from", "one"], "--from must be a number, not 'one'"),
        (["FILE", "--regex", "("], "regular expression"),
        (["FILE", "--notation", "roman"], "roman"),
        (["FILE", "--column", "x", "--regex", "x"], "exclude each other"),
        (["FILE", "--modulus", "many"], "'many' is not a whole number"),
        (["FILE", "--bounded", "10"], "is out of range: --bounded allows 0 to 9"),
        (["FILE", "--raw", "u24"], "invalid choice"),
        (["FILE", "--max-seconds", "-1"], "-1 was given"),
        ([], "required: FILE"),
    ],
)
def test_a_mistake_is_one_line(capsys, numbers, arguments, line):
    try:
        status = main(["audit", *(str(numbers) if word == "FILE" else word for word in arguments)])
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert line in err


def test_an_audit_alone_waits_for_nothing_heavy(numbers):
    code = (
        "import sys; from unrandom.cli import main;"
        f"main(['audit', {str(numbers)!r}, '--json']);"
        "heavy = {'torch', 'scipy', 'sympy', 'rich', 'polars'} & set(sys.modules); assert not heavy, heavy"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=PATIENCE, env=os.environ
    ).stdout
    assert json.loads(printed)["family"] == "lcg"


def test_exit_status_and_last_line_of_each_verdict(capsys, tmp_path):
    """0 not predicted, 10 predictable, 11 too few, 12 not finished; the last line says what to do."""
    path, chance = tmp_path / "numbers", random.Random(1)
    path.write_text("\n".join(str(chance.getrandbits(32)) for _ in range(60)))
    words = audit(capsys, path, "--family", "lcg", status=0)
    assert "does not prove the numbers safe" in words.splitlines()[-1]
    words = audit(capsys, path, "--family", "lcg", "--max-seconds", "0", status=12)
    assert words.startswith("NOT FINISHED")
    assert "Allow more time" in words.splitlines()[-1]
    path.write_text("2576980377")
    words = audit(capsys, path, "--family", "lcg", status=11)
    assert words.startswith("TOO FEW")
    assert words.splitlines()[-1].startswith("Collect at least 5 more outputs")
    path.write_text("\n".join(map(str, take(lcg(2**31 - 1, 16807, 0, 1), 60))))
    words = audit(capsys, path, status=10)
    assert words.startswith("PREDICTABLE")
    assert "replace this generator" in words.splitlines()[-1]
    tree = json.loads(audit(capsys, path, "--json", status=10))
    assert tree["exit_status"] == 10
    assert set(tree) >= {"family", "form", "parameters", "state", "next", "previous", "breaks", "needed", "tried"}


def test_the_help_fits_a_screen_and_shows_three_examples(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 56
    assert shown.count("\n  unrandom audit ") + shown.count("| unrandom audit ") == 3
