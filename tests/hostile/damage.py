"""How is a file damaged? By one of many kinds of damage, chosen by a seed; checksums are often made to fit again."""

import hashlib
import io
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import safetensors.torch
import torch
from safetensors import SafetensorError

DEEP = "@deep@"  # stands for JSON that is nested too deeply, LONG for a number of too many digits
LONG = "@long@"
DAMAGED = (ValueError, LookupError, RecursionError, SafetensorError, pl.exceptions.PolarsError)
WRITTEN = {f'"{DEEP}"': "[" * 100_000 + "]" * 100_000, f'"{LONG}"': "7" * 5000}

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 3, 2**31, 2**63, 2**64, 10**39, -(10**30), 0.5, -0.5, 1e308, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), DEEP, LONG, "", "x", "7", "nan", "\ud800", "\x1b[31mred", "a\0b"),
    *("../../elsewhere", "/dev/zero", "/etc/passwd", "é" * 3000, "{{ 7 * 7 }}", "<script>alert(1)</script>", "'"),
    *([], {}, [[]], [1], {"x": 1}, [None] * 3, {"": {}}, ["x", 1], {"1": "y"}, {"-1": 0.5}, {"step": 1}),
]


def damage(path: Path, chance: Random, root: Path, outside: Path) -> str:
    """Damage one file below the folder ``root``; returns what was done. Links lead to the folder ``outside``."""
    kinds: list[Callable[[Path, Random], str]] = [_bytes, lambda path, chance: _other(path, chance, root, outside)]
    kinds += 3 * [OF_SUFFIX[path.suffix]] if path.suffix in OF_SUFFIX else []
    change = chance.choice(kinds)
    try:
        return f"{path.name}: {change(path, chance)}"
    except DAMAGED:  # by an earlier damage
        return f"{path.name}: {_bytes(path, chance)}"


def sign(root: Path, chance: Random) -> None:
    """Make the checksums fit, in three cases of four: what comes behind them is attacked, too."""
    if chance.random() < 0.25:
        return
    for state in root.rglob("state.json"):
        if isinstance(value := _read(state), dict) and isinstance(value.get("files"), dict):
            value["files"] = {name: _sha256(state.parent / str(name), old) for name, old in value["files"].items()}
            value.pop("sha256", None)
            value["sha256"] = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
            _write(state, value)
    for made in root.rglob("made.json"):
        if isinstance(value := _read(made), dict) and isinstance(value.get("tables"), dict):
            value["tables"] = {k: _sha256(made.parent / f"{k}.parquet", old) for k, old in value["tables"].items()}
            _write(made, value)
    for record in root.rglob("unrandom.json"):
        if isinstance(value := _read(record), dict):
            old = value.get("weights_sha256")
            _write(record, value | {"weights_sha256": _sha256(record.parent / "model.safetensors", old)})


def _bytes(path: Path, chance: Random) -> str:
    content = bytearray(path.read_bytes())
    kind = chance.choice(("cut", "empty", "zeros", "flip", "random", "more", "sparse"))
    if kind == "cut":
        del content[chance.randrange(len(content) + 1) :]
    elif kind == "empty":
        content.clear()
    elif kind == "zeros":
        content = bytearray(len(content))
    elif kind == "flip":
        for _ in range(chance.choice((1, 1, 5, 50)) if content else 0):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == "random":
        content = bytearray(chance.randbytes(chance.choice((1, 8, 500))))
    elif kind == "more":
        content += chance.choice((b"\n", b"\n{}\n", b"\0" * 8, b"\xff", b'\n{"step": 1}\n', b"x"))
    path.write_bytes(content)
    if kind == "sparse":
        os.truncate(path, chance.choice((2**27, 2**34, 2**40)))
    return kind


def _other(path: Path, chance: Random, root: Path, outside: Path) -> str:
    """Something else in place of a file, or of the folder in which it is."""
    links = ("zero", "link", "loop", "link to folder")
    kind = chance.choice(("none", "pipe", "folder", "socket", "linked folder", *links))
    if kind == "linked folder" and path.parent != root:
        folder = path.parent
        target = outside / folder.name
        if not target.exists():
            folder.rename(target)
            folder.symlink_to(target)
        return f"{folder.name} is a link"
    content = path.read_bytes()
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # the path of a socket is short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
        os.chdir(here)
    elif kind in links:
        copy = outside / path.name
        copy.write_bytes(content)
        targets = {"zero": "/dev/zero", "link": copy, "loop": path.name, "link to folder": outside}
        path.symlink_to(targets[kind])
    return kind


def _json(path: Path, chance: Random) -> str:
    """One value of one line of JSON is changed."""
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    at = chance.randrange(len(lines))
    said, value = changed(json.loads(lines[at]), chance)
    lines[at] = _text(value)
    path.write_text("\n".join(lines) + "\n", errors="surrogatepass")
    return said


