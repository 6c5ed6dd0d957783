"""Does an audit answer any input with a verdict or a one-line UserError?

``python tests/auditing/hostile_streams.py 2000`` tries 2,000 inputs, prints how many had which outcome, and lists those
that failed. An input is made from its seed alone: lists, arrays and other objects of numbers at the edges of what
machines count, texts, JSON, tables, .npy files and raw words with damage, each with options that fit or are nonsense.
"""

import inspect
import io
import json
import math
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np

from unrandom.auditing.audit import audit
from unrandom.auditing.families import FAMILIES
from unrandom.auditing.reading.parsing import NOTATIONS
from unrandom.core.errors import UserError
from unrandom.core.names import Raw

audited = inspect.unwrap(audit)
"""The audit without the check of the types of its arguments, which tests make and users do not."""

SECONDS = 0.3
"""Time limit of an audit."""

PATIENCE = 300.0
"""Seconds of the processor after which an audit of a few hundred numbers counts as one that does not end."""

LONGEST = 1000
"""Characters of the longest message."""

LENGTHS = (0, 1, 2, 3, 4, 7, 12, 20, 40, 64, 80, 130, 200, 300, 700)

POWERS = (15, 31, 32, 52, 53, 63, 64, 65, 100, 128, 4096)
WHOLE = [0, 1, 2, 6, 10, 100, *(2**e + i for e in POWERS for i in (-1, 0, 1))]
WHOLE += [10**30, 10**308, 10**309, 10**400, 10**5000]
REAL = [0.0, -0.0, 5e-324, 2.3e-308, 1e-300, 1e-17, 0.1, 1 - 2**-53, 1.0, 1 + 2**-52, 1e9, 2.0**53, 1e22, 1e100, 1e154]
REAL += [1e300, 1e308, sys.float_info.max]
NOT_FINITE = [math.inf, -math.inf, math.nan]
OTHER = [None, True, "", "7", "\ud800", "\x1b[31m", b"1", 1j, Decimal("1e999"), Fraction(1, 10**5000)]
OTHER += [[], [1], {}, object]

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "c8", "c16", "O", "U5", "S3"]
DTYPES += ["M8[s]", "m8[D]", "V4", ">u4", ">f8", "u4,f8"]
SHAPES = [(), (0,), (60,), (300,), (300,), (0, 5), (3, 0), (2, 3), (40, 1), (30, 8), (2, 2, 2), (1,) * 20]

WORDS = ["heads", "tails", "AS", "10H", "nan", "inf", "1e999", "0x1f", "1,234", "é", "\ud800", "\u2028", "\x1b[2J"]
WORDS += ["-", "#", "...", "1e400", "9" * 1001]
TEXTS = ["", "1", "-1", "0", "x", "a.b", "(", "\\d+", "(a+)+$", "(?P<value>.)", "\n", "\0", "9" * 5000, "\ud800"]
PATTERNS = ["1", "0,1", "0,0,2", "4095", "4096", "0", "1,", ",", "-1", "9" * 5000, "1," * 3000 + "1", "\ud800", "١"]
FORMULAS = ["100 * u", "floor(6 * u) + 1", "-log(1 - u)", "u - u", "1 / u", "u ** u ** u", "9 ** 9 ** 9 * u"]
FORMULAS += ["1e999 * u", "", "u", "v", "(" * 5000, "u +", "(u", "sqrt(-u)", "u" * 5000, "__import__('os')", "\ud800"]
SEEDS = ["0:50", "8bit", "0", "64bit", "99 bits", "-1", "5:1", "x", "9" * 5000, "1e3", "", "0:", "2^40", "\ud800"]
SEEDS += ["none"]
AROUND = [
    "2026-11-20T12:00+-0.001",
    "2026-11-20",
    "9999-12-31",
    "0001-01-01",
    "1970-01-01T00:00+14:00",
    "now",
    "+-",
    "",
]
AROUND += [
    "2026-11-20+-nan",
    "2026-11-20+-inf",
    "2026-11-20+-1e308",
    "2026-11-20+--5",
    "2026-11-20T12:00+-" + "9" * 400,
]

