"""Fractions behind numbers: between two columns, or behind a formula that is parsed and never run."""

import inspect
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unrandom
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.formulas import Formula
from unrandom.cli import main
from unrandom.core.errors import UserError

BOUNDS = "low,high,n\n0.25,0.2501,5\n0.75,0.7501,3\n0.5,0.5001,9\n"


def test_two_columns_bound_fractions(file):
    for low, high in (("low", "high"), ("1", "2"), ("1", "-2")):
        found = read(file(BOUNDS), low=low, high=high)
        assert found.decimals == pytest.approx([0.25005, 0.75005, 0.50005], abs=1e-15)
        assert found.errors == pytest.approx([5e-5] * 3)
        assert found.numeral.write(0.123456789) == 0.1235
    assert read(file("-0.1 0.2\n0.9 1.1"), low="1", high="2").decimals == pytest.approx([0.1, 0.95])


@pytest.mark.parametrize(
    ("content", "options", "line"),
    [
        (BOUNDS, {"low": "low"}, "--low and --high are two columns that bound each fraction; give both"),
        (BOUNDS, {"low": "high", "high": "low"}, "row 1: --low 0.2501 is not below --high 0.25"),
        (BOUNDS, {"low": "low", "high": "n"}, "holds|"),
        (BOUNDS, {"low": "low", "high": "size"}, "no column is called 'size'"),
        ("5 6\n7 8", {"low": "1", "high": "2"}, "row 1: no fraction from 0 to 1 is between --low 5 and --high 6"),
        (BOUNDS, {"low": "low", "high": "high", "rows": True}, "--rows and --low exclude each other"),
        (BOUNDS, {"low": "low", "high": "high", "column": "n"}, "--column and --low exclude each other"),
        (BOUNDS, {"rows": True, "regex": "x"}, "--regex and --rows exclude each other"),
        (BOUNDS, {"notation": "decimal", "alphabet": "ab"}, "--notation and --alphabet exclude each other"),
    ],
)
def test_bounds_that_cannot_be(file, content, options, line):
    if line == "holds|":
        assert len(read(file(content), **options)) == 3  # bounds need not be near
        return
    with pytest.raises(UserError, match=line):
        read(file(content), **options)


def test_columns_that_seem_to_bound_are_not_read_as_one_stream(file):
    pairs = "0.11 0.12\n0.41 0.42\n0.31 0.32\n"
    with pytest.raises(UserError, match="seem to bound one fraction: --low 1 --high 2 reads them so, and --rows one"):
        read(file(pairs))
    assert len(read(file(pairs), low="1", high="2")) == 3
    assert read(file(pairs), rows=True).decimals == [0.11, 0.12, 0.41, 0.42, 0.31, 0.32]
    with pytest.raises(UserError, match="--low a --high b reads each row as the bounds of one fraction; or choose"):
        read(file("a,b\n" + pairs.replace(" ", ",")))
    assert len(read(file("0.1 0.9\n0.4 0.42\n0.3 0.1\n"))) == 6
    assert len(read(file(pairs + "0.9 0.1\n"))) == 8


def test_rows_are_read_without_their_counts(file):
    found = read(file("id,name,x,y\n1,a,5,7\n2,b,9,3\n3,c,1,2\n"), rows=True)
    assert found.whole == [5, 7, 9, 3, 1, 2]
    assert found.notes == ["columns x, y read row by row; id, name left out"]
    assert read(file("3,1,2\n1,2,3\n2,3,1\n"), rows=True).deck == 0
    assert read(file("1 70 5\n2 50 4\n3 90 8"), rows=True).whole == [70, 5, 50, 4, 90, 8]
    with pytest.raises(UserError, match="line 81 has 1 columns, but --rows needs 2"):
        read(file("5,6\n9,4\n" * 40 + "7\n"), rows=True)
    with pytest.raises(UserError, match="--rows found no column that holds only numbers"):
        read(file("x,y\nz,w\n"), rows=True)


formulas = st.sampled_from(
    [
        ("floor(100 / (1.0001 - u))", lambda u: np.floor(100 / (1.0001 - u))),
        ("Math.floor(Math.random() * 37)", lambda u: np.floor(u * 37)),
        ("1 + int(6 * u)", lambda u: 1 + np.floor(6 * u)),
        ("round(-1000 * log(1 - u))", lambda u: np.floor(-1000 * np.log(1 - u) + 0.5)),
        ("max(1, floor(99 / (1 - u)) / 100)", lambda u: np.maximum(1, np.floor(99 / (1 - u)) / 100)),
        ("ceil(50 * (1 - u) ** 2)", lambda u: np.ceil(50 * (1 - u) ** 2)),
        ("sqrt(u) - 0.5", lambda u: np.sqrt(u) - 0.5),
    ]
)


