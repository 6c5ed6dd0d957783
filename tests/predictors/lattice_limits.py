"""How many numbers does a lattice need to find the state of an LCG, and when does it fail? Prints a table."""

import numpy as np

from unrandom.generators.lcg import LCG
from unrandom.predictors import LatticePredictor

ROWS, LENGTH = 30, 120
SIZES = (1, 2, 3, 4, 8, 16)
LCGS = {"2^32": (2**32, 1664525), "2^48": (2**48, 0x5DEECE66D), "2^64": (2**64, 6364136223846793005)}
PRIME = {"2^31 - 1": (2**31 - 1, 48271)}


def windows(lcg: LCG, low: int, bits: int) -> np.ndarray:
    starts = np.random.default_rng(0).integers(0, lcg.m, size=ROWS, dtype=np.uint64)
    orbits = [lcg.orbit(int(start), LENGTH) for start in starts]
    return np.array([[(x >> low) & ((1 << bits) - 1) for x in orbit] for orbit in orbits], dtype=np.uint64)


def measure(m: int, a: int, low: int, bits: int, increment: int | None) -> str:
    """The median context at the first guess, and how many of the last 20 guesses are correct."""
    x = windows(LCG(m, a, 12345), low, bits)
    made = LatticePredictor(m, a, increment, low=low, bits=bits).predict(x)
    guessed = ~made.abstained.all(axis=1)
    first = np.median(np.argmax(~made.abstained[guessed], axis=1) + 1) if guessed.any() else 0
    return f"{first:.0f} ({made.correct(x)[:, -20:].mean():.3f})" if guessed.any() else "–"


if __name__ == "__main__":
    print(
        "| modulus | bits seen | increment | " + " | ".join(map(str, SIZES)) + " |\n" + "|---" * (3 + len(SIZES)) + "|"
    )
    for name, (m, a) in (LCGS | PRIME).items():
        for place in ("top", "lowest") if name in PRIME else ("top",):
            for increment in (12345, None):
                cells = []
                for bits in SIZES:
                    low = (m - 1).bit_length() - bits if place == "top" else 0
                    cells.append(measure(m, a, low, bits, increment))
                known = "unknown" if increment is None else "known"
                print(f"| {name} | {place} | {known} | {' | '.join(cells)} |", flush=True)
