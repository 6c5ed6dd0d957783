"""Numbers are read from text as programs print them; other content gives a one-line error."""

import io
from pathlib import Path

import pytest

from unrandom.auditing.reading import contents, texts
from unrandom.auditing.reading.contents import read
from unrandom.core.errors import UserError

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("1\n2\n3\n", [1, 2, 3]),
        ("1 2,3;\t4\r\n", [1, 2, 3, 4]),
        ("1,\n2,\n3", [1, 2, 3]),
        ("1;\n2;\n", [1, 2]),
        ("[5, 6, 7]", [5, 6, 7]),
        ("[\n5,\n6,\n7\n]\n", [5, 6, 7]),
        ("{5, 6,\n7, 8}", [5, 6, 7, 8]),
        ("(5, 6)", [5, 6]),
        ("[[1 2]\n [3 4]]", [1, 2, 3, 4]),
        ("1 2 3\n4 5\n6", [1, 2, 3, 4, 5, 6]),
        ("  12\n   5\n", [12, 5]),
        ("\n\n8\n\n", [8]),
        ("8\r9\r", [8, 9]),
        ('"1"\n"2"', [1, 2]),
        ("+5 -3", [5, -3]),
        ("-5\n18446744073709551616\n" + "9" * 30, [-5, 2**64, 10**30 - 1]),
        ("\ufeff9", [9]),
        ("1\n2\n".encode("utf-16"), [1, 2]),
        (b"\xff\xfe1\0\n\0002\0", [1, 2]),
        ("# made by hand\n1\n2 # two\n-- three\n// four\n4 // 5\n", [1, 2, 4]),
        ("----\n1\n2\n", [1, 2]),
        ("value\n1\n2\n3\n", [1, 2, 3]),
        ("1 70\n2 50\n3 90\n4 20", [70, 50, 90, 20]),
        ("1 2 3\n4 5 6\n7 8 9", list(range(1, 10))),
        ("1e+05\n99999", [100000, 99999]),
        ("577090037.0\n3.\n", [577090037, 3]),
    ],
)
def test_whole_numbers(file, content, numbers):
    found = read(file(content))
    assert found.kind == "whole"
    assert found.whole == numbers
    assert found.decimals == []


@pytest.mark.parametrize(
    ("content", "numbers", "digits", "places"),
    [
        ("0.5 .25", [0.5, 0.25], 2, 2),
        ("0\n0.25\n1\n0.750", [0, 0.25, 1, 0.75], 3, 3),
        ("-3.5 57.125", [-3.5, 57.125], 5, 3),
        ("1e-05 2.50e3", [1e-5, 2500], 3, 5),
        ("1e-05 3e+02", [1e-5, 300], 1, 5),
        ("0.00120", [0.0012], 3, 5),
        ("0.13436424411240122 0.5", [0.13436424411240122, 0.5], 17, 17),
    ],
)
def test_decimals(file, content, numbers, digits, places):
    found = read(file(content))
    assert found.kind == "decimal"
    assert found.decimals == numbers
    assert (found.digits, found.places) == (digits, places)


@pytest.mark.parametrize(
    ("name", "first", "written", "note"),
    [
        ("r_print", [0.9148060, 0.9370754, 0.2861395], 0.914806, "indices in brackets, as R prints them, left out"),
        ("r_words", [1, 0, 1, 1], "heads", "2 words numbered in natural order: tails = 0, heads = 1"),
        ("r_cat", [61413, 54425, 99556, 74362, 46208, 100000], 61413, None),
        ("r_table", [0.9148060, 0.9370754], 0.914806, "column 2 of 2 read; column 1 only counts or increases"),
        ("r_csv", [0.914806043496355], 0.914806043496355, "column x of 2 read; column 1 only counts or increases"),
        ("node_list", [0.01288404360753221, 0.8612487611496531], 0.01288404360753221, None),
        (
            "node_bigint",
            [6364136223846793005, 7520897724310334953],
            "6364136223846793005n",
            "read with the suffix n left out",
        ),
        ("node_base36", [int("m8yzrxne4b", 36)], "m8yzrxne4b", "read as base36, the smallest alphabet that fits"),
        ("numpy_print", [0.51182162, 0.9504637], 0.51182162, None),
        ("numpy_repr", [0.47318864, 0.51182157], 0.47318864, None),
        ("numpy_scalars", [0.5118216247002567], 0.5118216247002567, None),
        ("python_words", [1, 0, 0], "heads", "tails = 0, heads = 1"),
        ("python_uuids", [0xE3E70682C2094CACA29F6FBED82C07CD], "e3e70682-c209-4cac-a29f-6fbed82c07cd", "version 4"),
        ("ruby_shuffles", [2, 1, 4, 0, 3, 5, 4, 2], 3, "3 shuffles of 6 cards, numbered in ascending order"),
    ],
)
@pytest.mark.parametrize("commented", [True, False])
def test_output_of_programs(file, name, first, written, note, commented):
    content = (VECTORS / f"{name}.txt").read_text()
    found = read(file(content if commented else content.partition("\n")[2]))
    assert (found.whole or found.decimals)[: len(first)] == first
    assert found.numeral.write(first[0]) == written
    assert ("comment lines left out: 1" in found.notes) == commented
    assert note is None or any(note in said for said in found.notes)
    assert len(found.notes) <= 1 + commented + (name in ("ruby_shuffles", "python_uuids", "r_words"))


