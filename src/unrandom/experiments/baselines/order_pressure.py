"""What moves the order of look-back? Depth, heads, width and context; and contexts in which order 2 cannot succeed.

A context *ends early* here if order 2 leaves bits of the last number open, and order 3 none (docs/order.md): a model
that is right there has found more than looking back at two numbers. It is trained from scratch, with four layers, or
from the weights of a model that has learned order 2 in a longer context.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unrandom.evaluation import bits_known, elements_needed
from unrandom.experiments.baselines.order_panels import stairs_panel
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, by_modulus, seed_means
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.elements import ALMOST, LEARNED_SHARE, about, tested
from unrandom.experiments.scaling.law_panels import named_power
from unrandom.experiments.scaling.laws import over_lookback
from unrandom.experiments.scaling.presets import Size, planned, size_of
from unrandom.figures.panels import LinePanel, MapPanel, Panel, save_panels
from unrandom.predictors import LookbackPredictor
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

SEQUENCES: dict[Scale, int] = {"smoke": 32, "laptop": 1024, "gpu": 2048, "paper": 2048}
SCRATCH, DEEP, PARENT = "from scratch", "4 layers", "from order 2"
PLAIN = "plain"
FOUR_LAYERS = "model.depth=4"


@dataclass(frozen=True)
class Cell:
    """A model that is trained with every seed: what it is called, and how."""

    name: str
    size: Size
    ends_early: bool


@dataclass(frozen=True)
class Sizes:
    """Where shapes are compared, and the contexts that end early: from scratch, with four layers, from order 2."""

    shapes: tuple[Size, ...]  # The first is varied in more ways than the others.
    scratch: tuple[Size, ...]
    deep: tuple[Size, ...]
    parents: tuple[Size, ...]


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        shapes=(Size(6, 10, 8), Size(8, 24, 8)),
        scratch=(Size(8, 12, 8),),
        deep=(Size(8, 12, 8),),
        parents=(Size(8, 12, 8, start=Size(8, 24, 8)),),
    ),
    "laptop": Sizes(
        shapes=(size_of("laptop", 8), size_of("laptop", 10)),
        scratch=(Size(8, 12, 2_400), Size(10, 24, 2_400), Size(12, 48, 900)),
        deep=(Size(8, 12, 2_400),),
        parents=(
            Size(10, 24, 1_600, start=size_of("laptop", 10)),
            Size(12, 48, 900, start=size_of("laptop", 12)),
        ),
    ),
    "gpu": Sizes(
        shapes=(Size(12, 130, 4_000, 256),),
        scratch=(Size(12, 48, 8_000, 256), Size(16, 64, 8_000, 256)),
        deep=(Size(12, 48, 8_000, 256),),
        parents=(Size(12, 48, 4_000, 256, start=Size(12, 130, 4_000, 256)),),
    ),
    "paper": Sizes(
        shapes=(Size(16, 511, 200_000, 512, changes=("micro_batches=8",)),),
        scratch=(Size(16, 64, 200_000, 512), Size(20, 256, 200_000, 512)),
        deep=(Size(16, 64, 200_000, 512),),
        parents=(Size(16, 64, 200_000, 512, start=Size(16, 511, 200_000, 512, changes=("micro_batches=8",))),),
    ),
}


LEARNED_PLAIN = Precondition("learned-plain", "last-number accuracy of the plain model in a longer context", 0.9)


LEARNED_PARENT = Precondition("learned-parent", "last-number accuracy of the models of order 2, the least", 0.9)


def _claim(key: str, statement: str, needed: Precondition) -> Claim:
    """One bit more is what a model of order 2 knows that can read v off the numbers; so more than that is asked for."""
    return Claim(
        key=key,
        statement=statement,
        quantity="bits known of the last number less those that order 2 leaves certain, mean over moduli",
        unit="bits",
        threshold=1.5,
        precondition=needed,
        origin="beyond",
        written="after",
    )


CLAIMS = (
    Claim(
        key="shape",
        statement="With none of these depths, heads, widths and contexts does a model need fewer numbers than order 2.",
        quantity="numbers for 99 % over those of order 2, the least over shapes that were learned",
        unit="ratio",
        threshold=0.9,
        precondition=None,
        origin="beyond",
    ),
    _claim(SCRATCH.replace(" ", "-"), "Where order 2 cannot succeed, a model finds more from scratch.", LEARNED_PLAIN),
    _claim("four-layers", "There, four layers find more.", LEARNED_PLAIN),
    _claim(PARENT.replace(" ", "-"), "There, a model that has learned order 2 goes on to more.", LEARNED_PARENT),
)


def cells(scale: Scale) -> list[Cell]:
    """Every shape, and every context that ends early."""
    sizes = SIZES[scale]
    shapes = [shape for size in sizes.shapes for shape in _shapes_of(scale, size)]
    shapes += _more_shapes_of(scale, sizes.shapes[0])
    early = [
        *((SCRATCH, size) for size in sizes.scratch),
        *((DEEP, _changed(size, FOUR_LAYERS)) for size in sizes.deep),
        *((PARENT, size) for size in sizes.parents),
    ]
    return [
        *(Cell(name, size, ends_early=False) for name, size in shapes),
        *(Cell(name, size, ends_early=True) for name, size in early),
    ]


def _shapes_of(scale: Scale, size: Size) -> list[tuple[str, Size]]:
    """The plain model, and others in depth, heads and width."""
    model = planned(scale, size, 0).config.model
    return [
        (PLAIN, size),
        ("1 layer", _changed(size, "model.depth=1")),
        (DEEP, _changed(size, FOUR_LAYERS)),
        ("twice the heads", _changed(size, f"model.n_heads={2 * model.n_heads}")),
        ("half the width", _changed(size, f"model.d_model={model.d_model // 2}")),
    ]


def _more_shapes_of(scale: Scale, size: Size) -> list[tuple[str, Size]]:
    """One head, fewer and more numbers, and half the heads with smaller batches and more steps."""
    model = planned(scale, size, 0).config.model
    longer = replace(size, steps=6 * size.steps, batch_size=size.batch_size // 4)
    return [
        ("1 head", _changed(size, "model.n_heads=1")),
        ("half the numbers", replace(size, context=size.context // 2)),
        ("twice the numbers", replace(size, context=2 * size.context - 1)),
        ("half the heads, longer", _changed(longer, f"model.n_heads={model.n_heads // 2}")),
    ]


def _changed(size: Size, *changes: str) -> Size:
    return replace(size, changes=(*size.changes, *changes))


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every cell with every seed."""
    return [planned(scale, cell.size, seed) for cell in cells(scale) for seed in range(seeds)]


