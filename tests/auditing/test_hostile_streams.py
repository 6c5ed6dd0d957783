"""Whatever an audit is given, it answers in time and in little memory: a verdict, or one line that says what is wrong;
``hostile_streams.py`` tries more inputs.
"""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hostile_streams import HostileAudit, attack, audited, hostile_audit

import unrandom
from sweeping import PATIENCE
from tiers import nightly_but, slow
from unrandom.auditing.forms.layers import Shuffled
from unrandom.auditing.reading import contents, documents
from unrandom.core.errors import UserError

MB = 2**20

MOST = 800 * MB
"""Bytes of memory that an audit of 60 MB may have at once, of which some 200 are Python's, numpy's and the input's."""

ALONE = """
import sys, time
from pathlib import Path
from unrandom.cli import main
status = main(sys.argv[1:])
(most,) = (line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print("used", 1024 * int(most), time.process_time(), file=sys.stderr)
sys.exit(status)
"""
"""The command; then the most memory that this process had, which getrusage mixes up with that of its parent."""


@pytest.mark.parametrize("seed", nightly_but(range(15), range(150)))
def test_any_input_has_a_verdict_or_a_line(seed: int) -> None:
    attack(hostile_audit(seed))


SPECIAL = {
    "the largest double": [sys.float_info.max, -sys.float_info.max, 0.5] * 30,
    "the smallest double": [5e-324, 0.5, 1e-310] * 30,
    "one above 1e100": [0.5, 0.25, 1.0000001e100] * 30,
    "both signs of 100 bits": [(-1) ** i * (2**100 - i * i) for i in range(60)],
    "too many bits": [2**4096] * 60,
    "exactly 1 among doubles": [0.7735091065026475, 1.0, 0.48874745360988897, 0.9148181644368895] * 20,
}


@pytest.mark.parametrize("numbers", SPECIAL.values(), ids=SPECIAL)
def test_numbers_at_the_edge_of_what_doubles_hold(numbers: list[int | float]) -> None:
    attack(HostileAudit(numbers), seconds=5)


@pytest.mark.parametrize("bounded", [*slow(2**53 - 1, 2**53 + 1, 2**60, 2**64), 2**64 + 1, 2**100, 2**4096])
def test_ranges_beyond_the_words_of_generators(bounded: int) -> None:
    chance = random.Random(bounded)
    assert attack(HostileAudit([chance.randrange(bounded) for _ in range(40)], options={"bounded": bounded}), 2)
    assert attack(HostileAudit([chance.randrange(6) for _ in range(40)], options={"bounded": bounded}), 2)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"bits": "32"}, "--bits must be a whole number, not '32'"),
        ({"bits": True}, "--bits must be a whole number, not True"),
        ({"bits": 2**40}, "--bits must be from 1 to 4096, not 1099511627776"),
        ({"bounded": 1}, "--bounded must be from 2 to 2^4096, not 1"),
        ({"start": float("nan")}, "--from must be a finite number"),
        ({"start": 1e200}, "--from must be a finite number, whole or at most 1e+100, not 1e+200"),
        ({"scale": 0.0}, "--scale must be a number from 1e-100 on"),
        ({"increment": 3}, "--increment is for an LCG of known --modulus and --multiplier"),
        ({"family": "lgc"}, "no family is called 'lgc'; near misses: lcg"),
        ({"family": "\x1b"}, "no family is called '\\x1b'; there are"),
        ({"seeds": 5}, "--seeds must be text, not 5"),
        ({"seeds": "0:9", "program": "cobol"}, "no program contains 'cobol'; there are"),
        ({"max_seconds": float("inf")}, "--max-seconds must be a number from 0 on"),
        ({"max_seconds": "3"}, "--max-seconds must be a number, not '3'"),
        ({"notation": "decimal"}, "column, regex, rows, low, high, notation and raw are for files"),
        ({"watch": 3}, "watch must be a function, not 3"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, object], line: str) -> None:
    with pytest.raises(UserError) as caught:
        audited([3, 1, 4, 1, 5], **options)
    assert line in str(caught.value)
    assert len(str(caught.value)) < 300


def test_numbers_of_numpy_are_options_as_those_of_python() -> None:
    rolls = [random.Random(1).randint(1, 6) for _ in range(40)]
    plain = unrandom.audit(rolls, bounded=6, start=1, max_seconds=1)
    verdict = audited(rolls, bounded=np.int64(6), start=np.float32(1), max_seconds=1)
    assert (verdict.verdict, verdict.outputs) == (plain.verdict, plain.outputs)


