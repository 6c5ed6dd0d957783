"""Does `read` give numbers or a one-line error for any content? ``python tests/auditing/reading/fuzz_reading.py 10000``
tries 10,000 contents: bytes, texts of characters that readers treat specially, and damaged valid files.
"""

import io
import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, get_args

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from unrandom.auditing.reading import logs
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.parsing import NOTATIONS, Numbers
from unrandom.core.errors import UserError
from unrandom.core.names import Raw

SECONDS = 60.0
"""Longest time of the processor that reading a content of a few hundred characters may take."""


def _npy(values: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.array(values))
    return file.getvalue()


VALID = [
    b"1\n2\n3\n",
    b"0.5317 0.25 1e-05 -3.5\n",
    b"0x1f\n0xA0\n",
    b"deadbeef\n0badf00d\n",
    b"123e4567-e89b-42d3-a456-426614174000\n",
    b"0,5317\n0,25\n1\n",
    b"1,234,567\n12,345\n999\n",
    b"1 234 567\n2 004 567\n",
    b"[1] 0.1 0.2\n[3] 0.3\n",
    b"id,value\n1,7\n2,9\n3,1\n",
    b'"","x"\n"1",0.5\n"2",0.1\n',
    b"a;b\nx;0,5\ny;0,25\n",
    b"t=1 v=7\nt=2 v=9\n",
    b'[{"id": 1, "x": {"y": 5}}, {"id": 2, "x": {"y": 9}}]',
    b'{"a": 1, "v": [1, 2.5, 3]}',
    b'{"v": 1}\n{"v": 2}\n',
    b"[[3, 1, 2], [1, 2, 3]]",
    b"x1 = 93, x2 = 87\n",
    b"roll 1: 5x\nroll 2: 6x\nroll 3: 1x\n",
    b"a = [1, 2]\nb = (3, 4)\n",
    b"0.25 0.26\n0.5 0.51\n0.125 0.135\n",
    b'203.0.113.7 [12/Mar/2026:10:00:07 +0000] "GET /?sid=k3j5h2" 200\n' * 3,
    b"m8yzrxne4b\n8hxzjvas8m8\n",
    b"480-071-1939\n123-456-7890\n",
    "♓♊⛎\ufe0f♋\n".encode() * 3,
    b"AS KD 10H\nKD AS 10H\n",
    b"heads tails heads\n",
    b"aGVsbG8=\nd29ybGQ=\n",
    b"k3J5h2k1\nz9x8C7v6\n",
    b"# comment\n1 // two\n-- three\n37%\n12n\n",
    "\ufeff1\r\n2\r\n".encode(),
    "1\n2\n".encode("utf-16"),
    b"array([0.1, 0.2,\n       np.float64(0.3)], dtype=float32)\n",
    _npy([1, 2, 3]),
    _npy([[0.5, 0.25], [1.0, 2.0]]),
    _npy([True, False]),
]
PIECES = [
    *"0123456789abcdefxXnNeE+-.,;:=_'\"%#/\\ \t\n\r[](){}|&?<>\0\x0b\x1b\x7f\u00a0\u0663\u2028\ufeff\ud7ffſK♠é²",
    *(
        "0x",
        "1e",
        "e999",
        "nan",
        "inf",
        "true",
        "T",
        "...",
        "--",
        "//",
        "[1] ",
        "null",
        "{}",
        "[[",
        "np.float64(",
        "==",
    ),
    *("9" * 400, "[" * 3000, '"' * 3, "0,", ",000", "a=1 ", "10H", "A" * 1200, "\n" * 5),
]
COLUMNS = ["1", "-1", "2", "0", "99999", "value", "x.y", "v", "a", "", "é", "(", "1\n2"]
REGEXES = [
    "\\d+",
    "(?P<value>.)",
    "(a|b)?(.)",
    "",
    "(",
    "(a+)+$",
    "(.*)*x",
    "[0-9a-f ]+",
    "v=(.*)",
    "\\",
    "(?i)(?",
    "x{9999999999}",
]

