"""What can be chosen about the data? Two regimes, fixed modulus (FM) and unseen modulus (UM), and how to draw.

Source: section 3.1 of the paper and its appendix on dataset construction.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from unrandom.core.arithmetic import digits_needed
from unrandom.core.config import Config
from unrandom.tokenization import Tokenizer

Modulus = Annotated[int, Field(ge=2, le=2**64)]
Multiplier = Annotated[int, Field(ge=1, le=2**64 - 1)]
Count = Annotated[int, Field(ge=1, le=2**32)]
Period = Annotated[int, Field(ge=1, le=2**64 - 1)]


class Phase(Config):
    """A part of a curriculum: for some steps, a share of every batch has an easier modulus."""

    modulus: Modulus  # FM: theirs; UM: the largest of theirs
    share: Annotated[float, Field(gt=0, le=1)] = 1.0  # of the batch, at the first step
    decay: Literal["constant", "linear", "exponential"] = "constant"
    begin: Annotated[int, Field(ge=0, le=2**32)] = 0  # first step, from 0
    steps: Count | None = None  # constant: how long (none: to the end); linear: to 0; exponential: to half the share

    def share_at(self, step: int) -> float:
        """The share of the batch of ``step`` (from 0)."""
        passed = step - self.begin
        if passed < 0:
            return 0.0
        if self.steps is None:
            return self.share
        if self.decay == "exponential":
            return self.share * 0.5 ** (passed / self.steps)
        left = max(0.0, 1 - passed / self.steps)
        return self.share * (left if self.decay == "linear" else left > 0)

    @model_validator(mode="after")
    def _ends(self) -> "Phase":
        if self.decay != "constant" and self.steps is None:
            raise ValueError(f"decay={self.decay} needs steps")
        return self


class SequenceData(Config):
    """What both regimes share. A sequence holds context + 1 numbers: the last is predicted from the others."""

    context: Annotated[int, Field(ge=2, le=2**16)] = 256  # numbers
    mode: Literal["fixed", "streaming"] = "fixed"  # n_sequences drawn once and repeated, or fresh ones each step
    n_sequences: Count | None = 100_000  # fixed only; none: every (m, a, c) of n_m x n_a x n_c once
    n_a: Count | None = None  # multipliers a modulus and kind of rows; none: any that is not held out
    n_c: Count | None = None  # increments a modulus; none: any that is not held out
    full_period_share: Annotated[float, Field(ge=0, le=1)] = 0.0  # of every batch; the rest is arbitrary (a, c)
    # Of the full-period rows that are drawn uniformly, this share has the multiplier 1, which only counts. None leaves
    # it to chance.
    counting_share: Annotated[float, Field(ge=0, le=1)] | None = None
    # This share of the full-period rows draws a look-back r = m / gcd(m, a - 1) first, each as often: after r steps the
    # differences x[t+1] - x[t] repeat. Of uniform draws most are of the longest.
    balanced_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    # Of the rows that need not have full period, this share has a multiplier prime to the modulus, so that no sequence
    # has a tail.
    coprime_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    min_period: Period | None = None  # training sequences with shorter periods are left out
    max_period: Period | None = None  # and with longer ones
    base: Annotated[int, Field(ge=2, le=2**31)] | None = None  # none: one token a number
    n_test_a: Count = 64  # multipliers tested for each test modulus (in UM at most as many as it has)
    n_test_c: Count = 64  # increments, likewise
    # from training, at every modulus: the test's (a, c) pairs, as in the paper's UM; or all of its a and all of its c
    hold_out: Literal["pairs", "values"] = "values"
    test_multipliers: Literal["full-period", "primitive-root"] = "full-period"  # the latter for prime moduli
    curriculum: tuple[Phase, ...] = ()  # easier sequences in the batches of some steps
    digits: Annotated[int, Field(ge=1, le=64)] | None = None  # tokens a number; none: what the largest modulus needs

    added_later: ClassVar[frozenset[str]] = frozenset(
        {
            "balanced_share",
            "coprime_share",
            "counting_share",
            "curriculum",
            "digits",
            "hold_out",
        }
    )

    @property
    def largest_modulus(self) -> int:
        raise AssertionError("each regime says which")

    @property
    def tokenizer(self) -> Tokenizer:
        if self.base is None:
            return Tokenizer(self.largest_modulus)
        return Tokenizer(self.base, self.digits or digits_needed(self.largest_modulus - 1, self.base))

    @property
    def context_tokens(self) -> int:
        """Tokens that the model reads: all of the sequence but the last one."""
        return (self.context + 1) * self.tokenizer.width - 1

    @model_validator(mode="after")
    def _consistent(self) -> "SequenceData":
        if self.base is None and self.largest_modulus > 2**20:
            raise ValueError(
                f"a modulus of {self.largest_modulus} needs digits: set data.base (256, say); "
                "one token a number is allowed up to 2^20"
            )
        if self.digits is not None:
            if self.base is None:
                raise ValueError(f"data.digits={self.digits} needs data.base")
            if self.digits < (needed := digits_needed(self.largest_modulus - 1, self.base)):
                raise ValueError(f"data.digits={self.digits} is less than the {needed} that a number can have")
        if self.min_period and self.max_period and self.min_period > self.max_period:
            raise ValueError(f"min_period={self.min_period} is larger than max_period={self.max_period}")
        if self.mode == "fixed" and self.n_sequences is None:
            if self.n_a is None or self.n_c is None:
                raise ValueError("n_sequences=none takes every (a, c) of n_a x n_c: give both n_a and n_c")
            if self.full_period_share not in (0.0, 1.0):
                raise ValueError("n_sequences=none takes every (a, c) once: full_period_share must be 0 or 1")
        of_full = {"balanced_share": self.balanced_share > 0, "counting_share": self.counting_share is not None}
        if self.full_period_share == 0 and (lost := [name for name, is_given in of_full.items() if is_given]):
            raise ValueError(f"{lost[0]} is of the rows of full period: give full_period_share, too")
        if self.balanced_share > 0 and self.n_a is not None:
            raise ValueError("balanced_share needs n_a=none: its rows draw from all multipliers of a look-back")
        for phase in self.curriculum:
            if phase.modulus > self.largest_modulus:
                raise ValueError(f"curriculum: modulus {phase.modulus} is larger than the largest of the run")
            if (total := sum(other.share_at(phase.begin) for other in self.curriculum)) > 1 + 1e-9:
                raise ValueError(f"curriculum: the shares add up to {total:g} at step {phase.begin}; 1 is all")
        return self


class FixedModulus(SequenceData):
    """FM: one modulus, and test sequences of unseen (a, c) with full period."""

    regime: Literal["fm"] = "fm"
    modulus: Modulus
    extra_test_multipliers: tuple[Multiplier, ...] = ()  # kept out of training too, to be tested by name

    added_later: ClassVar[frozenset[str]] = SequenceData.added_later | {"extra_test_multipliers"}

    @property
    def test_moduli(self) -> tuple[int, ...]:
        return (self.modulus,)

    @property
    def largest_modulus(self) -> int:
        return self.modulus

    @model_validator(mode="after")
    def _below(self) -> "FixedModulus":
        if above := [a for a in self.extra_test_multipliers if a >= self.modulus]:
            raise ValueError(f"extra test multiplier {above[0]} is not below the modulus {self.modulus}")
        return self


class UnseenModulus(SequenceData):
    """UM: many training moduli, and full-period test sequences of moduli (and a and c) that training never sees."""

    regime: Literal["um"] = "um"
    test_moduli: tuple[Modulus, ...] = Field(min_length=1)
    validation_moduli: tuple[Modulus, ...] = ()  # held out too, to choose settings by
    n_m: Count | None = None  # training moduli drawn from the range; none: all of it
    min_modulus: Modulus | None = None  # none: context, as in the paper
    max_modulus: Modulus | None = None  # none: floor(1.2 x the largest test modulus), as in the paper

    @property
    def held_out_moduli(self) -> tuple[int, ...]:
        """Those that training never sees, each once."""
        return tuple(dict.fromkeys((*self.test_moduli, *self.validation_moduli)))

    @property
    def smallest_modulus(self) -> int:
        return self.context if self.min_modulus is None else self.min_modulus

    @property
    def largest_modulus(self) -> int:
        return max(self.test_moduli) * 6 // 5 if self.max_modulus is None else self.max_modulus

    @model_validator(mode="after")
    def _range(self) -> "UnseenModulus":
        low, high = self.smallest_modulus, self.largest_modulus
        if high > 2**32:
            raise ValueError(f"training moduli up to {high} were asked for; up to 2^32 are allowed in UM")
        if max(self.held_out_moduli) > high:
            raise ValueError(f"held-out modulus {max(self.held_out_moduli)} is larger than max_modulus={high}")
        if both := sorted(set(self.test_moduli) & set(self.validation_moduli)):
            raise ValueError(f"{both[0]} is both a test modulus and a validation modulus")
        if self.n_m is None and high - low >= 2**20:
            raise ValueError(
                f"data.n_m=none trains on every modulus of [{low}, {high}]; give data.n_m beyond 2^20 of them"
            )
        if easy := [phase.modulus for phase in self.curriculum if phase.modulus < low]:
            raise ValueError(f"curriculum: no training modulus is as small as {easy[0]}; they begin at {low}")
        free = high - low + 1 - sum(low <= m <= high for m in self.held_out_moduli)
        if free < (self.n_m or 1):
            raise ValueError(f"{self.n_m or 1} training moduli were asked for; [{low}, {high}] leaves {max(free, 0)}")
        return self


DataConfig = Annotated[FixedModulus | UnseenModulus, Field(discriminator="regime")]
