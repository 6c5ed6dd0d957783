"""Which program and seed made the stream, and how sure is that? All seeds are tried; a match is a proof if a wrong seed
would match with a chance of at most 2**-40.

A wrong seed makes the outputs with a probability of 2 to the power of minus their information: log2 n bits for each
number from a range of n. The chance that any of the seeds tried does so, in any of the programs, is at most that
probability times their number (Bonferroni).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import log2

from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.search import SIGNIFICANCE_BITS, Found, agreement
from unrandom.auditing.seeds.scan import Hits, scan
from unrandom.auditing.seeds.spans import Span
from unrandom.auditing.seeds.trials import Seeded, Trial, outputs_needed, trials, varied
from unrandom.auditing.verdict import OUT_OF_TIME, Certificate, Needed, Predictable, TooFew, Tried, Verdict
from unrandom.core.deadline import Deadline, OutOfTime

FAMILY = "seed"

LISTED = 10  # candidates listed if the outputs are too few to decide
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
    """The seeds tried, and what was found: a proven program, or else some of the `candidates`."""

    streams: Sequence[Stream]
    spans: Sequence[Span]
    deadline: Deadline
    watch: Callable[[str], None] = lambda _: None
    program: str | None = None
    found: Found | None = None
    kept: dict[int, list[Seeded]] = field(default_factory=dict)  # candidates, by the index of their trial
    count: int = 0  # of candidates
    tried: list[Tried] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.trials = trials(self.streams, self.program)
        sizes = (min(len(span), trial.program.distinct) for trial in self.trials for span in self.spans)
        self.attempts = max(1.0, sum(sizes))

    def run(self) -> Found | None:
        """Try all seeds in all programs until one is proven, or time runs out."""
        started, result = time.monotonic(), "no" if self.trials else "such numbers are compared with no program"
        try:
            scan(self.spans, self.trials, self.deadline, self.watch, self._judge)
        except OutOfTime:
            result = OUT_OF_TIME
        if self.found is None:
            if self.count:
                result += f"; {self.count} seeds make these outputs, but are not proven"
            programs = len({trial.program.about for trial in self.trials})
            about = f"{programs} programs, seeds {' and '.join(span.about for span in self.spans)}"
            self.tried.append(Tried(FAMILY, about, round(time.monotonic() - started, 3), result))
        return self.found

    @property
    def candidates(self) -> list[Seeded]:
        """Up to LISTED candidates: one of each method in turn, those for plausible interpretations first."""
        ordered = sorted(self.kept, key=lambda index: (self.trials[index].implausible, index))
        turns = zip_longest(*(self.kept[index] for index in ordered))
        return [one for turn in turns for one in turn if one is not None][:LISTED]

    def added_to(self, verdict: Verdict) -> Verdict:
        """The verdict of the search among the families, with what is known of the seeds."""
        tried, notes = [*self.tried, *verdict.tried], [*verdict.notes, *self._notes()]
        if isinstance(verdict, Predictable) or not self.candidates:
            return replace(verdict, tried=tried, notes=notes)
        families = verdict.needed if isinstance(verdict, TooFew) else []
        return TooFew(verdict.outputs, tried, [*self._needed(), *families], notes, candidates=True)

    def _needed(self) -> list[Needed]:
        """The candidates, up to LISTED of them, with the outputs that decide."""
        needed = []
        for one in self.candidates:
            given = len(one.trial.stream)
            total = outputs_needed(one.trial, self.attempts, SIGNIFICANCE_BITS)
            needed.append(Needed(FAMILY, one.about, one.trial.stream.form.about, total, total - given))
        return needed

    def _notes(self) -> list[str]:
        """What the candidates mean, if there are any."""
        if not self.count:
            return []
        few = min(one.more for one in self._needed()) if self.candidates else 0
        listed = f", {LISTED} of which are listed" if self.count > LISTED else ""
        return [
            f"{self.count} of {self.attempts:.3g} seeds and programs tried make{'s' * (self.count == 1)} these outputs"
            f"{listed}; as many may do so by chance, and {few} more outputs decide"
        ]

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
        needed = trial.informative(log2(self.attempts) + SIGNIFICANCE_BITS)
        family = SeedFamily(f"{trial.program.about}: {trial.method.about}")
        certificate = Certificate(most, most, round(self._chance(trial, most), 1))
        return Found(trial.stream, family, replace(best, equal=tuple(names)), min(needed, most), most, certificate, 0.0)
