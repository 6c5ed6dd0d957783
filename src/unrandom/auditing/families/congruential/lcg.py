"""Is it an LCG that shows its whole state, x[t+1] = (a x[t] + c) mod m? By solving congruences of differences."""

from collections.abc import Iterator

from unrandom.auditing.families.recovery import lcg_machine, lcg_outputs_needed, recover_lcg
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.stream import Stream
from unrandom.core.deadline import Deadline
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

    def needs(self, stream: Stream) -> int | None:
        return lcg_outputs_needed(stream.modulus, stream.multiplier)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for modulus in {stream.modulus, view.divisor} if view.divisor else {stream.modulus}:
                lcg = recover_lcg(view.numbers, modulus, stream.multiplier)
                if lcg is not None:
                    yield lcg_machine(_parameters(lcg, view.numbers[0]), lcg, view.numbers[0], view.show)


def _parameters(lcg: LCG, state: int) -> JsonObject:
    """The parameters of an LCG and its state, with the names of known generators that share the parameters."""
    names = [name for name, known in KNOWN.items() if known.lcg == lcg]
    known_as: JsonObject = {"known_as": ", ".join(names)} if names else {}
    return {"m": lcg.m, "a": lcg.a, "c": lcg.c, **known_as, "state": state}
