"""What was found? A verdict, as a tree and in plain words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from unrandom.audit.family import Tree


@dataclass(frozen=True)
class Certificate:
    """Outputs held back from the recovery, how many of them were predicted, and the chance of that by luck."""

    held_back: int
    correct: int
    log2_chance: float


@dataclass(frozen=True)
class Tried:
    """A family that did not predict the stream, how long it took, and how it ended."""

    family: str
    seconds: float
    result: str


@dataclass(frozen=True)
class Verdict:
    """The answer to an audit. `breaks_at` is how many outputs were predicted before one was not; `too_few` is how many
    are needed at least where there were too few to try anything.
    """

    predictable: bool
    outputs: int
    tried: list[Tried]
    family: str | None = None
    about: str | None = None
    parameters: Tree = field(default_factory=dict)
    outputs_needed: int | None = None
    certificate: Certificate | None = None
    next: list[Any] = field(default_factory=list)
    previous: list[Any] | None = None
    seconds: float = 0.0
    breaks_at: int | None = None
    broken_family: str | None = None
    too_few: int | None = None

    def tree(self) -> Tree:
        """The verdict as plain JSON values."""
        return {
            "verdict": "predictable" if self.predictable else "not predicted",
            "outputs": self.outputs,
            "family": self.family,
            "parameters": self.parameters,
            "outputs_needed": self.outputs_needed,
            "certificate": None if self.certificate is None else asdict(self.certificate),
            "next": self.next,
            "previous": self.previous,
            "breaks_at": self.breaks_at,
            "too_few": self.too_few,
            "tried": [asdict(tried) for tried in self.tried],
        }

    def words(self) -> str:
        """The verdict for a terminal."""
        lines = self._found() if self.predictable else self._not_found()
        if self.tried:
            lines.append("tried without success:")
            width = max(len(tried.family) for tried in self.tried)
            lines += [f"  {tried.family:<{width}}  {tried.seconds:>7.2f} s  {tried.result}" for tried in self.tried]
        return "\n".join(lines)

    def _found(self) -> list[str]:
        assert self.certificate is not None
        proof = self.certificate
        lines = [
            f"PREDICTABLE  {self.about}",
            *(f"  {name:<12} {power(value)}" for name, value in self.parameters.items()),
            f"outputs needed   {self.outputs_needed} of the {self.outputs} given",
            f"proof            {proof.correct} of {proof.held_back} held-back outputs predicted; "
            f"by luck with a chance of 2^{proof.log2_chance:.0f}",
            f"next             {_row(self.next)}",
        ]
        if self.previous is not None:
            lines.append(f"before the first {_row(self.previous)}")
        return lines

    def _not_found(self) -> list[str]:
        if self.too_few is not None:
            return [f"NOT PREDICTED  {self.outputs} outputs are too few; the least any family needs is {self.too_few}"]
        if self.breaks_at is not None:
            return [
                f"NOT PREDICTED  {self.broken_family} predicts the first {self.breaks_at} outputs, "
                f"but output {self.breaks_at + 1} is another one"
            ]
        return [f"NOT PREDICTED  no family tried makes these {self.outputs} outputs; this does not prove them safe"]


def _row(numbers: Sequence[Any]) -> str:
    return " ".join(str(number) for number in numbers)


def power(value: Any) -> str:
    """A value as text, a large power of two as such."""
    large_power = isinstance(value, int) and value > 1024 and value & (value - 1) == 0
    return f"2^{value.bit_length() - 1}" if large_power else str(value)
