"""What a search finds: generators that are proven, and others that are not."""

from dataclasses import dataclass
from itertools import islice
from math import ceil

from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.family import (
    COMPARED_OUTPUTS,
    Family,
    Generator,
    Kind,
    KnowsOutputsUsed,
    Undetermined,
    agreement,
)
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.proof import SIGNIFICANCE_BITS
from unrandom.auditing.verdict import Certificate

EXACT_OUTPUTS = 64  # outputs that are compared to the last digit


@dataclass
class Found:
    """A generator that reproduces `correct` outputs of a stream from its first one on, `seen` of which were used."""

    stream: Stream
    family: Kind
    generator: Generator
    seen: int
    correct: int
    certificate: Certificate
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether all outputs are reproduced."""
        return self.correct == len(self.stream)

    @property
    def exact(self) -> bool:
        """Whether the first outputs are reproduced to the last digit that was printed."""
        return self.stream.is_printed(list(islice(self.generator.outputs(), min(self.correct, EXACT_OUTPUTS))))


@dataclass
class Unproven:
    """A generator that reproduces all outputs of a stream, with less than SIGNIFICANCE_BITS `bits` of evidence.

    `outputs` of them would be a proof; None if that follows from the information of each. Candidates with the same next
    outputs are listed once unless they differ in `apart`.
    """

    stream: Stream
    family: Kind
    generator: Generator
    bits: float
    outputs: int | None = None
    apart: tuple[object, ...] = ()

    @property
    def more(self) -> int:
        """How many printed numbers more would be a proof."""
        form, given = self.stream.form, len(self.stream)
        if self.outputs is not None:
            return max(1, -(-(self.outputs - given) * form.outer // form.inner))
        trivial = isinstance(self.family, Family) and self.family.trivial
        per_output = 1.0 if trivial else float(self.stream.information.mean())
        return max(1, ceil((SIGNIFICANCE_BITS - self.bits) / max(per_output * form.inner / form.outer, 2**-6)))


def fewest_outputs(found: Found, deadline: Deadline) -> int:
    """The fewest outputs from which the family's first candidate is right: those that determine a generator that tells
    them, or else by bisection while time allows.
    """
    if isinstance(found.generator, KnowsOutputsUsed):
        return found.generator.outputs_used
    family, low, high = found.family, 0, found.seen
    if not isinstance(family, Family) or family.max_outputs == 0:
        return high
    compared = found.stream.head(min(COMPARED_OUTPUTS, found.correct))

    def suffices(count: int) -> bool:
        generator = next(family.recover(found.stream.head(count), deadline), None)
        if generator is None or isinstance(generator, Undetermined):
            return False
        return agreement(generator, compared, deadline) == len(compared)

    while high - low > 1:
        if deadline.left < 2 * found.seconds:
            break
        middle = (low + high) // 2
        try:
            low, high = (low, middle) if suffices(middle) else (middle, high)
        except OutOfTime:
            break
    return high


def printed(stream: Stream, numbers: int) -> int:
    """How many printed numbers contain this many numbers of the stream."""
    return -(-numbers * stream.form.outer // stream.form.inner)
