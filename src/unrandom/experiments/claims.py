"""Judges claims. A claim names a measured quantity, a threshold and perhaps a precondition.

An experiment states claims and delivers evidence; ``judge_all`` returns one judgement per claim. The verdict follows
from the interval of the measured quantity (or from a bound on it), the threshold and the precondition.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from unrandom.evaluation.intervals import FEWEST_UNITS, Estimate, over_units, within_bounds

Verdict = Literal["reproduced", "not reproduced", "inconclusive", "not judged", "not run"]
Origin = Literal["paper", "beyond"]
Written = Literal["before", "after"]


@dataclass(frozen=True)
class Precondition:
    """A measured condition that must be at least ``least`` before a claim can be judged."""

    statement: str
    least: float

    def __str__(self) -> str:
        return f"{self.statement} ≥ {self.least:g}"


LEARNED = Precondition("last-number accuracy", 0.9)
USUAL = Precondition("what is usual for the experiment", 0.0)
"""The precondition of a claim that names none: LEARNED, or nothing if its experiment is beyond the paper."""
BEYOND_SHORTCUT = Precondition("last-number accuracy on unseen moduli, beyond that of the best fixed look-back,", 0.4)
"""The precondition of claims about the algorithm for unseen moduli: models predict much more than one distance does."""


@dataclass(frozen=True)
class Threshold:
    """A bound on a measured quantity: ``value`` at least, or at most."""

    value: float
    unit: str  # share, ratio, bits, …
    at_least: bool

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.value:g}"

    def verdict(self, found: Estimate) -> Verdict:
        """Compare the whole interval with the threshold: it is on the wanted side, on the other side, or on both."""
        assert found.low is not None, "estimates from too few units are not judged"
        assert found.high is not None, "estimates from too few units are not judged"
        if self.at_least:
            good, bad = found.low >= self.value, found.high < self.value
        else:
            good, bad = found.high <= self.value, found.low > self.value
        return "reproduced" if good else "not reproduced" if bad else "inconclusive"


def at_least(value: float, unit: str) -> Threshold:
    return Threshold(value, unit, at_least=True)


def at_most(value: float, unit: str) -> Threshold:
    return Threshold(value, unit, at_least=False)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A falsifiable sentence about one measured number, and the threshold for that number."""

    statement: str
    quantity: str  # what is measured, with its units
    wanted: Threshold
    figure: str = ""  # the paper's label; empty for a claim that no figure of the paper makes
    key: str = ""  # of the claims of an experiment, which it names
    precondition: Precondition | None = USUAL
    origin: Origin = "paper"
    written: Written = "before"  # whether the claim was written before or after the first look at its results


LateClaim = partial(Claim, written="after")
"""A claim that was written after the first look at its results."""


@dataclass(frozen=True)
class Bound:
    """A bound on a quantity, measured where some runs were censored: they ended before they reached a target.

    ``limits`` has one bound per unit. A bound has no interval, and the true value may be arbitrarily far beyond it.
    """

    limits: Sequence[float]
    at_least: bool
    why: str  # which runs were censored: "3 of 3 runs of AdamW never reached 90 %"

    @property
    def value(self) -> float:
        """The bound that holds for every unit."""
        return min(self.limits) if self.at_least else max(self.limits)


@dataclass(frozen=True)
class Unknown:
    """A quantity that could not be measured; ``why`` is the reason."""

    why: str


Finding = Sequence[float] | Estimate | Bound | Unknown
"""What was measured for a claim. A sequence has one value per seed; its mean is judged by Student's t."""


Evidence = Mapping[Any, Finding | float | None]
"""A finding for every claim of an experiment, by its key, and what was measured for every precondition."""


