"""Which families of generators does an audit try, in which order? Those in `FAMILIES`, from cheap to expensive."""

from unrandom.auditing.families.additive import ADDITIVE
from unrandom.auditing.families.bays_durham import BaysDurhams
from unrandom.auditing.families.canonical import Canonical
from unrandom.auditing.families.carry import Carry
from unrandom.auditing.families.coins import Coins
from unrandom.auditing.families.combined import COMBINED_GENERATORS
from unrandom.auditing.families.java import Java
from unrandom.auditing.families.java_gaussian import JavaGaussian
from unrandom.auditing.families.java_remainder import JavaRemainder
from unrandom.auditing.families.java_shuffle import JavaShuffle
from unrandom.auditing.families.known_bits import LARGE, SMALL, TWISTERS
from unrandom.auditing.families.lagged import Lagged
from unrandom.auditing.families.lcg import FullState
from unrandom.auditing.families.linear import LinearModuloTwo
from unrandom.auditing.families.multiply import CarryPairs, MultiplyCarry
from unrandom.auditing.families.parts import GivenLCG, OtherModulus
from unrandom.auditing.families.quadratic import InversiveSteps, QuadraticSteps
from unrandom.auditing.families.ranlux import Ranluxes
from unrandom.auditing.families.recursive import MultipleRecursive
from unrandom.auditing.families.redrawn import Redrawn
from unrandom.auditing.families.remainder import Remainder
from unrandom.auditing.families.scrambled import SOLVED_QUICKLY, SOLVED_SLOWLY
from unrandom.auditing.families.shown_state import RanArray, SuperDuper
from unrandom.auditing.families.small import SMALL_STATES
from unrandom.auditing.families.splitmix import SplitMixFractions
from unrandom.auditing.families.stern import UnknownTruncated
from unrandom.auditing.families.sums import SUMS
from unrandom.auditing.families.trivial import Trivial
from unrandom.auditing.families.truncated import Truncated
from unrandom.auditing.families.twister import Twisters
from unrandom.auditing.families.v8 import V8
from unrandom.auditing.families.xorshift import Xorshifts
from unrandom.auditing.families.xorwow import Xorwows
from unrandom.auditing.families.xoshiro import Xoshiros
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
    MultipleRecursive(),
    QuadraticSteps(),
    InversiveSteps(),
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
    Redrawn(),
    *TWISTERS,
    Coins(),
    JavaRemainder(),
    *SMALL_STATES,
    *SOLVED_SLOWLY,
    *LARGE,
)
