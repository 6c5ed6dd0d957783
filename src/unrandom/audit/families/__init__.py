"""Which families of generators are tried, from cheap to dear?"""

from unrandom.audit.families.carry import WithCarry
from unrandom.audit.families.java import Java
from unrandom.audit.families.lagged import LaggedFibonacci
from unrandom.audit.families.lcg import FullState
from unrandom.audit.families.linear import LinearModuloTwo
from unrandom.audit.families.remainder import Remainder
from unrandom.audit.families.stern import UnknownTruncated
from unrandom.audit.families.trivial import Trivial
from unrandom.audit.families.truncated import Truncated
from unrandom.audit.families.twister import MersenneTwister
from unrandom.audit.families.v8 import MathRandom
from unrandom.audit.families.xorshift import Xorshift
from unrandom.audit.families.xoshiro import Xoshiro
from unrandom.audit.family import Family

FAMILIES: tuple[Family, ...] = (
    Trivial(),
    FullState(),
    MersenneTwister(),
    Java(),
    Truncated(),
    Xorshift(),
    LaggedFibonacci(),
    WithCarry(),
    Xoshiro(),
    MathRandom(),
    LinearModuloTwo(),
    Remainder(),
    UnknownTruncated(),
)
