"""How far is a model of permuted generators from what is possible? Beside copying and the exact posterior, by position.

The posterior is over all states, multipliers and increments, and takes 50 ms for a sequence of 12 bits of state, so
that it is tested on fewer sequences.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from unrandom.evaluation import Evaluation, context_needed, evaluate
from unrandom.experiments.claims import Bound, Finding
from unrandom.experiments.experiment import Rows, Run, Scale, by_scale
from unrandom.experiments.summaries import each_seed, predictor_lines, rows_of, run_columns
from unrandom.figures.panels import LinePanel, accuracy_panel
from unrandom.runs.comparison import CEILING
from unrandom.runs.tables import Tables, table
from unrandom.tasks import make_predictors

MODEL = "model"
SEQUENCES = by_scale(smoke=16, laptop=512)
OF_POSTERIOR = by_scale(smoke=16, laptop=256)
THRESHOLDS = (0.6, 0.9)


def compared(runs: Sequence[Run], scale: Scale) -> Tables:
    """``positions``, the accuracy of each predictor by numbers seen, and ``needed``, the numbers for each threshold."""
    positions: Rows = []
    needed: Rows = []
    for run in runs:
        for name, tested in _evaluated(run, scale).items():
            columns = {**run_columns(run), "predictor": name}
            value = tested.by_position.value
            positions += rows_of(columns, seen=np.arange(1, len(value) + 1), value=value)
            for threshold in THRESHOLDS:
                found = context_needed(tested, threshold).needed
                needed.append({**columns, "threshold": f"{threshold:.0%}", "numbers": found, "shown": len(value)})
    return {"positions": table(positions), "needed": table(needed)}


def _evaluated(run: Run, scale: Scale) -> dict[str, Evaluation]:
    task, split = run.config.data, run.split()
    (part,) = split.parts
    test, fewer = split.test(part, SEQUENCES[scale]), split.test(part, OF_POSTERIOR[scale])
    found = {MODEL: evaluate(run.predictor(), test)}
    for predictor in make_predictors(list(task.baselines()), task):
        found[predictor.name] = evaluate(predictor, fewer if predictor.name == CEILING else test)
    return found


def over_posterior(tables: Tables, threshold: str) -> Finding:
    """By seed, the model's numbers for a threshold over those of the exact posterior, the geometric mean over variants.

    If the model never reaches the threshold, it needs more numbers than it was shown, and the ratio is a bound.
    """
    needed = tables["needed"].filter(threshold=threshold)
    least = needed.filter(predictor=CEILING).select("run", least="numbers")
    model = needed.filter(predictor=MODEL).join(least, on="run", maintain_order="left").drop_nulls("least")
    ratio = pl.coalesce("numbers", pl.col("shown") + 1) / pl.col("least")
    limits = each_seed(model, ratio.log().mean().exp())
    censored = model["numbers"].null_count()
    if not censored:
        return limits
    return Bound(limits, at_least=True, why=f"the model never reached {threshold} for {censored} of {len(model)} runs")


def at_the_end(positions: pl.DataFrame) -> pl.DataFrame:
    """The rows of the last position of each run."""
    return positions.filter(pl.col("seen") == pl.col("seen").max().over("run"))


def panel(positions: pl.DataFrame, title: str) -> LinePanel:
    """Accuracy by numbers seen: the model once per seed, baselines for the first seed."""
    return accuracy_panel(title, predictor_lines(positions, MODEL))
