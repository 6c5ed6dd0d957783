"""What an audit found: a verdict, as JSON and text, with the recovered generator and its proof, or what was tried."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from math import ceil
from typing import Any, ClassVar, TypeAlias

from unrandom.auditing.notation import abbreviated, power
from unrandom.core.files import JsonObject
from unrandom.core.shown import Shown

PREDICTABLE, TOO_FEW, NOT_FINISHED, NOT_PREDICTED = 10, 11, 12, 0  # exit statuses of the command

NOT_ATTEMPTED = (
    "PCG64, Philox, SFC64, ChaCha8/20 and other generators without a known practical attack; several generators mixed; "
    "numbers that were sorted, shuffled or left out at random"
)
"""What no family covers."""

OUT_OF_TIME, NO_TIME_LEFT, NEEDS = "out of time", "not tried: no time left", "needs "  # results of a family

SPARE_SECONDS = 5.0  # reading and the rest of an audit

SEEDED = 1000  # fewer outputs may be the first ones after seeding
SEEDS = (
    "If they are the first ones after seeding, trying more seeds needs fewer: --seeds 32bit, --around DATE, "
    "--program NAME."
)
WITHOUT_SEEDS = (
    "No seeds were tried because numba is not installed: pip install 'unrandom[fast]' adds --seeds, --around, "
    "--program."
)

CRYPTOGRAPHIC = "a cryptographic generator (secrets, getrandom, SecureRandom, crypto.getRandomValues)"

CAUTION = (
    f"This does not prove the numbers safe. Numbers that must not be guessed need {CRYPTOGRAPHIC}, whatever an audit "
    "says."
)


@dataclass(frozen=True)
class Certificate:
    """The proof, and log2 of the probability that it comes about by chance.

    Of the outputs `held_back` from recovery, this many are `correct`. Or none were held back, and all outputs were
    reproduced: they have `information` bits, and the state and the parameters of the generator `free_bits`, fewer.
    """

    held_back: int
    correct: int
    log2_chance: float
    information: float | None = None
    free_bits: float | None = None

    @property
    def about(self) -> str:
        """The proof in words."""
        if self.information is None:
            what = f"{self.correct} of {self.held_back} held-back outputs predicted"
        else:
            what = f"all outputs have {self.information:.0f} bits, the generator has {self.free_bits:.0f}"
        return f"{what}; by luck with a chance of 2^{self.log2_chance:.0f}"


@dataclass(frozen=True)
class Candidate:
    """A generator that makes all outputs, which are too few to prove it: they have `bits` of evidence for it instead of
    the `needed_bits` of a proof, which `more` outputs would have. `next` are its next outputs, as the input has them.
    """

    family: str
    about: str
    form: str
    parameters: JsonObject
    next: list[Any]
    bits: float
    needed_bits: int
    more: int

    @property
    def text(self) -> str:
        """The candidate for a terminal, in one line apart from its next outputs."""
        form = f" ({self.form})" if self.form else ""
        known = ", ".join(f"{name} {abbreviated(power(value))}" for name, value in self.parameters.items())
        evidence = f"{max(0.0, self.bits):.0f} of {self.needed_bits} bits, {self.more} more"
        return f"  {evidence}: {self.about}{form}: {known}\n    next {' '.join(map(str, self.next))}"


@dataclass(frozen=True)
class Tried:
    """A family that did not predict the stream in one form, the seconds it took, and its result."""

    family: str
    form: str
    seconds: float
    result: str

    @property
    def unfinished(self) -> bool:
        """Whether there was no time to try it, or to end."""
        return self.result in (OUT_OF_TIME, NO_TIME_LEFT)


@dataclass(frozen=True)
class Needed:
    """A family that may have made the outputs, but needs more of them: this many in all, `more` than were given, in the
    form in which it needs least. If it was `recognised`, the outputs agree with it by more than chance, but do not
    determine its state.
    """

    family: str
    about: str
    form: str
    outputs: int
    more: int
    recognised: bool = False

    @property
    def text(self) -> str:
        """The family for a terminal, in one line."""
        form = f" ({self.form})" if self.form else ""
        found = "recognised: " if self.recognised else ""
        return f"  {self.outputs:>7}, {self.more} more: {found}{self.about}{form}"


@dataclass(frozen=True)
class Break:
    """Where the outputs stop following the generator: after this many outputs.

    From there on, `skipped` outputs of the input are not the generator's, and `lost` outputs of the generator are not
    in the input. If `reseeded`, the outputs after the break follow from another state, so that neither number is known.
    """

    after: int
    skipped: int = 0
    lost: int = 0
    reseeded: bool = False

    @property
    def about(self) -> str:
        """What happened, in words."""
        if self.reseeded:
            return f"after output {self.after} the generator has another state"
        if self.skipped == self.lost:
            return f"{_outputs(self.skipped)} after output {self.after} {_are(self.skipped)} not the generator's"
        skipped = f"{_outputs(self.skipped)} of the input {_are(self.skipped)} not the generator's"
        lost = f"{_outputs(self.lost)} of the generator {_are(self.lost)} missing"
        return f"after output {self.after}, {' and '.join([skipped] * (self.skipped > 0) + [lost] * (self.lost > 0))}"


class _Unpredicted(Shown):
    """What the verdicts without a proof have in common."""

    outputs: int
    tried: list[Tried]
    notes: list[str]
    needed: Sequence[Needed] = ()
    candidates: Sequence[Candidate] = ()

    @property
    def unfinished(self) -> list[str]:
        """Families for which there was no time, in some form of the numbers."""
        return list(dict.fromkeys(one.family for one in self.tried if one.unfinished))

    @property
    @abstractmethod
    def advice(self) -> str:
        """What to do next."""

    @abstractmethod
    def text(self) -> str:
        """The verdict for a terminal."""

    def shown(self) -> dict[str, str]:
        """The verdict, the likeliest candidate or the number of families tried, and what to do."""
        families = len({one.family for one in self.tried})
        likeliest = [one.text for one in self.candidates] + [one.text for one in self.needed]
        closest = f"; closest: {likeliest[0].strip().splitlines()[0]}" if likeliest else ""
        return {
            "verdict": self.text().splitlines()[0],
            "tried": f"{families} families{closest}",
            "then": self.advice,
        }

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        return _json(
            self,
            needed=[asdict(one) for one in self.needed],
            candidates=[asdict(one) for one in self.candidates],
        )

    def _text(self, first: str) -> str:
        """The verdict for a terminal, after its first line."""
        lines = [first]
        if self.candidates:
            lines.append(f"candidates that make all {_outputs(self.outputs)}, not proven:")
            lines += [one.text for one in self.candidates]
        lines += ["possible, with this many outputs or more:"] if self.needed else []
        lines += [one.text for one in self.needed[:MAX_LINES]] + _rest(len(self.needed), "kinds")
        return "\n".join([*lines, *_tried_text(self.tried), *_notes(self.notes), self.advice])


@dataclass(frozen=True, repr=False)
class Predictable(Shown):
    """A generator reproduces the outputs from number `first` (from 1) to number `last`, except at the `breaks`.

    `next` and `previous` are in the form of the input. `next` is empty if the outputs after the last break follow from
    no known state, and `previous` is None if the outputs before the first one are not determined.
    """

    exit_status: ClassVar[int] = PREDICTABLE

    outputs: int
    tried: list[Tried]
    family: str
    about: str
    form: str
    parameters: JsonObject
    outputs_needed: int
    certificate: Certificate
    next: list[Any]
    previous: list[Any] | None
    first: int = 1
    last: int = 0
    breaks: list[Break] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """The verdict as one of the words of the JSON."""
        whole = self.first == 1 and self.last == self.outputs and not self.breaks
        return "predictable" if whole else "predictable up to a break"

    @property
    def advice(self) -> str:
        """What to do next."""
        if not self.next and self.verdict == "predictable":
            return "Anyone can compute the outputs; those that follow have no place in the notation of the input."
        if not self.next:
            return (
                "The outputs to the break can be computed by anyone who sees some of them. What follows the break is "
                "another state or another source: collect more outputs after it and audit these alone."
            )
        return (
            f"Anyone who sees that many outputs can compute the others: replace this generator by {CRYPTOGRAPHIC} "
            "wherever numbers must not be guessed."
        )

    def shown(self) -> dict[str, str]:
        """The verdict with the generator, the proof, and the next outputs."""
        return {
            "verdict": self.text().splitlines()[0],
            "proof": f"{self.certificate.about}; {self.outputs_needed} of {self.outputs} outputs needed",
            "next": " ".join(map(str, self.next)) or self.advice,
        }

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        as_they_are = ("family", "about", "form", "outputs_needed", "next", "previous")
        return _json(
            self,
            **{name: getattr(self, name) for name in as_they_are},
            parameters={name: value for name, value in self.parameters.items() if name != "state"},
            state=self.parameters.get("state"),
            certificate={**asdict(self.certificate), "about": self.certificate.about},
            predicted=[self.first, self.last],
            breaks=[{**asdict(one), "about": one.about} for one in self.breaks],
        )

    def text(self) -> str:
        """The verdict for a terminal."""
        proof = self.certificate
        lines = [f"{self.verdict.upper()}  {self.about}"]
        if self.form:
            lines.append(f"  {'form':<12} {self.form}")
        lines += [f"  {name:<12} {abbreviated(power(value))}" for name, value in self.parameters.items()]
        lines += [
            f"outputs needed   {self.outputs_needed} of the {self.outputs} given",
            f"proof            {proof.about}",
        ]
        if self.verdict != "predictable":
            lines.append(f"predicted        outputs {self.first} to {self.last}")
            lines += [f"break            {one.about}" for one in self.breaks[:MAX_LINES]]
            lines += _rest(len(self.breaks), "breaks")
        if self.next:
            lines.append(f"next             {' '.join(map(str, self.next))}")
        if self.previous is not None:
            lines.append(f"before the first {' '.join(map(str, self.previous))}")
        return "\n".join([*lines, *_notes(self.notes), self.advice])


MAX_LINES = 8  # lines of a list in the text of a verdict


@dataclass(frozen=True, repr=False)
class TooFew(_Unpredicted):
    """No generator is proven, as the outputs are too few: for the `candidates`, which make them all, and for the
    families in `needed`, which may have made them. All families that work with this many were tried.
    """

    exit_status: ClassVar[int] = TOO_FEW
    verdict: ClassVar[str] = "too few"

    outputs: int
    tried: list[Tried]
    needed: list[Needed]
    notes: list[str] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)

    @property
    def advice(self) -> str:
        """What to do next."""
        known = "the candidates listed are not proven" if self.candidates else "nothing is known of the generator"
        if recognised := [one for one in self.needed if one.recognised]:
            count = _outputs(recognised[0].more, "more ")
            return (
                f"Collect {count}, in their order and without gaps. The kind of generator is known, but not its state."
            )
        more = [*(one.more for one in self.candidates), *(one.more for one in self.needed)]
        count = f"at least {_outputs(min(more), 'more ')}" if more else "more outputs"
        again = f"Collect {count}, in their order and without gaps, and audit again. Until then {known}."
        return again + _seeds(self.outputs)

    def text(self) -> str:
        """The verdict for a terminal."""
        return self._text(f"TOO FEW  {_outputs(self.outputs)} prove{'s' if self.outputs == 1 else ''} no generator")


@dataclass(frozen=True, repr=False)
class NotFinished(_Unpredicted):
    """No generator is proven, and there was no time to try all families: the others take about these `seconds`."""

    exit_status: ClassVar[int] = NOT_FINISHED
    verdict: ClassVar[str] = "not finished"

    outputs: int
    tried: list[Tried]
    seconds: float
    needed: list[Needed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)

    @property
    def advice(self) -> str:
        """What to do next."""
        known = "This says nothing about the numbers: neither that they can be predicted nor that they cannot"
        if self.candidates:
            known = "The candidates listed make all outputs, but are not proven"
        time = f"Allow more time to go on, about {_duration(self.seconds)}: --max-seconds {ceil(self.limit)}"
        return f"{time}. {known}.{_seeds(self.outputs)}"

    @property
    def limit(self) -> float:
        """The time limit that should suffice for all, in seconds."""
        return sum(one.seconds for one in self.tried) + self.seconds + SPARE_SECONDS

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        return {**super().to_json(), "seconds_left": round(self.seconds, 1), "max_seconds": ceil(self.limit)}

    def text(self) -> str:
        """The verdict for a terminal."""
        known = "proven" if self.candidates else "found"
        return self._text(
            f"NOT FINISHED  no generator {known} for {_outputs(self.outputs)} in the time allowed; "
            f"not tried to the end: {', '.join(self.unfinished)}"
        )


@dataclass(frozen=True, repr=False)
class NotPredicted(_Unpredicted):
    """No family tried reproduces the outputs, and none needs more of them."""

    exit_status: ClassVar[int] = NOT_PREDICTED
    verdict: ClassVar[str] = "not predicted"

    outputs: int
    tried: list[Tried]
    notes: list[str] = field(default_factory=list)

    @property
    def advice(self) -> str:
        """What to do next."""
        names = {one.family for one in self.tried}
        return f"{'All families were' if len(names) > 1 else 'No other family was'} tried. {CAUTION}"

    def text(self) -> str:
        """The verdict for a terminal."""
        lines = [f"NOT PREDICTED  no family tried makes these {_outputs(self.outputs)}", *_tried_text(self.tried)]
        return "\n".join([*lines, f"not tried: {NOT_ATTEMPTED}", *_notes(self.notes), self.advice])


Verdict: TypeAlias = Predictable | TooFew | NotFinished | NotPredicted


def _json(verdict: Any, **answer: Any) -> JsonObject:
    """The JSON of any verdict, with the same keys in the same order."""
    keys = "family about form parameters state outputs_needed certificate next previous predicted"
    lists: JsonObject = {"next": [], "breaks": [], "needed": [], "candidates": []}
    defaults: JsonObject = {**dict.fromkeys(keys.split()), "parameters": {}, **lists}
    return {
        "verdict": verdict.verdict,
        "exit_status": verdict.exit_status,
        "outputs": verdict.outputs,
        **defaults,
        **answer,
        "tried": [asdict(one) for one in verdict.tried],
        "not_attempted": NOT_ATTEMPTED,
        "notes": verdict.notes,
        "advice": verdict.advice,
    }


def _tried_text(tried: Sequence[Tried]) -> list[str]:
    """One line for each family: the seconds it took in all forms of the numbers, and its results."""
    tried = [one for one in tried if not one.result.startswith(NEEDS)]
    names = list(dict.fromkeys(one.family for one in tried))
    width = max(map(len, names), default=0)
    lines = []
    for name in names:
        attempts = [one for one in tried if one.family == name]
        results = dict.fromkeys(one.result for one in attempts)
        seconds = sum(one.seconds for one in attempts)
        lines.append(f"  {name:<{width}}  {seconds:>7.2f} s  {'; '.join(results)}")
    return ["tried without success:", *lines] if lines else []


def _rest(count: int, what: str) -> list[str]:
    return [f"  and {count - MAX_LINES} more {what}"] if count > MAX_LINES else []


def _notes(notes: Sequence[str]) -> list[str]:
    return [f"note             {note}" for note in notes]


def _outputs(count: int, kind: str = "") -> str:
    return f"{count} {kind}output{'s' * (count != 1)}"


def _seeds(outputs: int) -> str:
    """What to say of seeds after this many outputs."""
    if outputs >= SEEDED:
        return ""
    return f" {SEEDS if find_spec('numba') else WITHOUT_SEEDS}"


def _duration(seconds: float) -> str:
    return f"{ceil(seconds)} s" if seconds < 120 else f"{ceil(seconds / 60)} minutes"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
