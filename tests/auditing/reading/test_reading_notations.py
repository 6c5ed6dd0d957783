"""The notation of a stream is inferred from all its tokens, and its numeral writes numbers as they were."""

import base64
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.numerals import (
    ALPHABETS,
    PLAIN,
    STYLES,
    UUID,
    Base64Bytes,
    Decimals,
    Masked,
    Positional,
    Whole,
    precision,
)
from unrandom.auditing.reading.orders import Words
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.core.errors import UserError

COIN = "2 words numbered in natural order: "


@pytest.mark.parametrize(
    ("content", "numbers", "note"),
    [
        ("0x0001 0xabcd", [1, 0xABCD], None),
        ("0b101\n0b011", [5, 3], None),
        ("0o17 0o20", [15, 16], None),
        ("00010010\n10000001", [18, 129], "read as binary"),
        ("10010010\n10000001", [10010010, 10000001], None),
        ("0012\n0345", [12, 345], None),
        ("DEADBEEF\n01234567", [0xDEADBEEF, 0x01234567], "read as hexadecimal, because all tokens have"),
        ("1\nf\n1a", [1, 15, 26], "read as hexadecimal"),
        ("beef", [0xBEEF], "read as hexadecimal"),
        ("f" * 64 + "\n" + "0" * 64, [2**256 - 1, 0], "read as hexadecimal"),
        ("de:ad:be:ef\n00:00:00:01", [0xDEADBEEF, 1], "hexadecimal numbers of 4 bytes, the most significant first"),
        ("1,234,567\n12,345\n999", [1234567, 12345, 999], "commas between groups of digits"),
        ("1,004,567\n2,123,456", [1004567, 2123456], "commas between groups of digits"),
        ("1 234 567\n2 004 567", [1234567, 2004567], "spaces between groups of digits"),
        ("1'234'567\n999", [1234567, 999], "apostrophes between groups of digits"),
        ("1_234_567\n999", [1234567, 999], "underscores between groups of digits"),
        ("12%\n37%", [12, 37], "percent signs left out"),
        ("12n\n37n", [12, 37], "the suffix n left out"),
        ("12L\n37L", [12, 37], "the suffix L left out"),
        ("0x1Fu\n0x2Bu", [31, 43], "the suffix u left out"),
        ("0x1ULL\n0x2AULL", [1, 42], "the suffix ULL left out"),
        ("MFRGG2LT\nMFRGG2L3", None, "read as base32, the smallest alphabet that fits"),
        ("k3j5h2k1\nz9x8c7v6", [int("k3j5h2k1", 36), int("z9x8c7v6", 36)], "read as base36"),
        ("k3J5h2k1\nz9x8C7v6", None, "read as base62"),
        ("ab+/1234\nab+/1235", None, "read as base64,"),
        ("ab-_1234\nab-_1235", None, "read as base64url"),
        ("aGVsbG8=\nd29ybGQ=", [int.from_bytes(b"hello", "big"), int.from_bytes(b"world", "big")], "bytes in base64"),
        ("true\nfalse", [1, 0], COIN + "false = 0, true = 1"),
        ("True", [1], COIN + "False = 0, True = 1"),
        ("H T T", [1, 0, 0], COIN + "T = 0, H = 1"),
        ("tails heads", [0, 1], COIN + "tails = 0, heads = 1"),
        ("yes no", [1, 0], COIN + "no = 0, yes = 1"),
        ("OFF ON", [0, 1], COIN + "OFF = 0, ON = 1"),
        ("red black " * 3, [1, 0] * 3, "2 words numbered in alphabetical order: black = 0, red = 1"),
        ("six one two " * 3, [2, 0, 1] * 3, "3 words numbered in natural order: one = 0, two = 1, six = 2"),
        ("K 10 A 2 Q " * 3, [4, 2, 0, 1, 3] * 3, "5 words numbered in natural order: A = 0, 2 = 1, 10 = 2, Q = 3, …"),
        ("w10 w9 w2 " * 3, [2, 1, 0] * 3, "3 words numbered in alphabetical order: w2 = 0, w9 = 1, w10 = 2"),
        ("⚂ ⚀ ⚁ " * 3, [2, 0, 1] * 3, "read as draws from ⚀-⚅"),
    ],
)
def test_notations_are_inferred(file, content, numbers, note):
    found = read(file(content))
    assert found.kind == "whole"
    assert numbers is None or found.whole == numbers
    assert len(found.notes) == (note is not None)
    assert note is None or note in found.notes[0]
    tokens = content.splitlines() if " " in content and "spaces" in (note or "") else content.split()
    assert [str(found.numeral.write(number)) for number in found.whole] == tokens


