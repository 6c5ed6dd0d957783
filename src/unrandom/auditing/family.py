"""The interface of a family of generators: the number of outputs it needs, and recovery of a generator from them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.stepping import Stepping
from unrandom.core.files import JsonObject

COMPARED_OUTPUTS = 4096  # outputs compared at a time


@runtime_checkable
class Generator(Protocol):
    """A generator whose state is the one at the first output of a stream."""

    @property
    def parameters(self) -> JsonObject:
        """Parameters and state, as JSON values."""

    def outputs(self) -> Iterator[Number]:
        """The outputs from the first one of the stream on, endlessly."""

    def previous(self, count: int) -> list[Number] | None:
        """The `count` outputs before the first one, oldest first; None if they are not determined."""


@runtime_checkable
class CountsBits(Protocol):
    """A generator whose kind has generators of different sizes."""

    @property
    def free_bits(self) -> float | None:
        """Bits of its state and parameters. None if `Family.free_bits` counts them."""


@runtime_checkable
class Assuming(Protocol):
    """A generator of which something must be assumed if too few outputs are known."""

    def assumption(self, outputs: int) -> str | None:
        """What is assumed if this many outputs are known, in a sentence; then the previous outputs are not determined.
        None if nothing is assumed.
        """


@runtime_checkable
class KnowsOutputsUsed(Protocol):
    """A generator that was found with the first outputs of those given."""

    @property
    def outputs_used(self) -> int:
        """The number of leading outputs that determine it."""


@dataclass(frozen=True)
class Undetermined:
    """A generator that the outputs agree with, but do not determine: `outputs` of them would. They agree with a wrong
    one of its kind with a chance of 2**−`evidence`.
    """

    outputs: int
    evidence: float


@runtime_checkable
class Kind(Protocol):
    """What is reported of the origin of a generator: a family, or a seeded program."""

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str: ...


class Family(ABC):
    """Generators that are recovered by the same method."""

    name: str
    about: str
    max_outputs: int  # outputs used for recovery; more would not help. 0: exactly those needed
    trivial: bool = False  # constants, counters and short periods: a predicted output counts as one bit of proof
    slow: bool = False  # tried after all the others, because it takes seconds
    any_width: bool = False  # accepts numbers of more than 64 bits, too
    of_normals: bool = False  # accepts normal deviates as such, and nothing else
    of_own: bool = False  # recovers generators of a modulus that the user knows
    with_gaps: bool = False  # accepts streams of which some outputs are unknown
    seconds: float = 0.3  # how long one form of the numbers takes, in most cases at most, on an ordinary processor

    @abstractmethod
    def needs(self, stream: Stream) -> int | None:
        """The fewest outputs from which to try recovery, which may be more than the stream has; None if this family has
        no streams of this form.
        """

    @abstractmethod
    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator] | Iterator[Generator | Undetermined]:
        """Candidate generators, which the search tests, or what is known if the outputs leave them undetermined.
        Accepts streams of any length; one that is too short has no candidates. May raise OutOfTime.
        """

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the states, parameters and readings of generators of this kind, for a stream of this form. None if
        these differ, or were not counted.
        """
        return None

    def undetermined(self, stream: Stream, deadline: Deadline) -> Undetermined | None:
        """What is known of a stream that is too short for `recover`; None if nothing is. May raise OutOfTime."""
        return None


def _undetermined(count: int) -> None:
    """No previous outputs are determined."""


@dataclass(frozen=True)
class Replay:
    """A generator given by what makes its outputs, and those before the first one, anew."""

    parameters: JsonObject
    outputs: Callable[[], Iterator[Number]]
    previous: Callable[[int], list[Number] | None] = _undetermined
    free_bits: float | None = None


@dataclass(frozen=True)
class Machine:
    """A generator given by a state, its transition function `step` and its output function `show`.

    `back` inverts `step`; it gives None for a state without a predecessor.
    """

    parameters: JsonObject
    state: Any
    step: Callable[[Any], Any]
    show: Callable[[Any], Number]
    back: Callable[[Any], Any] | None = None
    free_bits: float | None = None

    @classmethod
    def of(
        cls,
        parameters: JsonObject,
        generator: Stepping,
        state: Any,
        show: Callable[[int], Number],
        free_bits: float | None = None,
    ) -> "Machine":
        """A generator of `generators`, whose outputs are converted by `show` to the numbers of the stream."""
        output = generator.output
        return cls(parameters, state, generator.step, lambda state: show(output(state)), generator.back, free_bits)

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
            if (state := self.back(state)) is None:
                return None
            before.append(self.show(state))
        return before[::-1]


@dataclass(frozen=True)
class Recurrence:
    """A generator whose next number depends on the last `len(first)` ones: x[i] = rule(window).

    `rule(window)` reads entries from the end of the list `window`; `before(window)` is the number that precedes the
    first `len(first)` entries of the list.
    """

    parameters: JsonObject
    first: list[int]
    rule: Callable[[list[int]], int]
    show: Callable[[int], Number]
    before: Callable[[list[int]], int] | None = field(default=None)
    free_bits: float | None = None

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
        window, earlier = list(self.first), []
        for _ in range(count):
            earlier.append(self.before(window))
            window = [earlier[-1], *window[:-1]]
        return [self.show(x) for x in reversed(earlier)]


def agreement(generator: Generator, stream: Stream, deadline: Deadline) -> int:
    """How many outputs of the stream the generator reproduces before the first difference."""
    outputs, correct = generator.outputs(), 0
    size = 16  # most wrong candidates fail within a few outputs
    while correct < len(stream):
        predicted = list(islice(outputs, min(size, len(stream) - correct)))
        same = stream.matches(correct, predicted)
        correct += same
        if same < len(predicted):
            break
        size = COMPARED_OUTPUTS
        deadline.check()
    return correct
