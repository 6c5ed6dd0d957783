"""Permuted congruential generators (PCG), which shift, fold or rotate what they show of their state, with unseen
multipliers and increments, each variant alone or several in one model.

The state is x[t+1] = (a x[t] + c) mod 2^w, of full period; the output is a permuted part of it (O'Neill 2014). XSH-RS,
XSH-RR and XSL-RR agree with the C++ library where it has these widths, as its published outputs and numpy's PCG64
show. The variants follow Tao and Barkeshli (2025, arXiv 2510.26792), whose public code folds XSH-RS by other
distances at small widths.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from jaxtyping import UInt8, UInt64
from pydantic import Field, model_validator

from unrandom.core.quantities import listed
from unrandom.generators import pcg
from unrandom.generators.full_period import multiplier_valuations, sample_increments, sample_multipliers
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.period import periods
from unrandom.predictors.enumeration import FOR_REPORTS, MAX_HYPOTHESES, EnumeratedPosterior, hidden_lcg
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Grouping, Parameters, in_symbols
from unrandom.tasks.facts import COPY, Baseline
from unrandom.tasks.held_values import HeldValuesTask, Values
from unrandom.tasks.skipping import SkippingShare, let_skip
from unrandom.tasks.task import Count, TestCount

Variant = Literal["lcg", "tlcg", "rs", "rr", "xsh-rs", "xsh-rr", "xsl-rr"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
OUTPUTS: Mapping[Variant, pcg.OutputFunction] = {
    "lcg": pcg.whole_state,
    "tlcg": pcg.top_bits,
    "rs": pcg.random_shift,
    "rr": pcg.random_rotation,
    "xsh-rs": pcg.folded_shift,
    "xsh-rr": pcg.folded_rotation,
    "xsl-rr": pcg.halves_rotation,
}


@dataclass(frozen=True)
class PermutedParameters(Parameters):
    """Parameters of permuted LCGs of one width; ``which`` is the variant of each, as its place in VARIANTS."""

    units: ClassVar[Mapping[str, str]] = {"a": "multipliers", "c": "increments"}

    task: "PermutedLCG"
    which: UInt8[np.ndarray, " rows"]
    a: UInt64[np.ndarray, " rows"]
    c: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """The outputs of the states x0, x1, …; with tags, the variant's tag comes first."""
        task, tags = self.task, int(self.task.tagged)
        numbers = np.empty((len(self), length), dtype=np.uint64)
        if tags:
            numbers[:, 0] = np.uint64(task.first_tag) + task.places[self.which]
        if length > tags:
            states = lcg_orbits(self.x0, a=self.a, c=self.c, m=task.modulus, length=length - tags)
            for variant in task.variants:
                rows = slice(None) if len(task.variants) == 1 else self.which == VARIANTS.index(variant)
                numbers[rows, tags:] = task.shown(variant, states[rows])
        return numbers

    @property
    def labels(self) -> Mapping[str, Any]:
        """variant, a, c, x0, ``v_2(a - 1)``, on which the look-back depends, and the period of the state."""
        return {
            "variant": np.array(VARIANTS)[self.which],
            "a": self.a,
            "c": self.c,
            "x0": self.x0,
            "v_2(a - 1)": multiplier_valuations(self.a, 2),
            "period": self._periods(),
        }

    def _periods(self) -> np.ndarray:
        found = np.full(len(self), self.task.modulus, dtype=object)
        skipping = self.c % np.uint64(2) == 0
        if skipping.any():
            found[skipping] = periods(self.task.modulus, self.a[skipping], self.c[skipping], self.x0[skipping])
        return found

    @property
    def basis(self) -> int | None:
        """2^bits if all sequences show the same window of the state; the bits of a permuted word are not digits."""
        is_window = self.task.variants in (("lcg",), ("tlcg",)) and not self.task.tagged
        return 1 << self.task.width if is_window else None

    def digit_period(self, prime: int, power: int) -> int | None:
        """The period of the state's bit that is shown as bit ``power``, in a truncated LCG alone."""
        only = self.task.variants == ("tlcg",)
        return prime ** (self.task.state_bits - self.task.width + power + 1) if only else None

    def text(self, row: int) -> str:
        values = {"a": int(self.a[row]), "c": int(self.c[row]), "x₀": int(self.x0[row])}
        return f"{VARIANTS[self.which[row]]}, {in_symbols(values)}"

    def groupings(self) -> list[Grouping]:
        """By variant, if there are several, and by v_2(a − 1)."""
        names, group = np.unique(self.which, return_inverse=True)
        by_variant = Grouping("variant", "what is shown of the state", group, tuple(VARIANTS[name] for name in names))
        about = "how often 2 divides a − 1: the less often, the longer the state's differences take to repeat"
        by_valuation = Grouping.by_value("v_2(a − 1)", about, multiplier_valuations(self.a, 2))
        return [by_valuation] if len(names) < 2 else [by_variant, by_valuation]