def changed(value: Any, chance: Random) -> tuple[str, Any]:
    """The JSON value with one of its values replaced, removed, or added to; and what was done."""
    if not isinstance(value, list | dict) or not value or chance.random() < 0.06:
        other = chance.choice(VALUES)
        return f"{other!r:.40} for {value!r:.40}", other
    if isinstance(value, list):
        key: Any = chance.randrange(len(value))
    else:
        key = chance.choice(list(value))
    kind = chance.random()
    if kind < 0.08:
        less = value.copy()
        del less[key]
        return f"without {key!r}", less
    if kind < 0.12:
        other = chance.choice(VALUES)
        if isinstance(value, list):
            return f"{other!r:.40} more", [*value, other]
        name = chance.choice(("x", "", "\x1b[31m", "\ud800", "../x", "a\0"))
        return f"{name!r} more", {**value, name: other}
    said, inner = changed(value[key], chance)
    copy = value.copy()
    copy[key] = inner
    return f"{key}: {said}", copy


def _tensors(path: Path, chance: Random) -> str:
    """A file of tensors of other names, shapes, types or values; or one whose header lies."""
    content = path.read_bytes()
    if chance.random() < 0.4:
        length = int.from_bytes(content[:8], "little")
        said, header = changed(json.loads(content[8 : 8 + length]), chance)
        written = _text(header).encode(errors="surrogatepass")
        stated = chance.choice((len(written), len(written), len(written), 0, 2**62, len(written) - 1))
        path.write_bytes(stated.to_bytes(8, "little") + written + content[8 + length :])
        return f"header {said}"
    tensors = safetensors.torch.load(content)
    name = chance.choice(sorted(tensors))
    kind = chance.choice(("name", "escape", "none", "shape", "scalar", "nan", "type", "more", "empty"))
    tensor = tensors.pop(name)
    others: dict[str, dict[str, torch.Tensor]] = {
        "name": {chance.choice(("x", "", "a|b|c", name + "|x", "é\n")): tensor},
        "escape": {"\x1b[31m" + name: tensor},
        "none": {},
        "shape": {name: tensor.reshape(-1)[:-1].clone()},
        "scalar": {name: torch.tensor(1.0)},
        "nan": {name: torch.full_like(tensor, float("nan"))},
        "type": {name: tensor.to(chance.choice((torch.int64, torch.bool, torch.float64, torch.float16, torch.uint8)))},
        "more": {name: tensor, "more": torch.zeros(3)},
        "empty": {name: torch.zeros(0)},
    }
    path.write_bytes(safetensors.torch.save({**tensors, **others[kind]}))
    return f"{name}: {kind}"


def _table(path: Path, chance: Random) -> str:
    """A table of other columns, types, rows or values."""
    frame = pl.read_parquet(path)
    column = chance.choice(frame.columns)
    others = ("null", "nan", "text", "whole", "huge")
    kind = chance.choice(("drop", "rename", "empty", "one row", "shuffled", "rows", *others))
    series = frame[column]
    if kind == "drop":
        frame = frame.drop(column)
    elif kind == "rename":
        frame = frame.rename({column: chance.choice(("x", "\x1b[31m", ""))})
    elif kind == "empty":
        frame = frame.clear()
    elif kind == "one row":
        frame = frame.head(1)
    elif kind == "rows":
        frame = pl.concat([frame, frame.head(chance.choice((1, 1000)))])
    elif kind == "shuffled":
        frame = frame.with_columns(series.shuffle(seed=1))
    else:
        other: Any = {"null": None, "nan": float("nan"), "text": "\x1b[31mx", "whole": -(2**60), "huge": 1e308}[kind]
        values = series.to_list()
        if chance.random() < 0.5 and kind not in ("text", "whole"):
            values[chance.randrange(len(values))] = other
        else:
            values = [other] * len(values)
        frame = frame.with_columns(pl.Series(column, values, strict=False))
    written = io.BytesIO()
    frame.write_parquet(written)
    path.write_bytes(written.getvalue())
    return f"{column}: {kind}"


OF_SUFFIX = {".json": _json, ".jsonl": _json, ".safetensors": _tensors, ".parquet": _table}


def _text(value: Any) -> str:
    text = json.dumps(value)
    for stand_in, written in WRITTEN.items():
        text = text.replace(stand_in, written)
    return text


def _read(path: Path) -> Any:
    if not path.is_file() or path.stat().st_size > 2**24:
        return None
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def _write(path: Path, value: Any) -> None:
    path.write_text(_text(value), errors="surrogatepass")


def _sha256(path: Path, otherwise: Any) -> Any:
    try:
        regular = path.is_file() and path.stat().st_size < 2**28
    except (OSError, ValueError):
        return otherwise
    return hashlib.sha256(path.read_bytes()).hexdigest() if regular else otherwise
