"""A column of a table, a field of JSON objects, a key or a match of a regular expression in a log is read."""

import json
import re
import threading
import time

import pytest

from tiers import slow
from unrandom.auditing.audit import audit
from unrandom.auditing.reading import logs
from unrandom.auditing.reading.contents import read
from unrandom.core.errors import UserError

COUNTED = "column value of 2 read; column id only counts or increases"


@pytest.mark.parametrize(
    ("content", "numbers", "note"),
    [
        ("when;what;value\n08:00;a;7\n08:01;b;9\n", [7, 9], "column value of 3 read"),
        ("id,value\n1,7\n2,9\n3,1\n", [7, 9, 1], COUNTED),
        ("id\tvalue\n1\t7\n2\t9\n3\t1\n", [7, 9, 1], COUNTED),
        ('"id","value"\n"1","7"\n"2","1,009"\n"3","1"\n', [7, 1009, 1], COUNTED),
        ("# x\nvalue,id\n7,1\n\n9,2\n1,3\n", [7, 9, 1], "column value of 2 read; column id only counts or increases"),
        (
            "id,t,x\n" + "".join(f"{i},{17e8 + i * i},{i * 5 % 7}\n" for i in range(9)),
            [i * 5 % 7 for i in range(9)],
            "t",
        ),
        ("a;b\nx;0,5\ny;0,25\nz;1,5", [0.5, 0.25, 1.5], "column b of 2 read"),
        ("n,token\na,ff01\nb,0a1b\n", [0xFF01, 0x0A1B], "column token of 2 read"),
        ("0,5\n1,7\n2,3\n3,4", [5, 7, 3, 4], "column 2 of 2 read; column 1 only counts or increases"),
    ],
)
def test_the_only_column_of_numbers(file, content, numbers, note):
    found = read(file(content))
    assert (found.whole or found.decimals) == numbers
    assert any(note in said for said in found.notes)


@pytest.mark.parametrize(
    ("content", "column", "numbers"),
    [
        ("id,value\n1,7\n2,9\n", "value", [7, 9]),
        ("id,value\n1,7\n2,9\n", "1", [1, 2]),
        ("id,value\n1,7\n2,9\n", "-1", [7, 9]),
        ("1\t2.5e-1\n2\t.5", "2", [0.25, 0.5]),
        ("id value\n1 7\n2 9\n", "value", [7, 9]),
        ("Jan 3 roll 6\nJan 4 roll 2 again", "4", [6, 2]),
        ("Jan 3 roll 6\nagain, Jan 4 roll 2", "-1", [6, 2]),
        ("t=5 roll=6 ok\nno roll here\nt=7 roll=2", "roll", [6, 2]),
        ("t=5, roll: 6\nt=7, roll: 2", "roll", [6, 2]),
        ('time="1 2" token="ff" x\ntime="1 3" token="1a" x', "token", [255, 26]),
        ("flip,side\n1,heads\n2,tails\n", "side", [1, 0]),
    ],
)
def test_a_column_is_chosen(file, content, column, numbers):
    found = read(file(content), column=column)
    assert (found.whole or found.decimals) == numbers


NAMES = ", ".join("abcdefgh")


@pytest.mark.parametrize(
    ("content", "column", "line"),
    [
        ("id,value\n1,7\n2,9\n", None, "the columns id, value hold numbers; choose one with --column, or put one"),
        ("\n".join([",".join("abcdefghij"), *["5,6,7,8,9,1,2,3,4,5"] * 2]), None, f"columns {NAMES} and 2 more hold"),
        ("id,word\n1,x\n2,y\n3,z\n", None, "only column id holds numbers, and it counts; choose with --column"),
        ("a,b\nc,d\ne,f", None, "no column holds only numbers; choose one with --column"),
        (",".join("1" * 1001) + "\n" + ",".join("2" * 1001), None, "the table has 1001 columns; choose one"),
        ("id,value\n1,7\n2,9\n", "price", "no column is called 'price'; there are id, value"),
        ("id,value\n1,7\n2,9\n", "3", "no column is called '3'; there are id, value"),
        ("id,value\n1,7\n2,9\n", "0", "no column is called '0'"),
        ("id,value\n1,7\n2,\n", "value", "line 3 has nothing in column value; leave such lines out"),
        ("a b 7\na b\n", "3", "line 2 has nothing in column 3"),
        ("a=1\n", "b", "no column is called 'b'"),
        ("\n", "value", "holds no numbers"),
        ('id,value\n1,"' + "7" * 200_000 + '"\n', "value", "is not a row of a table: field larger than field limit"),
    ],
)
def test_columns_that_cannot_be_read(file, content, column, line):
    with pytest.raises(UserError, match=line):
        read(file(content), column=column)


