"""Is any plausible input answered in time, with any options? ``python tests/auditing/fuzz_audits.py 10000`` tries many
audits, prints how many had which outcome, the largest overruns, and the audits that failed, with what they were doing;
``fuzz_audits.py 1 4711`` tries number 4711 again.

An audit is made from its number alone: up to 3,000 numbers as programs print them, with any options. Inputs and values
at the edges of what machines count are those of ``hostile_streams.py``.
"""

import faulthandler
import io
import json
import math
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, get_args

import numpy as np
from hostile_streams import HostileAudit, attack

from unrandom.auditing.families import FAMILIES
from unrandom.auditing.generators.v8 import MathRandom, State
from unrandom.auditing.reading.parsing import NOTATIONS
from unrandom.core.names import Raw

OVERRUN = 3.0
"""Seconds that an audit may take beyond its time limit: the lesser of those of the clock and of the processor."""

LENGTHS = (0, 1, 2, 3, 5, 8, 12, 12, 20, 20, 31, 32, 50, 64, 100, 200, 300, 624, 700, 1000, 2000, 3000)
LIMITS = (0, 0.01, *[0.1] * 5, *[0.3] * 12, 2)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
BASE62 = DIGITS + DIGITS[10:].upper()
BASE32 = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
KNOWN = ((2**31 - 1, 16807, 0), (2**32, 1664525, 1013904223), (2**48, 25214903917, 11), (2**64, 6364136223846793005, 1))
REGEXES = [r"\d+", r": (.*)", r"v=(?P<value>\S+)", r"=(\S+)", r"([0-9a-f]{8})", r"(\d+\.\d+)", "(a+)+$"]


def fuzzed_audit(number: int) -> HostileAudit:
    """The audit with this number, the same whenever it is asked for."""
    chance = Random(number)
    make = chance.choice(NUMBERS)
    numbers = make(chance, chance.choice(LENGTHS))
    options = _options(chance, numbers)
    kind = chance.random()
    if kind < 0.35:
        return HostileAudit(numbers, options=options)
    if kind < 0.42 and numbers and not isinstance(numbers[0], list | str):
        whole = all(isinstance(x, int) for x in numbers)
        fits = all(0 <= x < 2**64 for x in numbers) if whole else True
        return HostileAudit(np.array(numbers, dtype=("u8" if fits else "O") if whole else "f8"), options=options)
    if kind < 0.47:
        return HostileAudit([*map(str, numbers)], options=options)
    content = chance.choice((_lines, _lines, _lines, _words, _json, _objects, _table, _table, _log, _raw, _npy))
    return HostileAudit(content=content(chance, numbers), options=options | _of_file(chance, content))


def _bits(chance: Random, count: int) -> list[Any]:
    bits = chance.choice((1, 2, 8, 15, 16, 24, 31, 32, 40, 52, 53, 63, 64, 65, 96, 100, 128, 160, 256, 512))
    return [chance.getrandbits(bits) for _ in range(count)]


def _widths(chance: Random, count: int) -> list[Any]:
    widths = [chance.choice((8, 16, 32, 40, 64, 96, 128, 200)) for _ in range(chance.choice((2, 3, 5, 8)))]
    return [chance.getrandbits(widths[i % len(widths)]) for i in range(count)]