class PermutedLCG(HeldValuesTask):
    """Full-period LCGs modulo a power of two that show a permuted part of their state."""

    name: ClassVar[str] = "permuted-lcg"
    partial: ClassVar[tuple[Variant, ...]] = VARIANTS[1:]
    """The variants that show a part of the state, by default half of it."""
    rotating: ClassVar[tuple[Variant, ...]] = ("rr", "xsh-rr", "xsl-rr")
    """The variants whose word is rotated."""
    plain: ClassVar[Variant] = "tlcg"
    """The variant that shows a part of the state as it is: the control for the permutations of the others."""

    variants: Annotated[tuple[Variant, ...], Field(min_length=1)] = ("xsl-rr",)
    state_bits: Annotated[int, Field(ge=4, le=64)] = 8  # width of the state
    word_bits: Annotated[int, Field(ge=1, le=64)] | None = None  # width of the permuted word; None: half the state
    # How many of the word's highest bits are shown; None: all (for an LCG, the whole state).
    bits: Annotated[int, Field(ge=1, le=64)] | None = None
    tagged: bool = False  # whether a sequence begins with a number that names its variant
    tag_from: Annotated[int, Field(ge=2, le=2**63)] | None = None  # the first variant's tag; None: after the outputs
    n_a: Count | None = None  # multipliers in training; None: all that are not held out
    n_c: Count | None = None  # increments in training; None: all that are not held out
    n_test_a: TestCount = 16  # multipliers held out for the test
    n_test_c: TestCount = 16  # increments held out for the test
    skipping_share: SkippingShare = 0.0

    added_later: ClassVar[frozenset[str]] = HeldValuesTask.added_later | {"skipping_share"}

    @property
    def modulus(self) -> int:
        """The number of states."""
        return 1 << self.state_bits

    @property
    def word(self) -> int:
        """The width of the permuted word."""
        return self.state_bits // 2 if self.word_bits is None else self.word_bits

    @property
    def width(self) -> int:
        """The width of the largest output."""
        return max(self.shown_bits(variant) for variant in self.variants)

    def shown_bits(self, variant: Variant) -> int:
        """The number of bits that a variant shows."""
        return min(self.bits or self.state_bits, self.state_bits if variant == "lcg" else self.word)

    def shown(self, variant: Variant, states: Any) -> Any:
        """The output of a variant in each of these states, a Python integer or a uint64 array."""
        word = self.state_bits if variant == "lcg" else self.word
        return OUTPUTS[variant](states, self.state_bits, word) >> (word - self.shown_bits(variant))

    @property
    def first_tag(self) -> int:
        """The number that names the first variant."""
        return 1 << self.width if self.tag_from is None else self.tag_from

    @property
    def places(self) -> UInt64[np.ndarray, " variants"]:
        """The place among this task's variants of each of VARIANTS."""
        known = [self.variants.index(variant) if variant in self.variants else 0 for variant in VARIANTS]
        return np.array(known, dtype=np.uint64)

    @property
    def vocabulary(self) -> int:
        return self.first_tag + len(self.variants) if self.tagged else 1 << self.width

    def held_values(self, rng: np.random.Generator) -> Values:
        return {
            "a": sample_multipliers(rng, self.modulus, self.n_test_a),
            "c": sample_increments(rng, self.modulus, self.n_test_c),
        }

    def trained_values(self, rng: np.random.Generator, held: Values) -> Values:
        """Random multipliers and increments, the numbers asked for; none held out, unless pairs are."""
        out = {name: held[name] if self.hold_out == "values" else () for name in ("a", "c")}
        trained = {}
        if self.n_a is not None:
            trained["a"] = sample_multipliers(rng, self.modulus, self.n_a, exclude=out["a"])
        if self.n_c is not None:
            trained["c"] = sample_increments(rng, self.modulus, self.n_c, exclude=out["c"])
        return trained

    def may_have(self, name: str, values: UInt64[np.ndarray, " values"]) -> np.ndarray:
        return values <= np.uint64(self.modulus - 1)

    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> PermutedParameters:
        m, known = self.modulus, np.array([VARIANTS.index(variant) for variant in self.variants], dtype=np.uint8)
        which = known[rng.permutation(rows) % len(known)]  # equally many rows of each variant
        k = rng.integers(0, m // 4, rows, dtype=np.uint64)
        a = given["a"] if "a" in given else np.uint64(1) + np.uint64(4) * k
        c = given["c"] if "c" in given else _odd(rng, self.state_bits, rows)
        x0 = rng.integers(0, m - 1, rows, dtype=np.uint64, endpoint=True)
        if self.skipping_share and "c" not in given:
            c, x0 = let_skip(rng, self.skipping_share, m, a, c, x0)
        return PermutedParameters(self, which, a, c, x0)

    def in_phase(self, phase: Phase) -> "PermutedLCG":
        """The same with ``phase.modulus`` states, whose words are half as wide unless a width is given."""
        bits = phase.bits(4, self.state_bits - (not phase.skipping))
        share = 1.0 if phase.skipping else self.skipping_share
        tag = self.first_tag if self.tagged else None
        return self.replace(state_bits=bits, curriculum=(), tag_from=tag, skipping_share=share)

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying and, for small states without tags, the exact posterior, which knows the variants and their
        widths. It does not know which multipliers and increments are held out."""
        found = {"copy": COPY}
        if self.state_bits <= 16 and not self.tagged and (count := self._hypotheses) <= MAX_HYPOTHESES:
            about = "is the exact posterior over states and parameters: the ceiling"
            found["bayes"] = Baseline(about, self._posterior, in_reports=count <= FOR_REPORTS)
        return found

    @property
    def _hypotheses(self) -> int:
        """The number of triples of two states and a multiplier that fit two outputs and an odd increment."""
        hidden = [self.state_bits - self.shown_bits(variant) for variant in self.variants]
        return sum(4**bits for bits in hidden) * self.modulus // 8

    def _posterior(self) -> EnumeratedPosterior:
        states = np.arange(self.modulus, dtype=np.uint64)
        which = "" if len(self.variants) == 1 else ", variants"
        return hidden_lcg(
            np.stack([self.shown(variant, states) for variant in self.variants]),
            np.arange(1, self.modulus, 4, dtype=np.uint32),
            vocabulary=self.vocabulary,
            assumes=f"the widths, and that states{which} and parameters of full period are uniform",
        )

    @property
    def rule(self) -> str:
        names = listed([variant.upper() for variant in self.variants], "or")
        return f"x → (a x + c) mod 2^{self.state_bits}, of which {names} shows {self.width} bits"

    @property
    def scope(self) -> str:
        names = listed([variant.upper() for variant in self.variants], "or")
        return f"of {names} with {self.state_bits} bits of state, of which {self.width} are shown"

    @property
    def unseen(self) -> str:
        return "multiplier a and increment c"

    @property
    def embedding_modulus(self) -> int | None:
        return self.base or 1 << self.width

    @model_validator(mode="after")
    def _fits(self) -> "PermutedLCG":
        state, word = self.state_bits, self.word
        if len(set(self.variants)) < len(self.variants):
            raise ValueError("data.variants names a variant twice")
        if word > state:
            raise ValueError(f"word_bits={word} is wider than the state of {state} bits")
        if self.bits is not None and self.bits > (most := state if "lcg" in self.variants else word):
            raise ValueError(f"bits={self.bits} are to be shown, but a word has {most}")
        for variant in self.variants:
            if variant in ("rs", "xsh-rs") and not pcg.shift_bits(state, word):
                raise ValueError(f"{variant} needs a state of {word + 2} bits or more for words of {word}, not {state}")
            if variant in ("rr", "xsh-rr", "xsl-rr") and not pcg.rotation_bits(state, word):
                least = f"a state of {word + 1} bits or more" if word > 1 else "words of 2 bits or more"
                raise ValueError(f"{variant} needs {least}; state_bits={state} and word_bits={word} leave no rotation")
        if self.tag_from is not None and not self.tagged:
            raise ValueError("tag_from is the number of the first tag: set tagged=true, too")
        if self.tagged and self.first_tag < 1 << self.width:
            raise ValueError(f"tag_from={self.tag_from} is an output, too: tags begin at {1 << self.width} or later")
        if self.vocabulary > 2**64:
            raise ValueError(f"tags from {self.first_tag} on leave no room: numbers are below 2^64")
        if self.skipping_share and self.n_c is not None:
            raise ValueError("states that skip need n_c=none: an increment of full period lets no state skip")
        return self


def _odd(rng: np.random.Generator, bits: int, rows: int) -> UInt64[np.ndarray, " rows"]:
    """Uniform odd numbers below 2^bits."""
    return np.uint64(1) + np.uint64(2) * rng.integers(0, 1 << (bits - 1), rows, dtype=np.uint64)