JSON = r"""
[1e999, 2]
[-0]
[NaN, 1]
[Infinity, -Infinity]
[1, 2
["\ud800", "a", "\ud800", "a", "a", "a"]
["\u0000", "\n"]
["\u001b[31m", "b", "b", "b", "\u001b[31m", "\u001b[31m"]
{"a": [1, 2], "a": 3}
{"v": [1, 2, 3], "w": [1, 2, 3]}
[null, true]
[{}, {}]
[[], []]
{}
[]
[{"a\nb": 1}]
""".strip().splitlines()
JSON += ["[" * 100_000, '{"a":' * 100_000, "[" * 500 + "1" + "]" * 500, "[" + "9" * 10**6 + "]"]
JSON += ['{"\\ud800": 1}\n{"\\ud800": 2}']

PATHS = ["", "\0", "no\nsuch", "x" * 5000, "\ud800", "\x1b[31m", "/dev/zero", "/dev/null", "/proc/self/mem", Path("/")]
OBJECTS = [None, 5, 1.5, True, b"\x01\x02", bytearray(64), memoryview(b"123"), {1: 2}, {1, 2}, object(), ("1", "2"), ()]
OBJECTS += [range(0), range(50), range(10**12), range(2**70, 0, -(10**18))]


@dataclass(frozen=True)
class HostileAudit:
    """An input of `audit`: `numbers` as an object, or the `content` of a file; and its options."""

    numbers: Any = None
    content: bytes | None = None
    options: dict[str, Any] = field(default_factory=dict)


def hostile_audit(seed: int) -> HostileAudit:
    """The input with this number, the same whenever it is asked for."""
    chance = Random(seed)
    if chance.random() < 0.6:
        numbers = chance.choice((*[_list] * 8, _mixed, _nested, _nested, _array, _array, _object))(chance)
        if chance.random() < 0.4 and isinstance(numbers, list):
            return HostileAudit(numbers, options=_fitting(chance, numbers))
        return HostileAudit(numbers, options=_options(chance, of_file=chance.random() < 0.03))
    content = chance.choice((_text, _text, _text, _json, _json, _table, _npy, _bytes, _one_line))(chance)
    if chance.random() < 0.3:
        content = _damaged(chance, content)
    return HostileAudit(content=content, options=_options(chance, of_file=True))


def attack(case: HostileAudit, seconds: float = SECONDS) -> str:
    """What an audit of this input says: the words of its verdict, or "refused". AssertionError for anything else, such
    as another exception, a warning, or a message that is long or cannot be printed.
    """
    started = time.process_time()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("error")
        numbers = case.numbers
        if case.content is not None:
            numbers = Path(folder) / "numbers"
            numbers.write_bytes(case.content)
        try:
            verdict = audited(numbers, **{"max_seconds": seconds, **case.options})
            json.dumps(verdict.to_json(), allow_nan=False)
            verdict.text().encode()
            assert verdict.exit_status in (0, 10, 11, 12), verdict.exit_status
            outcome = verdict.verdict
        except UserError as error:
            outcome, said = "refused", str(error)
            assert said.isprintable(), f"not one line of printable characters: {said!r}"
            assert len(said) < LONGEST, f"a long line: {said[:100]} … {said[-100:]}"
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            raise AssertionError(f"{type(error).__name__} at {place}: {str(error)[:200]}") from error
    took = time.process_time() - started
    assert took < PATIENCE, f"took {took:.0f} s of the processor"
    return outcome


def _list(chance: Random) -> list[Any]:
    """Numbers of one kind: by a pattern, in some lists with a few extreme ones put in their places."""
    whole = chance.random() < 0.55
    numbers = chance.choice(WHOLE_PATTERNS if whole else REAL_PATTERNS)(chance, chance.choice(LENGTHS))
    extremes: list[Any] = [sign * x for x in (WHOLE if whole else REAL) for sign in (1, -1)]
    if chance.random() < 0.7:
        extremes = [x for x in extremes if abs(x) < (2**4096 if whole else 1e100)]
    if chance.random() < 0.25:
        share = chance.choice((0.02, 0.5))
        numbers = [chance.choice(extremes) if chance.random() < share else x for x in numbers]
    if chance.random() < 0.03 and numbers:
        numbers[chance.randrange(len(numbers))] = chance.choice(NOT_FINITE)
    return numbers


def _uniform(chance: Random, count: int) -> list[Any]:
    bits, sign = chance.choice((1, 3, 8, 15, 31, 32, 52, 53, 63, 64, 65, 100, 128, 1000, 4096)), chance.random()
    return [chance.getrandbits(bits) * (-1 if chance.random() < sign / 2 else 1) for _ in range(count)]


