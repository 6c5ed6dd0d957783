"""Is depth needed at every width? Rate and weight decay tuned in every cell (fig:critical-depth-appendix)."""

from pathlib import Path
from typing import Any

from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import (
    best_cell,
    cell_map,
    last_number_rows,
    mean,
    relative_spread,
    tuned,
)
from unrandom.experiments.unseen_modulus.phase_diagram import BEST, DEEP
from unrandom.experiments.unseen_modulus.presets import PAPERS_1024, RATE, RATES, WEIGHT_DECAYS, grid, small_runs
from unrandom.figures.panels import save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

DEPTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 3),
    "laptop": (2, 4),
    "gpu": (2, 3, 4, 6),
    "paper": (2, 3, 4, 6, 8),
}
# width and heads: at the paper's scale every head is 128 wide
WIDTHS: dict[Scale, tuple[tuple[int, int], ...]] = {
    "smoke": ((8, 2), (16, 2)),
    "laptop": ((32, 4), (64, 4)),
    "gpu": ((128, 2), (256, 4)),
    "paper": ((512, 4), (768, 6), (1024, 8), (1280, 10)),
}
AXES = ("depth", "width")
TUNED = ("rate", "weight decay")

CLAIMS = (
    Claim(
        key="three-layers",
        statement="Fewer than three layers fail at every width, each tuned on validation moduli.",
        quantity="their accuracy on the last number, over that of deeper models, largest over widths",
        unit="ratio",
        figure="fig:critical-depth-appendix",
        threshold=0.5,
        at_least=False,
        precondition=BEST,
    ),
    Claim(
        key="width",
        statement="Width matters little.",
        quantity="accuracy on the last number, (largest − smallest) / largest over widths, the depth of each chosen on "
        "validation moduli",
        unit="ratio",
        figure="fig:critical-depth-appendix",
        threshold=0.2,
        at_least=False,
        precondition=BEST,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    rates = grid(**{RATE[scale].replace(".", "__"): RATES[scale]}, optimizer__weight_decay=WEIGHT_DECAYS[scale])
    shapes: list[dict[str, Any]] = [
        {"model.depth": depth, "model.d_model": width, "model.n_heads": heads}
        for width, heads in WIDTHS[scale]
        for depth in DEPTHS[scale]
    ]
    moduli = PAPERS_1024 if scale == "paper" else {}
    return small_runs(scale, seeds, [{**moduli, **shape, **rate} for shape in shapes for rate in rates])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    keys = {
        "depth": "model.depth",
        "width": "model.d_model",
        "rate": RATE[scale],
        "weight decay": "optimizer.weight_decay",
    }
    rows = last_number_rows(runs, scale, keys, choosing=True)
    found, chosen = tuned(rows, AXES, TUNED)
    best = [
        {**dict(zip(AXES, cell, strict=True)), **dict(zip(TUNED, chosen[cell], strict=True)), "accuracy": mean(of)}
        for cell, of in found.items()
    ]
    return {"accuracy": rows, "chosen": best}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    rows: Rows = tables["accuracy"]
    shallow, deep = (
        tuned([row for row in rows if (row["depth"] >= DEEP) == is_deep], ["width"], ["depth", *TUNED])[0]
        for is_deep in (False, True)
    )
    shares, spreads = [], []
    for seed in sorted({row["seed"] for row in rows}):
        best = {width: of[seed] for width, of in deep.items()}
        both = [width for width in best if width in shallow and best[width] > 0]
        spreads += [relative_spread(list(best.values()))] if best else []
        shares += [max(shallow[width][seed] / best[width] for width in both)] if both else []
    return Evidence({"three-layers": shares, "width": spreads}, {BEST.key: best_cell(tuned(rows, AXES, TUNED)[0])})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Test accuracy of the cell chosen on the validation moduli."""
    found, _ = tuned(tables["accuracy"], AXES, TUNED)
    save_panels([cell_map("rate and weight decay tuned", AXES, found)], folder / "um-critical-depth")


EXPERIMENT = Experiment(
    name="um-critical-depth",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
