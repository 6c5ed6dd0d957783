"""Which mistake does a command line have? One of many, chosen by a seed: numbers, names, settings, files and flags."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from unrandom.core.errors import printable

WHOLE = ("0", "-1", "x", "", "1.5", "nan", "inf", "1e9", "99999999999", "9" * 30, "9" * 5000, "0x10", "\x1b[31m")
REAL = ("-1", "nan", "inf", "-inf", "1e400", "x", "", "9" * 5000, "1,5", "\x1b[31m")
NAMES = (
    *("nope", "", "\x1b[31mx", "é", "../..", "x" * 3000, "fm-25", "fm 256", "-", "a\nb", "um-2048:newest"),
    *("\ud800", "%s%n"),
)
SETTINGS = (
    *("nope=1", "model.nope=1", "=1", "steps", "steps=", "steps=0", "steps=-1", "steps=1e3", "steps=x"),
    *("steps=2^999", "steps=" + "9" * 5000, "steps=" + "[" * 3000, "model.depth=2^31", "model.d_model=2^16"),
    *("model.n_heads=3", "a.b.c=1", "data.modulus=2^64", "data.modulus=0", "data.modulus=x", "data.regime=um"),
    *("data.n_test_a=100000000", "seed=2^40", "data.context=2^20", "batch_size=2^40", "optimizer.lr=nan"),
    *("optimizer.lr=1e999", "optimizer.name=sgd", "start=x", "data=1", "model=1", "model={}"),
    *("data.curriculum=[1]", "test_sequences=2^30", "schedule=\x1b[31m", "precision=fp8"),
    *("data.n_sequences=2^32", "data.base=1", "data.digits=64", "micro_batches=7", "gradient_clip=0"),
    *("warmup_steps=-1",),
)

Mistake = Callable[[Random, Path], list[str]]


def mistaken(chance: Random, inside: Path) -> tuple[list[str], list[str]]:
    """A command line with one mistake, and the words of which a refusal has to have one."""
    command = chance.choice(COMMANDS)(chance, inside)
    parts = (part for word in command if str(inside) not in word for part in re.split("[=.:,/]", word))
    words = {*command, *parts, *(word.partition("=")[0] for word in command)}
    shown = {" ".join(printable(word).split()).strip("-'")[:20] for word in words}
    return command, sorted(word for word in shown if len(word) > 2 or word in ("é", "x", "a b")) + OTHERWISE


OTHERWISE = ["COMMAND", "TRACK", "RECIPE", "name a recipe", "''", "'-'", "- is not", "'a\\nb'", "ud800"]
"""How refusals name what is missing, empty, or not text."""


def _train(chance: Random, inside: Path) -> list[str]:
    out = ["--runs", str(inside / "runs")]
    wrong = [
        ["train", chance.choice(NAMES), *out],
        ["train", "quadratic-smoke", "--set", chance.choice(SETTINGS), *out],
        ["train", "quadratic-smoke", "--max-minutes", chance.choice(REAL), *out],
        ["train", "quadratic-smoke", "--seed", chance.choice(WHOLE[1:]), *out],
        ["train", "quadratic-smoke", "--start-from", chance.choice(NAMES), *out],
        ["train", "quadratic-smoke", "--log", chance.choice(NAMES), *out],
        ["train", "quadratic-smoke", "--set", "steps=1", "--runs", _no_folder(chance, inside)],
        ["train", *out],
        ["train", f"{inside}/nothing.py:Task", *out],
        ["demo", "--set", "steps=1", "--set", chance.choice(SETTINGS), *out],
        ["resume", chance.choice(NAMES)],
        ["resume", "um-144"],
    ]
    return chance.choice(wrong)


def _look(chance: Random, inside: Path) -> list[str]:
    finished = str(inside / "runs" / "finished")
    numbers = inside / "numbers.txt"
    texts = (b"", b"x\n", b"1 2 99\n", b"-1\n", b"\xff\xfe", b"9" * 5000, b"1\0", b"1.5\n", b"\n")
    numbers.write_bytes(chance.choice(texts))
    name = chance.choice((finished, chance.choice(NAMES), str(inside), str(inside / "numbers.txt")))
    wrong = [
        ["predict", finished, str(numbers)],
        ["predict", finished, _no_file(chance, inside)],
        ["predict", name, "-", "-n", chance.choice(WHOLE)],
        ["evaluate", finished, "--sequences", chance.choice(WHOLE)],
        ["evaluate", finished, "--predictors", chance.choice((",", "", *NAMES, "copy,nope", "copy:3", "lookback:x"))],
        ["evaluate", finished, "--modulus", chance.choice((*WHOLE, "18446744073709551616", "7"))],
        ["report", chance.choice(NAMES)],
        ["open", chance.choice(NAMES)],
        ["compare", name, "--out", chance.choice((str(inside) + "/", str(inside), _no_folder(chance, inside) + "/x"))],
        ["compare", chance.choice(NAMES)],
        ["export", name, str(inside / "runs")],
        ["export", finished, _no_folder(chance, inside)],
        ["export", finished, str(inside / "new"), "--to", chance.choice(NAMES)],
        ["import", _no_file(chance, inside), "--runs", str(inside / "imported")],
        ["import", str(inside / "exports" / "huggingface"), "--runs", _no_folder(chance, inside)],
    ]
    return chance.choice(wrong)


def _many(chance: Random, inside: Path) -> list[str]:
    out, results = ["--runs", str(inside / "runs")], ["--results", str(inside / "results")]
    race = ["speedrun", "fm-256", "--max-minutes", "0", *out, *results]
    grid = ["--grid", chance.choice(("model.depth=1,2", "nope=1", "model.depth=", "=1", "seed=1,2", "model.depth=1,1"))]
    sweep = ["sweep", "quadratic-smoke", "--dry-run", *out]
    wrong = [
        [*sweep, *grid],
        [*sweep, "--grid", "model.depth=1,2", "--seeds", chance.choice(WHOLE)],
        [*sweep, "--grid", "model.depth=1,2", "--gpus-per-run", chance.choice((*REAL, "1.5"))],
        [*sweep, "--grid", "model.depth=1,2", "--workers", chance.choice(WHOLE)],
        [*sweep, "--grid", "model.depth=1,2", "--slurm", chance.choice(("x", "=1", "nope=1"))],
        [*sweep, "--grid", "model.depth=" + ",".join(map(str, range(1, 3000))), "--seeds", "50"],
        ["reproduce", chance.choice(NAMES), *results],
        ["reproduce", "--list", chance.choice(NAMES), *results],
        ["reproduce", "--all", chance.choice(("fm-grokking", *NAMES)), *results],
        ["reproduce", "fm-grokking", "--from-tables", "--results", _no_folder(chance, inside)],
        ["reproduce", "fm-grokking", "--scale", chance.choice(NAMES), *results],
        ["reproduce", "fm-grokking", "--seeds", chance.choice(WHOLE), *results, "--archived"],
        ["reproduce", "fm-grokking", "--run", chance.choice(NAMES), *results, *out],
        ["claims", "--results", _no_folder(chance, inside)],
        ["claims", "--scale", "paper", *results],
        ["claims", *results, "--write", chance.choice((str(inside), _no_folder(chance, inside) + "/page.md"))],
        [*race, "--set", chance.choice(SETTINGS)],
        [*race, "--seeds", chance.choice(WHOLE), "--set", "steps=400"],
        ["bench", chance.choice(("audit", "false-positives", "train")), "--only", "zzz"],
        ["bench", "false-positives", "--count", chance.choice(WHOLE)],
        ["bench", "audit", "--only", "zzz", "--out", _no_file(chance, inside)],
        ["bench", "train", "--recipe", chance.choice(NAMES)],
        ["bench", "data", "--set", "steps=1"],
    ]
    return chance.choice(wrong)


def _other(chance: Random, inside: Path) -> list[str]:
    numbers = inside / "numbers.txt"
    numbers.write_text("\n".join(str(i * i % 1009) for i in range(60)))
    quick = ["audit", str(numbers), "--max-seconds", "0.3"]
    wrong = [
        [chance.choice(NAMES)],
        ["--version", "extra"],
        ["--nope"],
        ["models", "extra"],
        ["completion", chance.choice(NAMES)],
        ["lcg", "--m", chance.choice(WHOLE), "--a", chance.choice(WHOLE), "--c", "-1"],
        ["app", "--port", chance.choice((*WHOLE[1:], "70000"))],
        ["audit", _no_file(chance, inside)],
        ["audit", str(numbers), "--max-seconds", chance.choice(REAL)],
        [*quick, "--bits", chance.choice((*WHOLE, "2^200"))],
        [*quick, "--bounded", chance.choice((*WHOLE, "2^64", "2^100"))],
        [*quick, "--from", chance.choice(REAL)],
        [*quick, "--scale", chance.choice((*REAL, "0"))],
        [*quick, "--modulus", chance.choice((*WHOLE, "2^64", "3"))],
        [*quick, "--family", chance.choice(NAMES)],
        [*quick, "--seeds", chance.choice((*WHOLE, "5:1", "0:99999999999999999999", "x:y"))],
        [*quick, "--around", chance.choice((*NAMES, "2026-11-20+-1e400", "0000-00-00"))],
        [*quick, "--program", "php"],
        [*quick, "--column", chance.choice(NAMES)],
        [*quick, "--regex", chance.choice(("(", "x", "(a+)+$", "", "\\"))],
        [*quick, "--notation", chance.choice(NAMES)],
        [*quick, "--raw", chance.choice((*NAMES, "u64"))],
    ]
    return chance.choice(wrong)


def _no_file(chance: Random, inside: Path) -> str:
    """A path at which no regular file is."""
    kind = chance.choice(("none", "pipe", "folder", "zero", "loop", "long", "below", "nul"))
    path = inside / f"{kind}-file"
    if path.exists() or path.is_symlink():
        return str(path)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "below":
        (inside / "a-file").write_text("x")
    others = {"zero": "/dev/zero", "long": "x" * 5000, "below": str(inside / "a-file" / "x"), "nul": "a\0b"}
    return others.get(kind, str(path))


def _no_folder(chance: Random, inside: Path) -> str:
    """A path at which no folder is, nor can be."""
    kind = chance.choice(("file", "below", "long", "loop", "nul", "proc"))
    path = inside / f"{kind}-folder"
    if kind == "loop" and path.is_symlink():
        return str(path)
    if kind in ("file", "below"):
        path.write_text("x")
    elif kind == "loop":
        path.symlink_to(path)
    others = {"below": str(path / "x"), "long": "x" * 5000, "nul": "a\0b", "proc": "/proc/nothing"}
    return others.get(kind, str(path))


COMMANDS: tuple[Mistake, ...] = (_train, _look, _many, _other)