@pytest.mark.parametrize(
    ("content", "numbers"),
    [("0,5317\n0,25\n1", [0.5317, 0.25, 1]), ("-0,5;\n0,25;", [-0.5, 0.25]), ("0.5%\n1.25%", [0.5, 1.25])],
)
def test_decimals_with_other_marks(file, content, numbers):
    found = read(file(content))
    assert found.decimals == numbers
    assert len(found.notes) == 1
    written = found.numeral.write(numbers[1])
    assert written.startswith(content.split()[1].rstrip(";"))


@pytest.mark.parametrize(
    ("content", "notation", "numbers"),
    [
        ("10 11", "decimal", [10, 11]),
        ("10 11", "binary", [2, 3]),
        ("10 11", "octal", [8, 9]),
        ("10 11", "hexadecimal", [16, 17]),
        ("0x10 0x11", "hexadecimal", [16, 17]),
        ("10 11", "base36", [36, 37]),
        ("10 11", "base62", [62, 63]),
        ("B A", "base32", [1, 0]),
        ("BA A", "base64", [64, 0]),
        ("QUI= QUJD", "base64", [0x4142, 0x414243]),
        ("-_ A", "base64url", [62 * 64 + 63, 0]),
        ("face cafe", "words", [1, 0]),
        ("1 5 1", "words", [0, 1, 0]),
        ("1,5\n2,5", "decimal-comma", [1.5, 2.5]),
        (str(uuid.UUID(int=7)), "uuid", [7]),
    ],
)
def test_a_notation_can_be_forced(file, content, notation, numbers):
    found = read(file(content), notation=notation)
    assert (found.whole or found.decimals) == numbers
    assert [str(found.numeral.write(number)) for number in numbers] == content.split()


def test_a_forced_notation_must_fit(file):
    with pytest.raises(UserError, match="line 2: '9' is not a octal number; choose the numbers"):
        read(file("7\n9"), notation="octal")
    with pytest.raises(UserError, match="at most 64 distinct words"):
        read(file(" ".join(f"w{i}" for i in range(65))), notation="words")


def test_decks(file):
    found = read(file("AS KD 10H\nKD 10H AS\n"))
    assert found.deck == 3
    assert found.whole == [2, 0, 1, 0, 1, 2]
    assert found.notes == ["2 shuffles of 3 cards, numbered by suit, then from ace to king: KD = 0, 10H = 1, AS = 2"]
    assert [found.numeral.write(place) for place in range(3)] == ["KD", "10H", "AS"]
    for content in (
        "[[3,1,2],[1,2,3]]",
        "3,1,2\n1,2,3",
        "3 1 2\n1 2 3",
        "[3, 1, 2]\n[1, 2, 3]",
        "(3, 1, 2)\n(1, 2, 3)",
    ):
        found = read(file(content))
        assert (found.deck, found.whole, found.numeral.write(2)) == (3, [2, 0, 1, 0, 1, 2], 3)
    assert read(file("3 1 2\n1 2 2")).deck == 0
    assert read(file("3 1 2\n1 2 3 4")).deck == 0
    assert read(file("2 1\n1 2")).deck == 0
    assert read(file("3 1 2")).deck == 0


