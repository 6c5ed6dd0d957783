"""Which programs are tried? A table: how each seeds which engine, and by which methods it makes numbers of the words.

An engine is a function that fills the first words for many seeds, with its constants; see `twisters` and `engines`. A
method makes words of a fixed number of bits, numbers from a range of any size n, or fractions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, Literal

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.seeds import draws, engines, twisters
from unrandom.generators.go import SEED_MODULUS, SEED_MULTIPLIER, SKIPPED, cooked
from unrandom.generators.known import KNOWN

WORD, PRIME = 2**32 - 1, 2**31 - 1

Kind = Literal["word", "range", "fraction"]


@dataclass(frozen=True)
class Method:
    """A method of a program: x = (word >> shift) & mask is what it takes of a word; `bits` are those of its outputs.

    `code`, `fraction`, `limit` and `divisor` are explained in `draws`. A method of kind "range" is used with sizes up
    to `most`; `powers` says whether only with powers of two (True), only with others (False), or with all (None).
    """

    about: str
    kind: Kind
    code: int
    bits: int = 32
    shift: int = 0
    mask: int = WORD
    limit: int = 0
    fraction: int = draws.DIVIDED
    divisor: int = 1
    most: int = WORD
    powers: bool | None = None

    @property
    def constants(self) -> UInt64[np.ndarray, " 6"]:
        """The method as the compiled functions take it."""
        return np.array([self.code, self.fraction, self.shift, self.mask, self.limit, self.divisor], dtype=np.uint64)

    def words(self, n: int) -> int:
        """Words used for an output, including one that is rejected."""
        double = self.code in (draws.TWO_WORDS, draws.JAVA_LONG) or (
            (self.code == draws.FRACTION or self.kind == "fraction") and self.fraction > draws.MULTIPLIED
        )
        return 1 + double + (self.code == draws.R_BITS and n > 2**15)

    def fits(self, n: int) -> bool:
        """Whether the method draws from ranges of this size."""
        power = not n & (n - 1)
        return 2 <= n <= self.most and (self.powers is None or self.powers == power)


@dataclass(frozen=True)
class Engine:
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

    def methods_for(self, kind: Kind, bits: int) -> Iterator[Method]:
        """The methods of this kind; those with `bits` of Python's getrandbits(bits) included."""
        for method in self.methods:
            if method.kind == kind:
                yield method
        if kind == "word" and self.fill is twisters.array_words:
            for k in sorted({bits, -(-bits // 8) * 8}):
                yield _getrandbits(k)


def _words(about: str, bits: int, shift: int = 0) -> Method:
    return Method(about, "word", draws.BITS, bits, shift, 2**bits - 1)


def _remainders(about: str, bits: int, shift: int = 0, limit: int = 0, powers: bool | None = None) -> Method:
    most = min(2**bits, WORD)
    return Method(about, "range", draws.REMAINDER, bits, shift, 2**bits - 1, limit, most=most, powers=powers)


def _fractions(about: str, product: str, bits: int, divisor: int = 0, **more: Any) -> tuple[Method, Method]:
    """Fractions u, and ⌊n u⌋; 0 stands for a divisor of 2**bits."""
    divisor = divisor or 2**bits
    return (
        Method(about, "fraction", draws.FRACTION, bits, divisor=divisor, **more),
        Method(product, "range", draws.FRACTION, bits, divisor=divisor, most=2**bits, **more),
    )


def _getrandbits(bits: int) -> Method:
    about = f"getrandbits({bits})"
    if bits > 32:
        return Method(about, "word", draws.TWO_WORDS, bits, 64 - min(bits, 64))
    return _words(about, bits, 32 - bits)


def _c_methods(shift: int, bits: int) -> tuple[Method, ...]:
    """What C programs do with rand(), which gives so many bits from `shift` on."""
    more = {"shift": shift, "mask": 2**bits - 1}
    return (
        _words("rand()", bits, shift),
        _remainders("rand() % n", bits, shift),
        *_fractions("rand() / (RAND_MAX + 1.0)", "n * (rand() / (RAND_MAX + 1.0))", bits, **more),
        *_fractions("rand() / (double) RAND_MAX", "n * (rand() / (double) RAND_MAX)", bits, 2**bits - 1, **more),
    )


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
    return [pow(SEED_MULTIPLIER, first + 3 * i, SEED_MODULUS) for i in range(engines.GO_WORDS)] + cooked()


def _minstd_methods(n_of: str) -> tuple[Method, ...]:
    return (
        _words("the generator", 31),
        _remainders("the generator % n", 31),
        Method(f"{n_of} of libstdc++", "range", draws.QUOTIENT, 31, 0, 2**31 - 1, 2**31 - 3, most=2**31 - 3),
    )


UNIFORM_INT = "uniform_int_distribution"
DOUBLE_53 = {"fraction": draws.TWO_OF_27_AND_26}

ENGINES: tuple[Engine, ...] = (
    Engine("C srand of Visual C++", engines.lcg_words, _lcg("msvc"), 2**31, 5e8, _c_methods(16, 15)),
    Engine("C srand of musl", engines.lcg_words, _lcg("musl", offset=-1), 2**32, 4e8, _c_methods(33, 31)),
    Engine("C srand of the C standard", engines.lcg_words, _lcg("ansi-c"), 2**31, 5e8, _c_methods(16, 15)),
    Engine(
        "C srand48, Perl srand",
        engines.lcg_words,
        _lcg("drand48", factor=2**16, offset=0x330E),
        2**32,
        4e8,
        (
            *_fractions("drand48(), Perl rand", "int(n * drand48()), Perl int(rand(n))", 48, mask=2**48 - 1),
            _words("lrand48()", 31, 17),
            _remainders("lrand48() % n", 31, 17),
            _words("mrand48()", 32, 16),
        ),
    ),
    Engine(
        "Java new Random(seed)",
        engines.lcg_words,
        _lcg("java", flipped=0x5DEECE66D),
        2**48,
        4e8,
        (
            _words("nextInt()", 32, 16),
            _remainders("nextInt(n)", 31, 17, 2**31 - 1, powers=False),
            Method("nextInt(n)", "range", draws.TOP_PRODUCT, 31, 17, 2**31 - 1, most=2**30, powers=True),
            _remainders("nextInt(a, b)", 32, 16, powers=True),
            Method("nextLong()", "word", draws.JAVA_LONG, 64, 16),
            *_fractions("nextDouble()", "(int) (n * nextDouble())", 53, fraction=draws.JAVA_DOUBLE),
            *_fractions("nextFloat()", "(int) (n * nextFloat())", 24, shift=24, mask=2**24 - 1),
        ),
    ),
    Engine("C++ minstd_rand0, default_random_engine", engines.minstd_words, lambda: (16807, 1), 2**31 - 1, 1e8,
           _minstd_methods(UNIFORM_INT)),
    Engine("C++ minstd_rand", engines.minstd_words, lambda: (48271, 1), 2**31 - 1, 1e8, _minstd_methods(UNIFORM_INT)),
    Engine(
        "bash RANDOM=seed",
        engines.bash_words,
        lambda: (),
        2**32,
        4e7,
        (
            Method("$RANDOM", "word", draws.BASH, 15),
            Method("$RANDOM % n", "range", draws.BASH, 15, most=2**15),
        ),
    ),
    Engine(
        "JavaScript mulberry32(seed)",
        engines.mulberry_words,
        lambda: (),
        2**32,
        7e7,
        (_words("whole words", 32), *_fractions("fractions", "Math.floor(n * random())", 32)),
    ),
    Engine(
        "SplitMix64(seed), Java new SplittableRandom(seed)",
        engines.splitmix_words,
        lambda: (),
        inf,
        1e8,
        (
            _words("whole words", 64),
            _words("the top 32 bits, nextInt()", 32, 32),
            *_fractions("the top 53 bits, nextDouble()", "(int) (n * nextDouble())", 53, shift=11, mask=2**53 - 1),
            _remainders("words % n", 63, 0),
        ),
    ),
    Engine(
        "xorshift32(seed) with 13, 17, 5",
        engines.xorshift_words,
        lambda: (),
        2**32,
        1e8,
        (_words("whole words", 32), _remainders("words % n", 32), *_fractions("fractions", "⌊n u⌋", 32)),
    ),
    Engine("C srand of glibc", engines.glibc_words, lambda: (), 2**32, 2e7, _c_methods(1, 31)),
    Engine(
        "R set.seed",
        twisters.affine_words,
        _r_table,
        2**32,
        2e8,
        (
            *_fractions("runif", "floor(n * runif())", 32),
            Method("sample(n, replace = TRUE)", "range", draws.R_BITS, 32, most=2**31 - 1),
        ),
    ),
    Engine(
        "MT19937 of init_genrand: C++ mt19937(seed), PHP mt_srand, numpy RandomState, Ruby srand, torch.manual_seed",
        twisters.knuth_words,
        lambda: (0,),
        2**32,
        1.5e7,
        (
            _words("whole words, C++", 32),
            _words("mt_rand(), PHP", 31, 1),
            _remainders("mt_rand(a, b), rand(a, b), PHP", 32, 0, WORD),
            _remainders("mt_rand() % n, PHP", 31, 1),
            _remainders("words % n, C++, torch.randint", 32),
            Method(f"{UNIFORM_INT} of libstdc++", "range", draws.LEMIRE),
            Method("randint, choice, shuffle, numpy; rand(n), sample, shuffle, Ruby", "range", draws.LOW_BITS),
            *_fractions("random(), numpy; rand, Ruby", "int(n * random()), numpy, Ruby", 53, **DOUBLE_53),
            *_fractions("words / 2^32, C++", "⌊n words / 2^32⌋, C++", 32),
            Method("uniform_real_distribution<double>, C++", "fraction", draws.FRACTION, 53, fraction=draws.CPP_DOUBLE),
            *_fractions("torch.rand", "⌊n torch.rand⌋", 24, mask=2**24 - 1),
        ),
    ),
    Engine(
        "PHP mt_srand before 7.1, and with MT_RAND_PHP",
        twisters.knuth_words,
        lambda: (1,),
        2**32,
        1.5e7,
        (
            _words("mt_rand()", 31, 1),
            _remainders("mt_rand() % n", 31, 1),
            *_fractions("mt_rand() / 2^31", "mt_rand(a, b)", 31, shift=1, mask=2**31 - 1),
        ),
    ),
    Engine(
        ".NET new Random(seed)",
        engines.net_words,
        lambda: (),
        2**31,
        5e6,
        (
            _words("Next()", 31),
            _remainders("Next() % n, NextBytes", 31),
            *_fractions("NextDouble()", "Next(n), Next(a, b)", 31, PRIME, mask=PRIME, fraction=draws.MULTIPLIED),
        ),
    ),
    Engine(
        "Go rand.Seed, rand.NewSource",
        engines.go_words,
        _go_table,
        2**31 - 1,
        1.4e7,
        (
            _words("Int63(), Int()", 63),
            _words("Uint64()", 64),
            _words("Uint32()", 32, 31),
            _words("Int31()", 31, 32),
            _remainders("Intn(n), Int31n(n), Perm", 31, 32, 2**31 - 1),
            Method("Shuffle", "range", draws.LEMIRE, 32, 31),
            *_fractions("Float64()", "int(n * Float64())", 53, 2**63, mask=2**63 - 1),
        ),
    ),
    Engine(
        "Python random.seed(seed)",
        twisters.array_words,
        _array_table,
        inf,
        1.8e6,
        (
            Method("randrange(n), randint, choice, shuffle", "range", draws.TOP_BITS),
            *_fractions("random()", "int(n * random()), choices", 53, **DOUBLE_53),
        ),
    ),
)  # fmt: skip
"""From fast to slow."""
