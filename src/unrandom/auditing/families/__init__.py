"""Which families of generators does an audit try, in which order? Those in `FAMILIES`, from cheap to expensive."""

from unrandom.auditing.families.carry import Carry
from unrandom.auditing.families.java import Java
from unrandom.auditing.families.lagged import Lagged
from unrandom.auditing.families.lcg import FullState
from unrandom.auditing.families.linear import LinearModuloTwo
from unrandom.auditing.families.remainder import Remainder
from unrandom.auditing.families.stern import UnknownTruncated
from unrandom.auditing.families.trivial import Trivial
from unrandom.auditing.families.truncated import Truncated
from unrandom.auditing.families.twister import Twisters
from unrandom.auditing.families.v8 import V8
from unrandom.auditing.families.xorshift import Xorshifts
from unrandom.auditing.families.xoshiro import Xoshiros
from unrandom.auditing.family import Family

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
