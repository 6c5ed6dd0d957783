"""Is it a known linear congruential generator that shows only the top bits of its state, or those of the state modulo a
smaller power of two, or a fraction printed with few digits, or ⌊N u⌋ for such a fraction?

The low bits of x modulo 2**k are those of an LCG modulo 2**k. So bits l … l + b − 1 are always the top bits of one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from math import ceil

from unrandom.audit.families.lcg import backwards
from unrandom.audit.family import Deadline, Generator, Machine, Tree
from unrandom.audit.stream import Number, Scale, Stream, View
from unrandom.core.arithmetic import is_power_of_two
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import Lcg
from unrandom.predictors.hidden_state import DIMENSIONS, SPARE, Bounds, hidden_states, outputs_needed


@dataclass(frozen=True)
class Window:
    """Programs that show bits low … low + bits − 1 of an LCG's state, or all from low on (0)."""

    about: str
    lcg: Lcg
    low: int
    bits: int


@cache
def windows() -> tuple[Window, ...]:
    """What programs are known to show, first; then the top of every known generator, and its bits from 16 on."""
    shown = [
        Window(about, KNOWN[name].lcg, low, bits)
        for about, name, low, bits in (
            ("MSVC rand()", "msvc", 16, 15),
            ("rand() as in the C standard", "ansi-c", 16, 15),
            ("Borland rand()", "borland", 16, 15),
            ("drand48's lrand48(), java.util.Random.next(31)", "drand48", 17, 31),
            ("drand48's mrand48(), java.util.Random.nextInt()", "drand48", 16, 32),
            ("java.util.Random.nextFloat()", "java", 24, 24),
            ("musl rand()", "musl", 33, 31),
            ("newlib rand()", "newlib", 32, 31),
        )
    ]
    lcgs: dict[Lcg, list[str]] = {}
    for name, known in KNOWN.items():
        lcgs.setdefault(known.lcg, []).append(name)
    powers = [(lcg, ", ".join(names)) for lcg, names in lcgs.items() if is_power_of_two(lcg.m)]
    return (
        *shown,
        *(Window(names, lcg, 0, 0) for lcg, names in powers),
        *(Window(names, lcg, 16, -1) for lcg, names in powers),
    )


class Truncated:
    """Known LCGs of which some high bits, rounded fractions or ranges are seen."""

    name = "truncated-lcg"
    about = "a known linear congruential generator that shows a part of its state"
    trivial = False
    most = DIMENSIONS

    def needs(self, stream: Stream) -> int | None:
        return 4

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if stream.bounded is not None or stream.rounded:
            yield from _of_fractions(stream, deadline)
        for view in stream.views:
            if stream.bounded is not None and not is_power_of_two(stream.bounded):
                continue
            for window in windows():
                deadline.check()
                bits = view.bits
                top = window.lcg.m.bit_length() - 1
                low = top - bits if window.bits == 0 else window.low
                if low <= 0 or low + bits > top or bits > window.bits > 0:
                    continue
                if window.bits > 0 and bits < window.bits - 1 and stream.bounded is None:
                    continue
                modulus = 1 << (low + bits)
                lcg = Lcg(modulus, window.lcg.a % modulus, window.lcg.c % modulus)
                bounds = [(y << low, (y + 1 << low) - 1) for y in view.numbers]
                for state in first_states(lcg, bounds):
                    parameters = {**_written(window.about, lcg, state), "shown": f"bits {low} to {low + bits - 1}"}
                    yield Machine(parameters, state, lcg, partial(_top, view, low), backwards(lcg))


def _of_fractions(stream: Stream, deadline: Deadline) -> Iterator[Generator]:
    """u = x / m for every known LCG, and for Java's nextDouble() the top of every other state."""
    lcgs = {known.lcg: name for name, known in reversed(KNOWN.items())}
    for lcg, name in lcgs.items():
        for stride in (1, 2) if name == "java" or lcg == KNOWN["java"].lcg else (1,):
            deadline.check()
            bounds = stream.within(lcg.m)
            if bounds is None:
                return
            steps = lcg.jump(stride)
            for state in first_states(steps, bounds):
                parameters = _written(name if stride == 1 else f"{name}, every second state", steps, state)
                yield Machine(parameters, state, steps, _shower(stream, lcg.m), backwards(steps))


def _top(view: View, low: int, x: int) -> Number:
    return view.show(x >> low)


def _shower(stream: Stream, m: int) -> Callable[[int], Number]:
    scale = Scale(m)

    def show(x: int) -> Number:
        return scale.show(x) if stream.bounded is None else x * stream.bounded // m

    return show


def _written(about: str, lcg: Lcg, state: int) -> Tree:
    return {"generator": about, "m": lcg.m, "a": lcg.a, "c": lcg.c, "state": state}


def first_states(lcg: Lcg, bounds: Bounds, period: int | None = None) -> Iterator[int]:
    """Candidates for the first state, when each (modulo a period) is known to lie between bounds. Only as many outputs
    are used as have together somewhat more bits than the state: if a later one is not as foretold, the search tells.
    """
    least = outputs_needed(bounds, lcg.m, unknown_increment=False, period=period)
    some = bounds[: least + ceil(SPARE * least)] if least else ()
    for _, state in hidden_states(some, lcg.m, lcg.a, lcg.c, period=period):
        yield state
