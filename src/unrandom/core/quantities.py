"""Prints quantities: numbers with three digits and an SI prefix, times in their natural unit, and lists."""

from collections.abc import Sequence


def scaled(number: float, unit: str) -> str:
    """A number with three digits and an SI prefix: 37.3 EFLOP."""
    prefixes = iter(("", "k", "M", "G", "T", "P", "E", "Z", "Y"))
    prefix = next(prefixes)
    while number >= 999.5:
        number, prefix = number / 1000, next(prefixes)
    return f"{number:.3g} {prefix}{unit}"


def duration(seconds: float) -> str:
    """A time in its natural unit: 118 ms, 8.3 s, 1.6 minutes, 50 days."""
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.2g} {unit}" if seconds < 9.95 * size else f"{seconds / size:,.0f} {unit}"
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 run, 1,200 steps."""
    return f"{number:,} {noun}{'s' if number != 1 else ''}"


def listed(items: Sequence[object], last: str = "and") -> str:
    """Items as an English list: ``1, 2 and 3``, or with ``last="or"`` ``1, 2 or 3``."""
    *most, end = map(str, items)
    return f"{', '.join(most)} {last} {end}" if most else end