def measure(runs: list[Run], scale: Scale) -> RowTables:
    seeds = {run.config.seed for run in runs}
    by_id = {planned(scale, cell.size, seed).id: cell for cell in cells(scale) for seed in seeds}
    tables: RowTables = {"cells": [], "bits": []}
    for run in runs:
        cell = by_id[run.id]
        (modulus,) = lcg_task(run.config.data).moduli
        evaluation = tested(run, run.split(), modulus, SEQUENCES[scale])
        bits, longest = bits_known(evaluation), evaluation.correct.shape[1]
        which = {**about(run, modulus), "cell": cell.name, "ends_early": cell.ends_early}
        tables["bits"] += [{**which, "seen": t + 1, "bits": float(known)} for t, known in enumerate(bits)]
        tables["cells"].append(
            {
                **which,
                "longest": longest,
                "last": float(evaluation.last_number_accuracy.value),
                "needed": elements_needed(evaluation, ALMOST).needed,
                "bits": float(bits[-1]),
                "of_order_2": int(LookbackPredictor(modulus).digits_known(longest - 1).sum()),
                "parent": _accuracy_of_parent(run),
            }
        )
    return tables


def _accuracy_of_parent(run: Run) -> float | None:
    """On the last number, of the run whose weights this one began with; None if it began with none."""
    return float(run.ancestors()[-1].result()["last_number_accuracy"]) if run.config.start is not None else None


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    rows = tables["cells"]
    early = [row for row in rows if row["ends_early"]]
    found: dict[str, Finding] = {"shape": _least_ratio([row for row in rows if not row["ends_early"]])}
    for key, name in (("from-scratch", SCRATCH), ("four-layers", DEEP), ("from-order-2", PARENT)):
        found[key] = seed_means((row["seed"], row["bits"] - row["of_order_2"]) for row in _of(early, name))
    plain = [row["last"] for row in _of(rows, PLAIN)]
    parents = [row["parent"] for row in rows if row["parent"] is not None]
    conditions = {LEARNED_PLAIN.key: float(np.mean(plain)), LEARNED_PARENT.key: min(parents)}
    return Evidence(found, conditions)


def _least_ratio(rows: Rows) -> Finding:
    """Over the shapes that every seed has learned."""
    shapes = [_of(rows, name) for rows in by_modulus(rows).values() for name in _cells_in(rows)]
    learned = [row for own in shapes if all(r["last"] >= LEARNED_SHARE for r in own) for row in own]
    return over_lookback(learned, min) if learned else Unknown("no shape was learned by every seed")


def _of(rows: Rows, name: str) -> Rows:
    return [row for row in rows if row["cell"] == name]


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Numbers needed by shape; then known bits in each context that ends early, beside orders 2 and 3."""
    shapes = by_modulus([row for row in tables["cells"] if not row["ends_early"]])
    early = by_modulus([row for row in tables["bits"] if row["ends_early"]])
    panels: list[Panel] = [_shapes(rows) for rows in shapes.values()]
    panels += [_stairs(rows, m) for m, rows in early.items()]
    save_panels(panels, folder / "fm-order-pressure", columns=2)


def _shapes(rows: Rows) -> MapPanel:
    """Each row is a shape and each column a seed; a cell is blank where the run never got there."""
    names, seeds = _cells_in(rows), sorted({row["seed"] for row in rows})
    found = {(row["cell"], row["seed"]): row["needed"] for row in rows}
    values = [[found.get((name, seed)) or float("nan") for seed in seeds] for name in reversed(names)]
    modulus = rows[0]["modulus"]
    two, three = (LookbackPredictor(modulus, order=order).numbers_needed() for order in (2, 3))
    title = f"{named_power(modulus)}: needed (order 2: {two})"
    columns = [f"seed {seed}" for seed in seeds]
    return MapPanel(
        title, "", "", values, columns, names[::-1], "numbers (blank: never)", limits=(three, 2 * two), written=True
    )


def _stairs(rows: Rows, m: int) -> LinePanel:
    """Orders 2 and 3 beside the cells of one modulus."""
    title = f"{named_power(m)} with {max(row['seen'] for row in rows)} numbers"
    return stairs_panel(title, m, (2, 3), {name: _of(rows, name) for name in _cells_in(rows)})


def _cells_in(rows: Rows) -> list[str]:
    """The names of the cells, in order."""
    return list(dict.fromkeys(row["cell"] for row in rows))


EXPERIMENT = Experiment(
    name="fm-order-pressure",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
