"""The cipher is the published one, and a reduced one is a counter under unseen keys."""

import numpy as np
import pytest

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.generators.speck import ROUNDS, encrypt
from unrandom.tasks import make_predictors
from unrandom.tasks.reduced_speck import ReducedSpeck

KEY, PLAIN, CIPHER = 0x1918111009080100, 0x6574694C, 0xA86842F2  # Speck32/64's test vector (Beaulieu et al. 2013)


def test_the_published_test_vector():
    assert encrypt(PLAIN, KEY, ROUNDS) == CIPHER
    rows = encrypt(*(np.array([value, value], dtype=np.uint64) for value in (PLAIN, KEY)), ROUNDS)
    assert rows.tolist() == [CIPHER, CIPHER]


def one_round(block: int, key: int) -> int:
    """A round by its definition, on strings of bits."""

    def number(bits: str) -> int:
        return int(bits, 2)

    x, y = f"{block >> 16:016b}", f"{block & 0xFFFF:016b}"
    x = f"{(number(x[-7:] + x[:-7]) + number(y)) % 2**16 ^ key:016b}"
    y = f"{number(y[2:] + y[:2]) ^ number(x):016b}"
    return number(x + y)


def test_one_round_and_none():
    rng = np.random.default_rng(0)
    for block, key in zip(*(rng.integers(0, 2**32, 20).tolist() for _ in range(2)), strict=True):
        assert encrypt(block, key, 0) == block
        assert encrypt(block, key, 1) == one_round(block, key & 0xFFFF)


@pytest.mark.parametrize("bits", [1, 4, 16])
def test_numbers_are_of_consecutive_blocks(bits):
    task = ReducedSpeck(rounds=3, bits=bits, context=8)
    drawn = task.draw(stream(0, "draw"), 5)
    numbers = drawn.numbers(9)
    for row in range(5):
        key, start = int(drawn.key[row]), int(drawn.start[row])
        blocks = [encrypt((start + t) % 2**32, key, 3) for t in range(9)]
        assert numbers[row].tolist() == [(block >> 16) % 2**bits for block in blocks]


def test_training_has_no_key_of_the_test():
    split = ReducedSpeck(rounds=2, context=8, n_test_keys=4).split(0)
    test = split.test("test", 40).parameters
    assert set(test.key.tolist()) == set(split.held["key"].tolist())
    assert not np.isin(split.draw_training(stream(0, "train"), 500).key, split.held["key"]).any()


def test_one_round_is_copied_and_many_are_not():
    """The low bits repeat after 16 blocks while the higher ones rest."""
    found = {}
    for rounds in (1, ROUNDS):
        task = ReducedSpeck(rounds=rounds, context=64)
        (copying,) = make_predictors(["copy"], task)
        found[rounds] = float(evaluate(copying, task.split(0).test("test", 400)).last_number_accuracy.value)
    assert found[1] > 0.95
    assert found[ROUNDS] < 0.12
