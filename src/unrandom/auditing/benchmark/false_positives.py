"""Counts how often unpredictable numbers are called predictable. Streams of the system's entropy, of ciphers and of a
hash function are audited, in the forms in which programs print numbers: long ones, or short ones of 3 to 30 numbers,
these also in forms of little entropy. The candidates that are not proven are counted, too, and the most evidence that
one has. Seeds are not tried.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from unrandom.auditing.audit import audit
from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, write_json
from unrandom.core.processors import usable_processors
from unrandom.core.reading import read_json

LENGTHS = (50, 120, 300, 1000, 2500)  # numbers of a stream; successive streams of a source have successive lengths
SHORT_LENGTHS = tuple(range(3, 31))
BLOCK = 4096  # bytes taken from a source at a time


class Source(Random):
    """Random numbers made of blocks of bytes, by the methods of Python's `random`."""

    def __init__(self, block: Callable[[int], bytes]) -> None:
        super().__init__()
        self._block, self._bits, self._available = block, 0, 0
        self._number = 0

    def getrandbits(self, k: int, /) -> int:
        while self._available < k:
            self._bits |= int.from_bytes(self._block(self._number), "little") << self._available
            self._available += 8 * BLOCK
            self._number += 1
        bits = self._bits & ((1 << k) - 1)
        self._bits >>= k
        self._available -= k
        return bits

    def random(self) -> float:
        return self.getrandbits(53) / 2**53


