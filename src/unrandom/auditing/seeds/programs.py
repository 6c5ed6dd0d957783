"""The table of programs: how each seeds its generator, and by which methods it makes numbers of words.

A generator is a function that fills the first words for many seeds, with its constants: see `twisters` and
`first_words`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.generators.go import SEED_MODULUS, SEED_MULTIPLIER, SKIPPED, cooked
from unrandom.auditing.layouts.layout import CPP, JAVA_DOUBLE, JAVA_LONG, PYTHON, TORCH, TORCH_DOUBLE, window
from unrandom.auditing.seeds import draws, first_words, twisters
from unrandom.auditing.seeds.methods import (
    PRIME,
    R_DEVIATES,
    WORD,
    Method,
    OutputKind,
    c_methods,
    fractions,
    getrandbits,
    minstd_methods,
    normals,
    ranges,
    remainders,
    words,
)  # fmt: skip
from unrandom.generators.known import KNOWN


@dataclass(frozen=True)
class Program:
    """A seeded generator: `fill(seeds, words, table)` computes its first words; seeds that differ by a multiple of
    `distinct` are the same. `speed` is its order of magnitude, in seeds per second on one core.
    """

    about: str
    fill: Callable[[twisters.Seeds, twisters.Words, twisters.Table], None]
    constants: Callable[[], Sequence[int]]
    distinct: float
    speed: float
    methods: tuple[Method, ...]

    @cached_property
    def table(self) -> UInt64[np.ndarray, " constants"]:
        return np.array([x % 2**64 for x in self.constants()], dtype=np.uint64)

    def words(self, seeds: UInt64[np.ndarray, " seeds"], count: int) -> UInt64[np.ndarray, "words seeds"]:
        """The first words for any number of seeds, one column for each."""
        missing = -len(seeds) % twisters.LANES if len(seeds) > 1 else 0
        padded = np.concatenate([seeds, np.repeat(seeds[-1:], missing)])
        words = np.empty((count, len(padded)), dtype=np.uint64)
        self.fill(padded, words, self.table)
        return np.ascontiguousarray(words[:, : len(seeds)])

    def methods_for(self, kind: OutputKind, bits: int) -> Iterator[Method]:
        """The methods of this kind; those with `bits` of Python's getrandbits(bits) included."""
        for method in self.methods:
            if method.kind == kind:
                yield method
        if kind == "word" and self.fill is twisters.array_words:
            for k in sorted({bits, -(-bits // 8) * 8}):
                yield getrandbits(k)


def _lcg(name: str, flipped: int = 0, factor: int = 1, offset: int = 0) -> Callable[[], Sequence[int]]:
    lcg = KNOWN[name].lcg
    return lambda: (lcg.a, lcg.c, lcg.m - 1, flipped, factor, offset)


def _r_table() -> list[int]:
    """s[i] = a seed + b: after 50 steps of the LCG and one more, which is overwritten."""
    table, a, b = [], 1, 0
    for step in range(51 + twisters.N):
        a, b = 69069 * a % 2**32, (69069 * b + 1) % 2**32
        table += [a, b] if step > 50 else []
    return table


def _array_table() -> list[int]:
    """The state that init_by_array begins with, seeded by init_genrand(19650218)."""
    state = [19650218]
    for i in range(1, twisters.N):
        state.append((twisters.KNUTH * (state[-1] ^ state[-1] >> 30) + i) % 2**32)
    return state


def _go_table() -> list[int]:
    first = SKIPPED + 1
    return [pow(SEED_MULTIPLIER, first + 3 * i, SEED_MODULUS) for i in range(first_words.GO_WORDS)] + cooked()


UNIFORM_INT = "uniform_int_distribution"

RAND48_METHODS = (
    *fractions("drand48(), Perl rand", "int(n * drand48()), Perl int(rand(n))", window(48)),
    words("lrand48()", 31, 17),
    remainders("lrand48() % n", 31, 17),
    words("mrand48()", 32, 16),
)
JAVA_METHODS = (
    words("nextInt()", 32, 16),
    ranges("nextInt(n)", draws.JAVA_RANGE, 31, 17, limit=2**31 - 1, most=2**31 - 1),
    remainders("nextInt(a, b)", 32, 16, powers=True),
    Method("nextLong()", "word", draws.JAVA_LONG, JAVA_LONG),
    *fractions("nextDouble()", "(int) (n * nextDouble())", JAVA_DOUBLE),
    *fractions("nextFloat()", "(int) (n * nextFloat())", window(24, 24)),
    normals("nextGaussian()", draws.POLAR, JAVA_DOUBLE),
    ranges("RandomStringUtils", draws.LETTERS, 31, 17, limit=2**31 - 1),
)
BASH_METHODS = (Method("$RANDOM", "word", draws.BASH, window(15)), ranges("$RANDOM % n", draws.BASH, 15, most=2**15))
MULBERRY_METHODS = (words("whole words", 32), *fractions("fractions", "Math.floor(n * random())", window(32)))
SPLITMIX_METHODS = (
    words("whole words", 64),
    words("the top 32 bits, nextInt()", 32, 32),
    *fractions("the top 53 bits, nextDouble()", "(int) (n * nextDouble())", window(53, 11)),
    remainders("words % n", 63, 0),
)
XORSHIFT_METHODS = (words("whole words", 32), remainders("words % n", 32), *fractions("fractions", "⌊n u⌋", window(32)))
R_METHODS = (
    *fractions("runif", "floor(n * runif())", window(32)),
    Method("sample", "range", draws.R_BITS, window(16, 16), bits=32, most=2**31 - 1),
    *R_DEVIATES,
)
TWISTER_METHODS = (
    words("whole words, C++", 32),
    words("mt_rand(), PHP", 31, 1),
    remainders("mt_rand(a, b), rand(a, b), PHP", 32, 0, WORD),
    remainders("mt_rand() % n, PHP", 31, 1),
    remainders("words % n, C++, torch.randint", 32),
    ranges(f"{UNIFORM_INT} of libstdc++", draws.LEMIRE),
    ranges("randint, choice, shuffle, numpy; rand(n), sample, shuffle, Ruby", draws.LOW_BITS),
    *fractions("random(), numpy; rand, Ruby", "int(n * random()), numpy, Ruby", PYTHON),
    *fractions("words / 2^32, C++", "⌊n words / 2^32⌋, C++", window(32)),
    Method("uniform_real_distribution<double>, C++", "fraction", draws.FRACTION, CPP, bits=53),
    *fractions("torch.rand", "⌊n torch.rand⌋", TORCH),
    *fractions("torch.rand, double precision", "⌊n torch.rand⌋, double precision", TORCH_DOUBLE),
    words("bytes of words, the highest of each", 8, 24),
    words("bytes of words, the lowest of each", 8),
    normals("torch.randn of fewer than 16", draws.BOX_MULLER, TORCH_DOUBLE),
    normals("randn, normal, numpy", draws.POLAR_TURNED, PYTHON),
    normals("normal_distribution<double> of libstdc++", draws.POLAR_TURNED, CPP, bits=53),
)
PCG_METHODS = (
    words("whole words", 64),
    *fractions("random()", "int(n * random())", window(53, 11)),
    normals("standard_normal, normal", draws.ZIGGURAT, window(53, 11)),
)
PCG_HALF_METHODS = (
    words("integers(0, 2**32)", 32),
    ranges("integers, choice", draws.LEMIRE),
    ranges("shuffle, permutation", draws.LOW_BITS),
    *fractions("random(dtype=float32)", "int(n * random(dtype=float32))", window(24, 8)),
)
OLD_PHP_METHODS = (
    words("mt_rand()", 31, 1),
    remainders("mt_rand() % n", 31, 1),
    *fractions("mt_rand() / 2^31", "mt_rand(a, b)", window(31, 1)),
)
NET_METHODS = (
    words("Next()", 31),
    remainders("Next() % n, NextBytes", 31),
    *fractions("NextDouble()", "Next(n), Next(a, b)", window(31, 0, PRIME), inverse=True),
)
GO_METHODS = (
    words("Int63(), Int()", 63),
    words("Uint64()", 64),
    words("Uint32()", 32, 31),
    words("Int31()", 31, 32),
    remainders("Intn(n), Int31n(n), Perm", 31, 32, 2**31 - 1),
    ranges("Shuffle", draws.LEMIRE, 32, 31),
    *fractions("Float64()", "int(n * Float64())", window(63), bits=53),
)
PYTHON_METHODS = (
    ranges("randrange(n), randint, choice, shuffle, sample", draws.TOP_BITS),
    *fractions("random()", "int(n * random()), choices", PYTHON),
    normals("gauss", draws.BOX_MULLER, PYTHON),
    normals("normalvariate", draws.RATIO, PYTHON),
)

PROGRAMS: tuple[Program, ...] = (
    Program("C srand of Visual C++", first_words.lcg_words, _lcg("msvc"), 2**31, 5e8, c_methods(16, 15)),
    Program("C srand of musl", first_words.lcg_words, _lcg("musl", offset=-1), 2**32, 4e8, c_methods(33, 31)),
    Program("C srand of the C standard", first_words.lcg_words, _lcg("ansi-c"), 2**31, 5e8, c_methods(16, 15)),
    Program(
        "C srand48, Perl srand",
        first_words.lcg_words,
        _lcg("drand48", factor=2**16, offset=0x330E),
        2**32,
        4e8,
        RAND48_METHODS,
    ),
    Program(
        "Java new Random(seed)", first_words.lcg_words, _lcg("java", flipped=0x5DEECE66D), 2**48, 4e8, JAVA_METHODS
    ),
    Program(
        "C++ minstd_rand0, default_random_engine",
        first_words.minstd_words,
        lambda: (16807, 1),
        2**31 - 1,
        1e8,
        minstd_methods(UNIFORM_INT),
    ),
    Program(
        "C++ minstd_rand", first_words.minstd_words, lambda: (48271, 1), 2**31 - 1, 1e8, minstd_methods(UNIFORM_INT)
    ),
    Program("bash RANDOM=seed", first_words.bash_words, lambda: (), 2**32, 4e7, BASH_METHODS),
    Program("JavaScript mulberry32(seed)", first_words.mulberry_words, lambda: (), 2**32, 7e7, MULBERRY_METHODS),
    Program(
        "SplitMix64(seed), Java new SplittableRandom(seed)",
        first_words.splitmix_words,
        lambda: (),
        inf,
        1e8,
        SPLITMIX_METHODS,
    ),
    Program("numpy default_rng(seed), PCG64", first_words.pcg_words, lambda: (0,), inf, 2e7, PCG_METHODS),
    Program(
        "numpy default_rng(seed), halves of words", first_words.pcg_words, lambda: (1,), inf, 2e7, PCG_HALF_METHODS
    ),
    Program("xorshift32(seed) with 13, 17, 5", first_words.xorshift_words, lambda: (), 2**32, 1e8, XORSHIFT_METHODS),
    Program("C srand of glibc", first_words.glibc_words, lambda: (), 2**32, 2e7, c_methods(1, 31)),
    Program("R set.seed", twisters.affine_words, _r_table, 2**32, 2e8, R_METHODS),
    Program(
        "MT19937 of init_genrand: C++ mt19937(seed), PHP mt_srand, numpy RandomState, Ruby srand, torch.manual_seed",
        twisters.knuth_words,
        lambda: (0,),
        2**32,
        1.5e7,
        TWISTER_METHODS,
    ),
    Program(
        "PHP mt_srand before 7.1, and with MT_RAND_PHP",
        twisters.knuth_words,
        lambda: (1,),
        2**32,
        1.5e7,
        OLD_PHP_METHODS,
    ),
    Program(".NET new Random(seed)", first_words.net_words, lambda: (), 2**31, 5e6, NET_METHODS),
    Program("Go rand.Seed, rand.NewSource", first_words.go_words, _go_table, 2**31 - 1, 1.4e7, GO_METHODS),
    Program("Python random.seed(seed)", twisters.array_words, _array_table, inf, 1.8e6, PYTHON_METHODS),
)
"""From fast to slow."""
