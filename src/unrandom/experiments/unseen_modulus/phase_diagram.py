"""How deep, and how many heads? (fig:phase_diagrams a, b)"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import Cells, best_cell, cell_map, cells, last_number_rows
from unrandom.experiments.unseen_modulus.presets import grid, small_runs
from unrandom.figures.panels import save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

DEPTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 3),
    "laptop": (1, 2, 3, 4),
    "gpu": (1, 2, 3, 4, 6),
    "paper": (1, 2, 3, 4, 5, 6),
}
HEADS: dict[Scale, tuple[int, ...]] = {
    "smoke": (1, 2),
    "laptop": (1, 2, 4, 8),
    "gpu": (1, 2, 4, 8),
    "paper": (1, 2, 4, 6, 8),
}
KEYS = {"depth": "model.depth", "heads": "model.n_heads", "width": "model.d_model"}
AXES = ("depth", "heads")
HEAD_WIDTH: dict[Scale, int] = {"smoke": 8, "laptop": 8, "gpu": 64, "paper": 128}  # where width follows the heads
SCALED_DEPTHS: dict[Scale, tuple[int, ...]] = {**DEPTHS, "laptop": (2, 4)}
DEEP = 3  # layers that the paper finds needed

BEST = Precondition("learned", "last-number accuracy of the best shape", 0.9)

CLAIMS = (
    Claim(
        key="shallow",
        statement="Fewer than three layers fail.",
        quantity="their best accuracy on the last number, over that of deeper models",
        unit="ratio",
        figure="fig:phase_diagrams",
        threshold=0.5,
        at_least=False,
        precondition=BEST,
    ),
    Claim(
        key="second-head",
        statement="The second head is the largest gain.",
        quantity="accuracy gained from one head to two, less the next largest gain, mean over three layers and more",
        unit="difference of shares",
        figure="fig:phase_diagrams",
        threshold=0.02,
        precondition=BEST,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    constant = grid(model__depth=DEPTHS[scale], model__n_heads=HEADS[scale])
    scaled = [
        {**cell, "model.d_model": HEAD_WIDTH[scale] * cell["model.n_heads"]}
        for cell in grid(model__depth=SCALED_DEPTHS[scale], model__n_heads=HEADS[scale])
    ]
    return small_runs(scale, seeds, [*constant, *scaled])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    return {"accuracy": last_number_rows(runs, scale, KEYS)}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    found = cells(_constant_width(tables["accuracy"]), AXES)
    seeds = sorted({seed for cell in found.values() for seed in cell})
    shallow = [(_best(found, seed, deep=False), _best(found, seed, deep=True)) for seed in seeds]
    gains = [gain for gain in (_gains(found, seed) for seed in seeds) if gain]
    return Evidence(
        {
            "shallow": [low / high for low, high in shallow if high],
            "second-head": [gain[0] - max(gain[1:], default=0.0) for gain in gains],
        },
        {BEST.key: best_cell(found)},
    )


def _best(found: Cells, seed: int, *, deep: bool) -> float:
    return max((cell[seed] for (depth, _), cell in found.items() if (depth >= DEEP) == deep), default=0.0)


def _gains(found: Cells, seed: int) -> list[float]:
    """Mean accuracy over the deep models, gained from each number of heads to the next."""
    heads = sorted({heads for _, heads in found})
    deep = sorted({depth for depth, _ in found if depth >= DEEP})
    means = [sum(found[depth, n][seed] for depth in deep) / len(deep) for n in heads] if deep else []
    return [later - earlier for earlier, later in pairwise(means)]


def _constant_width(rows: Rows) -> Rows:
    """Those of the width that comes with the most numbers of heads."""
    return _most_common(rows, lambda row: row["width"])


def _scaled_width(rows: Rows) -> Rows:
    """Those of the width a head that comes with the most numbers of heads."""
    return _most_common(rows, lambda row: row["width"] / row["heads"])


def _most_common(rows: Rows, of: Callable[[dict[str, Any]], float]) -> Rows:
    heads: dict[float, set[int]] = {}
    for row in rows:
        heads.setdefault(of(row), set()).add(row["heads"])
    common = max(heads, key=lambda value: len(heads[value]))
    chosen = [row for row in rows if of(row) == common]
    depths = {row["depth"] for row in chosen if row["heads"] == min(heads[common])}  # those varied in this way
    return [row for row in chosen if row["depth"] in depths]


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Width constant, and in proportion to the heads; then each unseen modulus at constant width."""
    constant, scaled = (choose(tables["accuracy"]) for choose in (_constant_width, _scaled_width))
    sets: list[tuple[str, Rows]] = [("constant width", constant), ("width in proportion to heads", scaled)]
    for m in dict.fromkeys(row["modulus"] for row in constant):
        sets.append((f"constant width, m = {m}", [row for row in constant if row["modulus"] == m]))
    save_panels([cell_map(title, AXES, cells(rows, AXES)) for title, rows in sets], folder / "um-phase-diagram")


EXPERIMENT = Experiment(
    name="um-phase-diagram",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
