"""Recovers LCGs that show their whole state, x[t+1] = (a x[t] + c) mod m, by solving congruences of differences."""

from collections.abc import Iterator
from math import log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import lcg_machine, lcg_outputs_needed, recover_lcg
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.stream import Stream
from unrandom.core.files import JsonObject
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG

MAX_OUTPUTS = 256  # outputs used for recovery; the greatest common divisor converges much earlier


class FullState(Family):
    """LCGs with unknown modulus, multiplier and increment."""

    name = "lcg"
    about = "a linear congruential generator that shows its whole state; modulus, multiplier, increment unknown"
    max_outputs = MAX_OUTPUTS
    any_width = True
    of_own = True

    def needs(self, stream: Stream) -> int | None:
        return lcg_outputs_needed(stream.modulus, stream.multiplier)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for modulus in {stream.modulus, view.divisor} if view.divisor else {stream.modulus}:
                lcg = recover_lcg(view.numbers, modulus, stream.multiplier)
                if lcg is not None:
                    free = (_unknowns(modulus, stream.multiplier) - _as_given(lcg, stream)) * log2(lcg.m)
                    yield lcg_machine(_parameters(lcg, view.numbers[0]), lcg, view.numbers[0], view.show, free)

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the numbers below the modulus that are not given; an unknown modulus is as wide as the outputs."""
        if stream.fractions and not stream.modulus:
            return None
        bits = log2(stream.modulus) if stream.modulus else float(stream.bits)
        return _unknowns(stream.modulus, stream.multiplier) * bits


def _unknowns(modulus: int | None, multiplier: int | None) -> int:
    """How many of m, a, c and x are not given. As a modulus is greater than all outputs, those of all moduli together
    make n outputs by chance as often as 1/(n − 4) times one more number below the least of them would.
    """
    return 4 - (modulus is not None) - (multiplier is not None)


def _as_given(lcg: LCG, stream: Stream) -> bool:
    """Whether the increment is the one given."""
    return stream.increment is not None and lcg.c == stream.increment % lcg.m


def _parameters(lcg: LCG, state: int) -> JsonObject:
    """The parameters of an LCG and its state, with the names of known generators that share the parameters."""
    names = [name for name, known in KNOWN.items() if known.lcg == lcg]
    known_as: JsonObject = {"known_as": ", ".join(names)} if names else {}
    return {"m": lcg.m, "a": lcg.a, "c": lcg.c, **known_as, "state": state}