FORMULAS = ["floor(100/(1.0001-u))", "100 * u", "-log(1-u)", "u*(1-u)", "u+", "9**9**9**u", "max(u, 2)", "1e999*u", "é"]

contents = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=60).map(lambda pieces: "".join(pieces).encode()),
    st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_subnormal=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
    st.builds(
        lambda content, cuts, pieces: _damaged(content, cuts, pieces),
        st.sampled_from(VALID),
        st.lists(st.tuples(st.integers(0, 400), st.integers(0, 6)), max_size=4),
        st.lists(st.sampled_from(PIECES).map(str.encode) | st.binary(max_size=3), min_size=4, max_size=4),
    ),
)
options = st.one_of(
    st.just({}),
    st.sampled_from(get_args(Raw)).map(lambda raw: {"raw": raw}),
    st.sampled_from(COLUMNS).map(lambda column: {"column": column}),
    st.sampled_from(REGEXES).map(lambda regex: {"regex": regex}),
    st.sampled_from([*NOTATIONS, "none"]).map(lambda notation: {"notation": notation}),
    st.tuples(st.sampled_from(COLUMNS), st.sampled_from(list(NOTATIONS))).map(
        lambda pair: {"column": pair[0], "notation": pair[1]}
    ),
    st.just({"rows": True}),
    st.sampled_from(["01", "abcdef0123456789", "♠♥♦♣", "HT", "", "aa", " ab"]).map(lambda text: {"alphabet": text}),
    st.tuples(st.sampled_from(COLUMNS), st.sampled_from(COLUMNS)).map(lambda pair: {"low": pair[0], "high": pair[1]}),
    st.sampled_from(FORMULAS).map(lambda formula: {"formula": formula}),
)


def _damaged(content: bytes, cuts: list[tuple[int, int]], pieces: list[bytes]) -> bytes:
    """A copy with pieces put in place of some of its bytes."""
    for (place, length), piece in zip(cuts, pieces, strict=False):
        start = place % (len(content) + 1)
        content = content[:start] + piece + content[start + length :]
    return content


def check(path: Path, content: bytes, chosen: dict[str, Any]) -> bool:
    """Whether the content was read. AssertionError if the result is wrong in itself, slow, or no one-line error."""
    path.write_bytes(content)
    started = time.process_time()
    try:
        numbers, said = read(path, **chosen), ""
    except UserError as error:
        numbers, said = None, str(error)
    assert time.process_time() - started < SECONDS, "slow"
    assert len(said.splitlines()) == (numbers is None), said
    if numbers is not None:
        _check_numbers(numbers)
    return numbers is not None


def _check_numbers(numbers: Numbers) -> None:
    assert len(numbers) > 0
    assert not (numbers.whole if numbers.kind == "decimal" else numbers.decimals)
    assert all(type(number) is int for number in numbers.whole)
    assert all(type(number) is float and math.isfinite(number) for number in numbers.decimals)
    assert all(len(note.splitlines()) == 1 for note in numbers.notes)
    for reading in (numbers, *numbers.others):
        assert len(reading) == len(numbers)
        assert len(reading.errors) in (0, len(reading))
        for number in [*reading.whole, *reading.decimals]:
            json.dumps(reading.numeral.write(number), allow_nan=False)
    if numbers.deck:
        assert sorted(numbers.whole[: numbers.deck]) == list(range(numbers.deck))


def fuzz(count: int) -> tuple[int, int]:
    """How many of `count` contents were read, and how many were refused."""
    outcomes = {True: 0, False: 0}
    with tempfile.TemporaryDirectory() as folder:

        @settings(
            max_examples=count,
            deadline=None,
            database=None,
            derandomize=count < 1000,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        @given(contents, options)
        def try_one(content: bytes, chosen: dict[str, Any]) -> None:
            outcomes[check(Path(folder) / "numbers", content, chosen)] += 1

        before, logs.REGEX_SECONDS = logs.REGEX_SECONDS, 0.3
        try:
            try_one()
        finally:
            logs.REGEX_SECONDS = before
    return outcomes[True], outcomes[False]


if __name__ == "__main__":
    print("read {}, refused {}".format(*fuzz(int(sys.argv[1]))))