@dataclass(frozen=True)
class Judgement:
    """The measurement for a claim, and whether it held."""

    claim: Claim
    verdict: Verdict
    found: Estimate | Bound | None = None
    reason: str = ""  # why the claim was not judged, or why the number is a bound

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object with the claim, what was measured, and the verdict."""
        claim, found = self.claim, self.found
        ends = (found.low, found.high) if isinstance(found, Estimate) else (None, None)
        interval = None if ends[0] is None or ends[1] is None else [round(end, 4) for end in ends if end is not None]
        units = 0 if found is None else found.units if isinstance(found, Estimate) else len(found.limits)
        return {
            "key": claim.key,
            "claim": claim.statement,
            "quantity": claim.quantity,
            "unit": claim.wanted.unit,
            "figure": claim.figure,
            "value": None if found is None else round(found.value, 4),
            "bound": ("≥" if found.at_least else "≤") if isinstance(found, Bound) else "",
            "interval": interval,
            "interval_kind": found.kind if isinstance(found, Estimate) else None,
            "threshold": str(claim.wanted),
            "units": units,
            "precondition": None if claim.precondition is None else str(claim.precondition),
            "origin": claim.origin,
            "written": claim.written,
            "verdict": self.verdict,
            "reason": self.reason,
        }


def judge_all(claims: Sequence[Claim], evidence: Evidence) -> list[Judgement]:
    """Return one judgement per claim. Raises KeyError unless the evidence has exactly the claims' keys and
    conditions."""
    keys, needed = {claim.key for claim in claims}, {claim.precondition for claim in claims} - {None}
    if keys != (found := {key for key in evidence if isinstance(key, str)}):
        raise KeyError(f"claims and evidence differ in {sorted(keys ^ found)}")
    if not needed <= set(evidence):
        raise KeyError(f"the evidence lacks the conditions {sorted(map(str, needed - set(evidence)))}")
    return [judge(claim, evidence[claim.key], evidence) for claim in claims]


def judge(claim: Claim, finding: Finding | float | None, evidence: Evidence) -> Judgement:
    """Return the verdict on one claim, with the number and the reason for it."""
    if isinstance(finding, Unknown):
        return Judgement(claim, "not judged", reason=finding.why)
    assert not isinstance(finding, float), "a finding has one value per seed"
    found = finding if isinstance(finding, Estimate | Bound) else over_units(finding) if finding else None
    if found is None:
        return Judgement(claim, "not judged", reason="no run has this quantity")
    if not math.isfinite(found.value):
        return Judgement(claim, "not judged", reason="the number is not finite")
    if isinstance(found, Estimate) and claim.wanted.unit == "share":
        found = within_bounds(found)
    if claim.precondition is not None and (unmet := _unmet(claim.precondition, evidence)):
        return Judgement(claim, "not judged", found, unmet)
    if isinstance(found, Bound):
        return _judge_bound(claim, found)
    if found.units < FEWEST_UNITS:
        units = f"{found.units} independent unit{'s' * (found.units != 1)}"
        return Judgement(claim, "not judged", found, f"{units}; {FEWEST_UNITS} are needed")
    verdict = claim.wanted.verdict(found)
    if found.too_low and verdict == ("not reproduced" if claim.wanted.at_least else "reproduced"):
        return Judgement(claim, "not judged", found, "censored runs were left out, which biases the number low")
    return Judgement(claim, verdict, found)


def _unmet(needed: Precondition, evidence: Evidence) -> str:
    """Return the reason why the precondition does not hold; empty if it holds."""
    measured = evidence[needed]
    if measured is None:
        return f"it presupposes {needed}, which was not measured"
    assert isinstance(measured, int | float), "a condition is a number"
    return "" if measured >= needed.least else f"it presupposes {needed}, which is {measured:.3f}"


def _judge_bound(claim: Claim, found: Bound) -> Judgement:
    """Judge a bound: it decides if even the 95 % limit of the mean of the bounds is past the threshold.

    The true mean lies beyond the mean of the bounds, so it is past the threshold, too.
    """
    decides: Verdict = "reproduced" if found.at_least == claim.wanted.at_least else "not reproduced"
    if len(found.limits) >= FEWEST_UNITS and claim.wanted.verdict(over_units(found.limits)) == decides:
        return Judgement(claim, decides, found, found.why)
    return Judgement(claim, "not judged", found, f"{found.why}, so the number is a bound")
