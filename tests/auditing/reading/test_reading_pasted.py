"""Text that is no plain list is read by what varies in it, or refused with an option that reads it."""

import random
import re
from contextlib import suppress

import pytest

from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.reading.assignments import lists_of
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.shapes import shape_of
from unrandom.auditing.reading.texts import Text
from unrandom.core.errors import UserError

SIGNS = "♈♉♊♋♌♍♎♏♐♑♒♓"


@pytest.mark.parametrize(
    ("content", "numbers", "note"),
    [
        ("x1 = 93, x2 = 87, x3 = 29", [93, 87, 29], "of each item, as 'x1 = 93'"),
        ("x_1 = 93; x_2 = 87", [93, 87], "of each item"),
        ("x1=93 x2=87 x3=29", [93, 87, 29], "of each item"),
        ("0: 83\n1: 17\n2: 5", [83, 17, 5], r"--regex '^\s*[^\s:]+:\s+(\S+)'"),
        ("secret: 123", [123], r"--regex 'secret:\s+(\S+)'"),
        ("Random number #1: 55\nRandom number #2: 7", [55, 7], "of each line, as 'Random number #1: 55'"),
        ("#1: 55\n#2: 7\n#3: 9", [55, 7, 9], "of each line, as '#1: 55'"),
        ("1.72x\n1.00x\n16.25x", [1.72, 1.0, 16.25], r"([-+.,\deE]+)x'"),
        ("$12\n$37\n$5", [12, 37, 5], "of each line, as '$12'"),
        ("37°\n12°\n25°", [37, 12, 25], "of each line"),
        ("rand() = 5\nrand() = 17\nrand() = 3", [5, 17, 3], r"rand\(\)\s+=\s+(\S+)"),
        ("val=-5\nval=7\nval=3", [-5, 7, 3], "val="),
        ('"roll": 5,\n"roll": 6,\n"roll": 1', [5, 6, 1], "roll"),
        ("addr = 0x1f\naddr = 0x2a", [31, 42], "addr"),
        ("1) 83 points\n2) 17 points\n3) 5 points", [83, 17, 5], "points"),
        ("[2026-01-02 10:00:00] 55\n[2026-01-02 10:00:09] 12\n[2026-01-03 07:00:00] 9", [55, 12, 9], "of each line"),
        ("start\nroll: 5\nroll: 6\nroll: 1\nroll: 2", [5, 6, 1, 2], "lines without a match left out: 1"),
    ],
)
def test_the_part_that_varies_is_read(file, content, numbers, note):
    found = read(file(content))
    assert (found.whole or found.decimals) == numbers
    assert note in found.notes[0]
    if "--regex " in found.notes[0]:
        regex = re.search("--regex '(.*?)'(;|$)", found.notes[0])[1]
        assert read(file(content), regex=regex).whole == found.whole


MARKDOWN = "| n | value |\n|---|:---:|\n| 1 | 55 |\n| 2 | 12 |\n| 3 | 9 |\n"
MYSQL = "+------+\n| r    |\n+------+\n|   55 |\n|   12 |\n|    9 |\n+------+\n3 rows in set (0.00 sec)\n"
ONE_COLUMN = " random \n--------\n     55\n     12\n      9\n(3 rows)\n"
TWO_COLUMNS = " id | random \n----+--------\n  1 |     55\n  2 |     12\n  3 |      9\n(3 rows)\n"
DRAWN = "┌───┬────┐\n│ n │ v  │\n├───┼────┤\n│ 1 │ 55 │\n│ 2 │ 12 │\n│ 3 │ 9  │\n└───┴────┘\n"


@pytest.mark.parametrize("content", [MARKDOWN, MYSQL, ONE_COLUMN, TWO_COLUMNS, DRAWN])
def test_drawn_tables(file, content):
    found = read(file(content))
    assert found.whole == [55, 12, 9]
    assert "bars and rules of a table left out" in found.notes


