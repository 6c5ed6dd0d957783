"""Recovers LCGs whose outputs a table shuffles, as C++'s knuth_b, by two outputs from the same slot: the second is the
number that replaced the first, and tells the whole LCG.
"""

from collections.abc import Iterator

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Replay
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.bays_durham import KNUTH_B, RAN1, BaysDurham
from unrandom.core.files import JsonObject

GENERATORS = (KNUTH_B, RAN1)


class BaysDurhams(Family):
    """Known generators of this kind, from the first output after seeding on, or with outputs from every slot."""

    name = "bays-durham"
    about = "a linear congruential generator shuffled by a table (Bays and Durham): knuth_b of C++, ran1"
    max_outputs = 4096

    def needs(self, stream: Stream) -> int | None:
        return 100 if any(map(_possible, stream.views)) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in filter(_possible, stream.views):
            for generator in GENERATORS:
                deadline.check()
                yield from _recovered(generator, view)


def _possible(view: View) -> bool:
    return view.bits == 31 and view.divisor in (None, 2**31 - 1) and min(view.numbers, default=0) > 0


def _recovered(generator: BaysDurham, view: View) -> Iterator[Generator]:
    numbers, lcg = view.numbers, generator.lcg
    slots = [generator.slot(y) for y in numbers]  # of the outputs that follow
    used: dict[int, int] = {}
    for i in range(1, len(numbers)):
        replaced = used.setdefault(slots[i - 1], i)
        if replaced != i:
            break
    else:
        return
    x = lcg.jump(-replaced)(numbers[i])  # the number that replaced output 0
    yield _shuffled(generator, view, *generator.unused(x), x)
    first_slot = next((slots[i - 1] for i in range(1, len(numbers)) if numbers[i] == x), None)
    if first_slot is not None:
        table = {slots[i - 1]: numbers[i] for i in range(len(numbers) - 1, 0, -1)} | {first_slot: numbers[0]}
        if len(table) == generator.slots:
            yield _shuffled(generator, view, [table[slot] for slot in range(generator.slots)], first_slot, x)


def _shuffled(generator: BaysDurham, view: View, table: list[int], slot: int, x: int) -> Replay:
    """The outputs of a table, the slot of the first output, and the number that replaces it. No previous outputs are
    determined: the entry that an output replaced is known only if its slot is.
    """
    parameters: JsonObject = {"generator": generator.name, "state": {"next": x, "slot": slot, "table": table}}
    return Replay(parameters, lambda: map(view.show, generator.outputs(table, slot, x)))