@pytest.mark.parametrize(
    ("value", "column", "numbers"),
    [
        ([1, 2, 3], None, [1, 2, 3]),
        ([0.5, 1, 2.25], None, [0.5, 1, 2.25]),
        (["ff", "01"], None, [255, 1]),
        ([True, False, True], None, [1, 0, 1]),
        ([[1, 2], [3]], None, [1, 2, 3]),
        ([[1, 20], [2, 30]], "2", [20, 30]),
        ([[1, 20], [2, 10], [3, 30]], None, [20, 10, 30]),
        ([{"x": 7}, {"x": 9}], None, [7, 9]),
        ([{"id": i, "x": x} for i, x in enumerate([7, 9, 8])], None, [7, 9, 8]),
        ([{"id": 1, "x": {"y": 7}}, {"id": 2, "x": {"y": 9}}], "x.y", [7, 9]),
        ({"seed": 5, "values": [7, 9]}, None, [7, 9]),
        ({"result": {"random": {"data": [7, 9]}}, "names": ["a", "b"]}, None, [7, 9]),
        ({"a": [7, 9], "b": [1, 2]}, "b", [1, 2]),
        ({"data": [{"x": 7, "y": 1}, {"x": 9, "y": 1}]}, "x", [7, 9]),
    ],
)
def test_json(file, value, column, numbers):
    for indent in (None, 1):
        found = read(file(json.dumps(value, indent=indent)), column=column)
        assert (found.whole or found.decimals) == numbers
    if isinstance(value, list) and isinstance(value[0], dict | list):
        found = read(file("\n".join(map(json.dumps, value))), column=column)
        assert (found.whole or found.decimals) == numbers


def test_json_keeps_digits(file):
    assert read(file("[0.500, 0.25]")).digits == 3
    assert read(file('[12345678901234567890123, "5"]')).whole == [12345678901234567890123, 5]


@pytest.mark.parametrize(
    ("content", "column", "line"),
    [
        ("[]", None, "holds no numbers"),
        ("{}", None, "the JSON object holds no list of numbers"),
        ('{"a": 1}', None, "the JSON object holds no list of numbers"),
        ('{"a": [1], "b": [2]}', None, "holds the lists of numbers a, b; choose one with --column"),
        ('{"a": [1], "b": [2]}', "c", "no list is called 'c'; there are a, b"),
        ("[1, null]", None, "item 2: 'null' is not a finite number"),
        ("[1, NaN]", None, "item 2: 'NaN' is not a finite number"),
        ("[1, [2]]", None, "item 2 is a list or an object among others"),
        ("[1, 2]", "x", "--column is for tables and objects, but this is a list"),
        ('[{"x": 1}, {"y": 2}]', "x", "item 2 has nothing in column x"),
        ('[{"x": 1}, {"y": 2}]', "z", "no field is called 'z'; there are x, y"),
        ('{"x": 1}\n{"x": }', None, "line 2 is not JSON, as the lines before it are"),
        ("[" * 100_000, None, "the JSON is nested too deeply"),
    ],
)
def test_json_that_cannot_be_read(file, content, column, line):
    with pytest.raises(UserError, match=line):
        read(file(content), column=column)


@pytest.mark.parametrize(
    ("regex", "numbers"),
    [
        (r"rolled (\d)", [6, 2]),
        (r"(?P<who>\w+) rolled (?P<value>\d)", [6, 2]),
        (r"\d$", [6, 2]),
        (r"key (.*)", [0xDEADBEEF]),
        (r"(?i)ROLLED\s{1,3}(\d)", [6, 2]),
        (r"(?<=rolled )\d(?!\d)|\{123456789\}", [6, 2]),
    ],
)
def test_regular_expressions(file, regex, numbers):
    found = read(file("Ann rolled 6\n\nkey de ad be ef\nBob rolled 2\n"), regex=regex)
    assert found.whole == numbers
    assert f"lines without a match left out: {3 - len(numbers)}" in found.notes


@pytest.mark.parametrize(
    ("regex", "line"),
    [
        ("(", "not a regular expression: missing"),
        ("x{9999999999999}", "is not a regular expression"),
        (r"\p{L}", r"not a regular expression: bad escape"),  # expressions are those of `re`
        ("(?:(?:a{60}){60}){60}", "repeats too much; simplify its repetitions"),
        ("seven", "--regex 'seven' matches no line"),
        ("rolled (six)?", "--regex 'rolled .six..' matches no line"),
    ],
)
def test_regular_expressions_that_cannot_be_used(file, regex, line):
    with pytest.raises(UserError, match=line):
        read(file("Ann rolled 6\n"), regex=regex)


def refused_in_a_thread(*arguments, **options):
    """The message of the error that an audit in another thread ends with, and its seconds."""
    started, refused = time.monotonic(), list[UserError]()

    def run():
        with pytest.raises(UserError) as error:
            audit(*arguments, **options)
        refused.append(error.value)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(100)
    return str(refused[0]), time.monotonic() - started


@pytest.mark.parametrize("regex", [r"(a+)+\d", *slow(r"(a|a)*\d")])
def test_an_endless_search_is_stopped_in_any_thread(file, monkeypatch, regex):
    path = file("a" * 5000)
    message, seconds = refused_in_a_thread(path, regex=regex, max_seconds=1)
    assert re.fullmatch(
        r"\S+( was not read in the time that --max-seconds allows: give more time|.*takes too long.*)", message
    )
    assert seconds < 60  # without a limit, years
    monkeypatch.setattr(logs, "REGEX_SECONDS", 0.2)
    message, _ = refused_in_a_thread(path, regex=regex)
    assert message.endswith("takes too long; simplify its repetitions")