def _ranges(chance: Random, count: int) -> list[Any]:
    n = chance.choice((2, 3, 6, 10, 13, 37, 52, 100, 256, 365, 1000, 10**4, 2**15 - 1, 10**6, 10**9, 2**53 - 1, 10**18))
    start = chance.choice((0, 0, 0, 1, 1, -n // 2, 1000))
    return [start + chance.randrange(n) for _ in range(count)]


def _fractions(chance: Random, count: int) -> list[Any]:
    places, scale = chance.choice((1, 2, 3, 4, 6, 7, 9, 12, 15, 16)), chance.choice((1, 1, 1, 100, 2 * math.pi))
    shift = chance.choice((0, 0, 0, -1, 0.5))
    return [round(scale * (chance.random() + shift), places) for _ in range(count)]


def _doubles(chance: Random, count: int) -> list[Any]:
    return [chance.random() for _ in range(count)]


def _singles(chance: Random, count: int) -> list[Any]:
    return [float(np.float32(chance.getrandbits(24) / 2**24)) for _ in range(count)]


def _edges(chance: Random, count: int) -> list[Any]:
    near = chance.choice((0.0, 1.0)), chance.choice((1e-3, 1e-9, 1e-15, 1e-300))
    return [abs(near[0] - near[1] * chance.random()) for _ in range(count)]


def _sizes(chance: Random, count: int) -> list[Any]:
    low, high = chance.choice(((-300, -250), (-20, 20), (10, 90), (-320, 99)))
    return [chance.choice((1, 1, 1, -1)) * 10.0 ** chance.uniform(low, high) for _ in range(count)]


def _negative(chance: Random, count: int) -> list[Any]:
    bits = chance.choice((8, 32, 64, 128))
    return [chance.getrandbits(bits) - 2 ** (bits - 1) for _ in range(count)]


def _constant(chance: Random, count: int) -> list[Any]:
    return [chance.choice((0, 1, 7, 0.5, -3, 2**64, 1e-300))] * count


def _counter(chance: Random, count: int) -> list[Any]:
    start, step = chance.choice((0, 1, 10**9, 2**63, 0.5, 1.7e9)), chance.choice((1, -1, 2, 1000, 0.1, 2**40))
    return [start + i * step for i in range(count)]


def _period(chance: Random, count: int) -> list[Any]:
    some = chance.choice((_bits, _doubles, _ranges))(chance, chance.choice((1, 2, 3, 10, 99)))
    return [some[i % len(some)] for i in range(count)]


def _sorted(chance: Random, count: int) -> list[Any]:
    return sorted(chance.choice((_bits, _doubles, _ranges))(chance, count), reverse=chance.random() < 0.3)


def _tokens(chance: Random, count: int) -> list[Any]:
    letters = chance.choice((DIGITS, BASE62, BASE62 + "-_", DIGITS[:16], "01", "ACGT", BASE32))
    widths = chance.choice(((8,), (10,), (16,), (32,), (1,), (4, 12), range(1, 12)))
    return ["".join(chance.choices(letters, k=chance.choice(widths))) for _ in range(count)]


def _math_random_tokens(chance: Random, count: int) -> list[Any]:
    """Math.random().toString(36).slice(2), nearly."""
    tokens = []
    for x in _v8(chance, count):
        token, width = "", chance.choice((11, 11, 11, 10))
        for _ in range(width):
            digit, x = int(36 * x), 36 * x % 1
            token += DIGITS[digit]
        tokens.append(token)
    return tokens


def _uuids(chance: Random, count: int) -> list[Any]:
    return [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(count)]


def _shuffles(chance: Random, count: int) -> list[Any]:
    size = chance.choice((2, 3, 5, 10, 52, 300))
    things: list[Any] = [*range(size)] if chance.random() < 0.7 else [f"c{i}" for i in range(size)]
    return [chance.sample(things, size) for _ in range(min(100, count // size))]


def _coins(chance: Random, count: int) -> list[Any]:
    return [chance.choice(("heads", "tails")) for _ in range(count)]


def _things(chance: Random, count: int) -> list[Any]:
    things = chance.choice((["rock", "paper", "scissors"], ["N", "E", "S", "W"], [f"user{i}" for i in range(40)]))
    return [chance.choice(things) for _ in range(count)]


def _normal(chance: Random, count: int) -> list[Any]:
    mean, deviation, places = chance.choice((0, 5, 100)), chance.choice((1, 1, 15)), chance.choice((2, 5, 7, 17))
    return [round(chance.gauss(mean, deviation), places) for _ in range(count)]


def _exponential(chance: Random, count: int) -> list[Any]:
    rate, places = chance.choice((1, 1, 0.01)), chance.choice((3, 6, 17))
    return [round(chance.expovariate(rate), places) for _ in range(count)]


def _r_normals(chance: Random, count: int) -> list[Any]:
    normals = np.random.RandomState(chance.randrange(1000)).normal(size=count)
    return [float(x) for x in normals.round(chance.choice((5, 17)))]


def _congruential(chance: Random, count: int) -> list[Any]:
    m, a, c = chance.choice((*KNOWN, (2**61 - 1, chance.randrange(2**61), 5), (10007, 5, 3)))
    x, way, n = chance.randrange(m), chance.random(), chance.choice((2, 6, 52, 100, 1000))
    shift = chance.choice((0, 0, 16, m.bit_length() // 2))
    numbers = list[Any]()
    for _ in range(count):
        x = (a * x + c) % m
        numbers.append(x >> shift if way < 0.5 else x / m if way < 0.7 else x % n if way < 0.85 else x * n // m)
    return numbers


def _twister(chance: Random, count: int) -> list[Any]:
    source = Random(chance.randrange(10**6))
    draw = chance.choice(
        (
            lambda: source.getrandbits(32),
            source.random,
            lambda: source.getrandbits(64),
            lambda: source.getrandbits(128),
            lambda: source.randrange(1000),
            lambda: source.randint(1, 6),
            lambda: source.getrandbits(chance.choice((32, 32, 64))),
            lambda: source.gauss(0, 1),
        )
    )
    return [draw() for _ in range(count)]


def _v8(chance: Random, count: int) -> list[Any]:
    engine, numbers = MathRandom(52), list[Any]()
    state: State = (chance.getrandbits(64), chance.getrandbits(64))
    while len(numbers) < count:
        block, state = engine.block(state)
        numbers += [x / 2**52 for x in block]
    return numbers[:count]


def _v8_ranges(chance: Random, count: int) -> list[Any]:
    n = chance.choice((2, 6, 10, 36, 100, 1000, 2**32))
    return [int(n * x) for x in _v8(chance, count)]


def _xorshift(chance: Random, count: int) -> list[Any]:
    x, n, numbers = chance.randrange(1, 2**32), chance.choice((2**32, 2**32, 2**16, 100)), list[Any]()
    for _ in range(count):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        numbers.append(x % n)
    return numbers


def _broken(chance: Random, count: int) -> list[Any]:
    """A generator with outputs lost, changed or foreign, or two in turn."""
    makers = (_congruential, _twister, _xorshift, _v8)
    numbers = chance.choice(makers)(chance, count)
    if chance.random() < 0.3:
        others = chance.choice(makers)(chance, count)
        return [x for pair in zip(numbers, others, strict=True) for x in pair]
    for _ in range(chance.choice((1, 3, 30))):
        at = chance.randrange(len(numbers) + 1)
        numbers[at : at + chance.choice((0, 1, 5))] = [chance.choice(numbers or [1])] * chance.choice((0, 1, 2))
    return numbers


NUMBERS: list[Callable[[Random, int], list[Any]]] = [
    *(_bits, _bits, _widths, _ranges, _ranges, _fractions, _fractions, _doubles, _singles, _edges, _sizes, _negative),
    *(_constant, _counter, _period, _sorted, _tokens, _tokens, _math_random_tokens, _uuids, _shuffles, _coins, _things),
    *(_normal, _exponential, _r_normals, _congruential, _congruential, _congruential, _twister, _twister, _v8),
    *(_v8_ranges, _xorshift, _broken, _broken),
]


def _written(chance: Random, numbers: list[Any]) -> list[str]:
    """Numbers as texts, in one notation."""
    shows: list[Callable[[Any], str]] = [str, str, str, str, repr, lambda x: str(x).replace(".", ",")]
    if numbers and all(isinstance(x, int) for x in numbers):
        shows += [lambda x: f"{x:x}", hex, lambda x: f"{x:,}", lambda x: f"{x:020}", bin]
    if numbers and all(isinstance(x, float) for x in numbers):
        shows += [lambda x: f"{x:.6e}", lambda x: f"{x:.3f}", lambda x: f"{100 * x:.2f}%", lambda x: f"{x:+.17g}"]
    show = chance.choice(shows)
    return [" ".join(map(show, x)) if isinstance(x, list) else show(x) for x in numbers]


def _lines(chance: Random, numbers: list[Any]) -> bytes:
    mark = chance.choice(("\n", "\n", "\n", "\r\n"))
    return (mark.join(_written(chance, numbers)) + mark).encode()


def _words(chance: Random, numbers: list[Any]) -> bytes:
    return chance.choice((" ", ", ", ",", ";", "\t", "  ")).join(_written(chance, numbers)).encode()


def _json(chance: Random, numbers: list[Any]) -> bytes:
    return json.dumps({"v": numbers} if chance.random() < 0.3 else numbers).encode()


def _objects(chance: Random, numbers: list[Any]) -> bytes:
    rows = [{"i": i, "x": {"y": x}} for i, x in enumerate(numbers)]
    return ("\n".join(map(json.dumps, rows)) if chance.random() < 0.5 else json.dumps(rows)).encode()


def _table(chance: Random, numbers: list[Any]) -> bytes:
    mark, shown = chance.choice((",", ";", "\t", "  ")), _written(chance, numbers)
    kind = chance.random()
    if kind < 0.3:
        size = chance.choice((2, 3, 7))
        lines = [mark.join(shown[i : i + size]) for i in range(0, len(shown), size)]
    elif kind < 0.6 and numbers and isinstance(numbers[0], float):
        lines = [f"{x - 0.005:.2f}{mark}{x + 0.005:.2f}" for x in numbers]
    else:
        lines = [f"{i}{mark}{chance.choice('abc')}{mark}{x}" for i, x in enumerate(shown)]
    return "\n".join([*([mark.join(("id", "low", "value"))] if chance.random() < 0.6 else []), *lines]).encode()


def _log(chance: Random, numbers: list[Any]) -> bytes:
    shape = chance.choice(("t={i} v={x}", "[2026-11-20 10:00:{j:02}] roll {i}: {x}", "x{i} = {x}", "id={x};n={i}"))
    shown = enumerate(_written(chance, numbers))
    return "\n".join(shape.format(i=i, j=i % 60, x=x) for i, x in shown).encode()


def _raw(chance: Random, numbers: list[Any]) -> bytes:
    dtype = chance.choice(("<u4", "<u8", ">u4", "<f8", "<f4", "u1", "<u2"))
    plain = [x for x in numbers if isinstance(x, int | float) and abs(x) < 1e30]
    if dtype[1] == "f" and len(plain) == len(numbers):
        return np.array(plain, dtype=dtype).tobytes()
    return chance.randbytes(8 * len(numbers))


def _npy(chance: Random, numbers: list[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([x for x in numbers if isinstance(x, int | float) and x < 2**63]))
    return file.getvalue()


def _options(chance: Random, numbers: list[Any]) -> dict[str, Any]:
    """Up to four options, most of which fit the numbers, and a time limit."""
    possible: dict[str, list[Any]] = {
        "start": [0, 1, -1, -0.5, 0.5, 1000, -(2**31)],
        "scale": [1, 2, 6, 100, 0.01, 2 * math.pi, 1e-9],
        "pattern": ["1", "0,1", "2", "0,0,2", "1,0,3", "5", "7,7", "100", "4000", "1,1,1,1,1,1,1,0"],
        "family": [family.name for family in FAMILIES],
        "seeds": ["0:1000", "none", "42", "none", "16bit", "0:100000"],
        "around": ["2026-11-20T12:00+-0.01", "2026-11-20+-1"],
        "program": ["Python", "php", "C ", "R set", "java", "numpy", "srand", "go"],
    }
    if all(isinstance(x, int) for x in numbers):
        most, least = max(numbers, default=1), min(numbers, default=0)
        possible |= {
            "bits": [most.bit_length(), most.bit_length() + chance.choice((1, 7, 30)), 32, 64, 512],
            "bounded": [most + 1, most + 2, most * 3 + 1, 2 ** most.bit_length(), most - least + 1, 100, 2**32],
            "start": [least, least - 1, 0, 1],
            "scale": [1, 1, math.gcd(*numbers), 2],
            "modulus": [most + 1, 2 ** most.bit_length(), 2**31 - 1, 2**48, 2**64, 10007, 2**128],
        }
    else:
        possible["formula"] = ["100 * u", "-log(1 - u)", "2 * u - 1", "floor(100 / (1.0001 - u))", "u ** 2"]
        possible["modulus"] = [2**31 - 1, 2**32, 2**48, 2**64, 2**61 - 1]
    if numbers and isinstance(numbers[0], str):
        possible["alphabet"] = [DIGITS, BASE62, BASE62 + "-_", DIGITS[:16], "01", "ACGT"]
    if chance.random() < 0.1:
        possible |= {"bits": [1, 8, 100], "bounded": [2, 6, 2**53], "formula": ["floor(6 * u) + 1", "u *"]}
        possible |= {"alphabet": ["01", "aa", BASE62], "increment": [0, 1], "pattern": ["0", "x", ""], "program": ["x"]}
    names = chance.sample([*possible, "family", "family"], chance.choice((0, 0, 1, 1, 1, 2, 2, 3, 4)))
    chosen = {name: chance.choice(possible[name]) for name in names}
    if "modulus" in chosen and chance.random() < 0.5:
        chosen["multiplier"] = chance.choice((16807, 1664525, 25214903917, 6364136223846793005, 5, 2, 1, 0))
        if chance.random() < 0.5:
            chosen["increment"] = chance.choice((0, 1, 11, 1013904223))
    if chosen.keys() & {"around", "program"} and "seeds" not in chosen and chance.random() < 0.8:
        chosen["seeds"] = "0:3000"
    return chosen | {"max_seconds": chance.choice(LIMITS)}


def _of_file(chance: Random, made: Callable[..., bytes]) -> dict[str, Any]:
    """Up to two options for such a content."""
    possible: dict[str, list[Any]] = {"notation": [*NOTATIONS]}
    if made in (_table, _objects, _json) or chance.random() < 0.1:
        column = chance.choice(("1", "2", "3", "value", "x.y", "v", "y"))
        possible |= {"column": [column], "rows": [True], "low": [chance.choice(("1", "id", "low"))]}
    if made in (_log, _lines) or chance.random() < 0.1:
        possible["regex"] = REGEXES
    if made is _raw or chance.random() < 0.05:
        possible = {"raw": [*get_args(Raw)]}
    names = chance.sample(sorted(possible), 1 if made is _raw else chance.choice((0, 0, 1)))
    chosen = {name: chance.choice(possible[name]) for name in names}
    return chosen | ({"high": chance.choice(("2", "low", "value"))} if "low" in chosen else {})


def check(number: int, overrun: float = OVERRUN) -> tuple[str, float]:
    """What the audit with this number says, and the seconds it took beyond its limit. AssertionError if these are more
    than `overrun`, or for what is no answer.
    """
    case = fuzzed_audit(number)
    limit = case.options["max_seconds"]
    with tempfile.TemporaryFile("w+") as places:
        faulthandler.dump_traceback_later(limit + overrun, file=places)
        clock, processor = time.monotonic(), time.process_time()
        try:
            outcome = attack(case)
        finally:
            faulthandler.cancel_dump_traceback_later()
        took = min(time.monotonic() - clock, time.process_time() - processor) - limit
        places.seek(0)
        assert took < overrun, f"{took:.1f} s beyond the limit, in\n{_place(places.read())}"
    return outcome, took


def _place(dump: str) -> str:
    """The last calls of the main thread."""
    calls = dump.rpartition("most recent call first")[2].splitlines()[1:]
    return "\n".join(line for line in calls if "unrandom" in line)


def main(count: int, first: int = 0) -> None:
    """Try so many audits from number `first` on."""
    outcomes, overruns = Counter[str](), list[tuple[float, int]]()
    attack(HostileAudit([1, 2, 5], options={"seeds": "0:9"}))  # loads what is loaded once
    for number in range(first, first + count):
        try:
            outcome, took = check(number)
            overruns = sorted([*overruns, (round(took, 2), number)])[-10:]
        except AssertionError as error:
            outcome = "failed"
            print(f"{number}: {error}", flush=True)
        outcomes[outcome] += 1
    print(*(f"{times:>7}  {outcome}" for outcome, times in outcomes.most_common()), sep="\n")
    print("largest overruns (seconds, number):", *overruns)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
