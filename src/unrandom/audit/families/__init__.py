"""Which families of generators are tried, from cheap to dear?"""

from unrandom.audit.families.carry import Carry
from unrandom.audit.families.java import Java
from unrandom.audit.families.lagged import Lagged
from unrandom.audit.families.lcg import FullState
from unrandom.audit.families.linear import LinearModuloTwo
from unrandom.audit.families.remainder import Remainder
from unrandom.audit.families.stern import UnknownTruncated
from unrandom.audit.families.trivial import Trivial
from unrandom.audit.families.truncated import Truncated
from unrandom.audit.families.twister import Twisters
from unrandom.audit.families.v8 import V8
from unrandom.audit.families.xorshift import Xorshifts
from unrandom.audit.families.xoshiro import Xoshiros
from unrandom.audit.family import Family

FAMILIES: tuple[Family, ...] = (
    Trivial(),
    FullState(),
    Twisters(),
    Java(),
    Truncated(),
    Xorshifts(),
    Lagged(),
    Carry(),
    Xoshiros(),
    V8(),
    LinearModuloTwo(),
    Remainder(),
    UnknownTruncated(),
)