@given(formulas, st.lists(st.integers(1, 2**52 - 1), min_size=1, max_size=9))
def test_the_fraction_behind_a_formula_is_between_its_bounds(case, wholes):
    text, function = case
    u = np.array(wholes) / 2**52
    values = function(u)
    low, high = Formula(text).bounds(values, 4 * np.spacing(np.abs(values)) * (not Formula(text).whole))
    assert (low <= u).all()
    assert (u < high).all()


def test_numbers_of_a_formula_are_written_as_its_values(file):
    chance = random.Random(4)
    fractions = [chance.random() for _ in range(50)]
    printed = [int(100 / (1.0001 - u)) for u in fractions]
    found = read(file("\n".join(map(str, printed))), formula="floor(100/(1.0001-u))")
    assert [found.numeral.write(u) for u in found.decimals] == printed
    assert all(abs(a - b) <= e for a, b, e in zip(found.decimals, fractions, found.errors, strict=True))
    assert found.numeral.parse("176") == pytest.approx(found.decimals[printed.index(176)]) if 176 in printed else True
    rounded = read(file("\n".join(f"{100 * u:.3f}" for u in fractions)), formula="100 * u")
    assert max(rounded.errors) == pytest.approx(5e-6, rel=1e-3)
    assert rounded.numeral.write(0.123456789) == 12.346


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("floor(u * (1 - u) * 100)", "rises and falls; it must rise or fall with u from 0 to 1"),
        ("3", "has the same value for every u"),
        ("floor(7 * u)", "9 is not a value of --formula 'floor.7 . u.' for any u from 0 to 1"),
        ("u -", "is not a formula; it may have numbers, u"),
        ("__import__('os').system('ls')", "--formula may have numbers, u, .*, but not"),
        ("u.real", "but not 'u.real'"),
        ("(lambda: u)()", "but not"),
        ("[u for _ in (1,)]", "but not"),
        ("u if u else 1", "but not"),
        ("open", "but not 'open'"),
        ("floor(u, 2)", "but not"),
        ("floor(x=u)", "but not"),
        ("u // 2", "but not"),
        ("'u' * 9", "but not"),
        ("9 ** 9 ** 9 ** 9 * u", "has no value for some u"),
        ("log(u - 1)", "has no value for some u"),
        ("u" + " + u" * 100, "at most 200 characters"),
        ("(" * 150, "is not a formula"),
        ("-" * 199 + "u", "is not a value|is not a formula"),
        ("u\0", "is not a formula"),
    ],
)
def test_formulas_that_cannot_be(file, formula, line):
    with pytest.raises(UserError, match=line) as refused:
        read(file("9\n5\n"), formula=formula)
    assert len(str(refused.value).splitlines()) == 1


def test_the_command_takes_these_options(capsys, file):
    for content, options in (
        (BOUNDS, ["--low", "low", "--high", "high"]),
        (BOUNDS, ["--rows"]),
        ("9\n5\n", ["--formula", "floor(10 * u)"]),
        ("ab\nba\n", ["--alphabet", "ab"]),
        ("\u00ff\u0100", ["--raw", "u8"]),
    ):
        assert main(["audit", file(content), *options, "--family", "xorshift", "--max-seconds", "1"]) in (0, 11, 12)
    capsys.readouterr()
    assert main(["audit", file(BOUNDS), "--low", "low"]) == 2
    assert "give both" in capsys.readouterr().err


def test_bytes_written_as_text(file):
    text = bytes(range(256)).decode("latin-1").encode()
    assert read(file(text), raw="utf8").whole == list(range(256))
    assert read(file(text), raw="u8").whole == list(text)
    assert "--raw utf8 reads the others" in read(file(text), raw="u8").notes[0]
    with pytest.raises(UserError, match="--raw utf8 reads bytes that were written as UTF-8 text"):
        read(file(text))
    assert read(file(bytes(range(256))), raw="u8").notes == []
    with pytest.raises(UserError, match="is not UTF-8; --raw u8 reads its bytes"):
        read(file(bytes(range(256))), raw="utf8")
    with pytest.raises(UserError, match="'Ā' stands for no byte"):
        read(file("aĀ"), raw="utf8")


def test_a_list_can_have_a_formula_or_an_alphabet():
    chance = unrandom.LCG(m=2**32, a=1664525, c=1013904223).orbit(5, 60)
    printed = [int(1000 / (1.5 - x / 2**32)) for x in chance]
    verdict = unrandom.audit(printed[:50], formula="floor(1000 / (1.5 - u))", max_seconds=1)
    assert any("fractions u of which the numbers are" in note for note in verdict.notes)
    with pytest.raises(UserError, match="'c' is not in --alphabet 'ab'"):
        unrandom.audit(["ab", "cb"], alphabet="ab")
    with pytest.raises(UserError, match="--alphabet is for a list of strings"):
        unrandom.audit([1, 2], alphabet="ab")
    with pytest.raises(UserError, match="are for files"):
        unrandom.audit([1, 2], rows=True)
    with pytest.raises(UserError, match="--rows must be true or false, not 3"):
        inspect.unwrap(unrandom.audit)("-", rows=3)