def test_words_with_control_characters_are_refused(tmp_path: Path) -> None:
    for word in ("\\ud800", "\\u001b[31m"):
        path = tmp_path / "words.json"
        path.write_text(f'["{word}", "b", "b", "b", "{word}", "{word}"]')
        with pytest.raises(UserError, match="has control characters"):
            unrandom.audit(path)


@pytest.fixture
def fewer(monkeypatch: pytest.MonkeyPatch) -> int:
    """Only so many numbers are used, whatever module of reading counts them."""
    for name in [name for name in sys.modules if name.startswith("unrandom.auditing.reading.")]:
        if hasattr(sys.modules[name], "MAX_NUMBERS"):
            monkeypatch.setattr(sys.modules[name], "MAX_NUMBERS", 1000)
    return 1000


def test_of_many_numbers_the_first_are_used(fewer: int, tmp_path: Path) -> None:
    numbers = list(unrandom.LCG(m=2**31 - 1, a=16807, c=0).orbit(x0=1, length=fewer + 11))
    path = tmp_path / "numbers"
    inputs: list[object] = [numbers, np.array(numbers), list(map(str, numbers))]
    for given in inputs:
        verdict = unrandom.audit(given)  # type: ignore[arg-type]
        assert (verdict.outputs, verdict.next) == (fewer, numbers[fewer : fewer + 10])
        assert "only the first 1,000 numbers were used" in verdict.notes
    for content in ("\n".join(map(str, numbers)), " ".join(map(str, numbers)), str(numbers)):
        path.write_text(content)
        verdict = unrandom.audit(path)
        assert (verdict.outputs, verdict.next) == (fewer, numbers[fewer : fewer + 10])
        assert "only the first 1,000 numbers were used" in verdict.notes
    path.write_bytes(np.array(numbers, dtype="<u4").tobytes())
    assert unrandom.audit(path, raw="u32").next == numbers[fewer : fewer + 10]
    path.write_text("\n".join(map(str, numbers[:fewer])))
    assert not unrandom.audit(path).notes


def test_of_many_shuffles_the_first_whole_ones_are_used(fewer: int) -> None:
    shuffles = [random.Random(i).sample(range(300), 300) for i in range(5)]
    verdict = unrandom.audit(shuffles, max_seconds=1)
    assert verdict.outputs == 900
    assert "only the first 900 numbers were used" in verdict.notes


