"""Recovers nextGaussian() of java.util.Random by inverting the polar method for one pair of deviates, which shows parts
of four successive states.

A pair of deviates is made of two nextDouble(), drawn again until they lie in the unit circle. Two deviates tell both
doubles except for their last bits, and these the 48 bits of the state in a lattice. All others follow from it. The
first deviate of a stream may be the second one of a pair.
"""

from collections.abc import Iterator

from unrandom.auditing.algebra.normal import ROUNDING, polar, polar_inverse
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.shown import Normals
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.java import JAVA, NEXT_DOUBLE
from unrandom.generators.lcg import LCG
from unrandom.predictors.hidden_state import states_within

STATE_BITS, TOP, REST = 48, 26, 27  # bits of a state, and of the two states in a double

PAIR = JAVA.jump(4)
PAIR_BACK = PAIR.inverse()
SECOND = JAVA.jump(2)

State = tuple[int, bool]  # the first state of a pair that is not drawn again, and whether its second deviate comes next


class JavaGaussian(Family):
    """nextGaussian(), in full or in 9 digits or more."""

    name = "java-gaussian"
    about = "java.util.Random.nextGaussian()"
    max_outputs = 3
    of_normals = True

    def needs(self, stream: Stream) -> int | None:
        return 3 if isinstance(stream.shown, Normals) else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state, and of the place in a pair."""
        return STATE_BITS + 1.0

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if not isinstance(stream.shown, Normals) or len(stream) < 3:
            return
        errors = stream.shown.rounding_error
        for first in (0, 1):
            deadline.check()
            z, other = stream.values[first : first + 2].tolist()
            error = float(errors[first : first + 2].max())
            for x in _states(z, other, error):
                if _deviates(x) is not None:
                    state = _before((x, False)) if first else (x, False)
                    parameters = {"method": "nextGaussian()", "state": state[0], "second_of_pair": state[1]}
                    yield Machine(parameters, state, _after, _deviate, _before)


def _states(z: float, other: float, error: float) -> Iterator[int]:
    """First states of pairs that make about these deviates."""
    if z == other == 0.0:
        return
    bounds = []
    for v in polar_inverse(z, other):
        tolerance = 4 * error + ROUNDING
        low, high = (int((v + 1 + sign * tolerance) / 2 * 2.0 ** (TOP + REST)) for sign in (-1, 1))
        low, high = max(0, low), min(high, 2 ** (TOP + REST) - 1)
        bounds.append((low >> REST << (STATE_BITS - TOP), ((high >> REST) + 1 << (STATE_BITS - TOP)) - 1))
        if low >> REST == high >> REST:
            low, high = low % 2**REST, high % 2**REST
            bounds.append((low << (STATE_BITS - REST), ((high + 1) << (STATE_BITS - REST)) - 1))
        else:
            bounds.append((0, 2**STATE_BITS - 1))
    jumps = [JAVA.jump(i) for i in range(1, 4)]
    yield from states_within([1, *(one.a for one in jumps)], [0, *(one.c for one in jumps)], JAVA.m, bounds)


def _deviates(x: int) -> tuple[float, float] | None:
    """The deviates of the pair that begins with this state; None if it is drawn again."""
    v, w = (2 * (NEXT_DOUBLE.output(state) / 2.0 ** (TOP + REST)) - 1 for state in (x, SECOND(x)))
    return polar(v, w)


def _deviate(state: State) -> float:
    pair = _deviates(state[0])
    assert pair is not None
    return pair[state[1]]


def _after(state: State) -> State:
    x, second = state
    return (_next_pair(x, PAIR), False) if second else (x, True)


def _before(state: State) -> State:
    x, second = state
    return (x, False) if second else (_next_pair(x, PAIR_BACK), True)


def _next_pair(x: int, jump: LCG) -> int:
    """The next pair in this direction that is not drawn again."""
    x = jump(x)
    while _deviates(x) is None:
        x = jump(x)
    return x
