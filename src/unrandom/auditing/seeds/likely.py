"""The seeds that are tried if the user names none: small ones, the seconds of the last month, and the times before the
numbers were written. They are few enough that all programs together take a few seconds.
"""

import time

from unrandom.auditing.seeds.spans import Span

SMALL = 100_000  # greatest of the small seeds
DAYS = 30.0  # before now, of which all seconds are tried
BEFORE, AFTER = 1800, 60  # seconds around the time at which the numbers were written, of which milliseconds are tried
PATIENCE = 5.0  # seconds for the times, once the small seeds are tried


def likely_spans(written: float | None = None) -> list[Span]:
    """Small seeds, the seconds of the last DAYS, and if the numbers were `written` at a known time (in seconds since
    1970, as that of the last change of their file), the seconds and milliseconds from BEFORE it to AFTER it.
    """
    now = int(time.time())
    month = Span(now - int(DAYS * 86400), now + 1, 1)
    spans = [Span(0, SMALL + 1), month]
    if written is None or not BEFORE <= written < 2**32:
        return spans
    start, end = int(written) - BEFORE, int(written) + AFTER
    if start < month.start:
        spans.append(Span(start, min(end + 1, month.start), 1))
    return [*spans, Span(1000 * start, 1000 * end + 1000, 1000)]
