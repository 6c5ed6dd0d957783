"""Is it a known linear congruential generator that shows only a part of its state? By finding the state in a lattice.

The part is a window of bits, a fraction u = x / m printed with few digits, or ⌊N u⌋ for such a fraction; in a shuffle
N changes from draw to draw.
"""

from collections.abc import Callable, Iterator
from functools import cache

from unrandom.auditing.families.recovery import first_states, lcg_machine, lcg_parameters
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Scale, Stream, View
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.deadline import Deadline
from unrandom.core.files import JsonObject
from unrandom.generators.java import JAVA, NEXT_DOUBLE, TWO_STEPS
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG
from unrandom.generators.windows import Window, states_showing
from unrandom.predictors.hidden_state import MAX_DIMENSION

MAX_BITS = 64
"""Known generators have states of at most so many bits."""

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

    def needs(self, stream: Stream) -> int | None:
        return 4 if stream.bits <= MAX_BITS else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if stream.cycle:
            yield from _of_shuffles(stream, deadline)
            return
        if stream.bounded is not None or stream.rounded:
            yield from _of_fractions(stream, deadline)
        if stream.bounded is None or is_power_of_two(stream.bounded):
            for view in stream.views:
                for window in windows(view.bits, stream.bounded is not None):
                    deadline.check()
                    yield from _of_window(window, view)


def _of_window(window: Window, view: View) -> Iterator[Generator]:
    def show(x: int) -> Number:
        return view.show(window.output(x))

    for state in first_states(window.lcg, [states_showing(y, window.low) for y in view.numbers]):
        shown = f"bits {window.low} to {window.low + window.bits - 1}"
        parameters = {**lcg_parameters(window.about, window.lcg, state), "shown": shown}
        yield lcg_machine(parameters, window.lcg, state, show)


def _of_shuffles(stream: Stream, deadline: Deadline) -> Iterator[Generator]:
    """Draws ⌊N u⌋ from a cycle of ranges N, for fractions u = x / m of every known LCG."""
    ranges = stream.cycle
    for lcg, name in _known_lcgs().items():
        deadline.check()
        for state in first_states(lcg, stream.state_bounds(lcg.m) or []):
            yield _shuffling(lcg_parameters(name, lcg, state), lcg, state, ranges)


def _shuffling(parameters: JsonObject, lcg: LCG, state: int, ranges: tuple[int, ...]) -> Machine:
    """The state of a draw, and its place in the cycle of ranges."""
    before = lcg.inverse()
    return Machine(
        parameters,
        (state, 0),
        lambda at: (lcg(at[0]), (at[1] + 1) % len(ranges)),
        lambda at: at[0] * ranges[at[1]] // lcg.m,
        lambda at: (before(at[0]), (at[1] - 1) % len(ranges)),
    )


def _known_lcgs() -> dict[LCG, str]:
    return {known.lcg: name for name, known in reversed(KNOWN.items())}


def _of_fractions(stream: Stream, deadline: Deadline) -> Iterator[Generator]:
    """Fractions u = x / m of every known LCG; and Java's nextDouble()."""
    for lcg, name in _known_lcgs().items():
        deadline.check()
        bounds = stream.state_bounds(lcg.m)
        if bounds is None:
            return
        for state in first_states(lcg, bounds):
            yield lcg_machine(lcg_parameters(name, lcg, state), lcg, state, _output_function(stream, lcg.m))
    yield from _next_doubles(stream)


def _next_doubles(stream: Stream) -> Iterator[Generator]:
    """Java's nextDouble(), whose top 26 bits are those of every second state, and whose other bits are of the next."""
    others = 1 << 22  # states with the same top 26 bits
    bounds = stream.state_bounds(JAVA.m) or []
    show = _output_function(stream, 1 << 53)
    for state in first_states(TWO_STEPS, [(max(0, low - others), high + others) for low, high in bounds]):
        parameters = lcg_parameters("java.util.Random.nextDouble()", TWO_STEPS, state)
        yield lcg_machine(parameters, TWO_STEPS, state, lambda x: show(NEXT_DOUBLE.output(x)))


def _output_function(stream: Stream, m: int) -> Callable[[int], Number]:
    scale = Scale(m)

    def show(x: int) -> Number:
        return scale.show(x) if stream.bounded is None else x * stream.bounded // m

    return show
