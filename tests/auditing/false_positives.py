"""How often is a random stream called predictable? ``python tests/auditing/false_positives.py 1000`` audits 1000."""

import random
import secrets
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
from streams import stream_of

from unrandom.auditing.search import audit_stream
from unrandom.auditing.stream import Form, Stream, scales
from unrandom.auditing.verdict import Predictable

WIDTHS = (1, 8, 16, 31, 32, 53, 64)
LENGTHS = (50, 120, 300, 1000, 3000)


def random_streams(count: int) -> Iterator[tuple[str, Stream]]:
    """Integers of several widths, exact and rounded fractions, and dice rolls, from the system's entropy."""
    kinds = [*(f"{width} bits" for width in WIDTHS), "fractions", "rounded fractions", "dice", "sorted"]
    for i in range(count):
        kind, length = kinds[i % len(kinds)], random.choice(LENGTHS)
        if "fractions" in kind:
            values = np.array([secrets.randbits(53) / 2**53 for _ in range(length)])
            rounded = kind == "rounded fractions"
            errors = np.full(length, 5e-7 * rounded)
            form = Form("fraction", digits=6 if rounded else None, fixed=rounded)
            values = values.round(6) if rounded else values
            yield kind, Stream(values, form, 0, errors, scales=scales(values, errors))
        elif kind == "dice":
            yield kind, stream_of([secrets.randbelow(6) for _ in range(length)], bounded=6)
        elif kind == "sorted":
            yield kind, stream_of(sorted(secrets.randbelow(10 * length) for _ in range(length)))
        else:
            width = int(kind.split()[0])
            yield kind, stream_of([secrets.randbits(width) for _ in range(length)], width)


def false_positives(count: int) -> Counter[str]:
    """The number of streams called predictable, by kind."""
    wrong: Counter[str] = Counter()
    for kind, stream in random_streams(count):
        verdict = audit_stream(stream)
        wrong[kind] += isinstance(verdict, Predictable)
        if isinstance(verdict, Predictable):
            print(f"{kind}: {verdict.text()}", file=sys.stderr)
    return wrong


if __name__ == "__main__":
    print(dict(false_positives(int(sys.argv[1]))))