styles = st.sampled_from([PLAIN, *STYLES.values()])
positive = st.integers(0, 2**130)
numerals = st.one_of(
    st.tuples(st.builds(Whole, styles), st.integers(-(2**130), 2**130)),
    st.tuples(st.just(Whole(width=8)), st.integers(0, 10**8 - 1)),
    st.tuples(st.just(Whole(pointed=True)), st.integers(-(2**53) + 1, 2**53 - 1)),
    st.tuples(st.just(Decimals()), st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)),
    st.tuples(
        st.builds(Decimals, styles, st.just(6), st.just(4)), st.integers(-(10**6), 10**6).map(lambda n: n / 10**4)
    ),
    *(st.tuples(st.just(Positional(name, letters)), positive) for name, letters in ALPHABETS.items()),
    st.tuples(st.just(Positional("hexadecimal", ALPHABETS["hexadecimal"], "0x", 8)), st.integers(0, 2**32 - 1)),
    st.tuples(st.just(Positional("UUID", ALPHABETS["hexadecimal"], groups=UUID, mark="-")), st.integers(0, 2**128 - 1)),
    st.tuples(st.sampled_from([Base64Bytes(), Base64Bytes(ALPHABETS["base64url"], 20)]), positive),
    st.tuples(st.just(Words(("tails", "heads"))), st.integers(0, 1)),
    st.tuples(st.just(Masked("(000) 000-0000")), st.integers(0, 10**10 - 1)),
    st.tuples(st.just(Positional("decimal", "0123456789", groups=(3, 3, 4), mark="-")), st.integers(0, 10**10 - 1)),
    st.tuples(st.just(Positional("symbols", "♈♉♊♋♌♍", width=8)), st.integers(0, 6**8 - 1)),
)


@given(numerals)
def test_what_is_written_is_parsed(case):
    numeral, number = case
    token = numeral.write(number)
    assert numeral.parse(str(token)) == number
    assert numeral.write(numeral.parse(str(token))) == token


@given(st.lists(st.uuids(version=4), min_size=1), st.lists(st.binary(min_size=8, max_size=8), min_size=1))
def test_tokens_of_other_libraries(identities, secrets):
    found = numbers_of_values([str(identity) for identity in identities])
    assert found.whole == [identity.int for identity in identities]
    found = numbers_of_values([base64.b64encode(secret).decode() for secret in secrets])
    assert found.whole == [int.from_bytes(secret, "big") for secret in secrets]


@pytest.mark.parametrize(
    ("plain", "digits", "places"), [("0.050", 2, 3), ("-12.5", 3, 1), ("1e-05", 1, 5), ("2.5e3", 2, -2), ("100", 3, 0)]
)
def test_precision(plain, digits, places):
    assert precision(plain) == (digits, places)


def test_lists():
    assert numbers_of_values([3, -5, 2**200]).whole == [3, -5, 2**200]
    assert numbers_of_values([0.5, 1, 0.25]).decimals == [0.5, 1, 0.25]
    assert numbers_of_values([True, False]).whole == [1, 0]
    assert numbers_of_values([True, False]).numeral.write(1) is True
    assert numbers_of_values(["heads", "tails"]).whole == [1, 0]
    assert numbers_of_values(("0xff", "0x01")).whole == [255, 1]
    assert numbers_of_values([[2, 0, 1], [0, 1, 2]]).deck == 3
    assert numbers_of_values([[2, 0], [5]]).whole == [2, 0, 5]
    for values, line in [
        ([], "the list holds no numbers"),
        ([0.5, float("nan")], "item 2: 'nan' is not a finite number"),
        ([1, None], "item 2: 'None' is not a finite number"),
        ([1, {}], "item 2: a list must hold numbers or words, or lists of these, not a dict"),
        ([[1], 2], "item 2 is not a list, but others are"),
        ([0.5, 10**5000], "item 2 is a number of 16,610 bits, and at most 4,096 are allowed"),
    ]:
        with pytest.raises(UserError, match=line):
            numbers_of_values(values)