@pytest.mark.parametrize("name", ["node_abbreviated", "numpy_abbreviated"])
def test_an_abbreviated_list_is_refused(name):
    with pytest.raises(UserError, match="the list is abbreviated here; print it in full"):
        read(VECTORS / f"{name}.txt")


def test_a_long_file_is_read_in_blocks(file, monkeypatch):
    monkeypatch.setattr(texts, "BLOCK", 7)
    for mark in ("\n", "\n\n", " \n"):
        assert read(file(mark.join(map(str, range(1000))))).whole == list(range(1000))
    with pytest.raises(UserError, match="line 501: 'x' is not a number"):
        read(file("\n".join([*map(str, range(500)), "x", "5"])))
    with pytest.raises(UserError, match="line 1001: 'x'"):
        read(file("\n\n".join([*map(str, range(500)), "x", "5"])))


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"4 5 6")))
    assert read("-").whole == [4, 5, 6]


def test_latin_1(file):
    found = read(file("# Würfel, geworfen in München\n".encode("latin-1") + b"1\n2\n"))
    assert found.whole == [1, 2]
    assert found.notes == ["decoded as Latin-1", "comment lines left out: 1"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", "holds no numbers"),
        ("\n \n", "holds no numbers"),
        ("# nothing\n", "holds no numbers"),
        ("1\n2\nthree", "line 3: 'three' is not a number; choose the numbers with --column or --regex"),
        ("0x1\n7", "line 2: '7' is not a hexadecimal 0x number"),
        ("ff\n0a\n1b\nzz", "line 4: 'zz' is not a hexadecimal number"),
        ("0.5\nnan", "line 2: 'nan' is not a finite number"),
        ("1\nNA\n2", "line 2: 'NA' is not a finite number"),
        ("inf", "line 1: 'inf' is not a finite number"),
        ("0.5\n-1e999", "line 2: '-1e999' is not a number that fits a double"),
        ("5\n" + "9" * 1001, "line 2: '9{39}…' has more than 1000 characters"),
        ("٣", "'٣' is not a number"),
        ("hello world, this is no number", "line 1: 'hello' is not a number"),
        (
            "user 7 logged in\nuser 9 logged out",
            r"several parts of the lines vary: '7', 'in'; choose one, as with --regex 'user\\s\+\(\\S\+\)'",
        ),
        ("1,2,3\n4,5\n6", "line 2 has 2 columns, but the first has 3; use --column or put one number on a line"),
        ("1 70 5\n2 50 4\n3 90 8", "the columns 1, 2, 3 hold numbers; choose one with --column"),
        ("0,5\n1\n2\n0,25\n3", "line 1: '0,5' has a comma"),
        ("1,2,3\n4,5,6", "the columns 1, 2, 3 hold numbers; choose one with --column, or put one number on a line"),
        (b"\x00\x01\x02", "is not text; raw words are read with --raw, which may be u8, u16, u32, u64, f32"),
        (b"\xff\xfe1", "is not text"),
        (b"\xe4\xf6\xfc", "is not text"),
        (b"\x1f\x8b\x08", "is gzip; unpack it first"),
        (b"PK\x03\x04", "is a zip or .npz archive; unpack it first"),
    ],
)
def test_mistakes(file, content, line):
    with pytest.raises(UserError, match=line) as caught:
        read(file(content))
    assert "\n" not in str(caught.value)


def test_options_exclude_each_other(file):
    with pytest.raises(UserError, match="are for text, not for raw words"):
        read(file("12345678"), raw="u32", column="1")
    with pytest.raises(UserError, match="exclude each other"):
        read(file("1"), regex="1", column="1")
    with pytest.raises(UserError, match="no notation is called 'roman'"):
        read(file("1"), notation="roman")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        read(tmp_path / "none")
    with pytest.raises(UserError, match="cannot be read"):
        read(str(tmp_path))


@pytest.mark.parametrize("raw", [None, "u32"])
def test_too_much_is_refused(file, monkeypatch, raw):
    monkeypatch.setattr(contents, "MAX_BYTES", 2**20)
    path = file("12345678\n" * (2**20 // 9 + 1))
    with pytest.raises(UserError, match="is larger than 1 MB, the maximum"):
        read(path, raw=raw)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1234 " * 2**19)))
    with pytest.raises(UserError, match="standard input is larger than 1 MB"):
        read("-", raw=raw)


def test_a_single_word_of_many_digits_is_as_many_numbers(file):
    """A stream of digits or coins without spaces; 39 digits may be a number of 128 bits."""
    found = read(file("0110" * 10 + "\n"))
    assert (found.kind, found.whole) == ("whole", [0, 1, 1, 0] * 10)
    assert found.notes == ["one word of 40 digits read as numbers of one digit"]
    assert read(file("3" * 39)).whole == [int("3" * 39)]
    assert read(file("3" * 40), notation="decimal").whole == [int("3" * 40)]
    assert read(file("7" * 3000)).whole == [7] * 3000
