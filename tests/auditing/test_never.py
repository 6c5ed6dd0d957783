"""Unpredictable streams are never called predictable.

Audits that find nothing use all their time: here it is short. `unrandom bench false-positives` audits more streams.
"""

import hashlib
import os
import random
import secrets

import numpy as np
import pytest
from streams import audit_stream, stream_of

import unrandom
from plainly import chacha20, lcg, take
from tiers import slow, slow_but
from unrandom.auditing.benchmark.false_positives import FORMS, SOURCES, Source
from unrandom.auditing.verdict import NotPredicted, Predictable, TooFew

SECONDS = 0.5

MMIX = (2**64, 6364136223846793005, 1442695040888963407, 12345)


def is_predicted(stream) -> bool:
    return isinstance(audit_stream(stream, max_seconds=SECONDS), Predictable)


def words(content: bytes, bits: int) -> list[int]:
    return np.frombuffer(content, dtype=f"<u{bits // 8}").astype(int if bits < 64 else np.uint64).tolist()


@pytest.mark.parametrize("form", slow_but(list(FORMS)[::5], FORMS))
@pytest.mark.parametrize("length", [60, *slow(700)])
def test_random_streams(form, length):
    numbers = FORMS[form](Source(SOURCES["os.urandom"](b"")), length)
    assert not isinstance(unrandom.audit(numbers, max_seconds=SECONDS), Predictable)


def test_sorted_numbers():
    assert not is_predicted(stream_of(sorted(secrets.randbelow(10000) for _ in range(1000))))


@pytest.mark.parametrize("bits", [8, *slow(32, 64)])
def test_cryptographic_streams(bits):
    hashed = b"".join(hashlib.sha256(i.to_bytes(8, "big")).digest() for i in range(64))
    for content in (os.urandom(2048), hashed, hashlib.shake_128(b"seed").digest(2048)):
        assert not is_predicted(stream_of(words(content, bits), bits))


@pytest.mark.slow
def test_chacha20():
    key, nonce = bytes(range(32)), bytes([0, 0, 0, 9, 0, 0, 0, 0x4A, 0, 0, 0, 0])
    numbers = take(chacha20(key, nonce, 1), 3000)
    assert numbers[:4] == [0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3]  # RFC 8439, section 2.3.2
    assert not is_predicted(stream_of(numbers, 32))
    assert not is_predicted(stream_of([x >> 24 for x in numbers], 8))


def test_pythons_secrets():
    assert not is_predicted(stream_of([secrets.randbits(31) for _ in range(700)], 31))
    assert not is_predicted(stream_of([secrets.randbelow(52) for _ in range(700)], bounded=52))


def test_shuffled_outputs():
    numbers = take(lcg(*MMIX), 400)
    random.Random(0).shuffle(numbers)
    assert not is_predicted(stream_of(numbers))


@pytest.mark.parametrize("count", range(1, 4))
def test_too_few_numbers(count):
    verdict = audit_stream(stream_of(take(lcg(*MMIX), count), 64), max_seconds=SECONDS)
    assert isinstance(verdict, TooFew)
    assert verdict.needed[0].outputs == count + verdict.needed[0].more


def test_short_streams_are_certified_only_by_held_back_outputs():
    """Five numbers determine an LCG, but almost any five numbers fit one; a sixth 64-bit number is proof enough."""
    numbers = take(lcg(*MMIX), 8)
    assert isinstance(audit_stream(stream_of(numbers, 64), family="lcg"), Predictable)
    assert isinstance(
        audit_stream(stream_of([*numbers[:5], numbers[5] ^ 2, *numbers[6:]], 64), family="lcg"), NotPredicted | TooFew
    )
