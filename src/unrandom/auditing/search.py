"""Which family predicts the stream? They are tried from cheap to dear, and only what re-predicts is believed.

A family sees a first part of the stream; the rest is held back from it. A candidate counts if it makes every output,
those held back too. The chance that a wrong one does so by luck is at most 2**-(min-entropy of an output × outputs held
back) for each candidate that was checked; it must be 2**-40 or less. Parameters fitted to the first part cost nothing
in this account, because they were fitted without the outputs that they are judged by.
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

CERTAIN = 40
"""A chance of 2**-40 by luck is small enough."""

MULTIPLE_TESTING_BITS = 24
"""Bits held back beyond that, which pay for up to 2**24 candidates that are tested."""

GROWTH = 6
"""A family that found nothing is tried again with so many times more outputs."""

SHOWN = 10
"""Outputs predicted after the last one, and before the first one."""

COMPARED = 4096
"""Outputs by which a continuation is recognised when fewer outputs are tried, and compared at a time."""


@dataclass
class _Found:
    family: Family
    generator: Generator
    certificate: Certificate
    seen: int  # outputs it was recovered from
    seconds: float


@dataclass
class _Search:
    """One audit as it goes on."""

    stream: Stream
    deadline: Deadline
    min_entropy: float  # bits of an output
    checked: int = 0  # candidates compared with held-back outputs
    tried: list[Tried] = field(default_factory=list)
    breaks_at: int | None = None
    broken_family: str | None = None
    needed: int | None = None  # the fewest outputs with which a family that was left out would have been tried

    def attempt(self, family: Family) -> _Found | None:
        """Try one family on growing parts of the stream before the held-back one, and note how that went."""
        needs, bits = family.needs(self.stream.head(1)), 1.0 if family.trivial else self.min_entropy
        if needs is None or not bits:
            return None
        total = len(self.stream)
        held_back = ceil((CERTAIN + MULTIPLE_TESTING_BITS * (not family.trivial)) / bits)
        if total < needs + held_back:
            self.needed = min(needs + held_back, self.needed or needs + held_back)
            self._note(family, 0.0, f"needs {needs + held_back} outputs or more")
            return None
        if self.deadline.left < 0:
            self._note(family, 0.0, "not tried: no time left")
            return None
        started, result = time.monotonic(), "no"
        try:
            for count in _growing(needs, total * 3 // 4, total - held_back, family.max_outputs):
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
            right = agreement(generator, self.stream, self.deadline)
            log2_chance = log2(self.checked) - bits * held_back
            if right == len(self.stream) and log2_chance <= -CERTAIN:
                certificate = Certificate(held_back, held_back, round(log2_chance, 1))
                return _Found(family, generator, certificate, count, time.monotonic() - started)
            if (right - count) * bits >= CERTAIN + MULTIPLE_TESTING_BITS and right > (self.breaks_at or 0):
                self.breaks_at, self.broken_family = right, family.name
        return None

    def _note(self, family: Family, seconds: float, result: str) -> None:
        self.tried.append(Tried(family.name, round(seconds, 3), result))


def audit(
    stream: Stream,
    *,
    max_seconds: float = 60.0,
    family: str | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> Verdict:
    """Search for a generator of the stream, in this time, among all families or the one named (else UserError).

    `watch` is told the name of each family before it is tried.
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
    """The family of this name, or all of them; UserError, with the names, if there is none."""
    if family is None:
        return FAMILIES
    chosen = [one for one in FAMILIES if one.name == family]
    if not chosen:
        raise UserError(f"no family is called {family!r}; there are {', '.join(one.name for one in FAMILIES)}")
    return chosen


def agreement(generator: Generator, stream: Stream, deadline: Deadline) -> int:
    """How many outputs from the first one on the generator makes, until the first that differs."""
    outputs, right = generator.outputs(), 0
    size = 16  # most wrong candidates are found out at once
    while right < len(stream):
        some = list(islice(outputs, min(size, len(stream) - right)))
        same = stream.matches(right, some)
        right += same
        if same < len(some):
            break
        size = COMPARED
        deadline.check()
    return right


def _growing(least: int, enough: int, greatest: int, useful: int) -> list[int]:
    """Lengths to try: from the least on, GROWTH times as long each, up to what is enough; and the greatest. None longer
    than what is useful.
    """
    lengths, length = {enough, greatest}, least
    while length < enough:
        lengths.add(length)
        length *= GROWTH
    return sorted({min(length, max(useful, least)) for length in lengths if least <= length <= greatest})


def _predictable(search: _Search, found: _Found) -> Predictable:
    stream, generator = search.stream, found.generator
    following = list(islice(generator.outputs(), len(stream), len(stream) + SHOWN))
    previous = generator.previous(SHOWN)
    return Predictable(
        outputs=len(stream),
        tried=search.tried,
        family=found.family.name,
        about=found.family.about,
        parameters=generator.parameters,
        outputs_needed=_fewest(search, found),
        certificate=found.certificate,
        next=[stream.form.write(number) for number in following],
        previous=None if previous is None else [stream.form.write(number) for number in previous],
    )


def _fewest(search: _Search, found: _Found) -> int:
    """The fewest first outputs from which the family's first guess is the same stream, by halving, as time allows."""
    stream, low, high = search.stream, 0, found.seen
    short = stream.head(COMPARED)

    def suffices(count: int) -> bool:
        generator = next(found.family.recover(stream.head(count), search.deadline), None)
        return generator is not None and agreement(generator, short, search.deadline) == len(short)

    while high - low > 1:
        if search.deadline.left < 2 * found.seconds:
            break
        middle = (low + high) // 2
        try:
            low, high = (low, middle) if suffices(middle) else (middle, high)
        except OutOfTime:
            break
    return high
