"""How many multipliers and increments can be held out of a modulus; if too few, the message names settings that fit."""

from unrandom.core.arithmetic import is_prime
from unrandom.core.errors import UserError
from unrandom.generators.full_period import count_increments, count_multipliers
from unrandom.generators.primitive_roots import count_primitive_roots
from unrandom.tasks.lcg.config import LCGTask


def check_supply(task: LCGTask, modulus: int) -> None:
    """Raise UserError, with settings that fit, if more values are to be held out than the modulus has."""
    if task.tested_by_primitive_roots(modulus) and not is_prime(modulus):
        return  # which has none: drawing them says so
    lacking = []
    for name, (kind, count, named) in _supply(task, modulus).items():
        if count - named < getattr(task, name):
            of_them = f", of which data.extra_test_multipliers has {named}" if named else ""
            lacking.append((name, f"{count} {kind}{'' if count == 1 else 's'}{of_them}", count - named))
    if not lacking:
        return
    has = " and ".join(each for _, each, _ in lacking)
    fitting = fewer_held_out(task, modulus)
    do = f"set {' and '.join(f'data.{name}={fitting[name]}' for name, _, _ in lacking)}"
    if not all(left for _, _, left in lacking):
        do = "name fewer in data.extra_test_multipliers"
    asked = " and ".join(f"data.{name}={getattr(task, name)}" for name, _, _ in lacking)
    raise UserError(f"modulus {modulus} has {has}, too few for {asked}: {do}")


def fewer_held_out(task: LCGTask, modulus: int) -> dict[str, int]:
    """Counts that hold out at most a quarter of the values of a modulus, but at least one, by their settings' names."""
    return {
        name: max(1, min(getattr(task, name), (count - named) // 4))
        for name, (_, count, named) in _supply(task, modulus).items()
    }


def less_held_out(task: LCGTask) -> str:
    """Advice for error messages when training has too few values left: counts to hold out that are smaller."""
    if task.one_modulus is None:
        smaller = {name: max(1, getattr(task, name) // 2) for name in ("n_test_a", "n_test_c")}
    else:
        smaller = fewer_held_out(task, task.one_modulus)
    lower = [f"data.{name} to {count}" for name, count in smaller.items() if count < getattr(task, name)]
    return f"lower {' and '.join(lower)}" if lower else "choose a larger modulus"


def _supply(task: LCGTask, modulus: int) -> dict[str, tuple[str, int, int]]:
    """What can be held out of a modulus: its kind in words, how many there are, and how many are held out by name."""
    if task.tested_by_primitive_roots(modulus):
        multipliers = ("primitive root", count_primitive_roots(modulus), 0)
    else:
        multipliers = ("full-period multiplier", count_multipliers(modulus), len(set(task.named_multipliers)))
    return {"n_test_a": multipliers, "n_test_c": ("full-period increment", count_increments(modulus), 0)}
