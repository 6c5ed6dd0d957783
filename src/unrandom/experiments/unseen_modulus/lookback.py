"""Does a head of a later layer look back by a divisor of the modulus, for every modulus? (fig:attn_stats)

For the attention heads of all layers but the first of the main runs, the distances and spacings of the four strongest
keys are counted on every unseen modulus (tables ``distances``, ``spacings``), and the divisor that the spacings share
(``heads``). The claims test whether it divides the modulus.
"""

from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Int

from unrandom.core.arithmetic import is_prime
from unrandom.core.errors import UserError
from unrandom.experiments.claims import Claim, Evidence, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.summaries import by_run, matrix, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import SEQUENCES, unseen_sequences
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import Line, LinePanel, MapPanel, Panel
from unrandom.interpretation import common_divisor, divisor_agreement, strongest_key_distances
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus

ENTRY = Entry(
    name="um-lookback",
    about="a head of a later layer looks back by a divisor of the unseen modulus",
    figures={"fig:attn_stats": "look-back distances of a head of a later layer"},
)

CLEAR_EXCESS = 0.5  # A divisor is the head's if this share of the spacings, beyond chance, are multiples of it.

CLAIMS = {
    "divides": Claim(
        statement="In some head of a later layer, the spacings of the four strongest keys are multiples of a divisor "
        "of m.",
        quantity=f"share of unseen composite moduli for which {CLEAR_EXCESS:.0%} of its spacings are, beyond chance",
        wanted=at_least(0.95, "share"),
        written="after",
    ),
    "clear": Claim(
        statement="In the best head of a later layer, most spacings of the four strongest keys are multiples of a "
        "divisor of m.",
        quantity="share of spacings beyond chance, mean over unseen composite moduli",
        wanted=at_least(0.5, "share"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    heads: Rows = []
    spacings: Rows = []
    distances: Rows = []
    for run in runs:
        if run.config.model.depth < 2:
            raise UserError(f"{run.id} has one layer; um-lookback analyses the layers after the first")
        for m, sequences in unseen_sequences(run, SEQUENCES[scale]).items():
            patterns = attention_patterns(run.predictor(), sequences)
            for layer in range(1, len(patterns)):
                key_columns = {**run_columns(run), "modulus": m, "layer": layer}
                middle = len(patterns[layer]) // 2
                for half, part in enumerate((patterns[layer][:middle], patterns[layer][middle:])):
                    heads += [
                        {**key_columns, "head": head, "half": half, **_divisor(counts)}
                        for head, counts in enumerate(strongest_key_distances(part).spacings)
                    ]
                found = strongest_key_distances(patterns[layer])
                for head, counts in enumerate(found.spacings):
                    spacings += _share_rows({**key_columns, "head": head}, "spacing", counts)
                    distances += _share_rows({**key_columns, "head": head}, "distance", found.distances[head])
    return {"heads": table(heads), "spacings": table(spacings), "distances": table(distances)}


def _divisor(spacings: Int[np.ndarray, " tokens"]) -> dict[str, Any]:
    """The preferred divisor of the spacings, and the share of spacings, beyond chance, that are multiples of it."""
    divisor = common_divisor(spacings)
    excess = float(divisor.excess[divisor.divisors == divisor.preferred].sum())
    return {"preferred": divisor.preferred, "excess": excess}


def _share_rows(key_columns: dict[str, Any], name: str, counts: Int[np.ndarray, " tokens"]) -> Rows:
    """The share of each spacing or distance that occurs."""
    share = counts / counts.sum()
    return [{**key_columns, name: r, "share": float(share[r])} for r in np.flatnonzero(counts).tolist()]


def best_head(heads: pl.DataFrame) -> tuple[int, int]:
    """(layer, head) whose divisor divides the most composite moduli, then most clearly, on the first half."""
    first = _with_divides(heads.filter(pl.col("half") == 0))
    merits = first.group_by("layer", "head").agg(pl.col("divides").sum(), pl.col("excess").filter("divides").sum())
    best = merits.sort("divides", "excess", "layer", "head", descending=[True, True, False, False]).row(0, named=True)
    return best["layer"], best["head"]


def _with_divides(heads: pl.DataFrame) -> pl.DataFrame:
    """Add two columns: whether the modulus is composite, and whether it is and the preferred divisor divides it."""
    composite = [not is_prime(m) for m in heads["modulus"]]
    divides = [divisor_agreement({m: r}).divides[m] for m, r in heads.select("modulus", "preferred").iter_rows()]
    columns = pl.DataFrame({"composite": composite, "divides": divides})
    return heads.hstack(columns).with_columns(pl.col("divides") & pl.col("composite"))


def evidence(tables: Tables) -> Evidence:
    """Choose the head on one half of the sequences, and judge it on the other."""
    found: dict[str, list[float]] = {key: [] for key in CLAIMS}
    for heads in by_run(tables["heads"]):
        layer, head = best_head(heads)
        second = heads.filter(pl.col("half") == 1, pl.col("layer") == layer, pl.col("head") == head)
        composite = _with_divides(second).filter("composite")
        excess = (composite["excess"] * composite["divides"]).to_numpy()
        if len(excess):
            found["divides"].append(float(np.mean(excess >= CLEAR_EXCESS)))
            found["clear"].append(float(np.mean(excess)))
    return found


def draw(tables: Tables) -> Pictures:
    """For each seed: the preferred divisor of every later layer's heads; distances and spacings of the best head."""
    panels: list[Panel] = []
    for heads in by_run(tables["heads"]):
        panels.append(_divisor_map(heads))
        layer, head = best_head(heads)
        for table_name, name in (("distances", "distance"), ("spacings", "spacing")):
            shares = tables[table_name].filter(
                pl.col("run") == heads["run"][0], pl.col("layer") == layer, pl.col("head") == head
            )
            x = f"{name} of the four strongest keys"
            panels.append(LinePanel(f"head {layer}.{head}", x, "share", _share_lines(shares, name), limits=(0, None)))
    yield Picture(panels, columns=3)


def _divisor_map(heads: pl.DataFrame) -> MapPanel:
    """Heat map of the preferred divisor by head and modulus, on the second half of the sequences."""
    values = matrix(heads.filter(pl.col("half") == 1), ["layer", "head"], "modulus", "preferred")
    columns = [str(m) for m in heads["modulus"].unique(maintain_order=True)]
    rows = [f"{layer}.{head}" for layer, head in heads.select("layer", "head").unique().sort("layer", "head").rows()]
    title = f"seed {heads['seed'][0]}: common divisor of spacings"
    return MapPanel(title, "modulus", "layer.head", values, columns, rows, "r", (None, None), written=True)


def _share_lines(shares: pl.DataFrame, name: str) -> list[Line]:
    """One line per modulus, 0 at spacings or distances that do not occur."""
    lines = []
    for kind, ((m,), of_modulus) in enumerate(shares.group_by("modulus", maintain_order=True)):
        y = np.bincount(of_modulus[name].to_numpy(), of_modulus["share"].to_numpy()).tolist()
        lines.append(Line(list(range(len(y))), y, f"m = {m}", kind))
    return lines


EXPERIMENT = Experiment(ENTRY, CLAIMS, main_runs, measure, evidence, draw, task=UnseenModulus, archived_seeds=3)