def test_bars_between_columns(file):
    assert read(file("1 | 55\n2 | 12\n3 | 9")).whole == [55, 12, 9]
    assert read(file("4|55\n2|12\n3|9"), column="2").whole == [55, 12, 9]
    with pytest.raises(UserError, match="choose one with --column"):
        read(file("4|55\n2|12\n3|9"))


OCTETS = bytes(random.Random(2).randbytes(37))


def _xxd(octets):
    for i in range(0, len(octets), 16):
        row = octets[i : i + 16]
        groups = " ".join(row[j : j + 2].hex() for j in range(0, len(row), 2))
        yield f"{i:08x}: {groups:<39}  {_printable(row)}"


def _hexdump(octets):
    for i in range(0, len(octets), 16):
        row = octets[i : i + 16]
        yield f"{i:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  |{_printable(row)}|"
    yield f"{len(octets):08x}"


def _printable(octets):
    return "".join(chr(octet) if 32 <= octet < 127 else "." for octet in octets)


@pytest.mark.parametrize("dump", [_xxd, _hexdump])
def test_hexdumps(file, dump):
    lines = list(dump(OCTETS))
    found = read(file("\n".join(lines)))
    assert bytes(found.whole) == OCTETS
    assert found.notes[0] == "a hexdump read as bytes"
    with pytest.raises(UserError):  # a line is missing
        read(file("\n".join([lines[0], *lines[2:]])))


def test_bytes_of_python(file):
    found = read(file(f"{OCTETS!r}\n"))
    assert bytes(found.whole) == OCTETS
    assert found.notes[0] == "a literal of Python read as bytes"
    with pytest.raises(UserError):
        read(file("b'\\x0'"))


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("{'seed': 1, 'out': [1, 2, 3]}", [1, 2, 3]),
        ("[(0, 469), (1, 593), (2, 898), (3, 536)]", [469, 593, 898, 536]),
        ("((7,), (5,), (6,))", [7, 5, 6]),
        ("{'a (old)': 6242, 'b': 5443, 'c': 3780}", [6242, 5443, 3780]),
        ('{"a": 6242, "b": 5443}', [6242, 5443]),
        ("['007', '421', '003',]", [7, 421, 3]),
        ("(5, 6, 7)", [5, 6, 7]),
    ],
)
def test_values_as_python_prints_them(file, content, numbers):
    assert read(file(content)).whole == numbers


def test_words_of_python_stay_as_they_are(file):
    found = read(file(str([True, False, False, True] * 4)))
    assert found.numeral.write(1) == "True"


def test_an_option_that_reads_what_does_not_count_is_proposed(file):
    with pytest.raises(UserError, match=r"--regex 'int\\\(\("):
        read(file("array(3) {\n  [0]=>\n  int(55)\n  [1]=>\n  int(12)\n  [2]=>\n  int(9)\n}\n"))


def test_symbols_of_an_order_that_is_not_known(file):
    for content in ("🍒 7 🔔 ⭐ 🍒 🍒 🔔 ⭐", "🍒7🔔⭐🍒🍒🔔⭐", "🍒 | 7 | 🔔\n⭐ | 🍒 | 🍒\n⭐ | ⭐ | 🍒"):
        with pytest.raises(UserError, match="--alphabet '7⭐🍒🔔'"):
            read(file(content))
        assert read(file(content), alphabet="🍒7🔔⭐").whole[:4] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("content", "numbers", "note"),
    [
        ("int[] rolls = {5, 6, 7};", [5, 6, 7], "list rolls of 3 numbers"),
        ("ct = b'\\x02oI'\niv = b'\\xa8'\noutput = [5, 7,\n 9]\n", [5, 7, 9], "list output of 3 numbers read"),
        ("a = [1, 2, 3]\nb = [4, 5, 6]\nc = [7]\n", [4, 5, 6], "--column takes another list: a (3), c (1)"),
        ("int a[] = {5, 6, 7};\nint n = 4;", [5, 6, 7], "list a of 3 numbers"),
        ("const xs = [0.5, 0.25];\nshow(xs)", [0.5, 0.25], "list xs of 2 numbers"),
        ("x = np.array([[1, 2], [3, 5]])\nprint(x)", [1, 2, 3, 5], "list x of 4 numbers"),
        ("Here are the outputs: [5, 7]", [5, 7], "list outputs of 2 numbers"),
    ],
)
def test_the_list_that_is_assigned_is_read(file, content, numbers, note):
    found = read(file(content))
    assert (found.whole or found.decimals) == numbers
    assert note in found.notes[0]


