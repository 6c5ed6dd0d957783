"""Which family predicts the stream? By trying the families from cheap to expensive and testing each candidate generator
on held-back outputs.

A family sees the first part of the stream; the rest is held back. A candidate is accepted if it reproduces every
output, including those held back. For each candidate tested, the probability that a wrong one does so by chance is at
most 2**-(min-entropy of an output × outputs held back); the sum must be 2**-40 or less. Parameters fitted to the first
part need no correction, because the held-back outputs were not used to fit them.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import ceil, log2

from unrandom.auditing.families import FAMILIES
from unrandom.auditing.family import Deadline, Family, Generator, OutOfTime
from unrandom.auditing.stream import Stream, min_entropy
from unrandom.auditing.verdict import Certificate, NotPredicted, Predictable, Tried, Verdict
from unrandom.core.errors import UserError

SIGNIFICANCE_BITS = 40
"""A candidate is accepted if the probability of its success by chance is at most 2**-40."""

MULTIPLE_TESTING_BITS = 24
"""Further bits held back: a Bonferroni margin for up to 2**24 candidates tested."""

GROWTH = 6
"""Factor by which the number of outputs grows when a family is tried again."""

CONTINUATION = 10
"""Number of outputs reported after the last one, and before the first one."""

COMPARED_OUTPUTS = 4096
"""Outputs compared at a time; also, the outputs that a generator must reproduce in the search for `outputs_needed`."""


@dataclass
class _Found:
    family: Family
    generator: Generator
    certificate: Certificate
    seen: int  # number of outputs used for the recovery
    seconds: float


@dataclass
class _Search:
    """Progress of one audit."""

    stream: Stream
    deadline: Deadline
    min_entropy: float  # bits per output
    checked: int = 0  # candidates compared with held-back outputs
    tried: list[Tried] = field(default_factory=list)
    breaks_at: int | None = None
    broken_family: str | None = None
    needed: int | None = None  # fewest outputs with which one of the families skipped so far would have been tried

    def attempt(self, family: Family) -> _Found | None:
        """Try one family on growing prefixes of the stream, and record a failure in `tried`."""
        needs, bits = family.needs(self.stream.head(1)), 1.0 if family.trivial else self.min_entropy
        if needs is None or not bits:
            return None
        total = len(self.stream)
        held_back = ceil((SIGNIFICANCE_BITS + MULTIPLE_TESTING_BITS * (not family.trivial)) / bits)
        if total < needs + held_back:
            self.needed = min(needs + held_back, self.needed or needs + held_back)
            self._note(family, 0.0, f"needs {needs + held_back} outputs or more")
            return None
        if self.deadline.left < 0:
            self._note(family, 0.0, "not tried: no time left")
            return None
        started, result = time.monotonic(), "no"
        try:
            for count in _prefix_lengths(needs, total * 3 // 4, total - held_back, family.max_outputs):
                if found := self._judge(family, count, bits, started):
                    return found
        except OutOfTime:
            result = "out of time"
        self._note(family, time.monotonic() - started, result)
        return None

    def _judge(self, family: Family, count: int, bits: float, started: float) -> _Found | None:
        held_back = len(self.stream) - count
        for generator in family.recover(self.stream.head(count), self.deadline):
            self.checked += 1
            correct = agreement(generator, self.stream, self.deadline)
            log2_chance = log2(self.checked) - bits * held_back
            if correct == len(self.stream) and log2_chance <= -SIGNIFICANCE_BITS:
                certificate = Certificate(held_back, held_back, round(log2_chance, 1))
                return _Found(family, generator, certificate, count, time.monotonic() - started)
            significant = (correct - count) * bits >= SIGNIFICANCE_BITS + MULTIPLE_TESTING_BITS
            if significant and correct > (self.breaks_at or 0):
                self.breaks_at, self.broken_family = correct, family.name
        return None

    def _note(self, family: Family, seconds: float, result: str) -> None:
        self.tried.append(Tried(family.name, round(seconds, 3), result))


def audit_stream(
    stream: Stream,
    *,
    max_seconds: float = 60.0,
    family: str | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> Verdict:
    """Search for a generator of the stream for at most `max_seconds`, among all families or the one named `family`
    (UserError if it does not exist). `watch` is called with the name of each family before it is tried.
    """
    search = _Search(stream, Deadline(max_seconds), min_entropy(stream))
    for one in choose(family):
        watch(one.name)
        found = search.attempt(one)
        if found is not None:
            return _predictable(search, found)
    too_few = bool(search.tried) and all(tried.result.startswith("needs") for tried in search.tried)
    return NotPredicted(
        outputs=len(stream),
        tried=search.tried,
        breaks_at=search.breaks_at,
        broken_family=search.broken_family,
        too_few=search.needed if too_few else None,
    )


def choose(family: str | None) -> Sequence[Family]:
    """The family of this name, or all families for None; UserError with the valid names if there is no such family."""
    if family is None:
        return FAMILIES
    chosen = [one for one in FAMILIES if one.name == family]
    if not chosen:
        raise UserError(f"no family is called {family!r}; there are {', '.join(one.name for one in FAMILIES)}")
    return chosen


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


def _prefix_lengths(least: int, enough: int, greatest: int, useful: int) -> list[int]:
    """Numbers of outputs to try, ascending: `least`, growing by the factor GROWTH while below `enough`; then `enough`
    and `greatest`. All are cut to `useful`, unless `least` is more.
    """
    lengths, length = {enough, greatest}, least
    while length < enough:
        lengths.add(length)
        length *= GROWTH
    return sorted({min(length, max(useful, least)) for length in lengths if least <= length <= greatest})


def _predictable(search: _Search, found: _Found) -> Predictable:
    stream, generator = search.stream, found.generator
    following = list(islice(generator.outputs(), len(stream), len(stream) + CONTINUATION))
    previous = generator.previous(CONTINUATION)
    return Predictable(
        outputs=len(stream),
        tried=search.tried,
        family=found.family.name,
        about=found.family.about,
        parameters=generator.parameters,
        outputs_needed=_fewest_outputs(search, found),
        certificate=found.certificate,
        next=[stream.form.write(number) for number in following],
        previous=None if previous is None else [stream.form.write(number) for number in previous],
    )


def _fewest_outputs(search: _Search, found: _Found) -> int:
    """The fewest outputs from which the family's first candidate is right, by bisection while time allows."""
    stream, low, high = search.stream, 0, found.seen
    compared = stream.head(COMPARED_OUTPUTS)

    def suffices(count: int) -> bool:
        generator = next(found.family.recover(stream.head(count), search.deadline), None)
        return generator is not None and agreement(generator, compared, search.deadline) == len(compared)

    while high - low > 1:
        if search.deadline.left < 2 * found.seconds:
            break
        middle = (low + high) // 2
        try:
            low, high = (low, middle) if suffices(middle) else (middle, high)
        except OutOfTime:
            break
    return high