def _ranged(chance: Random, count: int) -> list[Any]:
    start, size = chance.choice((-1, 1, 0)) * chance.choice(WHOLE), max(1, chance.choice(WHOLE))
    return [start + chance.randrange(size) for _ in range(count)]


def _counter(chance: Random, count: int) -> list[Any]:
    start, step = chance.choice(WHOLE), chance.choice((0, 1, -1, 2**31, -(2**63), 10**20))
    return [start + i * step for i in range(count)]


def _congruential(chance: Random, count: int) -> list[Any]:
    m = chance.choice((2**16, 2**31 - 1, 2**32, 2**64, 2**127 - 1, 2**521 - 1))
    a, c, x, numbers = chance.randrange(1, m), chance.randrange(m), chance.randrange(m), list[Any]()
    shift, sign = chance.choice((0, 0, 1, 16)), chance.choice((1, 1, -1))
    for _ in range(count):
        x = (a * x + c) % m
        numbers.append(sign * (x >> shift))
    return numbers


def _dice(chance: Random, count: int) -> list[Any]:
    return [chance.choice((0, 1)) if count % 2 else chance.randint(1, 6) for _ in range(count)]


def _reals(chance: Random, count: int) -> list[Any]:
    scale, offset = chance.choice((*[1.0] * 12, *REAL[:-1])), chance.choice((*[0.0, 1.0] * 8, *REAL[:-2]))
    return [offset + scale * chance.random() for _ in range(count)]


def _rounded(chance: Random, count: int) -> list[Any]:
    places, scale = chance.choice((1, 2, 4, 6, 9, 15, 300)), chance.choice((1, 100, 1e15, 1e90))
    return [round(scale * chance.random(), places) for _ in range(count)]


def _normal(chance: Random, count: int) -> list[Any]:
    mean, deviation = chance.choice((0.0, 5.0, 1e90, -1e-300)), chance.choice((1.0, 2.5, 1e-300, 1e99, 1e306))
    return [chance.gauss(mean, deviation) for _ in range(count)]


def _exponents(chance: Random, count: int) -> list[Any]:
    largest = chance.choice((0, 90, 308))
    return [chance.choice((1, -1)) * 10.0 ** chance.uniform(-320, largest) for _ in range(count)]


def _fractions(chance: Random, count: int) -> list[Any]:
    divisor = chance.choice((2**15 - 1, 2**24, 2**31 - 1, 2**32, 2**53, 2**64))
    return [chance.randrange(divisor) / divisor for _ in range(count)]


Pattern = Callable[[Random, int], list[Any]]
WHOLE_PATTERNS: list[Pattern] = [_uniform, _uniform, _ranged, _counter, _congruential, _dice]
REAL_PATTERNS: list[Pattern] = [_reals, _rounded, _normal, _exponents, _fractions]


def _mixed(chance: Random) -> list[Any]:
    """Things of every kind in one list, or a few words and numbers as text."""
    things = [*WHOLE, *REAL, *NOT_FINITE, *OTHER]
    if chance.random() < 0.5:
        things = chance.sample([*map(_written, [*REAL, *WHOLE]), *WORDS], chance.randint(1, 4))
    return [chance.choice(things) for _ in range(chance.choice(LENGTHS))]


def _nested(chance: Random) -> list[Any]:
    """Lists in a list: shuffles, rows of unequal length, or lists many levels deep."""
    kind, cards = chance.random(), chance.choice((1, 2, 3, 10, 52, 500))
    if kind < 0.5:
        things = chance.choice(
            ([*range(cards)], [f"c{i}" for i in range(cards)], [10**6 * i - 1 for i in range(cards)])
        )
        rows: list[Any] = [chance.sample(things, len(things)) for _ in range(chance.choice((1, 2, 3, 20)))]
        if chance.random() < 0.3:
            rows[-1] = chance.choice((things[1:], 5, [things], "12", None, np.array(3)))
        return rows
    if kind < 0.8:
        return [_list(chance)[: chance.choice((0, 1, 5, 50))] for _ in range(chance.choice((1, 2, 9)))]
    deep: list[Any] = [1]
    for _ in range(chance.choice((2, 50, 100_000))):
        deep = [deep]
    return deep


