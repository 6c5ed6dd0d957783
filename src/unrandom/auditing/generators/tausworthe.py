"""Combined Tausworthe generators: the exclusive or of several shift registers, each in one word.

A register of k bits is the top of a word z. Its step is z' = (((z << q) ^ z) >> (k − s)) ^ ((z without its lowest bits)
<< s), which makes s new bits at once (L'Ecuyer 1996, 1999). The bits of a word below its register affect no later word.
"""

from dataclasses import dataclass

from unrandom.auditing.generators.shifts import AnyWord


@dataclass(frozen=True)
class Register:
    """A register of `k` bits of a word, with its parameters q and s."""

    k: int
    q: int
    s: int

    def step(self, z: AnyWord, bits: int) -> AnyWord:
        """The next word of `bits` bits."""
        mask = (1 << bits) - 1
        register = mask ^ ((1 << (bits - self.k)) - 1)
        return ((((z << self.q) & mask) ^ z) >> (self.k - self.s)) ^ (((z & register) << self.s) & mask)


@dataclass(frozen=True)
class Tausworthe:
    """Registers in words of `bits` bits; a state has one word for each, and the output is their exclusive or."""

    name: str
    bits: int
    registers: tuple[Register, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bits of each word of the state."""
        return (self.bits,) * len(self.registers)

    @property
    def silent(self) -> int:
        """Bits of the state that affect the first output only."""
        return sum(self.bits - register.k for register in self.registers)

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        return tuple(register.step(z, self.bits) for register, z in zip(self.registers, state, strict=True))

    def output(self, state: tuple[AnyWord, ...]) -> AnyWord:
        output = state[0]
        for z in state[1:]:
            output = output ^ z
        return output


TAUS88 = Tausworthe("taus88", 32, (Register(31, 13, 12), Register(29, 2, 4), Register(28, 3, 17)))
"""L'Ecuyer (1996); GSL's `taus`, Boost's `taus88`."""

LFSR113 = Tausworthe("LFSR113", 32, (Register(31, 6, 18), Register(29, 2, 2), Register(28, 13, 7), Register(25, 3, 13)))
"""L'Ecuyer (1999); GSL's `taus113`."""

LUAJIT = Tausworthe(
    "Tausworthe generator of 223 bits, as in LuaJIT",
    64,
    (Register(63, 31, 18), Register(58, 19, 28), Register(55, 24, 7), Register(47, 21, 8)),
)
"""LuaJIT's math.random(), which shows the lowest 52 bits as a fraction (`lj_prng.c`)."""
