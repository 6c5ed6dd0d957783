"""Linear congruential generators in use, by name; `source` says where parameters are from, and which bits are seen."""

from dataclasses import dataclass
from difflib import get_close_matches

from unrandom.core.errors import UserError
from unrandom.generators.lcg import LCG


@dataclass(frozen=True)
class KnownLCG:
    """x[t+1] = (a x[t] + c) mod m under its usual name, with one line on its source and output."""

    name: str
    m: int
    a: int
    c: int
    source: str

    @property
    def lcg(self) -> LCG:
        return LCG(self.m, self.a, self.c)


_STEELE_VIGNA = "Steele and Vigna 2021, spectrally good for m = 2**32; any odd increment, here 1"

KNOWN: dict[str, KnownLCG] = {
    lcg.name: lcg
    for lcg in (
        KnownLCG("ansi-c", 2**31, 1103515245, 12345, "the example rand() of the C standard; bits 16..30"),
        KnownLCG("borland", 2**32, 22695477, 1, "Borland C/C++ rand(); bits 16..30"),
        KnownLCG("drand48", 2**48, 0x5DEECE66D, 11, "POSIX drand48(), all 48 bits; lrand48(): bits 17..47"),
        KnownLCG("glibc-type0", 2**31, 1103515245, 12345, "GNU libc random() of TYPE_0; all 31 bits"),
        KnownLCG("java", 2**48, 0x5DEECE66D, 11, "java.util.Random.nextInt(); bits 16..47"),
        KnownLCG("minstd", 2**31 - 1, 48271, 0, "Park et al. 1993, C++ minstd_rand; whole state"),
        KnownLCG("minstd0", 2**31 - 1, 16807, 0, "Park and Miller 1988, C++ minstd_rand0; whole state"),
        KnownLCG("mmix", 2**64, 6364136223846793005, 1442695040888963407, "Knuth, MMIX; whole state"),
        KnownLCG("msvc", 2**32, 214013, 2531011, "Microsoft Visual C++ rand(); bits 16..30"),
        KnownLCG("musl", 2**64, 6364136223846793005, 1, "musl libc rand(); bits 33..63"),
        KnownLCG("newlib", 2**64, 6364136223846793005, 1, "newlib rand(); bits 32..62"),
        KnownLCG("numerical-recipes", 2**32, 1664525, 1013904223, "Numerical Recipes, ranqd1; whole state"),
        KnownLCG("randu", 2**31, 65539, 0, "IBM System/360 RANDU, from odd seeds; whole state"),
        KnownLCG("steele-vigna-0xd9f5", 2**32, 0xD9F5, 1, _STEELE_VIGNA),
        KnownLCG("steele-vigna-0x1dab5", 2**32, 0x1DAB5, 1, _STEELE_VIGNA),
        KnownLCG("steele-vigna-0x3d575", 2**32, 0x3D575, 1, _STEELE_VIGNA),
        KnownLCG("steele-vigna-0xc083c5", 2**32, 0xC083C5, 1, _STEELE_VIGNA),
        KnownLCG("steele-vigna-0x915f77f5", 2**32, 0x915F77F5, 1, _STEELE_VIGNA),
        KnownLCG("turbo-pascal", 2**32, 134775813, 1, "Turbo Pascal and Delphi Random(n); ⌊n·x / 2**32⌋"),
        KnownLCG("vms", 2**32, 69069, 1, "VAX/VMS MTH$RANDOM; x / 2**32"),
        KnownLCG("visual-basic", 2**24, 0xFD43FD, 0xC39EC3, "Microsoft Visual Basic 6 Rnd; x / 2**24"),
        KnownLCG("zx81", 2**16 + 1, 75, 74, "Sinclair ZX81 and ZX Spectrum RND; x / 2**16"),
    )
}


def known(name: str) -> KnownLCG:
    """The generator of this name; UserError with similar names if there is none."""
    if name not in KNOWN:
        close = get_close_matches(name.lower(), KNOWN, n=3) or sorted(KNOWN)
        raise UserError(f"no generator is known as {name!r}; did you mean {', '.join(close)}?")
    return KNOWN[name]
