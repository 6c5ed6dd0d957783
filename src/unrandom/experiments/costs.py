"""What training cost until a model was good: steps and operations to a target accuracy, and ratios of these.

A run that never reaches the target is censored: its cost is a lower bound, and a ratio with it is a bound without an
interval.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from unrandom.evaluation import Estimate, over_units
from unrandom.experiments.claims import Bound, Finding, Unknown
from unrandom.runs.run import Run


def training_curve(run: Run) -> list[dict[str, Any]]:
    """One row per evaluation: ``step``, ``flops`` (including the run's ancestors'), and ``last``, the accuracy."""
    ancestor_flops = sum(each.config.flops for each in run.ancestors())
    step_flops = run.config.step_flops
    return [
        {"step": row["step"], "flops": ancestor_flops + row["step"] * step_flops, "last": row["last_number_accuracy"]}
        for row in run.folder.read_metrics()
    ]


def cost_to(curve: list[dict[str, Any]], target: float) -> dict[str, Any]:
    """The ``flops`` and ``steps`` at the first evaluation with this accuracy, or at the end if it is ``censored``."""
    reached = next((row for row in curve if row["last"] >= target), None)
    row = reached or curve[-1]
    return {
        "flops": row["flops"],
        "steps": row["step"],
        "censored": reached is None,
        "final": curve[-1]["last"],
    }


def ratio(
    runs: pl.DataFrame, numerator: str, denominator: str, key: str = "flops", *, by: str = "intervention", target: str
) -> Finding:
    """The cost of the runs named ``numerator`` over the cost of the runs named ``denominator``, by seed.

    ``by`` is the column of these names. A bound if runs of one were censored: the cost of a censored run is all that it
    used. If a value is null, the ratio is Unknown; ``target`` is the accuracy, for the reason.
    """
    above, below = (
        runs.filter(pl.col(by) == name).select("seed", key, "censored") for name in (numerator, denominator)
    )
    pairs = above.join(below, on="seed", suffix=" below").sort("seed")
    if pairs.is_empty():
        return Unknown(f"no such runs were made ({numerator}, {denominator})")
    if pairs.select(key, f"{key} below").null_count().sum_horizontal().item():
        return Unknown(f"a run never reached {target}")
    ratios = (pairs[key] / pairs[f"{key} below"]).to_list()
    counted = key in ("flops", "steps")
    n_above, n_below = (pairs[column].sum() if counted else 0 for column in ("censored", "censored below"))
    if n_above and n_below:
        return Unknown(f"{n_above} runs ({numerator}) and {n_below} runs ({denominator}) never reached {target}")
    if n_above or n_below:
        name, times = (numerator, n_above) if n_above else (denominator, n_below)
        return Bound(
            ratios, at_least=bool(n_above), why=f"{times} of {len(pairs)} runs never reached {target} ({name})"
        )
    return ratios


def finding_columns(name: str, found: Finding) -> Mapping[str, float | str | None]:
    """A finding as columns of a table."""
    if isinstance(found, Bound):
        sign, value, low, high = ("≥" if found.at_least else "≤"), found.value, None, None
    elif isinstance(found, Unknown):
        sign, value, low, high = "", None, None, None
    else:
        assert not isinstance(found, Estimate), "ratios are one value for each seed"
        mean = over_units(found)
        sign, value, low, high = "", mean.value, mean.low, mean.high
    return {name: value, f"{name}_bound": sign, f"{name}_low": low, f"{name}_high": high}
