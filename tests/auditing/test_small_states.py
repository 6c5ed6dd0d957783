"""Generators with states of at most 32 bits are recovered from real outputs of bash, glibc and Node.js."""

from pathlib import Path

import numpy as np
import pytest
from streams import audit_stream, stream_of

from unrandom.auditing.families import small as family
from unrandom.auditing.families.small import SMALL_STATES
from unrandom.auditing.family import Deadline, OutOfTime
from unrandom.auditing.verdict import Predictable
from unrandom.generators.small import SMALL

VECTORS = Path(__file__).parent / "vectors"


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


@pytest.mark.parametrize(("name", "bound"), [("bash_random", 1000), ("c_rand_r", 10)])
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


def test_slow_families_stop_in_time():
    stream = stream_of([0, 1, 2, 3, 4, 5] * 20, bounded=6)
    for one in SMALL_STATES:
        needed = one.needs(stream)
        if needed is not None and one.slow and one.small.state_bits == 32:
            with pytest.raises(OutOfTime):
                list(one.recover(stream.head(needed), Deadline(-1)))
