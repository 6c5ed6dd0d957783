"""Tries the families from cheap to expensive, on every plausible interpretation of the numbers, and tests each
candidate: a generator that reproduces all outputs, with a proof, is the answer.

A family sees the first part of a stream, so that the rest is held back from its candidates, or all of a short one. A
candidate with less evidence than a proof needs is kept as not proven. One that predicts a long stretch and then fails
is a finding, too, if nothing explains all outputs: `breaks` follows it beyond the break. If nothing is found from the
first output on, the search begins at later ones.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import ceil, inf, log2

from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.families import FAMILIES
from unrandom.auditing.family import CountsBits, Family, Generator, Undetermined, agreement
from unrandom.auditing.findings import Found, Unproven, printed
from unrandom.auditing.forms.shown import Normals
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.proof import MULTIPLE_TESTING_BITS, SIGNIFICANCE_BITS, Evidence
from unrandom.auditing.verdict import NEEDS, NO_TIME_LEFT, OUT_OF_TIME, Certificate, Needed, Tried
from unrandom.core.errors import lookup

GROWTH = 6  # factor by which the number of outputs grows when a family is tried again
WORD_BITS = 64  # numbers of more bits are only for families of any width
LATER_SHARE, LATER_SECONDS = 0.3, 5.0
"""A search that starts at a later output takes at most this share of the time left, and at most this many seconds."""
FEW = 8  # a stream of at most this many times the outputs to be held back is also judged by counting
RANGE_BITS = 4.0  # bits by which the range of the numbers given may be less than that of their generator, in all
LATER_STARTS = 64  # places, evenly spaced, from which a search begins if nothing is found from the first output on


@dataclass
class Search:
    """One audit: what was tried, what was found without a proof, and which families need more outputs."""

    families: Sequence[Family]
    deadline: Deadline
    watch: Callable[[str], None] = lambda _: None
    checked: int = 0  # families tried on an interpretation, and candidates compared with the outputs
    seconds: float = 0.0  # what the families for which there was no time would take
    needs_unknown_number: bool = False  # whether a family needs more outputs, but cannot tell how many
    tried: list[Tried] = field(default_factory=list)
    needed: list[Needed] = field(default_factory=list)
    unproven: list[Unproven] = field(default_factory=list)
    seeds: list[Unproven] = field(default_factory=list)  # seeded programs that are not proven, the best ones first
    notes: list[str] = field(default_factory=list)  # what the trial of seeds has to say

    def search_fast(self, streams: Sequence[Stream]) -> tuple[Stream, int, Found] | None:
        """A generator of all outputs in one of these interpretations, or else of a long stretch of them, by families
        that are not slow: the stream, the index of the stretch's first output, and what was found from there on.
        """
        found = self._find(streams, slow=False)
        return None if found is None else (found.stream, 0, found)

    def search_slow(self, streams: Sequence[Stream]) -> tuple[Stream, int, Found] | None:
        """The same from later outputs on, and only if nothing is found there, by slow families."""
        if later := self._find_later(streams):
            return later
        found = self._find(streams, slow=True)
        return None if found is None else (found.stream, 0, found)

    def find_from_start(self, stream: Stream) -> Found | None:
        """A generator of this stream from its first output on, by the families that are not slow."""
        return self._find([stream], slow=False)

    def _find(self, streams: Sequence[Stream], *, slow: bool) -> Found | None:
        """The generator of all outputs, or the one of the longest first stretch. Once a stretch is found, only its
        interpretation is tried further.
        """
        stretches: list[Found] = []
        for family in self.families:
            for stream in streams if family.slow == slow else ():
                found = self._attempt(family, stream)
                if found is None:
                    continue
                if found.complete:
                    return found
                stretches.append(found)
                streams = [stream]
                break
        return max(stretches, key=lambda found: printed(found.stream, found.correct), default=None)

    def _find_later(self, streams: Sequence[Stream]) -> tuple[Stream, int, Found] | None:
        """A stretch that begins at a later output, within a share of the time left: all families from a few places on
        before any from the places between.
        """
        deadline = self.deadline.within(min(LATER_SECONDS, self.deadline.left * LATER_SHARE))
        families = [family for family in self.families if not (family.slow or family.trivial)]
        likely = [stream for stream in streams if stream.likely]
        for share, family, stream in product(_evenly(LATER_STARTS), families, likely):
            start = int(share * len(stream))
            if deadline.left < 0:
                return None
            if start == 0:
                continue
            search = Search([family], deadline, self.watch, self.checked)
            found = search.find_from_start(stream.part(start))
            self.checked = search.checked
            if found:
                return stream, start, found
        return None

    def _attempt(self, family: Family, stream: Stream) -> Found | None:
        """Try one family on growing parts of a stream, and record a failure in `tried`."""
        if not _accepts(family, stream) or (needs := family.needs(stream)) is None:
            return None
        total, bits = len(stream), 1.0 if family.trivial else stream.bits_per_output
        if not bits and not stream.information.any():
            return None
        held_back = ceil((SIGNIFICANCE_BITS + MULTIPLE_TESTING_BITS * (not family.trivial)) / max(bits, 2**-6))
        lengths = _prefix_lengths(needs, total, held_back, family.max_outputs)
        if self.deadline.left < 0:
            self.seconds += family.seconds
            self._note(family, stream, 0.0, NO_TIME_LEFT)
            return None
        self.watch(family.name)
        started, result, longest = time.monotonic(), "no" if lengths else f"{NEEDS}more outputs", None
        self.checked += bool(lengths)
        try:
            for count in lengths:  # which grow if the outputs tried leave a generator undetermined
                found = self._judge(family, stream, count, bits, started, lengths)
                if found and found.complete:
                    return found
                longest = max(longest, found, key=lambda one: one.correct if one else 0)
            if not lengths:
                self._record_need(family, stream, needs)
        except OutOfTime:
            result = OUT_OF_TIME
            self.seconds += family.seconds
        if longest is not None:
            result = f"predicts the first {printed(stream, longest.correct)}"
        self._note(family, stream, time.monotonic() - started, result)
        return longest

    def _record_need(self, family: Family, stream: Stream, needs: int) -> None:
        """Record how many outputs a family would need for a proof, if that can be counted."""
        found, free = family.undetermined(stream, self.deadline), family.free_bits(stream)
        if not stream.likely or (found is None and (free is None or not stream.information.any())):
            self.needs_unknown_number |= stream.likely
            return
        found = found or Undetermined(max(needs, len(stream) + 1), 0.0)
        if found.evidence < SIGNIFICANCE_BITS and free is not None:
            wanted = free + SIGNIFICANCE_BITS + log2(self.checked + 1)
            mean = max(float(stream.information.mean()), 2**-6) if len(stream) else 1.0
            found = Undetermined(max(found.outputs, ceil(wanted / mean)), found.evidence)
        self._need(family, stream, found)

    def _need(self, family: Family, stream: Stream, found: Undetermined) -> None:
        outputs = printed(stream, found.outputs)
        more = outputs - printed(stream, len(stream))
        recognised = found.evidence - log2(self.checked + 1) >= SIGNIFICANCE_BITS
        self.needed.append(Needed(family.name, family.about, stream.form.about, outputs, more, recognised))

    def _judge(
        self, family: Family, stream: Stream, count: int, bits: float, started: float, lengths: list[int]
    ) -> Found | None:
        """The first candidate that reproduces the whole stream to the last digit, or one that reproduces it within
        rounding errors, or the one that reproduces the longest stretch. If the outputs leave a generator undetermined,
        the number that determines it is added to `lengths`, or recorded if the stream has fewer.
        """
        longest = nearly = None
        for generator in family.recover(stream.head(count), self.deadline):
            if isinstance(generator, Undetermined):
                if generator.outputs > len(stream):
                    self._need(family, stream, generator)
                elif generator.outputs > max(lengths):
                    lengths.append(generator.outputs)
                continue
            self.checked += 1
            correct = agreement(generator, stream, self.deadline)
            complete, known = correct == len(stream), stream.known
            predicted = correct - count if known is None else int(known[count:correct].sum())
            certificate = self._proof(family, stream, generator, bits * (correct - count), predicted, complete)
            if certificate is None:
                continue
            found = Found(stream, family, generator, count, correct, certificate, time.monotonic() - started)
            if complete and found.exact:
                return found
            if complete:
                nearly = nearly or found
            elif not family.trivial and (longest is None or correct > longest.correct):
                longest = found
        return nearly or longest

    def _proof(
        self, family: Family, stream: Stream, generator: Generator, bits: float, predicted: int, complete: bool
    ) -> Certificate | None:
        """The proof by `bits` of outputs that were held back and `predicted`, or by counting; None if there is none. A
        generator that is larger than what it explains proves nothing, and is not kept as a candidate either.
        """
        own = generator.free_bits if isinstance(generator, CountsBits) else None
        free = family.free_bits(stream) if own is None else own
        if complete and stream.capacity < (own or 0.0) < inf:
            return None
        held_back = Evidence(bits, self.checked, complete)
        if held_back.proves:
            return held_back.certificate(predicted)
        if not complete:
            return None
        counted = Evidence(float(stream.information.sum()), self.checked, complete, inf if free is None else free)
        if counted.proves:
            return counted.certificate()
        certain = stream.likely and (own is None or stream.modulus is not None)
        most = max(held_back.net, counted.net)
        if most > 0 or (certain and counted.net + log2(self.checked) + RANGE_BITS >= 0):
            self.unproven.append(Unproven(stream, family, generator, most))
        return None

    def _note(self, family: Family, stream: Stream, seconds: float, result: str) -> None:
        self.tried.append(Tried(family.name, stream.form.about, round(seconds, 3), result))


def choose(family: str | None) -> Sequence[Family]:
    """The families of this name, or all families for None; UserError with near misses for an unknown name."""
    if family is None:
        return FAMILIES
    lookup("family", family, {one.name: one for one in FAMILIES})
    return [one for one in FAMILIES if one.name == family]


def _accepts(family: Family, stream: Stream) -> bool:
    """Whether a family is tried on streams of this form."""
    if (family.slow and not stream.likely) or (stream.bits > WORD_BITS and not family.any_width):
        return False
    return isinstance(stream.shown, Normals) == family.of_normals and (stream.known is None or family.with_gaps)


def _prefix_lengths(least: int, total: int, held_back: int, useful: int) -> list[int]:
    """Numbers of outputs to try, ascending: `least`, growing by the factor GROWTH up to three quarters of all; then as
    many, and all but those held back. Also `least` and all, if there are at most FEW times as many as are held back, or
    if holding these back leaves less than `least`. They are cut to `useful`, unless `least` is more.
    """
    enough, greatest, length = total * 3 // 4, total - held_back, least
    lengths = {length for length in (enough, greatest) if length <= greatest}
    while length < min(enough, greatest + 1):
        lengths.add(length)
        length *= GROWTH
    lengths |= {least, total} if total <= FEW * held_back or greatest < least else set()
    return sorted({min(length, max(useful, least)) for length in lengths if least <= length <= total})


def _evenly(parts: int) -> Iterator[float]:
    """0, 1/2, 1/4, 3/4, 1/8, 5/8, …: the multiples of 1/parts below 1, `parts` a power of two, coarse ones first."""
    bits = parts.bit_length() - 1
    for i in range(parts):
        yield int(f"{i:0{bits}b}"[::-1], 2) / parts
