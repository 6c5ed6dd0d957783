"""Unpredictable streams are never called predictable."""

import hashlib
import os
import random
import secrets

import numpy as np
import pytest
from false_positives import false_positives
from streams import stream_of

from plainly import chacha20, lcg, seeded_twister, take
from unrandom.auditing.search import audit_stream
from unrandom.auditing.verdict import NotPredicted, Predictable

MMIX = (2**64, 6364136223846793005, 1442695040888963407, 12345)


def words(content: bytes, bits: int) -> list[int]:
    return np.frombuffer(content, dtype=f"<u{bits // 8}").astype(int if bits < 64 else np.uint64).tolist()


def test_random_streams():
    wrong = false_positives(22)
    assert len(wrong) == 11
    assert not sum(wrong.values())


@pytest.mark.parametrize("bits", [8, 32, 64])
def test_cryptographic_streams(bits):
    hashed = b"".join(hashlib.sha256(i.to_bytes(8, "big")).digest() for i in range(64))
    for content in (os.urandom(2048), hashed, hashlib.shake_128(b"seed").digest(2048)):
        assert isinstance(audit_stream(stream_of(words(content, bits), bits)), NotPredicted)


def test_chacha20():
    key, nonce = bytes(range(32)), bytes([0, 0, 0, 9, 0, 0, 0, 0x4A, 0, 0, 0, 0])
    numbers = take(chacha20(key, nonce, 1), 3000)
    assert numbers[:4] == [0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3]  # RFC 8439, section 2.3.2
    assert isinstance(audit_stream(stream_of(numbers, 32)), NotPredicted)
    assert isinstance(audit_stream(stream_of([x >> 24 for x in numbers], 8)), NotPredicted)


@pytest.mark.parametrize("bits", [16, 31, 32, 64])
def test_pythons_secrets(bits):
    assert isinstance(audit_stream(stream_of([secrets.randbits(bits) for _ in range(700)], bits)), NotPredicted)
    assert isinstance(audit_stream(stream_of([secrets.randbelow(52) for _ in range(700)], bounded=52)), NotPredicted)


def test_shuffled_outputs():
    numbers = take(lcg(*MMIX), 400)
    random.Random(0).shuffle(numbers)
    assert isinstance(audit_stream(stream_of(numbers)), NotPredicted)


@pytest.mark.parametrize("place", [100, 300, 398, 399])
def test_a_flipped_bit_and_its_position_are_reported(place):
    numbers = take(lcg(*MMIX), 400)
    numbers[place] ^= 1 << 40
    verdict = audit_stream(stream_of(numbers))
    assert isinstance(verdict, NotPredicted)
    assert verdict.breaks_at == place
    assert f"predicts the first {place} outputs, but output {place + 1} differs" in verdict.text()


def test_a_flipped_bit_at_the_start_prevents_prediction():
    numbers = take(lcg(*MMIX), 400)
    numbers[2] ^= 1
    assert isinstance(audit_stream(stream_of(numbers)), NotPredicted)


def test_a_twister_with_a_flipped_bit():
    twister = seeded_twister(1)
    numbers = [twister.getrandbits(32) for _ in range(1000)]
    numbers[900] ^= 1
    verdict = audit_stream(stream_of(numbers))
    assert isinstance(verdict, NotPredicted)
    assert verdict.breaks_at == 900


@pytest.mark.parametrize("count", range(1, 4))
def test_too_few_numbers(count):
    verdict = audit_stream(stream_of(take(lcg(*MMIX), count), 64))
    assert isinstance(verdict, NotPredicted)
    assert verdict.too_few > count
    assert "are too few; the least any family needs is" in verdict.text()


def test_short_streams_are_certified_only_by_held_back_outputs():
    """Five numbers determine an LCG, but almost any five numbers fit one; a sixth 64-bit number is proof enough."""
    numbers = take(lcg(*MMIX), 8)
    assert isinstance(audit_stream(stream_of(numbers, 64), family="lcg"), Predictable)
    assert isinstance(audit_stream(stream_of([*numbers[:-1], numbers[-1] ^ 2], 64), family="lcg"), NotPredicted)