def test_another_list_is_a_column(file):
    assert read(file("a = [1, 2, 3]\nb = [4, 5, 6]\n"), column="a").whole == [1, 2, 3]
    assert lists_of(Text("a = [1, (2)]\nb = 5\nc = [")) == {"a": "[1, (2)]"}


@pytest.mark.parametrize(
    ("content", "numbers", "note"),
    [
        ("secret: 64\nsecret: 75\n8\n6\n9\n3", [8, 6, 9, 3], "the first 2 lines, 'secret: 64', left out"),
        ("Here they are, good luck!\n5\n6\n7", [5, 6, 7], "the first line, 'Here they are, good luck!', left out"),
        (">>> [random() for _ in range(3)]\n[0.5, 0.25, 0.75]", [0.5, 0.25, 0.75], "the first line, '>>> [random"),
    ],
)
def test_words_before_numbers_are_left_out(file, content, numbers, note):
    found = read(file(content))
    assert (found.whole or found.decimals) == numbers
    assert note in found.notes[0]
    with pytest.raises(UserError):
        read(file(content + "\nx"))


LOG = "".join(
    f'203.0.113.{i * 37 % 256} - - [12/Mar/2026:10:{i:02}:07 +0000] "GET /?sid={sid} HTTP/1.1" 200 {i * i % 91}\n'
    for i, sid in enumerate(["saoxlln5knl", "0q3m9zz81ab", "x8k2p0d7w3e", "b5v6n7m8q9r"])
)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (
            LOG,
            r"vary: address '203\.0\.113\.0', time '12/Mar/2026:10:00:07 \+0000', sid 'saoxlln5knl', .*--column sid$",
        ),
        ("dx=-5 dy=3\ndx=2 dy=7\ndx=9 dy=1", "vary: dx '-5', dy '3'; choose one, as with --column dx$"),
        ("n = 3233\ne = 17\nc = 855", r"vary: 'n', '3233'; choose one, as with --regex '.*=.*'$"),
        ("1\n2\n3\nguess the next", r"line 4: 'guess' is not a number; .*; --regex '.*' reads 3 numbers$"),
        ("GET /?t=5x&u=6 a\nPUT /?t=7z b\nGET /b/?t=1k&u=7", "line 1: 'GET' is not a number"),
        ("hello world\ngood day\nnice try", "vary: 'hello', 'world'$"),
        ("480-071-19\n480-07-199", "line 1: '480-071-19' is not a number"),
        ("2026-01-02\n2026-01-05", "line 1: '2026-01-02' is not a number"),
    ],
)
def test_what_was_seen_is_named_with_an_option_that_reads_it(file, content, line):
    with pytest.raises(UserError, match=line) as refused:
        read(file(content))
    option = re.search(r"(--column (\w+)|--regex '(.*?)')( reads|$)", str(refused.value))
    if option is not None:
        assert len(read(file(content), column=option[2], regex=option[3])) > 1


def test_tokens_of_a_log_are_read_by_their_key(file):
    found = read(file(LOG), column="sid")
    assert [found.numeral.write(number) for number in found.whole] == re.findall(r"sid=(\w+)", LOG)


