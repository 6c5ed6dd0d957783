"""Are the fractions those of C++'s uniform_real_distribution<double> over std::minstd_rand0 or std::minstd_rand (also
std::default_random_engine of libstdc++)? By the second of the two states of which each fraction consists.

The fraction is (x − 1 + (x' − 1) r) / r² for two successive states x and x' from 1 to r = m − 1, rounded to a double
after every operation (std::generate_canonical in the C++ standard, libstdc++). So it tells x' up to one, or
to its digits, and x follows from x'.
"""

from collections.abc import Callable, Iterator
from math import nextafter

from unrandom.auditing.families.recovery import first_states, lcg_machine, lcg_parameters
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.stream import Stream
from unrandom.core.deadline import Deadline
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG

ENGINES = {"std::minstd_rand0": KNOWN["minstd0"].lcg, "std::minstd_rand": KNOWN["minstd"].lcg}

BELOW_ONE = nextafter(1.0, 0.0)


class Canonical(Family):
    """Doubles from 0 to 1 that each consist of two states of a Lehmer generator."""

    name = "truncated-lcg"
    about = "C++'s uniform_real_distribution<double> over std::minstd_rand0 or std::minstd_rand"
    max_outputs = 32

    def needs(self, stream: Stream) -> int | None:
        return 2 if stream.rounding_error is not None else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for about, lcg in ENGINES.items():
            deadline.check()
            r = lcg.m - 1
            second_states = [
                (max(1, low // r), min(r, high // r + 2)) for low, high in stream.state_bounds(r * r) or []
            ]
            two_steps = LCG(lcg.m, lcg.a**2 % lcg.m, 0)
            for state in first_states(two_steps, second_states):
                yield lcg_machine(lcg_parameters(about, two_steps, state), two_steps, state, _double(lcg))


def _double(lcg: LCG) -> Callable[[int], float]:
    """The fraction of which x' is the second state."""
    before, r = lcg.inverse(), lcg.m - 1

    def show(second: int) -> float:
        return min(BELOW_ONE, (float(before(second) - 1) + float(second - 1) * float(r)) / float(r * r))

    return show