def test_of_a_long_text_the_first_lines_or_words_are_read(file: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MAX_TEXT", 100)
    for mark in "\n", " ", ", ":
        found = contents.read(file(mark.join(map(str, range(1000, 2000)))))
        assert found.whole == list(range(1000, 1000 + len(found)))
        assert 15 <= len(found) <= 20
        assert found.notes == ["only the first 0 MB of the text were read"]
    assert contents.read(file("[" + "7, " * 300 + "7]")).whole == [7] * 33


def test_long_json_is_parsed_item_by_item_or_line_by_line(file: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_PARSED", 20_000)
    count = 2000
    long = "[" + ",\n".join(f'{{"i": "a", "x": {i}}}' for i in range(10**6, 10**6 + count)) + "]"
    assert len(long) > 20_000
    assert contents.read(file(long), column="x").whole[-1] == 10**6 + count - 1
    lines = long[1:-1].replace(",\n", "\n")
    assert contents.read(file(lines), column="x").whole[-1] == 10**6 + count - 1
    for other in ('{"v": ' + long + "}", "[" + long + "]", long[:100] + "?" + long[100:]):
        with pytest.raises(UserError, match=r"JSON .*more than 0 MB"):
            contents.read(file(other))


def test_the_draws_of_a_shuffle_take_linear_time() -> None:
    """Looking for each card takes a minute; and the draws make the shuffle again."""
    permutation = random.Random(1).sample(range(200_000), 200_000)
    started = time.process_time()
    for from_end in (True, False):
        shuffled = Shuffled(len(permutation), from_end)
        assert shuffled.restore(shuffled.draws(permutation)) == permutation
    assert time.process_time() - started < 30


def _digits() -> Iterator[bytes]:
    digits = "".join(random.Random(1).choices("0123456789", k=10**6)).encode()
    return iter([digits] * 60)


def _lines() -> Iterator[bytes]:
    chance = random.Random(2)
    return iter(["".join(f"{chance.getrandbits(32)}\n" for _ in range(10**5)).encode()] * 55)


def _columns() -> Iterator[bytes]:
    row = ",".join(map(str, random.Random(3).choices(range(100), k=10**6)))
    return iter([row.encode() + b"\n"] * 20)


LARGE: dict[str, tuple[Callable[[], Iterator[bytes]], list[str], int]] = {
    "digits in one line": (_digits, [], 0),
    "a number on a line": (_lines, [], 0),
    "a million columns": (_columns, [], 2),
    "one of a million columns": (_columns, ["--column", "2"], 2),
    "a list of empty lists": (lambda: iter([b"[", *[b"[]," * 333_333] * 60, b"[]]"]), [], 2),
    "objects in objects": (lambda: iter([b"[", *[b'{"a":{"a":1}},' * 70_000] * 60]), [], 10),
    "words of 8 bits": (lambda: iter([random.Random(4).randbytes(10**6)] * 60), ["--raw", "u8"], 0),
    "words of 64 bits": (lambda: (random.Random(i).randbytes(10**6) for i in range(60)), ["--raw", "u64"], 0),
    "doubles": (lambda: (np.random.default_rng(i).random(125_000).tobytes() for i in range(60)), ["--raw", "f64"], 0),
}


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no /proc tells the most memory of a process (2026-11-25)"
)
@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_memory_and_time_are_bounded_for_large_inputs(name: str, tmp_path: Path) -> None:
    pieces, options, _status = LARGE[name]
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.writelines(pieces())
    done = subprocess.run(
        [sys.executable, "-c", ALONE, "audit", str(path), "--max-seconds", "5", *options],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 2, 10, 11, 12), done.stderr
    *said, last = done.stderr.splitlines()
    assert len(said) == (done.returncode == 2), done.stderr
    _, memory, seconds = last.split()
    assert int(memory) < MOST, f"{int(memory) / MB:.0f} MB"
    assert float(seconds) < PATIENCE / 2


def _audited(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "unrandom", "audit", *arguments],
        capture_output=True, text=True, timeout=PATIENCE, check=False, **how,
    )  # type: ignore[call-overload]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="2026-11-25: no pipes with names")
def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (str(fifo), "/dev/zero", str(tmp_path), "/dev/fd/98", "\0", "a\nb"):
        with pytest.raises(UserError) as caught:
            unrandom.audit(path)
        assert str(caught.value).isprintable()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="2026-11-25: no names of open files")
def test_pipes_of_the_shell_are_read_and_end_with_the_time() -> None:
    numbers = "\n".join(map(str, range(100, 400, 3)))
    assert _audited("-", input=numbers).returncode == 10
    assert _audited("/dev/stdin", input=numbers).returncode == 10
    receiver, sender = os.pipe()
    try:
        os.write(sender, b"1\n2\n")
        for name in ("-", "/dev/stdin", "/dev/fd/0"):
            waited = _audited(name, "--max-seconds", "1", stdin=receiver)
            assert waited.returncode == 2
            assert "not read in the time that --max-seconds allows" in waited.stderr
            assert waited.stderr.count("\n") == 1
    finally:
        os.close(sender)
        os.close(receiver)


def test_standard_input_without_end_is_read_to_the_limit() -> None:
    receiver, sender = os.pipe()

    def write() -> None:
        with os.fdopen(sender, "wb") as file:
            try:
                while True:
                    file.write(b"y\n" * 2**15)
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(receiver):
        done = _audited("-", "--max-seconds", "300", stdin=receiver)
    writer.join(PATIENCE)
    assert done.returncode == 2
    assert done.stderr == "unrandom: standard input is larger than 64 MB, the maximum\n"


def test_standard_input_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UserError, match="standard input is closed"):
        unrandom.audit("-")


def test_reading_counts_towards_the_time(file: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unrandom.auditing.audit.LEAST_READING", 0.05)
    path = file("\n".join(f"{random.Random(i).getrandbits(64):016x}" for i in range(200_000)))
    with pytest.raises(UserError, match="not read in the time that --max-seconds allows"):
        unrandom.audit(path, max_seconds=0)
