"""Is it a known linear congruential generator that shows only the top bits of its state, or those of the state modulo a
smaller power of two, or a fraction printed with few digits, or ⌊N u⌋ for such a fraction?
"""

from collections.abc import Callable, Iterator
from functools import cache

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.recovery import first_states, lcg_machine
from unrandom.auditing.stream import Number, Scale, Stream, View
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import Lcg
from unrandom.generators.windows import Window, states_showing
from unrandom.predictors.hidden_state import DIMENSIONS

SHOWN = (
    ("MSVC rand()", "msvc", 16, 15),
    ("rand() as in the C standard", "ansi-c", 16, 15),
    ("Borland rand()", "borland", 16, 15),
    ("drand48's lrand48(), java.util.Random.next(31)", "drand48", 17, 31),
    ("drand48's mrand48(), java.util.Random.nextInt()", "drand48", 16, 32),
    ("java.util.Random.nextFloat()", "java", 24, 24),
    ("musl rand()", "musl", 33, 31),
    ("newlib rand()", "newlib", 32, 31),
)
"""What programs are known to show: of which generator, from which bit on, how many bits."""


@cache
def windows(bits: int, reduced: bool) -> tuple[Window, ...]:
    """Windows that show so many bits: what programs are known to show, first; then the top of every known generator,
    and its bits from 16 on. Outputs that happen to be small may look a bit narrower than the window is; and those that
    were `reduced` modulo a power of two are its lowest bits, however few.
    """
    shown = [
        (about, KNOWN[name].lcg, low)
        for about, name, low, width in SHOWN
        if bits <= width and (reduced or bits >= width - 1)
    ]
    names: dict[Lcg, list[str]] = {}
    for name, known in KNOWN.items():
        if is_power_of_two(known.m):
            names.setdefault(known.lcg, []).append(name)
    tops = [(", ".join(some), lcg, _size(lcg) - bits) for lcg, some in names.items()]
    middles = [(about, lcg, 16) for about, lcg, _ in tops]
    return tuple(
        Window.of(about, lcg, low, bits)
        for about, lcg, low in (*shown, *tops, *middles)
        if 0 < low <= _size(lcg) - bits
    )


def _size(lcg: Lcg) -> int:
    return lcg.m.bit_length() - 1


class Truncated:
    """Known LCGs of which some high bits, rounded fractions or ranges are seen."""

    name = "truncated-lcg"
    about = "a known linear congruential generator that shows a part of its state"
    trivial = False
    max_outputs = DIMENSIONS

    def needs(self, stream: Stream) -> int | None:
        return 4

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
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
        parameters = {**_written(window.about, window.lcg, state), "shown": shown}
        yield lcg_machine(parameters, window.lcg, state, show)


def _of_fractions(stream: Stream, deadline: Deadline) -> Iterator[Generator]:
    """u = x / m for every known LCG, and for Java's nextDouble() the top of every other state."""
    lcgs = {known.lcg: name for name, known in reversed(KNOWN.items())}
    for lcg, name in lcgs.items():
        for stride in (1, 2) if lcg == KNOWN["java"].lcg else (1,):
            deadline.check()
            bounds = stream.within(lcg.m)
            if bounds is None:
                return
            steps = lcg.jump(stride)
            for state in first_states(steps, bounds):
                parameters = _written(name if stride == 1 else f"{name}, every second state", steps, state)
                yield lcg_machine(parameters, steps, state, _shower(stream, lcg.m))


def _shower(stream: Stream, m: int) -> Callable[[int], Number]:
    scale = Scale(m)

    def show(x: int) -> Number:
        return scale.show(x) if stream.bounded is None else x * stream.bounded // m

    return show


def _written(about: str, lcg: Lcg, state: int) -> JsonObject:
    return {"generator": about, "m": lcg.m, "a": lcg.a, "c": lcg.c, "state": state}