@pytest.mark.parametrize(
    ("content", "numbers", "written", "note"),
    [
        ("♓♊♈♓" * 10, [11, 2, 0, 11] * 10, "♓", "read as draws from ♈-♓"),
        ("♓\ufe0f♊\ufe0f" * 20, [11, 2] * 20, "♓", "♈-♓"),
        ("♓♊♈♓\n♈♉♊♋\n" * 5, [11, 2, 0, 11, 0, 1, 2, 3] * 5, "♓", "♈-♓"),
        ("⛎♊♓" * 20, [12, 2, 11] * 20, "⛎", "♈-♓⛎ and ♈-♏⛎♐-♓"),
        ("⚀⚅⚁" * 10, [0, 5, 1] * 10, "⚀", "⚀-⚅"),
        ("☀☂☃☀☂☃☀☂☃", [0, 1, 2] * 3, "☀", "☀☂☃"),
        ("HTTHHHTT" * 5, [1, 0, 0, 1, 1, 1, 0, 0] * 5, "H", "T = 0, H = 1"),
        ("ACGT" * 10, [0, 1, 2, 3] * 10, "A", "A = 0, C = 1, G = 2, T = 3"),
        ("00ff1e" * 400, [0, 255, 30] * 400, "00", "hexadecimal digits read as bytes"),
    ],
)
def test_symbols_without_spaces(file, content, numbers, written, note):
    found = read(file(content))
    assert found.whole == numbers
    assert found.numeral.write(numbers[0]) == written
    assert note in " ".join(found.notes)


def test_every_order_of_an_alphabet_is_another_reading(file):
    found = read(file("⛎♊♓" * 20))
    assert found.drawn
    assert [one.whole[:3] for one in found.others] == [[8, 2, 12]]


def test_digits_in_groups(file):
    found = read(file("480-071-1939\n000-123-4567\n"))
    assert found.whole == [4800711939, 1234567]
    assert [found.numeral.write(number) for number in found.whole] == ["480-071-1939", "000-123-4567"]
    assert found.notes == ["digits in groups of 3, 3, 4 read as one number, without '-'"]


def test_digits_among_other_marks(file):
    found = read(file("(480) 071-1939\n(000) 123-4567\n"))
    assert found.whole == [4800711939, 1234567]
    assert [found.numeral.write(number) for number in found.whole] == ["(480) 071-1939", "(000) 123-4567"]
    assert found.notes == ["digits of each line, written as (000) 000-0000, read as one number"]
    with pytest.raises(UserError):
        read(file("(480) 071-1939\n(000) 123-45678\n"))


def test_identical_rows_are_no_shuffles(file):
    for content in ("[21 40 51]\n" * 5, "3,1,2\n" * 4, "[[3, 1, 2], [3, 1, 2]]"):
        found = read(file(content))
        assert found.deck == 0
        assert len(found) % 3 == 0
    assert read(file("[21 40 51]\n" * 5)).notes == ["identical rows read one after the other"]
    assert read(file("3 1 2\n1 2 3\n")).deck == 3


def test_a_shape_needs_most_of_the_lines():
    lines = [*[f"roll {i % 6}" for i in range(6)], "a, b, c", "d, e, f"]
    assert shape_of(lines) is not None
    assert shape_of([*lines, "g, h, i"]) is None
    assert shape_of([]) is None


@pytest.mark.parametrize(
    "content",
    [
        "x=5, " * 2**20,
        "a: a: " * 2**20,
        "♓♊♈" * 2**20,
        "roll: 5\nroll: 6\n" * 2**18,
        "abcdefghijkl" * 2**20,
        "[(" * 2**21,
    ],
)
def test_the_deadline_is_kept(file, content):
    """Steps that look at no clock are short, even in millions of characters."""
    deadline = Deadline(0.5)
    with suppress(OutOfTime, UserError):
        read(file(content), deadline=deadline)
    assert deadline.left > -5


def test_random_lines_with_one_varying_part_are_read(file):
    chance = random.Random(3)
    for _ in range(40):
        words = ["".join(chance.choices("abcdefgXYZ", k=chance.randint(1, 6))) for _ in range(chance.randint(1, 4))]
        place, end = chance.randint(0, len(words)), chance.choice(["", "!", ".", ")"])
        numbers = [chance.randrange(1000) for _ in range(9)]
        lines = [" ".join([*words[:place], chance.choice(["", " "]) + str(x) + end, *words[place:]]) for x in numbers]
        assert read(file("\n".join(lines))).whole == numbers, lines[0]
