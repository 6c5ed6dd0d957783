"""How many numbers does a larger unseen modulus need, and does the base's own prime help? (fig:um_scaling, fig:acc_um)

One model for each base, tested on prime powers that training never sees, at least three of the prime of each base. All
of them are larger than the context, so that no sequence repeats within it: else copying would count as predicting.
"""

from pathlib import Path

import numpy as np

from unrandom.core.arithmetic import factorize
from unrandom.evaluation import Estimate, PowerLaw, power_law
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, best_modulus, seed_lines, seed_means
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.elements import (
    about,
    element_rows,
    finite_points,
    law_columns,
    needed_by_modulus,
    position_rows,
    reached,
    tested,
)
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.runs.recipes import recipe
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus, lcg_task

THRESHOLD = 0.6  # the paper's
CEILING = 6  # numbers after which the exact posterior is right in nearly all cases
PAPERS_EXPONENTS = (0.24, 0.33)
SEQUENCES: dict[Scale, int] = {"smoke": 24, "laptop": 512, "gpu": 2048, "paper": 4096}  # of each modulus
BASES: dict[Scale, tuple[int, int]] = {"smoke": (4, 3), "laptop": (16, 27), "gpu": (16, 27), "paper": (256, 243)}

SMOKE = (
    "data.test_moduli=[16,32,64,27,81,243]",
    "data.min_modulus=13",
    "data.max_modulus=250",
    "data.context=12",
    "data.n_test_a=3",
    "data.n_test_c=3",
    "model.d_model=16",
    "model.depth=1",
    "steps=8",
    "evaluate_every=8",
    "test_sequences=48",
    "batch_size=16",
    "precision=fp32",
)
CHANGES: dict[Scale, tuple[str, ...]] = {"smoke": SMOKE, "laptop": (), "gpu": (), "paper": ()}
RECIPES: dict[Scale, str] = {
    "smoke": "um-base16",
    "laptop": "um-base16",
    "gpu": "um-base16-wide",
    "paper": "um-base256",
}
BEST = Precondition("learned", "last-number accuracy on the best modulus of the base's prime", 0.9)

