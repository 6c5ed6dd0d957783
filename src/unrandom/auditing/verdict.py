"""What did the audit find? A verdict, as JSON and text: the recovered generator with its proof, or what was tried."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, TypeAlias

from unrandom.auditing.notation import abbreviated, power
from unrandom.core.files import JsonObject

PREDICTABLE, TOO_FEW, NOT_PREDICTED = 10, 11, 0  # exit statuses of the command

NOT_ATTEMPTED = (
    "PCG64, Philox, SFC64, ChaCha8/20 and other generators without a known practical attack; several generators mixed; "
    "numbers that were sorted, shuffled or left out at random"
)
"""What no family covers."""

OUT_OF_TIME, NO_TIME_LEFT = "out of time", "not tried: no time left"  # results of a family

CRYPTOGRAPHIC = "a cryptographic generator (secrets, getrandom, SecureRandom, crypto.getRandomValues)"

CAUTION = (
    f"This does not prove the numbers safe. Numbers that must not be guessed need {CRYPTOGRAPHIC}, whatever an audit "
    "says."
)


@dataclass(frozen=True)
class Certificate:
    """Outputs held back, how many of them were predicted, and log2 of the probability of that by chance."""

    held_back: int
    correct: int
    log2_chance: float


@dataclass(frozen=True)
class Tried:
    """A family that did not predict the stream in one form, the seconds it took, and its result."""

    family: str
    form: str
    seconds: float
    result: str


@dataclass(frozen=True)
class Needed:
    """A family that may have made the outputs, but needs more of them: this many in all, `more` than were given."""

    family: str
    about: str
    form: str
    outputs: int
    more: int


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


class _Unpredicted:
    """What `TooFew` and `NotPredicted` have in common."""

    tried: list[Tried]
    needed: Sequence[Needed] = ()

    @property
    def unfinished(self) -> list[str]:
        """Families for which there was no time, in some form of the numbers."""
        return list(dict.fromkeys(one.family for one in self.tried if one.result in (OUT_OF_TIME, NO_TIME_LEFT)))

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        return _json(self, needed=[asdict(one) for one in self.needed])


@dataclass(frozen=True)
class Predictable:
    """A generator reproduces the outputs from number `first` (from 1) to number `last`, but for the `breaks`.

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
            f"Anyone who sees so many outputs can compute the others: replace this generator by {CRYPTOGRAPHIC} "
            "wherever numbers must not be guessed."
        )

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        as_they_are = ("family", "about", "form", "outputs_needed", "next", "previous")
        return _json(
            self,
            **{name: getattr(self, name) for name in as_they_are},
            parameters={name: value for name, value in self.parameters.items() if name != "state"},
            state=self.parameters.get("state"),
            certificate=asdict(self.certificate),
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
            f"proof            {proof.correct} of {proof.held_back} held-back outputs predicted; "
            f"by luck with a chance of 2^{proof.log2_chance:.0f}",
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


@dataclass(frozen=True)
class TooFew(_Unpredicted):
    """No family predicts the outputs, and those in `needed` may have made them, but need more outputs."""

    exit_status: ClassVar[int] = TOO_FEW
    verdict: ClassVar[str] = "too few"

    outputs: int
    tried: list[Tried]
    needed: list[Needed]
    notes: list[str] = field(default_factory=list)
    candidates: bool = False  # whether `needed` begins with seeds that make the outputs

    @property
    def advice(self) -> str:
        """What to do next."""
        least, most = min(one.more for one in self.needed), max(one.more for one in self.needed)
        count = f"{least} more outputs" if least == most else f"{least} more outputs ({most} to try all of these)"
        known = "the candidates listed are not proven" if self.candidates else "nothing is known of the generator"
        time = " Other families were not tried to the end: allow more time (--max-seconds)." if self.unfinished else ""
        return f"Collect {count}, in their order and without gaps, and audit again. Until then {known}.{time}"

    def text(self) -> str:
        """The verdict for a terminal."""
        names = {one.about: one for one in reversed(self.needed)}  # the least that a generator needs, of all its forms
        kinds = "a kind of generator remains" if len(names) == 1 else f"{len(names)} kinds of generators remain"
        lines = [f"TOO FEW  of {_outputs(self.outputs)}, {kinds} possible, with so many outputs or more:"]
        ordered = sorted(names.values(), key=lambda one: one.outputs)
        for one in ordered[:MAX_LINES]:
            form = f" ({one.form})" if one.form else ""
            lines.append(f"  {one.outputs:>7}, {one.more} more: {one.about}{form}")
        lines += _rest(len(ordered), "kinds")
        return "\n".join([*lines, *_tried_text(self.tried), *_notes(self.notes), self.advice])


@dataclass(frozen=True)
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
        if self.unfinished:
            return f"Allow more time (--max-seconds) to try the other families as well. {CAUTION}"
        names = {one.family for one in self.tried}
        return f"{'All families were' if len(names) > 1 else 'No other family was'} tried. {CAUTION}"

    def text(self) -> str:
        """The verdict for a terminal."""
        lines = [f"NOT PREDICTED  no family tried makes these {_outputs(self.outputs)}"]
        if self.unfinished:
            lines[0] += f"; there was no time for {', '.join(self.unfinished)}"
        lines += [*_tried_text(self.tried), f"not tried: {NOT_ATTEMPTED}"]
        return "\n".join([*lines, *_notes(self.notes), self.advice])


Verdict: TypeAlias = Predictable | TooFew | NotPredicted


def _json(verdict: Any, **answer: Any) -> JsonObject:
    """The JSON of any verdict, with the same keys in the same order."""
    keys = "family about form parameters state outputs_needed certificate next previous predicted breaks needed"
    defaults: JsonObject = {**dict.fromkeys(keys.split()), "parameters": {}, "next": [], "breaks": [], "needed": []}
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


def _outputs(count: int) -> str:
    return f"{count} output{'s' * (count != 1)}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