def _array(chance: Random) -> Any:
    """An array of any dtype and shape."""
    shape = chance.choice(SHAPES)
    size, dtype = math.prod(shape), np.dtype(chance.choice(DTYPES))
    if dtype.hasobject:
        values = np.empty(size, dtype=object)
        values[:] = [chance.choice(chance.choice(([*WHOLE, *REAL, *OTHER], WHOLE))) for _ in range(size)]
    elif dtype.kind == "f" and chance.random() < 0.5:
        with np.errstate(all="ignore"):
            values = np.array([chance.choice([*REAL, *NOT_FINITE]) for _ in range(size)]).astype(dtype)
    else:
        values = np.frombuffer(chance.randbytes(size * dtype.itemsize), dtype=dtype)
    values = values.reshape(shape)
    return np.ma.masked_array(values, mask=False) if chance.random() < 0.05 else values


def _object(chance: Random) -> Any:
    """No list and no array, or one that is too long; names of files that cannot be read."""
    return chance.choice([*OBJECTS, *PATHS])


def _written(x: Any) -> str:
    """A number as text; one of more digits than Python writes as a power of ten."""
    return str(x) if isinstance(x, float) or x.bit_length() < 14_000 else "1" + "0" * 5000


def _text(chance: Random) -> bytes:
    """Numbers in a notation, between separators."""
    show = chance.choice(
        (str, str, str, lambda word: f"{len(word) * 2654435761 % 2**32:x}", lambda word: f"'{word:.9}'")
    )
    shown = [show(_written(x)) for x in _list(chance)]
    if chance.random() < 0.2:
        shown = [chance.choice(WORDS[:4]) for _ in shown]
    if chance.random() < 0.2 and shown:
        shown[chance.randrange(len(shown))] = chance.choice(WORDS)
    mark = chance.choice(("\n", "\n", " ", ", ", ";", "\t", "\r\n", "\x0b", "\n\n#\n"))
    return mark.join(shown).encode("utf-8", "replace")


def _one_line(chance: Random) -> bytes:
    """One long word."""
    word = chance.choice(("0", "01", "9", "a", "[", "{", '"', "-", "a,", "1,", "1 ", "é", "🂡", "\\", "("))
    return (word * chance.choice((39, 40, 1000, 1001, 20_000))).encode()


def _json(chance: Random) -> bytes:
    """JSON, some of it with depths, digits, characters and constants that parsers stumble over."""
    if chance.random() < 0.4:
        return chance.choice(JSON).encode()
    numbers = [_written(x) for x in _list(chance)]
    if chance.random() < 0.5:
        return f"[{', '.join(numbers)}]".encode()
    shape = chance.choice(('{"x": %s, "i": 1}', '["%s", 1]', '{"a": {"b": %s}}'))
    lines = [shape % number for number in numbers]
    return ("\n".join(lines) if chance.random() < 0.5 else f"[{','.join(lines)}]").encode()


def _table(chance: Random) -> bytes:
    """Columns of numbers, some with a heading."""
    columns, rows = chance.choice((1, 2, 3, 8, 1001)), chance.choice((1, 2, 20, 60))
    mark = chance.choice((",", ";", "\t", " "))
    lines = [mark.join(_written(chance.choice([*WHOLE[:20], *REAL, i])) for _ in range(columns)) for i in range(rows)]
    if chance.random() < 0.5:
        lines.insert(0, mark.join(chance.choice((f"c{i}", "x", "", '"')) for i in range(columns)))
    return "\n".join(lines).encode()


def _npy(chance: Random) -> bytes:
    """A file of numpy's, some with another shape than it has."""
    file, values = io.BytesIO(), np.asarray(_array(chance))
    np.save(file, values, allow_pickle=True)
    content = file.getvalue()
    if chance.random() < 0.4:
        shape = chance.choice(
            (b"(99999999999999999999,)", b"(-1,)", b"(1e9,)", b"(" * 500, b"'x'", b"None", b"(True,)")
        )
        content = content.replace(str(values.shape).encode(), shape, 1)
    return content


def _bytes(chance: Random) -> bytes:
    return chance.randbytes(chance.choice((0, 1, 7, 8, 64, 240, 4000)))


def _damaged(chance: Random, content: bytes) -> bytes:
    """A copy that is cut off, or with some bytes changed."""
    if chance.random() < 0.3:
        return content[: chance.randrange(len(content) + 1)]
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 3, 20))):
        at = chance.randrange(len(damaged) + 1)
        piece = chance.choice((b"\0", b"\xff", b"e", b",", b"\n", b"9" * 400, b"[", b'"', b"-"))
        damaged[at : at + chance.choice((0, 1, 5))] = piece
    return bytes(damaged)


