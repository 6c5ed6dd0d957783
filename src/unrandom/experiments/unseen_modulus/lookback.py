"""Tests whether a head of a later layer looks back by a distance that fits the modulus. (fig:attn_stats)

How far a model must look back does not follow from the modulus m alone: a full-period sequence repeats its differences
after r = m / gcd(m, a − 1) steps, and the unseen moduli of the main runs need several r. So every measurement is by r.
The table ``adaptivity`` has the index of adaptivity of every head (`interpretation.adaptivity`): attention at places r
apart, less that at the same places where another r is needed. Of the most adaptive head, ``distances`` has the
attention by look-back for each r, and ``spacings`` the distances between its four strongest keys, as in the paper's
figure.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale, by_scale
from unrandom.experiments.summaries import by_run, each_run, group_lines, heat_map, named, rows_of, tables_by_run
from unrandom.experiments.unseen_modulus.analysis_sequences import sequences_by_lookback
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import Line, LinePanel, Panel
from unrandom.interpretation import Adaptivity, adaptivity, attention_late, common_divisor, strongest_key_distances
from unrandom.models.predictor import TransformerPredictor
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.tables import Tables
from unrandom.tasks import Examples, lcg_task

ENTRY = Entry(
    name="um-lookback",
    section="unseen modulus",
    place=13,
    about="a head of a later layer looks back by a distance that fits the unseen modulus",
    minutes=100,
    figures={"fig:attn_stats": "look-back distances of a head of a later layer"},
)

SEQUENCES = by_scale(smoke=16, laptop=128, paper=512)  # per look-back
# adaptivity is measured at these r; beyond smoke scale only 8 and 16 have a multiple in common within half of a context
_LOOKBACKS = by_scale(smoke=(2, 3, 4), laptop=(5, 7, 8, 9, 16), overnight=(14, 15, 32))
ADAPTIVE_INDEX = 0.2  # The look-back of a head with this index or more counts as adaptive.
NEEDED = "r, the look-back that is needed"  # title of an axis
PLACES = (0, -1)  # classes modulo r that count as places: a number r back, and the number that followed it

CLAIMS = {
    "adapts": Claim(
        statement="Some head looks back by distances that fit the unseen modulus, and by others for other moduli.",
        quantity="index of adaptivity of the most adaptive head: attention at places r apart less that at the same "
        "places where another r is needed, mean over r",
        wanted=at_least(ADAPTIVE_INDEX, "difference of shares"),
    ),
    "places": LateClaim(
        statement="When r is needed, the most adaptive head turns to a multiple of r back, or for every r to one less.",
        quantity="share of r at which that look-back gains the most attention, over sequences that need another r",
        wanted=at_least(0.9, "share"),
    ),
    "spacings": Claim(
        statement="The four strongest keys of the most adaptive head lie multiples of r apart.",
        quantity="share of spacings that r divides, beyond chance, mean over r",
        wanted=at_least(0.5, "difference of shares"),
    ),
    "later": Claim(
        statement="The head that adapts is of a later layer: those of the first look back by fixed distances.",
        quantity="index of adaptivity, the largest of a later layer less the largest of the first",
        wanted=at_least(ADAPTIVE_INDEX / 2, "difference of shares"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: _measured(run, scale))


def _measured(run: Run, scale: Scale) -> dict[str, Rows]:
    if run.config.model.depth < 2:
        raise UserError(f"{run.id} has one layer; um-lookback compares the layers after the first with it")
    data, rng = lcg_task(run.config.data), stream(run.config.seed, "adaptivity")
    compared = compared_lookbacks(scale, data.context)
    drawn = sequences_by_lookback(rng, data.moduli, compared, SEQUENCES[scale], data.context + 1)
    if len(drawn) < 2:
        listed = ", ".join(map(str, compared))
        raise UserError(f"the unseen moduli of {run.id} need fewer than two of the look-backs {listed}")
    patterns = patterns_by_lookback(run.predictor(), drawn)
    found = adaptivity(patterns)
    return {
        "adaptivity": adaptivity_rows(found),
        "distances": _distance_rows(found, patterns),
        "spacings": _spacing_rows(found, patterns),
    }


def compared_lookbacks(scale: Scale, context: int) -> list[int]:
    """The r for measuring adaptivity: order 2 sees x[n − r] and x[n − 2 r] within the context."""
    return [r for r in _LOOKBACKS[scale] if 2 * r <= context]


def patterns_by_lookback(
    predictor: TransformerPredictor, drawn: Mapping[int, Examples]
) -> dict[int, Sequence[np.ndarray]]:
    """The attention patterns of every layer on the sequences that need each look-back."""
    return {r: attention_patterns(predictor, sequences) for r, sequences in drawn.items()}


def adaptivity_rows(found: Adaptivity) -> Rows:
    """One row per head and look-back: the index, and whether the head is the most adaptive one."""
    return [
        {
            "layer": layer,
            "head": head,
            "look-back": r,
            "value": float(index[layer, head]),
            "place": int(found.places[r][layer, head]),
            "chosen": (layer, head) == (found.layer, found.head),
        }
        for r, index in found.by_lookback.items()
        for layer, head in np.ndindex(index.shape)
    ]


def _distance_rows(found: Adaptivity, patterns: Mapping[int, Sequence[np.ndarray]]) -> Rows:
    """Attention of the most adaptive head by look-back, for each r, and the mean of it over the other r."""
    attention = {r: attention_late(layers[found.layer])[found.head] for r, layers in patterns.items()}
    rows: Rows = []
    for r, own in attention.items():
        others = np.mean([each for other, each in attention.items() if other != r], axis=0)
        key_columns = {"layer": found.layer, "head": found.head, "look-back": r}
        rows += rows_of(key_columns, distance=range(len(own)), attention=own, others=others)
    return rows


def _spacing_rows(found: Adaptivity, patterns: Mapping[int, Sequence[np.ndarray]]) -> Rows:
    """How often each spacing occurs between the strongest keys of the most adaptive head, by look-back."""
    rows: Rows = []
    for r, layers in patterns.items():
        counts = strongest_key_distances(layers[found.layer]).spacings[found.head]
        divisor = common_divisor(counts)
        excess = float(divisor.excess[divisor.divisors == r].sum())
        key_columns = {"layer": found.layer, "head": found.head, "look-back": r, "excess": excess}
        share = counts / counts.sum()
        rows += [{**key_columns, "spacing": i, "share": float(share[i])} for i in np.flatnonzero(counts).tolist()]
    return rows


def evidence(tables: Tables) -> Evidence:
    value, layer = pl.col("value"), pl.col("layer")
    heads = (
        tables["adaptivity"]
        .group_by("run", "seed", "layer", "head", maintain_order=True)
        .agg(value.mean(), pl.col("chosen").first())
    )
    gain = pl.col("attention") - pl.col("others")
    turned_to = (
        tables["distances"]
        .filter(pl.col("distance") > 0)
        .group_by("run", "seed", "look-back", maintain_order=True)
        .agg(pl.col("distance").sort_by(gain).last())
    )
    at_place = [((pl.col("distance") - place) % pl.col("look-back") == 0).mean() for place in PLACES]
    by_lookback = (
        tables["spacings"].group_by("run", "seed", "look-back", maintain_order=True).agg(pl.col("excess").first())
    )
    return {
        "adapts": each_run(heads, value.filter("chosen").first()),
        "places": each_run(turned_to, pl.max_horizontal(at_place)),
        "spacings": each_run(by_lookback, pl.col("excess").mean()),
        "later": each_run(heads, value.filter(layer > 0).max() - value.filter(layer == 0).max()),
    }


def draw(tables: Tables) -> Pictures:
    """The index of every head, where the most adaptive one looks, and the spacings of its keys, for each seed."""
    maps: list[Panel] = []
    curves: list[Panel] = []
    gaps: list[Panel] = []
    each = zip(*(by_run(tables[name]) for name in ("adaptivity", "distances", "spacings")), strict=True)
    for by_r, distances, spacings in each:
        heads = by_r.group_by("seed", "layer", "head", maintain_order=True).agg(pl.col("value").mean())
        seed, layer, head = heads["seed"][0], spacings["layer"][0], spacings["head"][0]
        title, name = f"seed {seed}: mean over r", f"seed {seed}, head {layer}.{head}"
        axes, bar = ("layer", "head"), "index of adaptivity"
        maps.append(heat_map(title, heads, axes, "value", bar, limits=(-1, 1), signed=True))
        curves.append(_distance_panel(f"{name}: where it looks", distances))
        gaps.append(_spacing_panel(f"{name}: four strongest keys", spacings))
    yield Picture([*maps, *curves, *gaps])


def _distance_panel(title: str, distances: pl.DataFrame) -> LinePanel:
    """One line per r."""
    lines = group_lines(named(distances, "look-back", "r = {}"), "distance", "attention")
    return LinePanel(title, "numbers back", "attention", lines, limits=(0, None))


def _spacing_panel(title: str, spacings: pl.DataFrame) -> LinePanel:
    """One line per look-back, 0 at spacings that do not occur."""
    lines = []
    for kind, ((r,), shares) in enumerate(spacings.group_by("look-back", maintain_order=True)):
        y = np.bincount(shares["spacing"].to_numpy(), shares["share"].to_numpy()).tolist()
        lines.append(Line(list(range(len(y))), y, f"r = {r}", kind))
    return LinePanel(title, "distance between neighbouring keys", "share", lines, limits=(0, None))


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
