"""The ziggurat by which numpy makes normal deviates from words of PCG64 (Marsaglia and Tsang 2000), with 256 layers of
equal area under exp(−x²/2); its tables are computed here.

The layer i reaches to x = RIGHT[i] · 2**52; a deviate of it that is nearer to 0 than LEFT[i] is in it for certain.
"""

from decimal import Decimal, localcontext

import numpy as np

LAYERS = 256
TAIL = Decimal("3.6541528853610087963519472518")  # where the tail begins, so that all layers have one area
FIRST_TAIL = float(TAIL)
SCALE = 2**52

ERROR = 2.0**-45  # relative, of numpy's tables, which were computed with fewer digits than these

DIGITS, TERMS = 40, 400  # of the computation, and of the continued fraction of the tail


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends of the layers over SCALE, the part of each that is under the curve, times SCALE, and the curve there."""
    with localcontext() as context:
        context.prec = DIGITS
        mills = TAIL
        for k in range(TERMS, 0, -1):
            mills = TAIL + k / mills
        height = (-TAIL * TAIL / 2).exp()
        area = height * (TAIL + 1 / mills)
        ends, heights, inner = [area / height], [Decimal(1)], [TAIL * height / area]
        x, outer = TAIL, list[tuple[Decimal, Decimal, Decimal]]()
        for _ in range(LAYERS - 2):
            following = (-2 * (area / x + height).ln()).sqrt()
            outer.append((x, height, following / x))
            x, height = following, (-following * following / 2).exp()
        outer.append((x, height, Decimal(0)))
        for end, level, part in reversed(outer):
            ends.append(end)
            heights.append(level)
            inner.append(part)
        right = np.array([float(end / SCALE) for end in ends])
        left = np.array([int(part * SCALE) for part in inner], dtype=np.uint64)
        return right, left, np.array([float(level) for level in heights])


RIGHT, LEFT, HEIGHT = _tables()
