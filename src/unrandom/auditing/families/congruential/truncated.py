"""Recovers known linear congruential generators that show only a part of their state, by finding the state in a
lattice.

The part is a window of bits, a fraction u = x / m printed with few digits, or ⌊N u⌋ for such a fraction; in a shuffle
N changes from draw to draw.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from math import log2, nextafter

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.congruential.parts import ShownPart, bits_from, fractions, known_showing
from unrandom.auditing.families.recovery import first_states, lcg_parameters
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.scales import Scale
from unrandom.auditing.forms.shown import Cycle
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.java import JAVA, NEXT_DOUBLE, TWO_STEPS
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG
from unrandom.generators.windows import Window
from unrandom.predictors.hidden_state import MAX_DIMENSION

MAX_BITS = 64  # known generators have states of at most this many bits

KNOWN_WINDOWS = (
    ("MSVC rand()", "msvc", 16, 15),
    ("rand() as in the C standard", "ansi-c", 16, 15),
    ("Borland rand()", "borland", 16, 15),
    ("drand48's lrand48(), java.util.Random.next(31)", "drand48", 17, 31),
    ("drand48's mrand48(), java.util.Random.nextInt()", "drand48", 16, 32),
    ("java.util.Random.nextFloat()", "java", 24, 24),
    ("musl rand()", "musl", 33, 31),
    ("newlib rand()", "newlib", 32, 31),
)
"""Windows shown by known programs: description, generator, lowest bit, number of bits."""

CANONICAL = {"std::minstd_rand0": KNOWN["minstd0"].lcg, "std::minstd_rand": KNOWN["minstd"].lcg}
"""The generators of `Canonical`; either is std::default_random_engine of some library."""

BELOW_ONE = nextafter(1.0, 0.0)


@cache
def windows(bits: int, reduced: bool) -> tuple[Window, ...]:
    """Windows of `bits` bits: first those in KNOWN_WINDOWS; then the top bits of every known generator, and its bits
    from 16 on. A known window may have one bit more, because outputs can happen to be small. If the outputs were
    `reduced` modulo a power of two, they are the lowest bits of a known window of any greater width.
    """
    known_windows = [
        (about, KNOWN[name].lcg, low)
        for about, name, low, width in KNOWN_WINDOWS
        if bits <= width and (reduced or bits >= width - 1)
    ]
    names: dict[LCG, list[str]] = {}
    for name, known in KNOWN.items():
        if is_power_of_two(known.m):
            names.setdefault(known.lcg, []).append(name)
    tops = [(", ".join(aliases), lcg, _state_bits(lcg) - bits) for lcg, aliases in names.items()]
    middles = [(about, lcg, 16) for about, lcg, _ in tops]
    return tuple(
        Window.of(about, lcg, low, bits)
        for about, lcg, low in (*known_windows, *tops, *middles)
        if 0 < low <= _state_bits(lcg) - bits
    )


def _state_bits(lcg: LCG) -> int:
    return lcg.m.bit_length() - 1


class Truncated(Family):
    """Known LCGs that show some bits, rounded fractions, or integers ⌊N u⌋."""

    name = "truncated-lcg"
    about = "a known linear congruential generator that shows a part of its state"
    max_outputs = MAX_DIMENSION
    with_gaps = True

    def needs(self, stream: Stream) -> int | None:
        return 2 if stream.bits <= MAX_BITS else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the largest states, and of the readings in use."""
        return float(MAX_BITS) + log2(len(KNOWN_WINDOWS))

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if isinstance(stream.shown, Cycle):
            yield from _of_shuffles(stream, stream.shown.ranges, deadline)
            return
        for tried, (name, lcg, shown) in enumerate(_parts_of_known(stream), start=1):
            deadline.check()
            part = replace(shown, bounds=stream.unknown(shown.bounds, shown.modulus))
            yield from known_showing(name, lcg, part, tried)


def _parts_of_known(stream: Stream) -> Iterator[tuple[str, LCG, ShownPart]]:
    """Known LCGs, each with a part of its states that the stream may show."""
    if stream.bounded is not None or stream.rounded:
        for lcg, name in _known_lcgs().items():
            yield from ((name, lcg, replace(part, about="")) for part in fractions(stream, lcg.m))
        yield "java.util.Random.nextDouble()", TWO_STEPS, _next_double(stream)
    if stream.bounded is None or is_power_of_two(stream.bounded):
        for view in stream.views:
            for window in windows(view.bits, stream.bounded is not None):
                yield window.about, window.lcg, bits_from(window.low, view, window.bits)


def _next_double(stream: Stream) -> ShownPart:
    """Java's nextDouble(), whose top 26 bits belong to every second state, and the other bits to the next."""
    others, n = 1 << 22, stream.bounded  # states with the same top 26 bits
    bounds = [(max(0, low - others), high + others) for low, high in stream.state_bounds(JAVA.m) or []]
    show = Scale(1 << 53).show if n is None else lambda x: x * n >> 53
    return ShownPart("", TWO_STEPS.m, bounds, lambda x: show(NEXT_DOUBLE.output(x)))


def _of_shuffles(stream: Stream, ranges: tuple[int, ...], deadline: Deadline) -> Iterator[Generator]:
    """Draws ⌊N u⌋ from a cycle of ranges N, for fractions u = x / m of every known LCG."""
    for lcg, name in _known_lcgs().items():
        deadline.check()
        for state in first_states(lcg, stream.state_bounds(lcg.m) or []):
            yield _shuffling(lcg_parameters(name, lcg, state), lcg, state, ranges)


def _shuffling(parameters: JsonObject, lcg: LCG, state: int, ranges: tuple[int, ...]) -> Machine:
    """A generator whose state is that of a draw, with the index of the draw's range in the cycle of ranges."""
    before = lcg.inverse()
    return Machine(
        parameters,
        (state, 0),
        lambda at: (lcg(at[0]), (at[1] + 1) % len(ranges)),
        lambda at: at[0] * ranges[at[1]] // lcg.m,
        lambda at: (before(at[0]), (at[1] - 1) % len(ranges)),
        log2(lcg.m) + log2(len(KNOWN)),
    )


def _known_lcgs() -> dict[LCG, str]:
    return {known.lcg: name for name, known in reversed(KNOWN.items())}


class Canonical(Family):
    """Doubles from 0 to 1 that each consist of two states x and x' of a Lehmer generator.

    For states from 1 to r = m − 1 the double is (x − 1 + (x' − 1) r) / r², rounded after every operation
    (std::generate_canonical in the C++ standard, libstdc++). So it tells x' up to one, or to its digits, and x follows
    from x'.
    """

    name = "truncated-lcg"
    about = "C++'s uniform_real_distribution<double> over std::minstd_rand0 or std::minstd_rand"
    max_outputs = 32

    def needs(self, stream: Stream) -> int | None:
        return 2 if stream.rounding_error is not None else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for tried, (about, lcg) in enumerate(CANONICAL.items(), start=1):
            deadline.check()
            r, two_steps = lcg.m - 1, LCG(lcg.m, lcg.a**2 % lcg.m, 0)
            bounds = stream.state_bounds(r * r) or []
            second_states = [(max(1, low // r), min(r, high // r + 2)) for low, high in bounds]
            yield from known_showing(about, two_steps, ShownPart("", lcg.m, second_states, _double(lcg)), tried)


def _double(lcg: LCG) -> Callable[[int], float]:
    """The fraction of which x' is the second state."""
    before, r = lcg.inverse(), lcg.m - 1

    def show(second: int) -> float:
        return min(BELOW_ONE, (float(before(second) - 1) + float(second - 1) * float(r)) / float(r * r))

    return show
