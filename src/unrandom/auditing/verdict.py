"""What did the audit find? A verdict, as JSON and text: the recovered generator with its proof, or the failure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from unrandom.auditing.notation import power
from unrandom.core.files import JsonObject


@dataclass(frozen=True)
class Certificate:
    """Outputs held back, how many of them were predicted, and log2 of the probability of that by chance."""

    held_back: int
    correct: int
    log2_chance: float


@dataclass(frozen=True)
class Tried:
    """A family that did not predict the stream, the seconds it took, and its result."""

    family: str
    seconds: float
    result: str


@dataclass(frozen=True)
class Predictable:
    """A generator reproduces all outputs. `next` and `previous` are in the format of the input; `previous` is None if
    the outputs before the first one are not determined.
    """

    outputs: int
    tried: list[Tried]
    family: str
    about: str
    parameters: JsonObject
    outputs_needed: int
    certificate: Certificate
    next: list[Any]
    previous: list[Any] | None

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        return _json(
            "predictable",
            self.outputs,
            self.tried,
            family=self.family,
            parameters=self.parameters,
            outputs_needed=self.outputs_needed,
            certificate=asdict(self.certificate),
            next=self.next,
            previous=self.previous,
        )

    def text(self) -> str:
        """The verdict for a terminal."""
        proof = self.certificate
        lines = [
            f"PREDICTABLE  {self.about}",
            *(f"  {name:<12} {power(value)}" for name, value in self.parameters.items()),
            f"outputs needed   {self.outputs_needed} of the {self.outputs} given",
            f"proof            {proof.correct} of {proof.held_back} held-back outputs predicted; "
            f"by luck with a chance of 2^{proof.log2_chance:.0f}",
            f"next             {_joined(self.next)}",
        ]
        if self.previous is not None:
            lines.append(f"before the first {_joined(self.previous)}")
        return "\n".join([*lines, *_tried_text(self.tried)])


@dataclass(frozen=True)
class NotPredicted:
    """No family tried reproduces all outputs. `breaks_at` is how many outputs `broken_family` predicts before the first
    difference; `too_few` is the fewest outputs needed, set if there were too few to try any family.
    """

    outputs: int
    tried: list[Tried]
    breaks_at: int | None = None
    broken_family: str | None = None
    too_few: int | None = None

    def to_json(self) -> JsonObject:
        """The verdict as plain JSON values."""
        return _json("not predicted", self.outputs, self.tried, breaks_at=self.breaks_at, too_few=self.too_few)

    def text(self) -> str:
        """The verdict for a terminal."""
        if self.too_few is not None:
            why = f"{self.outputs} outputs are too few; the least any family needs is {self.too_few}"
        elif self.breaks_at is not None:
            why = (
                f"{self.broken_family} predicts the first {self.breaks_at} outputs, "
                f"but output {self.breaks_at + 1} differs"
            )
        else:
            why = f"no family tried makes these {self.outputs} outputs; this does not prove them safe"
        return "\n".join([f"NOT PREDICTED  {why}", *_tried_text(self.tried)])


Verdict: TypeAlias = Predictable | NotPredicted


def _json(verdict: str, outputs: int, tried: Sequence[Tried], **answer: Any) -> JsonObject:
    """The JSON of either verdict, with the same keys in the same order."""
    defaults: JsonObject = {
        "family": None,
        "parameters": {},
        "outputs_needed": None,
        "certificate": None,
        "next": [],
        "previous": None,
        "breaks_at": None,
        "too_few": None,
    }
    return {
        "verdict": verdict,
        "outputs": outputs,
        **defaults,
        **answer,
        "tried": [asdict(one) for one in tried],
    }


def _tried_text(tried: Sequence[Tried]) -> list[str]:
    width = max((len(one.family) for one in tried), default=0)
    lines = [f"  {one.family:<{width}}  {one.seconds:>7.2f} s  {one.result}" for one in tried]
    return ["tried without success:", *lines] if lines else []


def _joined(numbers: Sequence[Any]) -> str:
    return " ".join(str(number) for number in numbers)
