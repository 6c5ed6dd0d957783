"""Which seed matters, the model's or the data's? (appendix:seeds_20, appendix:same_ds)

One seed of the data with several of initialisation and batch order, and one of those with several of the data: of the
split and of a fixed training set.
"""

from pathlib import Path

from unrandom.evaluation import over_trials
from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, by_modulus, by_run
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.elements import SEQUENCES, about, element_rows, position_rows, tested
from unrandom.experiments.scaling.presets import planned, size_of
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

SUCCESS = 0.99  # of last numbers
MODEL, DATA = "model seeds", "data seeds"
KINDS: dict[str, str] = {MODEL: "data_seed", DATA: "seed"}  # and which of the two stays at 0

EXPONENTS: dict[Scale, tuple[int, ...]] = {"smoke": (4,), "laptop": (8,), "gpu": (16,), "paper": (20, 32)}
FIXED: dict[Scale, tuple[str, ...]] = {  # a set of sequences that the data's seed decides
    "smoke": ("data.mode=fixed", "data.n_sequences=256"),
    "laptop": ("data.mode=fixed", "data.n_sequences=20000"),
    "gpu": ("data.mode=fixed", "data.n_sequences=1000000"),
    "paper": (),
}
MORE_SEEDS = 2  # of each kind, for one that other experiments have

BEST = Precondition("learned", "last-number accuracy of the best run", 0.9)

CLAIMS = (
    Claim(
        key="success",
        statement="Most seeds of the model find the solution.",
        quantity="share of runs on one data set that are right on 99 % of last numbers, at the largest modulus",
        unit="share",
        figure="appendix:seeds_20",
        threshold=0.5,
        precondition=None,
    ),
    Claim(
        key="model-spread",
        statement="Runs that share their data differ in the numbers they need.",
        quantity="numbers for 99 %, the most over the least of the runs that got there",
        unit="ratio",
        figure="appendix:seeds_20",
        threshold=1.1,
        precondition=BEST,
    ),
    Claim(
        key="data-spread",
        statement="Runs that share the model's seed, on other data, differ too.",
        quantity="numbers for 99 %, the most over the least of the runs that got there",
        unit="ratio",
        figure="appendix:same_ds",
        threshold=1.1,
        precondition=BEST,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Both kinds have the run of (0, 0)."""
    pairs = [(seed, 0) for seed in range(MORE_SEEDS * seeds)] + [(0, seed) for seed in range(1, MORE_SEEDS * seeds)]
    return [
        planned(scale, size_of(scale, exponent), model, (*FIXED[scale], f"data_seed={data}"))
        for exponent in EXPONENTS[scale]
        for model, data in pairs
    ]


def measure(runs: list[Run], scale: Scale) -> RowTables:
    tables: RowTables = {"positions": [], "elements": []}
    for run in runs:
        (modulus,) = lcg_task(run.config.data).moduli
        evaluation = tested(run, run.split(), modulus, SEQUENCES[scale])
        which = about(run, modulus)
        tables["positions"] += position_rows(which, evaluation)
        tables["elements"] += element_rows(which, evaluation)
    return tables


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    largest = max(row["modulus"] for row in tables["positions"])
    curves = by_run([row for row in tables["positions"] if row["modulus"] == largest and row[KINDS[MODEL]] == 0])
    last = [rows[-1]["value"] for rows in curves.values()]
    return Evidence(
        {
            "success": over_trials(sum(value >= SUCCESS for value in last), len(last)),
            "model-spread": _spreads(tables["elements"], MODEL),
            "data-spread": _spreads(tables["elements"], DATA),
        },
        {BEST.key: max(last)},
    )


def _spreads(elements: Rows, kind: str) -> list[float]:
    """For each modulus, the most numbers needed over the least, of the runs that got there."""
    spreads = []
    for own in by_modulus(elements).values():
        of = [row for row in own if row[KINDS[kind]] == 0]
        needed = [row["needed"] for row in of if row["threshold"] == SUCCESS and row["needed"] is not None]
        if len(needed) > 1:
            spreads.append(max(needed) / min(needed))
    return spreads


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """The curve of every seed."""
    panels = []
    for modulus, of in by_modulus(tables["positions"]).items():
        for title, fixed in KINDS.items():
            rows = [row for row in of if row[fixed] == 0]
            varied = "seed" if fixed == "data_seed" else "data_seed"
            lines = [
                Line([r["seen"] for r in own], [r["value"] for r in own], f"seed {own[0][varied]}", kind)
                for kind, own in enumerate(by_run(rows).values())
            ]
            panels.append(LinePanel(f"m = {modulus}: {title}", "numbers seen (t)", "number right", lines))
    save_panels(panels, folder / "fm-seeds")


EXPERIMENT = Experiment(
    name="fm-seeds",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
