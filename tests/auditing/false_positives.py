"""How often is a random stream called predictable? ``python tests/auditing/false_positives.py 1000`` audits 1000."""

import random
import secrets
import sys
from collections import Counter
from collections.abc import Iterator

from streams import audit_stream, fractions_of, stream_of

from unrandom.auditing.stream import Stream
from unrandom.auditing.verdict import Predictable

WIDTHS = (1, 8, 16, 31, 32, 53, 64)
LENGTHS = (50, 120, 300, 1000, 3000)


def random_streams(count: int) -> Iterator[tuple[str, Stream]]:
    """Integers of several widths, exact and rounded fractions, and dice rolls, from the system's entropy."""
    kinds = [*(f"{width} bits" for width in WIDTHS), "fractions", "rounded fractions", "dice", "sorted"]
    for i in range(count):
        kind, length = kinds[i % len(kinds)], random.choice(LENGTHS)
        if "fractions" in kind:
            values = [secrets.randbits(53) / 2**53 for _ in range(length)]
            yield kind, fractions_of(values, 6 if kind == "rounded fractions" else None)
        elif kind == "dice":
            yield kind, stream_of([secrets.randbelow(6) for _ in range(length)], bounded=6)
        elif kind == "sorted":
            yield kind, stream_of(sorted(secrets.randbelow(10 * length) for _ in range(length)))
        else:
            width = int(kind.split()[0])
            yield kind, stream_of([secrets.randbits(width) for _ in range(length)], width)


def false_positives(count: int, seconds: float) -> Counter[str]:
    """The number of streams called predictable, by kind; so many seconds for each."""
    wrong: Counter[str] = Counter()
    for kind, stream in random_streams(count):
        verdict = audit_stream(stream, max_seconds=seconds)
        wrong[kind] += isinstance(verdict, Predictable)
        if isinstance(verdict, Predictable):
            print(f"{kind}: {verdict.text()}", file=sys.stderr)
    return wrong


if __name__ == "__main__":
    print(dict(false_positives(int(sys.argv[1]), 60.0)))
