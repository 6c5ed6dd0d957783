"""Numbers contradict an LCG task if they fit none of its moduli, or a shorter period than training had."""

from collections.abc import Sequence

from unrandom.generators.lcg import LCG
from unrandom.predictors.algebraic import recover

FEWEST = 8  # this many numbers hardly ever fit an LCG of an unknown modulus by chance


def of_modulus(numbers: Sequence[int], modulus: int, *, full_period: bool) -> str | None:
    """Why these numbers are not from an LCG of `modulus` (with `full_period`, one that visits every residue): a
    clause for readers; None if they may be. It is certain: the LCGs that explain the numbers are solved for, and all
    go on alike."""
    if len(numbers) < 3:
        return None
    lcg = recover(numbers, modulus)
    if lcg is None:
        other = recover(numbers) if len(numbers) >= FEWEST else None
        return f"no a and c make your numbers modulo {modulus:,}" + (f", but {_rule(other)} does" if other else "")
    if full_period and not lcg.has_full_period:
        return (
            f"your numbers are of {_rule(lcg)}, which repeats after {lcg.period(numbers[0]):,}; this model was trained "
            f"on sequences that repeat after {modulus:,}"
        )
    return None


def of_moduli(numbers: Sequence[int], smallest: int, largest: int) -> str | None:
    """Why numbers are of no LCG with a modulus of `smallest` or more, up to `largest`: a clause for readers, or
    None. It is certain: the modulus that is found is the largest possible one."""
    lcg = recover(numbers) if len(numbers) >= FEWEST else None
    if lcg is None or lcg.m >= smallest:
        return None
    return f"your numbers are of {_rule(lcg)}; this model was trained on moduli from {smallest:,} to {largest:,}"


def _rule(lcg: LCG) -> str:
    return f"x → ({lcg.a} x + {lcg.c}) mod {lcg.m:,}"
