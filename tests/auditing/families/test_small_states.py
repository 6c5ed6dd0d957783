"""Generators with states of at most 32 bits are recovered from real outputs of bash, glibc and Node.js."""

from pathlib import Path

import numpy as np
import pytest
from streams import audit_stream, stream_of

from tiers import slow
from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.families.tried import small as family
from unrandom.auditing.families.tried.small import SMALL_STATES
from unrandom.auditing.generators.small import SMALL
from unrandom.auditing.verdict import Predictable

VECTORS = Path(__file__).parents[1] / "vectors"


def numbers_in(name: str) -> list[int]:
    return [int(line) for line in (VECTORS / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("name", "bits"), [("bash_random", 15), ("bash_5_0_random", 15), ("c_rand_r", 31)])
def test_words_in_full(name, bits, compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(family, "find_spec", lambda _name: None)
    numbers = numbers_in(name)
    verdict = audit_stream(stream_of(numbers[:-10], bits), family="small-state")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[-10:]
    assert verdict.outputs_needed <= 3


@pytest.mark.parametrize(("name", "bound"), [("bash_random", 1000), *slow(("c_rand_r", 10))])
def test_words_modulo_a_bound(name, bound):
    numbers = [x % bound for x in numbers_in(name)]
    verdict = audit_stream(stream_of(numbers[:-10], bounded=bound), family="small-state")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[-10:]


def test_mulberry32_makes_the_numbers_of_node():
    """The state found by a search of all 2**32, which takes half a minute."""
    mulberry = next(one for one in SMALL if one.name == "mulberry32")
    state, dice = 7 + 0x6D2B79F5, numbers_in("node_mulberry32_dice")
    states = np.array([state], dtype=np.int64)
    for die in dice:
        assert 1 + (mulberry.output(state) * 6 >> 32) == die
        assert mulberry.output(states).tolist() == [mulberry.output(state)]
        state, states = mulberry.step(state), mulberry.step(states)


@pytest.mark.parametrize("small", [one for one in SMALL if one.hidden is not None], ids=lambda one: one.name)
def test_hidden_states_are_all_states_that_show_a_word(small):
    states = np.random.default_rng(7).integers(1, 2**small.state_bits - 1, 200)
    indices = np.arange(1 << small.free)
    for state in states.tolist():
        key = small.output(state) >> small.key_shift
        before = small.hidden(key, indices)
        assert state in before.tolist()
        assert (small.output(before) >> small.key_shift == key).all()
    few = np.arange(3)[:, None]
    assert small.hidden(few, indices[:9]).tolist() == [small.hidden(k, indices[:9]).tolist() for k in range(3)]


@pytest.mark.slow
def test_many_states_are_compiled(monkeypatch):
    """The states of 31 bits behind dice of bash, and those of 32 bits behind words, from a first key near theirs."""
    bash, xorshift = SMALL[0], next(one for one in SMALL if one.name.startswith("xorshift32"))
    for small, n, divisor in ((bash, 6, 6), (bash, 6, 0), (xorshift, 200, 0), (xorshift, 200, 200)):
        state, words = 123456789, []
        current = state
        while len(words) < 20:
            word = small.output(current)
            if small.repeats or not words or words[-1] != word:
                words.append(word)
            current = small.step(current)
        low = [w % n if divisor else -(-((w * n >> small.bits) << small.bits) // n) for w in words]
        high = low if divisor else [-(-(((w * n >> small.bits) + 1) << small.bits) // n) - 1 for w in words]
        shown = family.Shown("", np.array(low), np.array(high), divisor, int)
        keys = shown.keys(small)
        near = keys.index(small.output(state) >> small.key_shift) // 64 * 64
        monkeypatch.setattr(family.Shown, "keys", lambda *_, part=keys[near : near + 64]: part)
        for limit in (0, 1 << 40):
            monkeypatch.setattr(family, "QUICK_STATES", limit)
            assert state in list(family._matching(small, shown, Deadline(60)))
        monkeypatch.undo()


def test_slow_families_stop_in_time():
    stream = stream_of([0, 1, 2, 3, 4, 5] * 20, bounded=6)
    for one in SMALL_STATES:
        needed = one.needs(stream)
        if needed is not None and one.slow and one.small.state_bits == 32:
            with pytest.raises(OutOfTime):
                list(one.recover(stream.head(needed), Deadline(-1)))