CLAIMS = (
    Claim(
        key="exponent-low",
        statement="The numbers needed for 60 % grow as m^γ on powers of the base's prime, with γ not below 0.24.",
        quantity="γ over the moduli that all seeds get to 60 % on, mean over the two bases",
        unit="exponent",
        figure="fig:um_scaling",
        threshold=PAPERS_EXPONENTS[0],
        precondition=None,
    ),
    Claim(
        key="exponent-high",
        statement="The numbers needed for 60 % grow as m^γ on powers of the base's prime, with γ not above 0.33.",
        quantity="γ over the moduli that all seeds get to 60 % on, mean over the two bases",
        unit="exponent",
        figure="fig:um_scaling",
        threshold=PAPERS_EXPONENTS[1],
        at_least=False,
        precondition=None,
    ),
    Claim(
        key="own-prime",
        statement="A modulus does better in the base of its own prime.",
        quantity="accuracy over all positions on powers of 2 and 3, own base less the other, mean over moduli",
        unit="difference of shares",
        figure="fig:acc_um_appendix",
        threshold=0.02,
        precondition=BEST,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """A model for each base and seed."""
    config = recipe(RECIPES[scale]).build().override(CHANGES[scale])
    largest = {243: ["data.max_modulus=59048"]} if scale == "paper" else {}
    return [
        RunSpec(f"um-base{base}", config.override([f"data.base={base}", f"seed={seed}", *largest.get(base, [])]))
        for base in BASES[scale]
        for seed in range(seeds)
    ]


def measure(runs: list[Run], scale: Scale) -> RowTables:
    tables: RowTables = {"positions": [], "elements": [], "accuracy": []}
    for run in runs:
        for modulus in lcg_task(run.config.data).moduli:
            assert modulus > run.config.data.context, "a sequence that repeats in the context can be copied"
            evaluation = tested(run, run.split(), modulus, SEQUENCES[scale])
            which = {**about(run, modulus), "base": run.config.data.base, "prime": _prime(modulus)}
            tables["positions"] += position_rows(which, evaluation)
            tables["elements"] += element_rows(which, evaluation)
            tables["accuracy"].append({**which, "accuracy": float(evaluation.number_accuracy.value)})
    tables["laws"] = [_law_row(tables["elements"], base, prime) for base in _values(tables, "base")
                      for prime in _values(tables, "prime")]  # fmt: skip
    return tables


def _prime(modulus: int) -> int:
    """The prime that the modulus is a power of."""
    (prime,) = factorize(modulus)
    return prime


def _values(tables: RowTables, key: str) -> list[int]:
    return sorted({row[key] for row in tables["accuracy"]})


def _of(elements: Rows, base: int, prime: int) -> Rows:
    return [row for row in elements if (row["base"], row["prime"]) == (base, prime)]


def _law(elements: Rows, base: int, prime: int) -> PowerLaw | None:
    return power_law(reached(needed_by_modulus(_of(elements, base, prime), THRESHOLD)))


def _law_row(elements: Rows, base: int, prime: int) -> dict[str, object]:
    """The power law of one base and prime. Null: fewer than three moduli got there."""
    return {"base": base, "prime": prime, **law_columns(_law(elements, base, prime))}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    exponent = _own_exponent(tables)
    return Evidence(
        {"exponent-low": exponent, "exponent-high": exponent, "own-prime": _own_prime(tables["accuracy"])},
        {BEST.key: best_modulus([row for row in tables["positions"] if row["base"] % row["prime"] == 0])},
    )


def _own_exponent(tables: RowTables) -> Finding:
    """The mean over bases of the exponent on powers of the base's own prime, with the wider reach of the two intervals.

    Moduli that are left out, as a seed did not get there, would make it larger.
    """
    elements = tables["elements"]
    laws = {base: _law(elements, base, _prime(base)) for base in _values(tables, "base")}
    found = [law.exponent for law in laws.values() if law is not None]
    if len(found) < len(laws):
        return Unknown("no law: fewer than three moduli of a base's prime were got to 60 % by every seed")
    value = float(np.mean([each.value for each in found]))
    reach = max(abs(end - each.value) for each in found for end in (each.low, each.high) if end is not None)
    units = min(each.units for each in found)
    asked = min(len({row["modulus"] for row in _of(elements, base, _prime(base))}) for base in laws)
    return Estimate(value, value - reach, value + reach, units, "the wider interval of two laws", units < asked)


def _own_prime(accuracy: Rows) -> Finding:
    """For each seed, the mean over the bases' primes' powers of accuracy in the own base less that in the other."""
    primes = {_prime(row["base"]) for row in accuracy}
    sides: dict[tuple[int, int], dict[bool, float]] = {}
    for row in accuracy:
        if row["prime"] in primes:
            own = row["base"] % row["prime"] == 0
            sides.setdefault((row["seed"], row["modulus"]), {})[own] = row["accuracy"]
    return seed_means((seed, of[True] - of[False]) for (seed, _), of in sides.items() if len(of) == 2)


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each base: accuracy by position of every test modulus, and the numbers needed against m."""
    panels: list[LinePanel] = []
    for base in _values(tables, "base"):
        panels += [_accuracy_panel(tables, base), _law_panel(tables, base)]
    save_panels(panels, folder / "um-scaling")


def _accuracy_panel(tables: RowTables, base: int) -> LinePanel:
    """The largest modulus of each prime."""
    rows = [row for row in tables["positions"] if row["base"] == base]
    lines: list[Line] = []
    for kind, prime in enumerate(_values(tables, "prime")):
        largest = max(row["modulus"] for row in rows if row["prime"] == prime)
        own = [row for row in rows if row["modulus"] == largest]
        lines += seed_lines(own, "seen", "value", f"m = {largest}", kind)
    return LinePanel(
        f"base {base}: largest modulus of each prime", "numbers seen (t)", "number right", lines, beside=True
    )


def _law_panel(tables: RowTables, base: int) -> LinePanel:
    moduli = sorted({row["modulus"] for row in tables["accuracy"]})
    lines = []
    for kind, prime in enumerate(_values(tables, "prime")):
        points = finite_points(_of(tables["elements"], base, prime), THRESHOLD)
        law = _law(tables["elements"], base, prime)
        fit = "" if law is None else f": $m^{{{law.exponent.value:.2f}}}$"
        lines.append(Line([m for m, _ in points], [v for _, v in points], f"powers of {prime}{fit}", kind, dots=True))
        if law is not None:
            lines.append(Line([m for m, _ in points], [law.at(m) for m, _ in points], "", kind))
    lines.append(Line(moduli, [CEILING] * len(moduli), "enough for the exact posterior: 6", 7))
    ticks = [2**k for k in range(moduli[0].bit_length() - 1, moduli[-1].bit_length() + 1)]
    levels = [2**k for k in range(2, 10)]
    return LinePanel(f"base {base}: numbers needed for 60 %", "modulus", "numbers seen", lines, ticks, limits=(4, 512),
                     levels=levels, beside=True)  # fmt: skip


EXPERIMENT = Experiment(
    name="um-scaling",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
