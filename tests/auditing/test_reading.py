"""Numbers are read as programs print them, and predicted in the same format; other input gives a one-line error."""

import io
import math

import pytest

from unrandom.auditing import reading
from unrandom.auditing.reading import read
from unrandom.auditing.stream import Scale
from unrandom.core.errors import UserError


@pytest.fixture
def text(tmp_path):
    """The path of a file with this text."""

    def write(content):
        path = tmp_path / "numbers"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("1\n2\n3\n", [1, 2, 3]),
        ("1 2,3;\t4\r\n", [1, 2, 3, 4]),
        ("[5, 6, 7]", [5, 6, 7]),
        ("[\n5,\n6,\n7\n]\n", [5, 6, 7]),
        ("\n\n8\n\n", [8]),
        ("18446744073709551615", [2**64 - 1]),
        ("0x10\n0xfF", [16, 255]),
        ("\ufeff9", [9]),
    ],
)
def test_whole_numbers(text, content, numbers):
    stream = read(text(content))
    assert stream.values.tolist() == numbers
    assert not stream.fractions


def test_a_long_file_is_read_in_parts(text, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_BYTES", 7)
    assert read(text("\n".join(map(str, range(1000))))).values.tolist() == list(range(1000))
    with pytest.raises(UserError, match="line 501"):
        read(text("\n".join([*map(str, range(500)), "x", "5"])))


def test_signed_numbers_are_written_with_their_sign(text):
    stream = read(text("-1\n5\n-2147483648"))
    assert stream.bits == 32
    assert stream.values.tolist() == [2**32 - 1, 5, 2**31]
    assert [stream.form.write(x) for x in (2**32 - 1, 5)] == [-1, 5]
    assert read(text("-1\n9223372036854775807")).bits == 64


def test_hexadecimal_numbers_are_written_in_hexadecimal(text):
    assert read(text("0x0001 0xabcd")).form.write(26) == "0x001a"
    assert read(text("0x1 0xabcd")).form.write(26) == "0x1a"


def test_exact_fractions(text):
    numbers = [0.13436424411240122, 0.5, 0.0009765625000000001]
    stream = read(text("\n".join(map(repr, numbers))))
    assert stream.values.tolist() == numbers
    assert not stream.rounded
    assert stream.form.write(0.1) == 0.1


@pytest.mark.parametrize("bits", [15, 24, 31, 32, 48, 52, 53])
def test_fractions_of_powers_of_two(text, bits):
    wholes = [1, 2**bits - 1, *(x * 0x9E3779B97F4A7C15 % 2**bits for x in range(50))]
    stream = read(text("\n".join(f"{x / 2**bits:.17g}" for x in wholes)))
    assert stream.scales[0] == Scale(2**bits)
    assert stream.views[0].numbers == wholes


@pytest.mark.parametrize("by_product", [False, True])
def test_fractions_of_other_numbers(text, by_product):
    m = 2**31 - 1
    wholes = [x * 16807**3 % m for x in range(1, 400)]
    stream = read(text("\n".join(repr(Scale(m, by_product).show(x)) for x in wholes)))
    (view,) = stream.views
    assert view.numbers == wholes
    assert [view.show(x) for x in wholes] == stream.values.tolist()


@pytest.mark.parametrize("form", ["{:.6f}", "{:.6g}", "{:.15g}", "{:.3f}"])
def test_rounded_fractions_are_known_to_half_a_digit(text, form):
    exact = [x * 0.6180339887498949 % 1 for x in range(1, 300)] + [0.01234567890123456, 0.00012345678901234]
    stream = read(text("\n".join(form.format(x) for x in exact)))
    assert stream.rounded
    assert stream.matches(0, exact) == len(exact)
    shifted = [x + 2 * error for x, error in zip(exact, stream.rounding_error.tolist(), strict=True)]
    assert stream.matches(0, shifted) == 0
    for (low, high), x in zip(stream.state_bounds(2**40), exact, strict=True):
        assert low - 1 <= math.floor(x * 2**40) <= high + 1
    assert stream.form.write(exact[0]) == float(form.format(exact[0]))


def test_a_zero_among_fractions(text):
    assert read(text("0\n0.25\n1\n0.75")).values.tolist() == [0, 0.25, 1, 0.75]


def test_single_precision_is_known_exactly(text):
    wholes = [x * 40503 * 257 % 2**24 for x in range(1, 200)]
    stream = read(text("\n".join(f"{x / 2**24:.9g}" for x in wholes)))
    assert stream.views[0].numbers == wholes


@pytest.mark.parametrize("raw", ["u32", "u64"])
def test_raw_words(text, raw):
    size = 4 if raw == "u32" else 8
    stream = read(text(b"".join(x.to_bytes(size, "little") for x in (1, 2**31, 7))), raw=raw)
    assert stream.values.tolist() == [1, 2**31, 7]
    assert stream.bits == 8 * size


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"4 5 6")))
    assert read("-").values.tolist() == [4, 5, 6]