def _hashed(key: bytes) -> Callable[[int], bytes]:
    """SHA-256 of a key and a counter."""

    def block(number: int) -> bytes:
        first = number * BLOCK // 32
        return b"".join(hashlib.sha256(key + i.to_bytes(8, "big")).digest() for i in range(first, first + BLOCK // 32))

    return block


def _enciphered(name: str) -> Callable[[bytes], Callable[[int], bytes]]:
    """The key stream of ChaCha20, or of AES-256 in counter mode."""

    def keyed(key: bytes) -> Callable[[int], bytes]:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        chacha = name == "ChaCha20"
        algorithm: Any = algorithms.ChaCha20(key, bytes(16)) if chacha else algorithms.AES(key)
        encryptor = Cipher(algorithm, None if chacha else modes.CTR(bytes(16))).encryptor()
        return lambda _: encryptor.update(bytes(BLOCK))

    return keyed


SOURCES: dict[str, Callable[[bytes], Callable[[int], bytes]]] = {
    "os.urandom": lambda _: lambda _: os.urandom(BLOCK),
    "ChaCha20": _enciphered("ChaCha20"),
    "AES-256-CTR": _enciphered("AES-256-CTR"),
    "SHA-256": _hashed,
}
"""By a key of 32 bytes and the number of a block, its bytes; all but the first can be repeated."""


def _each(one: Callable[[Random], Any]) -> Callable[[Random, int], list[Any]]:
    return lambda source, count: [one(source) for _ in range(count)]


FORMS: dict[str, Callable[[Random, int], list[Any]]] = {
    "32-bit words": _each(lambda source: source.getrandbits(32)),
    "64-bit words": _each(lambda source: source.getrandbits(64)),
    "31-bit words": _each(lambda source: source.getrandbits(31)),
    "16-bit words": _each(lambda source: source.getrandbits(16)),
    "bytes": _each(lambda source: source.getrandbits(8)),
    "signed 32-bit words": _each(lambda source: source.getrandbits(32) - 2**31),
    "UUIDs": _each(
        lambda source: "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}".format(*map(source.getrandbits, (32, 16, 16, 16, 48)))
    ),
    "bits": _each(lambda source: source.getrandbits(1)),
    "heads and tails": _each(lambda source: source.choice(("heads", "tails"))),
    "dice": _each(lambda source: source.randint(1, 6)),
    "0 to 9": _each(lambda source: source.randrange(10)),
    "0 to 99": _each(lambda source: source.randrange(100)),
    "one-time passwords": _each(lambda source: f"{source.randrange(10**6):06}"),
    "decks of cards": lambda source, count: [source.sample(range(52), 52) for _ in range(-(-count // 50))],
    "doubles": _each(lambda source: source.random()),
    "6 decimals": _each(lambda source: f"{source.random():.6f}"),
    "4 decimals": _each(lambda source: f"{source.random():.4f}"),
    "single precision": _each(lambda source: source.getrandbits(24) / 2**24),
    "100 u": _each(lambda source: f"{100 * source.random():.10g}"),
    "-1 to 1": _each(lambda source: 2 * source.random() - 1),
}

UNEVEN: dict[str, Callable[[Random, int], list[Any]]] = {
    "two high bytes": _each(lambda source: source.choice((254, 255))),
    "extremes of words": _each(lambda source: source.choice((0, 2**32 - 1))),
    "two words": _each(lambda source: source.choice(("00418", "93021"))),
    "three tokens": _each(lambda source: source.choice(("k3Jx9q", "Zp81aa", "m0Nw2T"))),
    "two UUIDs": _each(lambda source: source.choice((str(UUID(int=2**127 + 1)), str(UUID(int=3**80))))),
    "three prices": _each(lambda source: source.choice(("9.99", "19.99", "4.99"))),
    "times of a day": lambda source, count: sorted(1795600000 + source.randrange(86400) for _ in range(count)),
    "waiting times": _each(lambda source: f"{source.expovariate(0.1):.1f}"),
    "exponential deviates": _each(lambda source: source.expovariate(1.0)),
    "normal deviates": _each(lambda source: f"{source.gauss(0.0, 1.0):.2f}"),
    "one in ten": _each(lambda source: int(source.random() < 0.1)),
    "sums of two dice": _each(lambda source: source.randint(1, 6) + source.randint(1, 6)),
}
"""Forms whose numbers are not drawn evenly from their range, or are few. They are audited in short streams."""


def _verdicts(
    name: str, index: int, seconds: float, lengths: Sequence[int], forms: Sequence[str]
) -> dict[str, tuple[str, float]]:
    """The verdicts on one stream of a source, and the evidence for its best candidate, by its forms."""
    key = hashlib.sha256(f"{name} {index}".encode()).digest()
    length = lengths[index % len(lengths)]
    verdicts = {}
    for form in forms:
        numbers = {**FORMS, **UNEVEN}[form]
        source = Source(SOURCES[name](hashlib.sha256(key + form.encode()).digest()))
        verdict = audit(numbers(source, length), seeds="none", max_seconds=seconds)
        candidates = verdict.to_json()["candidates"]
        verdicts[form] = verdict.verdict, max((one["bits"] for one in candidates), default=0.0)
    return verdicts


class SavedVerdicts(Config):
    """What the file of results holds: how many streams were audited, the counts of verdicts by source and form, and by
    form how many streams had a candidate with some evidence, and the most evidence in bits.
    """

    streams: Annotated[int, Field(ge=0)]
    seconds: float
    lengths: list[int]
    verdicts: dict[str, dict[str, dict[str, int]]]
    candidates: dict[str, dict[str, float]]


def bench_false_positives(
    count: int, seconds: float, path: Path | None, watch: Callable[[int], None], *, short: bool = False
) -> JsonObject:
    """Audit `count` streams, shared among all sources, each in all forms and for at most `seconds` s, on all cores.

    The verdicts are counted in `path`; if it exists, the run goes on from there. `watch` is called with the number of
    streams that are done. UserError if the file was made with another time limit, or with streams of other lengths.
    """
    lengths, forms = list(SHORT_LENGTHS if short else LENGTHS), [*FORMS, *(UNEVEN if short else ())]
    nothing: JsonObject = {source: {form: {} for form in forms} for source in SOURCES}
    none: JsonObject = {form: {"streams": 0, "most_bits": 0.0} for form in forms}
    done: JsonObject = {
        "streams": 0, "seconds": seconds, "lengths": lengths, "verdicts": nothing, "candidates": none
    }  # fmt: skip
    if path and path.exists():
        done = read_json(path, SavedVerdicts)
    if done["seconds"] != seconds:
        raise UserError(f"{path} was made with --max-seconds {done['seconds']:g}; use that, or another file")
    if done["lengths"] != lengths:
        raise UserError(f"{path} was made {'with' if not short else 'without'} --short; use another file")
    if {name: list(counts) for name, counts in done["verdicts"].items()} != dict.fromkeys(SOURCES, forms):
        raise UserError(f"{path} has other sources or forms than this version audits; use another file")
    todo = range(done["streams"], count)
    names, indices = [list(SOURCES)[i % len(SOURCES)] for i in todo], [i // len(SOURCES) for i in todo]
    with ProcessPoolExecutor(len(usable_processors())) as pool:
        audited = pool.map(_verdicts, names, indices, repeat(seconds), repeat(lengths), repeat(forms), chunksize=4)
        for name, verdicts in zip(names, audited, strict=True):
            for form, (verdict, bits) in verdicts.items():
                counts, candidates = done["verdicts"][name][form], done["candidates"][form]
                counts[verdict] = counts.get(verdict, 0) + 1
                candidates["streams"] += bits > 0
                candidates["most_bits"] = max(candidates["most_bits"], bits)
            done["streams"] += 1
            if path:
                write_json(path, done)
            watch(done["streams"])
    return done


def predicted(done: JsonObject) -> list[str]:
    """A line for every source and form of which streams were called predictable."""
    return [
        f"{source}, {form}: {n} {verdict}"
        for source, forms in done["verdicts"].items()
        for form, counts in forms.items()
        for verdict, n in counts.items()
        if verdict.startswith("predictable")
    ]
