"""Tries all seeds of some ranges in all programs that could have made a stream, and judges those that make it.

A wrong seed makes the outputs with a probability of 2 to the power of minus their information: log2 n bits for each
number from a range of n. All seeds tried, in all programs, are candidates for the proof.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from math import log2

from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.family import agreement
from unrandom.auditing.findings import Found, Unproven
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.proof import SIGNIFICANCE_BITS, Evidence
from unrandom.auditing.search import Search
from unrandom.auditing.seeds.choice import trials, varied
from unrandom.auditing.seeds.likely import PATIENCE, likely_spans
from unrandom.auditing.seeds.scan import Hits, scan
from unrandom.auditing.seeds.spans import Span
from unrandom.auditing.seeds.trials import Seeded, Trial, outputs_needed
from unrandom.auditing.verdict import OUT_OF_TIME, Tried

FAMILY = "seed"

NO_PROGRAM = "such numbers are compared with no program"

LISTED = 10  # candidates listed if the outputs are too few to decide
FEW_BITS = 6.6  # evidence below which one wrong seed in a hundred searches or more makes the outputs by chance


@dataclass(frozen=True)
class SeededProgram:
    """What is reported of the program that made the outputs."""

    about: str = "a seeded program"
    name: str = FAMILY


@dataclass
class SeedSearch:
    """The seeds tried, and what was found: a proven program, or else what is `unproven`.

    If the user did not ask for it, the spans after the first one are tried for `patience` seconds.
    """

    streams: Sequence[Stream]
    spans: Sequence[Span]
    deadline: Deadline
    watch: Callable[[str], None] = lambda _: None
    program: str | None = None
    patience: float | None = None
    found: Found | None = None
    kept: dict[int, list[Seeded]] = field(default_factory=dict)  # those not proven, by the index of their trial
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

    @cached_property
    def unproven(self) -> list[Unproven]:
        """Up to LISTED candidates: those with the most evidence first; of others, one of each method in turn, those for
        plausible interpretations first. If the user did not ask for seeds, only those that are hardly due to chance.
        """
        ordered = sorted(self.kept, key=lambda index: (self.trials[index].implausible, index))
        turns = zip_longest(*(self.kept[index] for index in ordered))
        found = [(max(0.0, self._bits(one)), one) for turn in turns for one in turn if one is not None]
        found.sort(key=lambda one: -one[0])
        listed = [one for bits, one in found if self.patience is None or bits >= FEW_BITS][:LISTED]
        return [self._unproven(one) for one in listed]

    def _unproven(self, seeded: Seeded) -> Unproven:
        trial = seeded.trial
        outputs = outputs_needed(trial, self.attempts, SIGNIFICANCE_BITS)
        apart = (trial.program.about, seeded.seed)
        return Unproven(trial.stream, SeededProgram(), seeded, self._bits(seeded), outputs, apart)

    def _bits(self, seeded: Seeded) -> float:
        return self._evidence(seeded.trial, len(seeded.trial.stream)).net

    def entered(self, search: Search) -> tuple[Stream, int, Found] | None:
        """The stream, its first index and what was found, as of a search among families; this search reports what was
        tried, and if nothing was found, what is not proven.
        """
        search.tried[:0] = self.tried
        search.seconds += self.cut  # the rest of the seeds takes about as long as those tried
        if self.found is not None:
            return self.found.stream, 0, self.found
        search.seeds, search.notes = self.unproven, self.notes()
        return None

    def notes(self) -> list[str]:
        """What the candidates mean, if there are any; and that no seeds were tried, if the user asked for some."""
        if not self.trials and self.patience is None:
            return [f"no seeds were tried: {NO_PROGRAM}"]
        if not self.unproven:
            return []
        bits = max(one.bits for one in self.unproven)
        count = self.count if self.patience is None else len(self.unproven)
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
            if varied(hits.trial.stream.head(correct)) and self._evidence(hits.trial, correct).proves:
                self.found = self._best(seeded)
                return True
            if correct == len(hits.trial.stream):
                self.count += 1
                kept = self.kept.setdefault(next(i for i, one in enumerate(self.trials) if one is hits.trial), [])
                kept += [seeded] if len(kept) < LISTED else []
        self.count += hits.count - len(hits.seeds)
        return False

    def _evidence(self, trial: Trial, correct: int) -> Evidence:
        """What speaks for a seed that makes this many outputs: no seed tried was fitted to them."""
        return Evidence(sum(trial.information[:correct]), self.attempts, correct == len(trial.stream))

    def _best(self, seeded: Seeded) -> Found:
        """The method that makes the most outputs with a seed; of several, the most plausible one. The others, which
        these outputs do not tell apart from it, are named, too.
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
        family = SeededProgram(f"{trial.program.about}: {trial.method.about}")
        certificate = self._evidence(trial, most).certificate(most)
        return Found(trial.stream, family, replace(best, equal=tuple(names)), min(needed, most), most, certificate, 0.0)
