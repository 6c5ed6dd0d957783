"""Which program and seed made the stream, and how sure is that? All seeds are tried; a match is a proof if a wrong seed
would match with a chance of at most 2**-40.

A wrong seed makes the outputs with a probability of 2 to the power of minus their information: log2 n bits for each
number from a range of n. The chance that any of the seeds tried does so, in any of the programs, is at most that
probability times their number (Bonferroni). The bits of this chance are the evidence for a seed that is not proven.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from math import log2

from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.family import Family, Generator, agreement
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.search import SIGNIFICANCE_BITS, Found
from unrandom.auditing.seeds.choice import trials, varied
from unrandom.auditing.seeds.likely import PATIENCE, likely_spans
from unrandom.auditing.seeds.scan import Hits, scan
from unrandom.auditing.seeds.spans import Span
from unrandom.auditing.seeds.trials import Seeded, Trial, outputs_needed
from unrandom.auditing.verdict import (
    OUT_OF_TIME,
    Candidate,
    Certificate,
    NotPredicted,
    Predictable,
    TooFew,
    Tried,
    Verdict,
)  # fmt: skip

FAMILY = "seed"

NO_PROGRAM = "such numbers are compared with no program"

LISTED = 10  # candidates listed if the outputs are too few to decide
FEW_BITS = 6.6  # evidence below which one wrong seed in a hundred searches or more makes the outputs by chance
PARTIAL_BITS = 24  # further information for a match that ends before the last output, as its end was not known before


@dataclass
class SeedFamily(Family):
    """A seeded program as the family of what it made; nothing is recovered again."""

    about: str
    name = FAMILY
    max_outputs = 0

    def needs(self, stream: Stream) -> int | None:
        return None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        return iter(())


@dataclass
class SeedSearch:
    """The seeds tried, and what was found: a proven program, or else some of the `candidates`.

    If the user did not ask for it, the spans after the first one are tried for `patience` seconds.
    """

    streams: Sequence[Stream]
    spans: Sequence[Span]
    deadline: Deadline
    watch: Callable[[str], None] = lambda _: None
    program: str | None = None
    patience: float | None = None
    found: Found | None = None
    kept: dict[int, list[Seeded]] = field(default_factory=dict)  # candidates, by the index of their trial
    count: int = 0  # of candidates
    tried: list[Tried] = field(default_factory=list)
    cut: float = 0.0  # seconds after which the time ended the search among seeds that should all be tried

    def __post_init__(self) -> None:
        self.trials = trials(self.streams, self.program)
        sizes = (min(len(span), trial.program.distinct) for trial in self.trials for span in self.spans)
        self.attempts = max(1.0, sum(sizes))

    @classmethod
    def unasked(
        cls,
        streams: Sequence[Stream],
        deadline: Deadline,
        watch: Callable[[str], None],
        written: float | None = None,
        program: str | None = None,
    ) -> "SeedSearch":
        """The search among likely seeds, for numbers that were `written` at a time, in seconds since 1970."""
        return cls(streams, likely_spans(written), deadline, watch, program, PATIENCE)

    def run(self) -> Found | None:
        """Try all seeds in all programs until one is proven, or time runs out."""
        started, result = time.monotonic(), "no" if self.trials else NO_PROGRAM
        try:
            scan(self.spans[:1], self.trials, self.deadline, self.watch, self._judge)
            deadline = self.deadline if self.patience is None else self.deadline.within(self.patience)
            if self.found is None:
                scan(self.spans[1:], self.trials, deadline, self.watch, self._judge)
        except OutOfTime:
            optional = self.patience is not None and self.deadline.left > 0
            result = "no, as far as there was time" if optional else OUT_OF_TIME
            self.cut = 0.0 if optional else time.monotonic() - started
        if self.found is None:
            if self.count:
                make = "seed makes these outputs, but is" if self.count == 1 else "seeds make these outputs, but are"
                result += f"; {self.count} {make} not proven"
            programs = len({trial.program.about for trial in self.trials})
            about = f"{programs} programs, seeds {' and '.join(span.about for span in self.spans)}"
            self.tried.append(Tried(FAMILY, about, round(time.monotonic() - started, 3), result))
        return self.found

    @property
    def candidates(self) -> list[Seeded]:
        """Up to LISTED candidates: those with the most evidence first; of others, one of each method in turn, those for
        plausible interpretations first. If the user did not ask for seeds, only those that are hardly due to chance.
        """
        ordered = sorted(self.kept, key=lambda index: (self.trials[index].implausible, index))
        turns = zip_longest(*(self.kept[index] for index in ordered))
        found = [(max(0.0, self.bits(one)), one) for turn in turns for one in turn if one is not None]
        found.sort(key=lambda one: -one[0])
        return [one for bits, one in found if self.patience is None or bits >= FEW_BITS][:LISTED]

    def bits(self, seeded: Seeded) -> float:
        """The evidence for a candidate: minus log2 of the chance that any wrong seed tried makes all outputs."""
        return sum(seeded.trial.information) - log2(self.attempts)

    def added_to(self, verdict: Verdict) -> Verdict:
        """The verdict of the search among the families, with what is known of the seeds."""
        tried, notes = [*self.tried, *verdict.tried], [*verdict.notes, *self._notes()]
        if isinstance(verdict, Predictable) or not self.candidates:
            return replace(verdict, tried=tried, notes=notes)
        others = [] if isinstance(verdict, NotPredicted) else verdict.candidates
        by_next: dict[object, Candidate] = {}  # methods that make the same outputs are listed once
        for one in (self._listed(seeded, verdict.outputs) for seeded in self.candidates):
            by_next.setdefault((one.parameters["program"], one.parameters["seed"], str(one.next)), one)
        listed = sorted([*by_next.values(), *others], key=lambda one: -one.bits)[:LISTED]
        if isinstance(verdict, NotPredicted):
            return TooFew(verdict.outputs, tried, [], notes, listed)
        return replace(verdict, tried=tried, notes=notes, candidates=listed)

    def _listed(self, seeded: Seeded, outputs: int) -> Candidate:
        """A candidate as it is reported for so many printed numbers."""
        trial, form = seeded.trial, seeded.trial.stream.form
        inner, outer = form.inner, form.outer
        given, total = len(trial.stream), outputs_needed(trial, self.attempts, SIGNIFICANCE_BITS)
        return Candidate(
            family=FAMILY,
            about="a seeded program",
            form=form.about,
            parameters=seeded.parameters,
            next=trial.stream.printed_after(islice(seeded.outputs(), given, None), outputs),
            bits=round(max(0.0, self.bits(seeded)), 1),
            needed_bits=SIGNIFICANCE_BITS,
            more=max(1, -(-(total - given) * outer // inner)),
        )

    def _notes(self) -> list[str]:
        """What the candidates mean, if there are any; and that no seeds were tried, if the user asked for some."""
        if not self.trials and self.patience is None:
            return [f"no seeds were tried: {NO_PROGRAM}"]
        if not self.candidates:
            return []
        bits = max(self.bits(one) for one in self.candidates)
        count = self.count if self.patience is None else len(self.candidates)
        listed = f", {LISTED} of which are listed" if count > LISTED else ""
        found = (
            f"{count} of {self.attempts:.3g} seeds and programs tried make{'s' * (count == 1)} these outputs{listed}"
        )
        if bits < FEW_BITS:
            return [f"{found}; as many may do so by chance"]
        return [f"{found}: {bits:.0f} of the {SIGNIFICANCE_BITS} bits of a proof"]

    def _judge(self, hits: Hits) -> bool:
        """Check all outputs for the seeds of a block. Returns whether a program is proven."""
        for number in hits.seeds:
            seeded = Seeded(hits.trial, number, hits.block.per_second)
            correct = agreement(seeded, hits.trial.stream, self.deadline)
            if self._chance(hits.trial, correct) <= -SIGNIFICANCE_BITS:
                self.found = self._best(seeded)
                return True
            if correct == len(hits.trial.stream):
                self.count += 1
                kept = self.kept.setdefault(next(i for i, one in enumerate(self.trials) if one is hits.trial), [])
                kept += [seeded] if len(kept) < LISTED else []
        self.count += hits.count - len(hits.seeds)
        return False

    def _chance(self, trial: Trial, correct: int) -> float:
        """log2 of a bound on the chance that any of the wrong seeds tried makes so many outputs; 0 if these are all the
        same, as those of a seed that leads to an error.
        """
        if not varied(trial.stream.head(correct)):
            return 0.0
        margin = PARTIAL_BITS * (correct < len(trial.stream))
        return log2(self.attempts) - sum(trial.information[:correct]) + margin

    def _best(self, seeded: Seeded) -> Found:
        """The method that makes the most outputs with a seed; of several, the most plausible one. The others, which so
        many outputs do not tell apart from it, are named, too.
        """
        same = [
            replace(seeded, trial=trial)
            for trial in self.trials
            if trial.program is seeded.trial.program and len(trial.stream) == len(seeded.trial.stream)
        ]
        correct = [agreement(one, one.trial.stream, self.deadline) for one in same]
        most = max(correct)
        equal = [one for one, count in zip(same, correct, strict=True) if count == most]
        best, *others = sorted(equal, key=lambda one: one.trial.implausible)
        trial = best.trial
        names = dict.fromkeys(one.trial.method.about for one in others if one.trial.stream.likely)
        names.pop(trial.method.about, None)  # another range is no other method; a note names it
        needed = trial.informative(log2(self.attempts) + SIGNIFICANCE_BITS)
        family = SeedFamily(f"{trial.program.about}: {trial.method.about}")
        certificate = Certificate(most, most, round(self._chance(trial, most), 1))
        return Found(trial.stream, family, replace(best, equal=tuple(names)), min(needed, most), most, certificate, 0.0)
