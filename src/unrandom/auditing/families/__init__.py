"""The families of generators that an audit tries, in their order: `FAMILIES`, from cheap to expensive."""

from unrandom.auditing.families.carry.additive import ADDITIVE
from unrandom.auditing.families.carry.lagged import Carry, Lagged
from unrandom.auditing.families.carry.multiply import CarryPairs, MultiplyCarry
from unrandom.auditing.families.carry.ranlux import Ranluxes
from unrandom.auditing.families.carry.shown_state import RanArray, SuperDuper
from unrandom.auditing.families.congruential.bays_durham import BaysDurhams
from unrandom.auditing.families.congruential.combined import COMBINED_GENERATORS
from unrandom.auditing.families.congruential.fourier import Coins, JavaRemainder
from unrandom.auditing.families.congruential.given import GivenLCG, OtherModulus
from unrandom.auditing.families.congruential.java import Java
from unrandom.auditing.families.congruential.java_gaussian import JavaGaussian
from unrandom.auditing.families.congruential.java_shuffle import JavaShuffle
from unrandom.auditing.families.congruential.lcg import FullState
from unrandom.auditing.families.congruential.pcg import Pcgs
from unrandom.auditing.families.congruential.quadratic import INVERSIVE_STEPS, QUADRATIC_STEPS
from unrandom.auditing.families.congruential.recursive import MultipleRecursive
from unrandom.auditing.families.congruential.remainder import Remainder
from unrandom.auditing.families.congruential.stern import UnknownTruncated
from unrandom.auditing.families.congruential.truncated import Canonical, Truncated
from unrandom.auditing.families.linear.known_bits import LARGE, SMALL, TWISTERS
from unrandom.auditing.families.linear.recurrences import LinearModuloTwo
from unrandom.auditing.families.linear.redrawn import Redrawn
from unrandom.auditing.families.linear.scrambled import SOLVED_QUICKLY, SOLVED_SLOWLY
from unrandom.auditing.families.linear.sums import SUMS
from unrandom.auditing.families.linear.twister import Twisters
from unrandom.auditing.families.linear.v8 import V8
from unrandom.auditing.families.linear.xorshift import Xorshifts
from unrandom.auditing.families.linear.xorwow import Xorwows
from unrandom.auditing.families.linear.xoshiro import Xoshiros
from unrandom.auditing.families.several import Several
from unrandom.auditing.families.tried.small import SMALL_STATES
from unrandom.auditing.families.tried.splitmix import SplitMixFractions
from unrandom.auditing.families.tried.trivial import LongPeriod, Trivial
from unrandom.auditing.family import Family

FAMILIES: tuple[Family, ...] = (
    Trivial(),
    FullState(),
    Twisters(),
    Java(),
    JavaGaussian(),
    JavaShuffle(),
    GivenLCG(),
    Truncated(),
    OtherModulus(),
    Canonical(),
    *COMBINED_GENERATORS,
    Pcgs(),
    MultipleRecursive(),
    QUADRATIC_STEPS,
    INVERSIVE_STEPS,
    CarryPairs(),
    MultiplyCarry(),
    SplitMixFractions(),
    SuperDuper(),
    RanArray(),
    BaysDurhams(),
    Ranluxes(),
    Xorshifts(),
    Lagged(),
    *ADDITIVE,
    Carry(),
    Xoshiros(),
    V8(),
    Remainder(),
    *SUMS,
    *SOLVED_QUICKLY,
    Xorwows(),
    *SMALL,
    LinearModuloTwo(),
    UnknownTruncated(),
    *(Several(kind) for kind in (FullState(), Twisters(), Truncated(), Java(), Xorshifts(), Remainder(), V8())),
    LongPeriod(),
    Redrawn(),
    *TWISTERS,
    Coins(),
    JavaRemainder(),
    *SMALL_STATES,
    *SOLVED_SLOWLY,
    *LARGE,
)
