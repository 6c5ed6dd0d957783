"""Seeds are found from a single token, key or identifier, and from a few shuffles or samples."""

import itertools
import random
import string
import uuid

import numpy as np
import pytest

import unrandom
from unrandom.auditing.verdict import Predictable, TooFew

pytest.importorskip("numba", reason="2026-11-23: the extra fast is not installed")

from unrandom.auditing.seeds.samples import Sample

LETTERS = string.ascii_letters + string.digits

JAVA_SHUFFLES = [
    [1, 3, 7, 2, 5, 4, 8, 6], [2, 3, 7, 4, 8, 1, 5, 6], [3, 8, 1, 5, 6, 4, 2, 7], [5, 6, 7, 3, 4, 2, 8, 1],
    [2, 8, 1, 5, 7, 4, 6, 3], [8, 7, 4, 3, 2, 1, 5, 6],
]  # fmt: skip


def of_python(draw):
    chance = random.Random(321)
    return [draw(chance) for _ in range(2)]


def of_numpy(draw):
    chance = np.random.RandomState(321)
    return [draw(chance) for _ in range(2)]


TOKENS = {
    "Java, RandomStringUtils.randomAlphanumeric(32)": (
        ["ygZDDnsAqDNRHT4FS5UrHN3vi6mEGTJr", "gcFPzMAEVIxlrpYx4NZedHoLFgjgHTeF"], "RandomStringUtils", 1668247404,
    ),
    "Python, choices": (of_python(lambda one: "".join(one.choices(LETTERS, k=16))), "choices", 321),
    "Python, choice": (of_python(lambda one: "".join(one.choice(LETTERS) for _ in range(16))), "choice", 321),
    "Python, choice of hexadecimal digits": (
        of_python(lambda one: "".join(one.choice("0123456789abcdef") for _ in range(32))), "choice", 321,
    ),
    "Python, getrandbits": (of_python(lambda one: f"{one.getrandbits(256):064x}"), "getrandbits(32)", 321),
    "Python, randbytes": (of_python(lambda one: one.randbytes(16).hex()), "getrandbits(32)", 321),
    "Python, UUID": (
        of_python(lambda one: str(uuid.UUID(int=one.getrandbits(128), version=4))), "getrandbits(32)", 321,
    ),
    "numpy, bytes": (of_numpy(lambda one: one.bytes(16).hex()), "whole words", 321),
    "bytes of C++, the highest of each word": (
        ["8c97b7d89adb8bd86c9fa562704ce40ef645627acacf877a9164ecd6125616a5", "055ed5f5c723dede"],
        "the highest of each", 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tokens", "method", "seed"), TOKENS.values(), ids=TOKENS)
def test_the_seed_of_one_token(tokens, method, seed):
    verdict = unrandom.audit(tokens[:1], seeds=f"{max(0, seed - 100)}:{seed + 100}", family="trivial")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.parameters["seed"] == seed
    assert method in "; ".join([verdict.parameters["method"], *verdict.parameters.get("or", [])])
    assert verdict.next[0].startswith(tokens[1])


def test_letters_from_the_last_to_the_first():
    """As RandomStringUtils of Apache Commons Lang before 3.6 filled its strings."""
    first, second = (token[::-1] for token in TOKENS["Java, RandomStringUtils.randomAlphanumeric(32)"][0])
    verdict = unrandom.audit([first], seeds="1668247400:1668247500", family="trivial")
    assert isinstance(verdict, Predictable), verdict.text()
    assert "the last character first" in verdict.form
    assert verdict.next[0] == second


def test_ten_letters_of_php_are_nearly_a_proof():
    """Those of the GWCTF 2019 lottery: mt_rand(0, 61) of a-z0-9A-Z."""
    verdict = unrandom.audit(["w6Tv3Dw8xk"], seeds="981620000:981630000", program="php", family="trivial")
    assert isinstance(verdict, TooFew), verdict.text()
    first = verdict.candidates[0]
    assert (first.parameters["seed"], first.next[0]) == (981623126, "yo8M3VBT6Y")
    assert 35 < first.bits < 40
    assert first.more == 1


def test_shuffles():
    chance = random.Random(5)
    decks = []
    for _ in range(7):
        deck = list(range(1, 11))
        chance.shuffle(deck)
        decks.append(deck)
    verdict = unrandom.audit(decks[:5], seeds="0:1000", family="trivial")
    assert verdict.parameters["seed"] == 5
    assert verdict.next == decks[5]
    verdict = unrandom.audit(JAVA_SHUFFLES[:5], seeds="0:1000", family="trivial")
    assert verdict.parameters["seed"] == 7
    assert verdict.next[:8] == JAVA_SHUFFLES[5]


def test_samples_without_replacement():
    r = [31, 79, 51, 14, 67, 42, 50, 43, 97, 25]  # set.seed(123); sample(1:100, 10)
    verdict = unrandom.audit(r, seeds="0:200", start=1, bounded=100, family="trivial")
    assert isinstance(verdict, Predictable), verdict.text()
    assert (verdict.parameters["method"], verdict.parameters["seed"]) == ("sample", 123)
    chance = random.Random(77)
    lottery = [chance.sample(range(1, 50), 12) for _ in range(2)]
    verdict = unrandom.audit(lottery[0], seeds="0:200", start=1, bounded=49, family="trivial")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.parameters["seed"] == 77
    assert verdict.next == lottery[1][:10]
    assert "samples of 12 from 49" in verdict.form


def test_rows_of_samples():
    chance = random.Random(99)
    lottery = [number for _ in range(7) for number in chance.sample(range(1, 50), 6)]
    verdict = unrandom.audit(lottery[:30], seeds="0:200", start=1, bounded=49, family="trivial")
    assert verdict.form == "samples of 6 from 49, without replacement; 1 + x"
    assert verdict.next == lottery[30:40]
    assert not verdict.notes


@pytest.mark.parametrize(("sampled", "seed"), [(False, 3), (True, 26)])
def test_ranges_that_the_outputs_do_not_tell_apart(sampled, seed):
    """Python draws 6 bits again until they are below 49, or 50: without a 49 among them, both make the same numbers."""

    def numbers(size):
        chance = random.Random(seed)
        if sampled:
            return [x for _ in range(8) for x in chance.sample(range(size), 6)]
        return [chance.randrange(size) for _ in range(48)]

    assert numbers(49)[:30] == numbers(50)[:30]
    assert numbers(49)[:40] != numbers(50)[:40]
    verdict = unrandom.audit(numbers(49)[:30], seeds="0:50", program="Python", family="trivial")
    assert verdict.next in (numbers(49)[30:40], numbers(50)[30:40])
    (note,) = verdict.notes
    assert note.startswith("It is assumed that each number is one of ")
    assert note.endswith("those that follow are not: --bounded states it.")
    assert "or" not in verdict.parameters
    for size in (49, 50):
        verdict = unrandom.audit(numbers(size)[:30], seeds="0:50", program="Python", family="trivial", bounded=size)
        assert verdict.next == numbers(size)[30:40]
        assert not verdict.notes


def test_whole_pools():
    """The last number of a pool also takes a word: set.seed(123); sample(1:10); sample(1:10)."""
    verdict = unrandom.audit([3, 10, 2, 8, 6, 9, 1, 7, 5, 4], seeds="100:150", program="R set.seed", family="trivial")
    first = verdict.candidates[0]
    assert (first.parameters["method"], first.parameters["seed"]) == ("sample", 123)
    assert first.next == [10, 5, 3, 8, 1, 4, 6, 9, 7, 2]
    chance = random.Random(77)
    pools = [chance.sample(range(20), 20) for _ in range(2)]
    verdict = unrandom.audit(pools[0], seeds="0:200", bounded=20, family="trivial")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == pools[1][:10]


def test_places_in_a_pool():
    sample = Sample(pool=9, count=5)
    assert sample.ranges == (9, 8, 7, 6, 5)
    for numbers in itertools.islice(itertools.permutations(range(9), 5), 0, None, 97):
        places = sample.places(numbers)
        assert all(place < 9 - i for i, place in enumerate(places))
        assert sample.restore([*places, *places, 0]) == [*numbers, *numbers]
