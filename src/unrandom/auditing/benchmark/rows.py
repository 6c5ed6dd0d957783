"""The programs that the benchmark of audits imitates, and what they print: `PRINTED` has a row per form."""

from collections.abc import Callable
from random import Random

from unrandom.auditing.benchmark.printed import (
    Printed,
    bays_durham,
    by_numpy,
    by_python,
    by_torch,
    combined,
    lagged,
    parts_of_sfmt,
    ranlux,
    small,
    states,
    steps,
    truncated,
    v8,
    window_of,
    with_carry,
    xoshiro,
)
from unrandom.auditing.generators.bays_durham import KNUTH_B
from unrandom.auditing.generators.carry import WithCarry
from unrandom.auditing.generators.java import NEXT_DOUBLE
from unrandom.auditing.generators.lagged import LaggedFibonacci
from unrandom.auditing.generators.multiply_with_carry import MultiplyWithCarry
from unrandom.auditing.generators.quadratic import Inversive, Quadratic
from unrandom.auditing.generators.ranlux import RANLUX24
from unrandom.auditing.generators.shifts import Shift
from unrandom.auditing.generators.splitmix import SplitMix64
from unrandom.auditing.generators.tausworthe import LFSR113, LUAJIT, TAUS88
from unrandom.auditing.generators.well import WELL512A, WELL1024A, WELL19937A
from unrandom.auditing.generators.xorshift import Xorshift, Xorwow
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG

SHR3 = Xorshift(32, (Shift(True, 13), Shift(False, 17), Shift(True, 5)))
GLIBC = LaggedFibonacci(3, 31, 1, 1, 2**32)
PRIME = 2**31 - 1
R_SCALE = 2.3283064365386963e-10  # R multiplies a word of 32 bits by this number to make a fraction
GO = LaggedFibonacci(273, 607, 1, 1, 2**64)
NET = LaggedFibonacci(34, 55, -1, 1, 2**31 - 1)


def _dice_of_cpp(chance: Random) -> int:
    """std::uniform_int_distribution over a 32-bit engine: Lemire's method, whose rejections are too rare to matter."""
    return 1 + ((6 * chance.getrandbits(32)) >> 32)


def _php_range(least: int, greatest: int) -> Callable[[Random], int]:
    size = greatest - least + 1
    limit = 2**32 - 2**32 % size

    def draw(chance: Random) -> int:
        while (word := chance.getrandbits(32)) >= limit:
            pass
        return least + word % size

    return draw


def _luajit(word: int) -> float:
    return word % 2**52 / 2**52


def _lcg(chance: Random) -> LCG:
    return LCG(PRIME, chance.randrange(2, PRIME), chance.randrange(PRIME))


def _quadratic(chance: Random) -> Callable[[int], int]:
    return Quadratic(PRIME, *(chance.randrange(1, PRIME) for _ in range(3))).step


def _inversive(chance: Random) -> Callable[[int], int]:
    return Inversive(PRIME, chance.randrange(1, PRIME), chance.randrange(PRIME)).step


PYTHON, NODE_24, NODE_26 = "Python 3 `random`", "Node.js 12 to 24", "Node.js 26"

