"""The parts of the states of an LCG that a stream may show: top bits, other bits, fractions x / m, ⌊N x / m⌋, x mod N.

A part bounds every state, or every state times a constant, modulo m; a lattice finds the first state from the bounds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import gcd, log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import first_states, lcg_machine, lcg_parameters
from unrandom.auditing.family import Generator
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.scales import Scale
from unrandom.auditing.forms.stream import Stream, View
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject
from unrandom.generators.lcg import LCG
from unrandom.generators.windows import states_showing
from unrandom.predictors.hidden_state import Bounds, hidden_states


@dataclass(frozen=True)
class ShownPart:
    """What a stream may show of the states x modulo `modulus`: `bounds` (low, high) on factor · x, such that
    (factor · x − low) mod modulus <= high − low; `show` is the number in the stream.
    """

    about: str  # reported with the generator; empty where the generator's name says it
    modulus: int
    bounds: Bounds
    show: Callable[[int], Number]
    factor: int = 1


def parts(stream: Stream, m: int) -> Iterator[ShownPart]:
    """The parts of states modulo m that the stream may show."""
    if stream.bounded is not None or stream.rounded:
        yield from fractions(stream, m)
    if stream.bounded is not None and 1 < stream.bounded < m and gcd(stream.bounded, m) == 1:
        yield _remainders(stream, stream.bounded, m)
    if stream.bounded is None or is_power_of_two(stream.bounded):
        for view in stream.views:
            yield from _top_bits(view, m)
            if is_power_of_two(m):
                yield from _middle_bits(view, m)


def generators_showing(
    stream: Stream, m: int, a: int, increments: tuple[int | None, ...], deadline: Deadline
) -> Iterator[Generator]:
    """Generators x <- (a x + c) mod m of which the stream may show a part, for each of these c; None: any c."""
    for tried, shown in enumerate(parts(stream, m), start=1):
        part = replace(shown, bounds=stream.unknown(shown.bounds, shown.modulus))
        for c in increments:
            deadline.check()
            scaled = None if c is None else c * part.factor % part.modulus
            back = pow(part.factor, -1, part.modulus)
            for lcg, state in hidden_states(part.bounds, part.modulus, a % part.modulus, scaled):
                unscaled = LCG(lcg.m, lcg.a, lcg.c * back % lcg.m)
                first = state * back % lcg.m
                parameters = {"m": lcg.m, "a": lcg.a, "c": unscaled.c, "state": first, "shown": part.about}
                free = log2(part.modulus) * (1 + (c is None)) + log2(tried)
                yield lcg_machine(parameters, unscaled, first, part.show, free)


def known_showing(name: str, lcg: LCG, part: ShownPart, tried: int) -> Iterator[Generator]:
    """A known LCG of which the stream may show this part, one of those `tried`."""
    shown: JsonObject = {"shown": part.about} if part.about else {}
    for state in first_states(lcg, part.bounds):
        free = log2(part.modulus) + log2(tried)
        yield lcg_machine({**lcg_parameters(name, lcg, state), **shown}, lcg, state, part.show, free)


def fractions(stream: Stream, m: int) -> Iterator[ShownPart]:
    """Fractions x / m, or ⌊N x / m⌋."""
    bounds, n, scale = stream.state_bounds(m), stream.bounded, Scale(m)
    if bounds is None or stream.cycle:
        return
    if n is None:
        yield ShownPart("x / m", m, bounds, scale.show)
    else:
        yield ShownPart(f"{n} x / m", m, bounds, lambda x: x * n // m)


def _remainders(stream: Stream, n: int, m: int) -> ShownPart:
    """x mod n = y is x = n q + y with 0 <= q <= (m − 1 − y) / n, so x / n modulo m is q + y / n, near y / n."""
    inverse = pow(n, -1, m)
    bounds = []
    for y in stream.values.tolist():
        least = y * inverse % m
        bounds.append((least, least + (m - 1 - y) // n))
    return ShownPart(f"x % {n}", m, bounds, lambda x: x % n, factor=inverse)


def _top_bits(view: View, m: int) -> Iterator[ShownPart]:
    """x >> low for the lengths of the top bits; the outputs may happen to be small."""
    for low in range(max(1, (m - 1).bit_length() - view.bits - 1), (m - 1).bit_length() - view.bits + 2):
        if max(view.numbers, default=0) <= (m - 1) >> low and (m - 1) >> low < 2 << view.bits:
            bounds = [(y << low, min(m - 1, ((y + 1) << low) - 1)) for y in view.numbers]
            yield ShownPart(f"x >> {low}", m, bounds, _shifted(view, low))


def _middle_bits(view: View, m: int) -> Iterator[ShownPart]:
    """Bits from `low` on, which are the top bits of an LCG modulo a smaller power of two; its highest bits and the
    lowest ones, which show a whole state, excluded.
    """
    for low in range(1, m.bit_length() - 1 - view.bits):
        yield bits_from(low, view, view.bits)


def bits_from(low: int, view: View, bits: int) -> ShownPart:
    """The given number of bits, from bit `low` on."""
    bounds = [states_showing(y, low) for y in view.numbers]
    return ShownPart(f"bits {low} to {low + bits - 1}", 1 << (low + bits), bounds, _shifted(view, low))


def _shifted(view: View, low: int) -> Callable[[int], Number]:
    return lambda x: view.show(x >> low)
