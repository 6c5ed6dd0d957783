"""What does a family of generators offer? How many outputs it needs, and the recovery of a generator from them."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from unrandom.auditing.stream import Number, Stream
from unrandom.core.files import JsonObject
from unrandom.generators.stepping import Stepping


class OutOfTime(Exception):
    """The time for the search is over."""


class Deadline:
    """The moment when a search must end. Loops that may take long ask it now and then."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds, below 0 once it has passed."""
        return self.end - time.monotonic()

    def check(self) -> None:
        """Raises OutOfTime once it has passed."""
        if self.left < 0:
            raise OutOfTime


@runtime_checkable
class Generator(Protocol):
    """A generator with its state at the first output of a stream."""

    @property
    def parameters(self) -> JsonObject:
        """What it is made of, as JSON values."""
        ...

    def outputs(self) -> Iterator[Number]:
        """The stream from its first output on, without end."""
        ...

    def previous(self, count: int) -> list[Number] | None:
        """The outputs before the first one, oldest first; None if they are not determined."""
        ...


@runtime_checkable
class Family(Protocol):
    """Generators that are recovered in one way."""

    name: str
    about: str
    trivial: bool  # constants, counters and the like: each output counts for one bit
    max_outputs: int  # first outputs that it looks at; more of them would be no help

    def needs(self, stream: Stream) -> int | None:
        """The fewest outputs to try with; None if streams of this form are not of this family. Of the stream only the
        form and the width count: it may have been cut to its first output.
        """
        ...

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        """Candidates, which the search judges by the outputs they were not made from. Any length of stream will do,
        and too short a one has no candidates. May raise OutOfTime.
        """
        ...


@dataclass(frozen=True)
class Machine:
    """A generator that steps from state to state, and shows each."""

    parameters: JsonObject
    state: Any
    step: Callable[[Any], Any]
    show: Callable[[Any], Number]
    back: Callable[[Any], Any] | None = None

    @classmethod
    def of(cls, parameters: JsonObject, generator: Stepping, state: Any, show: Callable[[int], Number]) -> "Machine":
        """A generator whose outputs are shown so."""
        output = generator.output
        return cls(parameters, state, generator.step, lambda state: show(output(state)), generator.back)

    def outputs(self) -> Iterator[Number]:
        state = self.state
        while True:
            yield self.show(state)
            state = self.step(state)

    def previous(self, count: int) -> list[Number] | None:
        if self.back is None:
            return None
        state, before = self.state, []
        for _ in range(count):
            state = self.back(state)
            before.append(self.show(state))
        return before[::-1]


@dataclass(frozen=True)
class Recurrence:
    """A generator whose next number follows from the last `len(first)` ones: x[i] = rule(window).

    `window` is a list of which rule reads entries from its end; `before(window)` is the number before those of a
    list's first `len(first)` entries.
    """

    parameters: JsonObject
    first: list[int]
    rule: Callable[[list[int]], int]
    show: Callable[[int], Number]
    before: Callable[[list[int]], int] | None = field(default=None)

    def outputs(self) -> Iterator[Number]:
        window, order = list(self.first), len(self.first)
        yield from map(self.show, self.first)
        while True:
            number = self.rule(window)
            window.append(number)
            yield self.show(number)
            if len(window) > 64 * order + 1024:
                del window[:-order]

    def previous(self, count: int) -> list[Number] | None:
        if self.before is None:
            return None
        window = list(self.first)
        for _ in range(count):
            window.insert(0, self.before(window))
        return [self.show(x) for x in window[:count]]