def test_the_only_column_of_numbers(text):
    table = "when;what;value\n08:00;a;7\n08:01;b;9\n"
    assert read(text(table)).values.tolist() == [7, 9]
    two = "id,value\n1,7\n2,9\n"
    with pytest.raises(UserError, match="the columns id, value hold numbers; choose one with --column"):
        read(text(two))
    assert read(text(two), column="value").values.tolist() == [7, 9]
    assert read(text(two), column="1").values.tolist() == [1, 2]
    assert read(text("1\t2.5e-1\n2\t.5"), column="2").values.tolist() == [0.25, 0.5]
    with pytest.raises(UserError, match="no column is called 'price'; there are id, value"):
        read(text(two), column="price")
    with pytest.raises(UserError, match="no column holds only numbers"):
        read(text("a,b\nc,d\ne,f"))
    with pytest.raises(UserError, match="line 3 has nothing in column value"):
        read(text("id,value\n1,7\n2,\n"), column="value")
    with pytest.raises(UserError, match="holds no numbers"):
        read(text("\n"), column="value")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", "holds no numbers"),
        ("\n \n", "holds no numbers"),
        ("1\n2\nthree", "line 3: 'three' is not a number"),
        ("3\n0.5", "line 2: 0.5 is a fraction, but the numbers before it are whole numbers"),
        ("0.5\n7", "line 2: 7 is a whole number, but the numbers before it are fractions"),
        ("0x1\n7", "line 2: 7 is a whole number, but the numbers before it are hexadecimal numbers"),
        ("beef", "hexadecimal numbers begin with 0x"),
        ("0.5\nnan", "line 2: nan is not a finite number"),
        ("inf", "inf is not a finite number"),
        ("1.5", "line 1: 1.5 is not from 0 to 1"),
        ("-0.5", "line 1: -0.5 is not from 0 to 1"),
        ("18446744073709551616", "line 1: 18446744073709551616 does not fit 64 bits"),
        ("9" * 30, "does not fit 64 bits"),
        ("-9223372036854775809", "does not fit 64 bits"),
        ("-1\n18446744073709551615", "is negative, and 18446744073709551615 does not fit a signed 64-bit integer"),
        (b"\x00\x01\x02", "is not text; raw words are read with --raw u32 or --raw u64"),
        (b"\xff\xfe1", "is not text"),
        ("1_000", "'1_000' is not a number"),
        ("٣", "is not a number"),
    ],
)
def test_mistakes(text, content, line):
    with pytest.raises(UserError, match=line):
        read(text(content))


def test_options_must_be_consistent_with_the_numbers(text):
    for about in ({"bits": 2}, {"modulus": 9}, {"bounded": 9}):
        with pytest.raises(UserError, match="9 is out of range"):
            read(text("1 9"), **about)
    with pytest.raises(UserError, match="are for whole numbers"):
        read(text("0.5"), bounded=6)
    with pytest.raises(UserError, match="is for text"):
        read(text("12345678"), raw="u32", column="1")
    with pytest.raises(UserError, match="has 9 bytes, not a multiple of the 4 bytes of a u32 word"):
        read(text("123456789"), raw="u32")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        read(str(tmp_path / "none"))
    with pytest.raises(UserError, match="cannot be read"):
        read(str(tmp_path))


@pytest.mark.parametrize("raw", [None, "u32"])
def test_too_much_is_refused(text, monkeypatch, raw):
    monkeypatch.setattr(reading, "MAX_BYTES", 2**20)
    path = text("12345678\n" * (2**20 // 9 + 1))
    with pytest.raises(UserError, match="is larger than 1 MB, the maximum"):
        read(path, raw=raw)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1234 " * 2**19)))
    with pytest.raises(UserError, match="standard input is larger than 1 MB"):
        read("-", raw=raw)
