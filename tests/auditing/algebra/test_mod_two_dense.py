"""Dense linear equations modulo 2 are solved, and contradictions and undetermined unknowns are told apart."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.auditing.algebra.mod_two_dense import growth, solve_dense
from unrandom.auditing.algebra.mod_two_twister import twister_forms
from unrandom.auditing.generators.linear_words import LinearWord, packed_words, unit_rows, unknown_words
from unrandom.auditing.generators.mersenne import MT19937, MT19937_64, MT19937_PHP5
from unrandom.auditing.generators.shifts import rotate
from unrandom.auditing.generators.well import WELL512A
from unrandom.predictors.mod_two import solve


def packed(masks, unknowns):
    words = packed_words(unknowns)
    return np.array([[(mask >> (64 * j)) % 2**64 for j in range(words)] for mask in masks], dtype=np.uint64)


def satisfies(rows, right, solution):
    return ((np.bitwise_count(rows & solution.words).sum(axis=1) & 1).astype(bool) == right).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 150), st.integers(0, 200), st.integers(0, 2**32), st.booleans())
def test_it_agrees_with_the_elimination_on_integers(unknowns, equations, seed, consistent):
    chance = random.Random(seed)
    masks = [chance.getrandbits(unknowns) & chance.getrandbits(unknowns) for _ in range(equations)]
    hidden = chance.getrandbits(unknowns)
    bits = [(mask & hidden).bit_count() & 1 if consistent else chance.getrandbits(1) for mask in masks]
    rows, right = packed(masks, unknowns).reshape(-1, packed_words(unknowns)), np.array(bits, dtype=bool)
    solution = solve_dense([(rows, right)], unknowns)
    if consistent:
        assert solution is not None
    expected = solve(zip(masks, bits, strict=True), unknowns)
    if solution is None:
        assert expected is None
        return
    assert satisfies(rows, right, solution)
    assert (solution.free == 0) == (expected is not None)
    if expected is not None:
        assert solution.split([unknowns]) == [expected]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 100), st.integers(0, 60), st.integers(0, 200), st.integers(0, 2**32))
def test_growth_tells_how_many_equations_determine_the_unknowns(unknowns, known, others, seed):
    chance = random.Random(seed)
    masks = [chance.getrandbits(unknowns) & chance.getrandbits(unknowns) for _ in range(known + others)]
    hidden = chance.getrandbits(unknowns)
    rows = packed(masks, unknowns).reshape(-1, packed_words(unknowns))
    right = np.array([(mask & hidden).bit_count() & 1 for mask in masks], dtype=bool)
    grown = growth([(rows[:known], right[:known])], [rows[known:]], unknowns)

    def rank(count):
        return unknowns - solve_dense([(rows[:count], right[:count])], unknowns).free

    assert (grown.read, grown.rank) == (known, rank(known))
    if grown.needed is None:
        assert rank(known + others) < unknowns
    else:
        assert rank(grown.needed) == unknowns
        assert rank(grown.needed - 1) < unknowns


def test_growth_of_equations_that_contradict():
    rows = packed([1, 1], 64)
    assert growth([(rows, np.array([True, False]))], [], 64) is None
    assert growth([(rows, np.array([True, True]))], [unit_rows(64)], 64, silent=63).needed == 1
    assert growth([(rows, np.array([True, True]))], [unit_rows(64)], 64).needed == 66


@pytest.mark.parametrize("unknowns", [64, 1000, 3000])
def test_dense_equations_in_pieces(unknowns):
    chance = np.random.default_rng(unknowns)
    rows = chance.integers(0, 2**64, (unknowns + 64, packed_words(unknowns)), dtype=np.uint64)
    rows[:, -1] &= np.uint64((1 << (unknowns - 64 * (packed_words(unknowns) - 1))) - 1)
    hidden = rows[-1].copy()
    right = (np.bitwise_count(rows & hidden).sum(axis=1) & 1).astype(bool)
    pieces = [(rows[i : i + 100], right[i : i + 100]) for i in range(0, len(rows), 100)]
    solution = solve_dense(pieces, unknowns)
    assert solution is not None
    assert solution.free == 0
    assert (solution.words == hidden).all()
    right[-1] ^= True
    assert solve_dense(pieces, unknowns) is None


def test_it_reads_no_further_than_needed_and_can_be_stopped():
    rows, read = unit_rows(576)[:512], []

    def pieces():
        for i in range(100):
            read.append(i)
            yield rows, np.full(512, i == 3)

    assert solve_dense(pieces(), 576, silent=64).free == 64
    assert read == [0, 1, 2]
    read.clear()
    assert solve_dense(pieces(), 576) is None
    assert len(read) < 9

    def stop():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        solve_dense(pieces(), 576, stop)


def value_of(form, bits):
    return (np.bitwise_count(form & bits).sum(axis=1) & 1).astype(int).tolist()


@pytest.mark.parametrize("v", [MT19937, MT19937_64, MT19937_PHP5])
def test_forms_of_a_twister(v):
    chance = random.Random(7)
    words = np.array([chance.getrandbits(v.w) for _ in range(v.n)], dtype=np.uint64)
    state = np.frombuffer(words.astype("<u8" if v.w == 64 else "<u4").tobytes(), dtype="<u8").astype(np.uint64)
    blocks = [words]
    for _ in range(3):
        blocks.append(v.next_block(blocks[-1]))
    outputs = v.temper(np.concatenate(blocks)).tolist()
    wanted = [
        (0, [0, 5]),
        (1, []),
        (v.n - 1, [v.w - 1]),
        (v.n, list(range(v.w))),
        (v.n + 230, [0]),
        (3 * v.n + 1, [3, 1]),
    ]
    for (index, bits), form in zip(wanted, twister_forms(v, wanted), strict=True):
        assert value_of(form, state) == [(outputs[index] >> bit) & 1 for bit in bits]


def test_a_generator_runs_on_linear_words():
    chance = random.Random(8)
    state = tuple(chance.getrandbits(32) for _ in range(16))
    forms = unknown_words([32] * 16)
    for _ in range(40):
        state, forms = WELL512A.step(state), WELL512A.step(forms)
    first = random.Random(8)
    bits = packed([sum(first.getrandbits(32) << (32 * i) for i in range(16))], 512)[0]
    word = WELL512A.output(state)
    assert value_of(WELL512A.output(forms).bits(range(32)), bits) == [(word >> bit) & 1 for bit in range(32)]


def test_operators_of_linear_words():
    (word,) = unknown_words([8])
    bits, x = np.array([0b10110101], dtype=np.uint64), 0b10110101
    for form, value in (
        (rotate(word, 3, 8), rotate(x, 3, 8)),
        ((word & 1) * 0x1D, (x & 1) * 0x1D),
        (0x1D * (word & 1), (x & 1) * 0x1D),
        (word << 4, x << 4),
        (0xF0 & word, x & 0xF0),
        ((word >> 6) ^ word, (x >> 6) ^ x),
    ):
        assert isinstance(form, LinearWord)
        assert value_of(form.bits(range(16)), bits) == [(value >> k) & 1 for k in range(16)]
    with pytest.raises(ValueError, match="joined"):
        word | word
    with pytest.raises(ValueError, match="multiplied"):
        word * 3
