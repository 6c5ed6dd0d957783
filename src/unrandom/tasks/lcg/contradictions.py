"""How can numbers contradict an LCG task? They fit none of its moduli, or a shorter period than training had."""

from collections.abc import Sequence

from unrandom.generators.lcg import LCG
from unrandom.predictors.algebraic import recover

FEWEST = 8  # numbers: so many that are of no LCG hardly ever fit one of an unknown modulus by chance


def of_modulus(numbers: Sequence[int], modulus: int, *, full_period: bool) -> str | None:
    """Why numbers below `modulus` are of none of its LCGs or, with `full_period`, of none that visits every residue.

    A clause for readers; None if they may be, as any two numbers are. It is certain: the LCGs that explain the numbers
    are solved for, and all of them go on in the same way.
    """
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
    """Why numbers are of no LCG with a modulus of `smallest` or more, up to `largest`: a clause for readers, or None.

    It is certain: the modulus that is found is the largest possible one.
    """
    lcg = recover(numbers) if len(numbers) >= FEWEST else None
    if lcg is None or lcg.m >= smallest:
        return None
    return f"your numbers are of {_rule(lcg)}; this model was trained on moduli from {smallest:,} to {largest:,}"


def _rule(lcg: LCG) -> str:
    return f"x → ({lcg.a} x + {lcg.c}) mod {lcg.m:,}"