def _options(chance: Random, *, of_file: bool) -> dict[str, Any]:
    """Up to three options of any value; a few of them are of a type that is not theirs."""
    whole = [sign * x for x in WHOLE for sign in (1, 1, 1, -1)]
    possible: dict[str, list[Any]] = {
        **dict.fromkeys(("bounded", "modulus", "multiplier", "increment"), whole),
        "bits": [1, 8, 31, 32, 53, 64, 65, 100, 4096, 4097, *whole],
        "start": [*whole, *REAL, *NOT_FINITE, -1, -0.5],
        "scale": [*whole, *REAL, *NOT_FINITE, 2, -1.0],
        "family": [*(family.name for family in FAMILIES), "rand", "LCG", ""],
        "pattern": PATTERNS,
        "alphabet": ["01", "0123456789abcdef", "HT", "", "aa", *TEXTS],
        "formula": FORMULAS,
        "max_seconds": [0, 0.01, 0.3, True, -1, *NOT_FINITE, "1"],
    }
    if chance.random() < 0.08:
        possible |= {
            "seeds": SEEDS,
            "around": AROUND,
            "program": ["php", "C", "Python", "x", "", "("],
            "watch": [5, "x"],
        }
    if of_file:
        possible |= {"raw": [*get_args(Raw)], "column": TEXTS, "regex": TEXTS, "notation": [*NOTATIONS, "x", ""]}
        possible |= {"rows": [True, True, "x"], "low": TEXTS, "high": TEXTS}
    names = chance.sample(sorted(possible), chance.choice((0, 0, 0, 0, 0, 1, 1, 2, 3)))
    if chance.random() < 0.1:
        nonsense = [*OTHER, *NOT_FINITE, *WHOLE, np.int64(3), np.float32(0.5), np.array([1])]
        return {name: chance.choice(nonsense) for name in names}
    return {name: chance.choice(possible[name]) for name in names}


def _fitting(chance: Random, numbers: list[Any]) -> dict[str, Any]:
    """Up to three options that a user of these numbers might give: what is true of them, or nearly."""
    if set(map(type, numbers)) not in ({int}, {float}) or not all(math.isfinite(_small(x)) for x in numbers):
        return {}
    least, most = min(numbers), max(numbers)
    span, more = most - least, chance.choice((1, 1, 2, 2**20, 2**60, 2**70))
    possible: dict[str, Any] = {
        "start": chance.choice((least, 0, least - 1, math.floor(least))),
        "scale": chance.choice((1, 2, span, 1.5 * _small(span), 1e-90)),
        "family": chance.choice([family.name for family in FAMILIES]),
        "max_seconds": chance.choice((0, 0.01, np.float32(0.1))),
    }
    if isinstance(span, int):
        possible |= {
            "bits": most.bit_length() + chance.choice((0, 0, 1, 30)),
            "bounded": chance.choice((most + 1, most * more, span + 1, 2**53 + 1, 2**64)),
            "scale": chance.choice((1, 2, span, math.gcd(*numbers))),
            "modulus": chance.choice((most + 1, most * more, 2 ** most.bit_length())),
            "multiplier": chance.choice((16807, 0, 1, 2**31, 6364136223846793005)),
            "pattern": chance.choice(PATTERNS[:4]),
        }
        if chance.random() < 0.2:
            possible |= {
                "seeds": chance.choice(("0:50", "8bit", "12bit")),
                "program": chance.choice(("C", "Python", "R")),
            }
    chosen = {name: possible[name] for name in chance.sample(sorted(possible), chance.choice((1, 2, 3)))}
    if "program" in chosen:
        chosen["seeds"] = possible["seeds"]
    if {"modulus", "multiplier"} <= set(chosen):
        chosen["increment"] = chance.choice((None, 0, 1, 12345))
    return chosen


def _small(x: Any) -> Any:
    """A number that fits a double."""
    return x if isinstance(x, float) or x.bit_length() < 1000 else 2.0**1000


def main(count: int, first: int = 0, seconds: float = SECONDS) -> None:
    """Try so many inputs from number `first` on, for so long each, and print the outcomes and the failures."""
    outcomes, failures = Counter[str](), list[tuple[int, str]]()
    for seed in range(first, first + count):
        try:
            outcomes[attack(hostile_audit(seed), seconds)] += 1
        except AssertionError as error:
            outcomes["failed"] += 1
            failures.append((seed, str(error)))
    for outcome, times in outcomes.most_common():
        print(f"{times:>7}  {outcome}")
    for seed, said in failures:
        print(f"seed {seed}: {said}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