PRINTED: tuple[Printed, ...] = (
    Printed(PYTHON, "`getrandbits(32)`", 1300, by_python(lambda r: r.getrandbits(32))),
    Printed(PYTHON, "`random()`", 1300, by_python(lambda r: r.random())),
    Printed(PYTHON, "`getrandbits(16)`", 2000, by_python(lambda r: r.getrandbits(16)), slow=True),
    Printed(PYTHON, "`getrandbits(8)`", 3200, by_python(lambda r: r.getrandbits(8)), slow=True),
    Printed(PYTHON, "`random()`, 6 decimals", 2000, by_python(lambda r: f"{r.random():.6f}"), slow=True),
    Printed(PYTHON, "`random()`, 4 decimals", 4000, by_python(lambda r: f"{r.random():.4f}"), slow=True),
    Printed(PYTHON, "`uniform(5, 15)`", 1600, by_python(lambda r: r.uniform(5, 15)), slow=True),
    Printed(PYTHON, "`int(100 * random())`", 6000, by_python(lambda r: int(100 * r.random())), slow=True),
    Printed(PYTHON, "`randrange(10**9)`", 3000, by_python(lambda r: r.randrange(10**9)), slow=True),
    Printed(PYTHON, "`getrandbits(128)`, hexadecimal", 400, by_python(lambda r: f"{r.getrandbits(128):032x}")),
    Printed(PYTHON, "`gauss(0, 1)`", 1700, by_python(lambda r: r.gauss(0, 1)), slow=True),
    Printed("numpy `RandomState`", "`rand()`", 1300, by_numpy(lambda g: float(g.rand()))),
    Printed("numpy `RandomState`", "`randint(256)`", 4000, by_numpy(lambda g: int(g.randint(256))), slow=True),
    Printed("PyTorch 2 (CPU)", "`torch.rand`", 2400, by_torch, slow=True),
    Printed("C++ `std::mt19937` (libstdc++)", "dice", 18000, by_python(_dice_of_cpp), slow=True),
    Printed("PHP 7.1 and later", "`mt_rand()`", 1500, by_python(lambda r: r.getrandbits(32) >> 1)),
    Printed("PHP 7.1 and later", "`mt_rand(100000, 999999)`", 6000, by_python(_php_range(100000, 999999)), slow=True),
    Printed("R", "`runif`, 7 decimals", 1600, by_python(lambda r: f"{r.getrandbits(32) * R_SCALE:.7f}"), slow=True),
    Printed(NODE_24, "`Math.random()`", 200, v8(53, False, float)),
    Printed(NODE_24, "6 decimals", 200, v8(53, False, lambda u: f"{u:.6f}")),
    Printed(NODE_24, "dice", 400, v8(53, False, lambda u: 1 + int(6 * u))),
    Printed(NODE_24, "coins, `Math.random() < 0.5`", 600, v8(53, False, lambda u: int(u < 0.5))),
    Printed(NODE_24, "one-time passwords of 6 digits", 200, v8(53, False, lambda u: f"{int(1e6 * u):06}")),
    Printed(NODE_24, "`Math.floor(100 * Math.random())`", 300, v8(53, False, lambda u: int(100 * u))),
    Printed(NODE_24, "`2 * Math.random() - 1`", 200, v8(53, False, lambda u: 2 * u - 1)),
    Printed(NODE_26, "`Math.random()`, few", 16, v8(53, True, float)),
    Printed(NODE_26, "`Math.random()`", 300, v8(53, True, float)),
    Printed(NODE_26, "6 decimals", 700, v8(53, True, lambda u: f"{u:.6f}"), slow=True),
    Printed(NODE_26, "one-time passwords of 6 digits", 700, v8(53, True, lambda u: f"{int(1e6 * u):06}"), slow=True),
    Printed(NODE_26, "`Math.floor(100 * Math.random())`", 3400, v8(53, True, lambda u: int(100 * u)), slow=True),
    Printed(
        "Firefox and Safari",
        "`Math.random()`, few",
        24,
        xoshiro("xorshift128+ (23, 17, 26), low 53 bits as in Firefox and Safari", lambda x: (x & (2**53 - 1)) / 2**53),
    ),
    Printed(
        "xoroshiro128+ (24, 16, 37)", "doubles", 24, xoshiro("xoroshiro128+ (24, 16, 37)", lambda x: (x >> 11) / 2**53)
    ),
    Printed("xoshiro256+", "doubles", 400, xoshiro("xoshiro256+", lambda x: (x >> 11) / 2**53), slow=True),
    Printed("PostgreSQL 15 and later", "`random()`", 24, xoshiro("xoroshiro128**", lambda x: (x >> 12) / 2**52)),
    Printed("Lua 5.4", "`math.random(0)`", 30, xoshiro("xoshiro256**", int)),
    Printed("Lua 5.4", "`math.random()`", 24, xoshiro("xoshiro256**", lambda x: (x >> 11) / 2**53), slow=True),
    Printed("SplitMix64", "words", 20, states(SplitMix64(), (64,), int)),
    Printed("Java `SplittableRandom`", "`nextDouble()`", 20, states(SplitMix64(), (64,), lambda x: (x >> 11) / 2**53)),
    Printed("Java `Random`", "`nextInt()`", 50, window_of("java", 16, 32, lambda x: x - (x >> 31 << 32))),
    Printed("Java `Random`", "`nextDouble()`", 50, states(NEXT_DOUBLE, (48,), lambda x: x / 2**53)),
    Printed(
        "Java `Random`", "`nextDouble()`, 4 decimals", 100, states(NEXT_DOUBLE, (48,), lambda x: f"{x / 2**53:.4f}")
    ),
    Printed("Java `Random`", "`nextInt(100)`", 100, window_of("java", 17, 31, lambda x: x % 100)),
    Printed("Java `Random`", "`nextBoolean()`", 800, window_of("java", 47, 1), slow=True),
    Printed("Java `Random`", "`nextInt(3)`", 800, window_of("java", 17, 31, lambda x: x % 3), slow=True),
    Printed("C, Visual C++", "`rand()`", 100, window_of("msvc", 16, 15)),
    Printed("C, Visual C++", "`rand() % 6`", 150, window_of("msvc", 16, 15, lambda x: x % 6)),
    Printed("C, glibc", "`rand()`", 400, lagged(GLIBC, lambda x: x >> 1)),
    Printed("C, glibc", "`rand() / (RAND_MAX + 1.0)`", 400, lagged(GLIBC, lambda x: (x >> 1) / 2**31)),
    Printed("C, glibc", "`rand() % 6`", 3300, lagged(GLIBC, lambda x: (x >> 1) % 6)),
    Printed("C, musl", "`rand()`", 60, window_of("musl", 33, 31)),
    Printed("C, POSIX", "`drand48()`, 6 decimals", 60, window_of("drand48", 0, 48, lambda x: f"{x / 2**48:.6f}")),
    Printed("C, POSIX", "`lrand48()`", 60, window_of("drand48", 17, 31)),
    Printed("C++", "`minstd_rand`", 60, steps(lambda _: KNOWN["minstd"].lcg, PRIME)),
    Printed("C++", "`ranlux24_base`", 200, with_carry(WithCarry(10, 24, 1, -1, 24))),
    Printed("C++", "`ranlux24`", 120, ranlux(RANLUX24)),
    Printed("C++", "`knuth_b`", 3000, bays_durham(KNUTH_B)),
    Printed("bash 5.1 and later", "`$RANDOM`", 60, small("$RANDOM of bash 5.1")),
    Printed("bash 5.1 and later", "`$((RANDOM % 6 + 1))`", 120, small("$RANDOM of bash 5.1", lambda x: x % 6 + 1)),
    Printed("mulberry32 (JavaScript)", "fractions", 40, small("mulberry32", lambda x: x / 2**32)),
    Printed("Visual Basic 6", "`Rnd`, 7 digits", 60, small("Rnd of Visual Basic 6", lambda x: f"{x / 2**24:.7f}")),
    Printed("Go 1.19 `math/rand`", "`Int63()`", 700, lagged(GO, lambda x: x & (2**63 - 1))),
    Printed(".NET Framework `Random(seed)`", "`Next()`", 300, lagged(NET, int)),
    Printed(
        ".NET Framework `Random(seed)`", "`Next(100)`", 4300, lagged(NET, lambda x: int(x * (1 / (2**31 - 1)) * 100))
    ),
    Printed("Go 1.19 `math/rand`", "`Float64()`", 20000, lagged(GO, lambda x: x % 2**63 / 2**63), slow=True),
    Printed("R, `Wichmann-Hill`", "7 digits", 60, combined("Wichmann and Hill 1982", lambda u: f"{u:.7f}")),
    Printed("PHP", "`lcg_value()`", 60, combined("L'Ecuyer 1988", float)),
    Printed("MySQL and MariaDB", "`RAND()`", 60, combined("MySQL's RAND()", float)),
    Printed("R, `L'Ecuyer-CMRG`", "7 digits", 100, combined("MRG32k3a, L'Ecuyer 1999", lambda u: f"{u:.7f}")),
    Printed(
        "multiply-with-carry, 32 bits",
        "words",
        60,
        lambda r: MultiplyWithCarry(4164903690, 32).outputs([r.getrandbits(32)], 1 + r.getrandbits(30)),
    ),
    Printed("xorshift32", "words", 60, states(SHR3, (32,), int)),
    Printed("xorshift32", "modulo 100", 300, states(SHR3, (32,), lambda x: x % 100)),
    Printed("taus88", "words", 60, states(TAUS88, TAUS88.sizes, int)),
    Printed("LFSR113", "words", 60, states(LFSR113, LFSR113.sizes, int)),
    Printed("LuaJIT 2.1", "`math.random()`", 60, states(LUAJIT, LUAJIT.sizes, _luajit)),
    Printed("LuaJIT 2.1", "`math.random(100)`", 200, states(LUAJIT, LUAJIT.sizes, lambda x: 1 + int(100 * _luajit(x)))),
    Printed("WELL512a", "words", 100, states(WELL512A, WELL512A.sizes, int)),
    Printed("WELL1024a", "words", 100, states(WELL1024A, WELL1024A.sizes, int)),
    Printed("WELL19937a", "words", 900, states(WELL19937A, WELL19937A.sizes, int), slow=True),
    Printed("SFMT19937", "words", 900, parts_of_sfmt, slow=True),
    Printed("xorwow (CUDA)", "words", 200, states(Xorwow(), (32,) * 6, int)),
    Printed("an LCG modulo a prime, all unknown", "all bits", 60, steps(_lcg, PRIME)),
    Printed("an LCG modulo 2^32, all unknown", "the upper 16 bits", 700, truncated(2**32, 16), slow=True),
    Printed("an LCG modulo 2^64, all unknown", "the upper 32 bits", 400, truncated(2**64, 32), slow=True),
    Printed("a quadratic generator modulo 2^31 - 1, all unknown", "all bits", 60, steps(_quadratic, PRIME)),
    Printed("an inversive generator modulo 2^31 - 1, all unknown", "all bits", 60, steps(_inversive, PRIME)),
)
