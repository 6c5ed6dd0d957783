"""Does accuracy climb where a look-back of p^k becomes possible?

(fig:acc_vs_token, figapp:accuracy_m=2048_h1, figapp:accuracy_m=7776)
"""

from pathlib import Path

import numpy as np

from unrandom.core.arithmetic import factorize
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import SEQUENCES, digit_rows, evaluated, position_rows
from unrandom.experiments.fixed_modulus.presets import fast_runs, moduli
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned, seed_lines, seed_means
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import LinePanel, MapPanel, Panel, save_panels
from unrandom.generators.residues import digit_period, digits_of
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus

CLAIMS = (
    Claim(
        key="jumps",
        statement="For m = p^w, accuracy climbs in jumps at t = p^k.",
        quantity="share of the whole rise between t = p^k − 1 and p^k + 1",
        unit="share",
        figure="fig:acc_vs_token",
        threshold=0.5,
    ),
    Claim(
        key="digits",
        statement="A digit is right once its period has been seen.",
        quantity="accuracy of digit p^w over all t ≥ p^(w+1), mean over moduli",
        unit="share",
        figure="fig:acc_vs_token",
        threshold=0.95,
    ),
    Claim(
        key="product",
        statement="Overall accuracy is the product of the digit accuracies.",
        quantity="largest gap between the two over positions, mean over moduli",
        unit="share",
        figure="figapp:accuracy_m=2048_h1",
        threshold=0.02,
        at_least=False,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, moduli(scale))


def measure(runs: list[Run], scale: Scale) -> RowTables:
    positions: Rows = []
    digits: Rows = []
    for run in runs:
        tested = evaluated(run, SEQUENCES[scale])
        positions += position_rows(run, tested)
        digits += digit_rows(run, tested)
    return {"positions": positions, "digits": digits, "jumps": _jumps(positions)}


def _jumps(positions: Rows) -> Rows:
    """The accuracy just after each power of a prime of m, less that just before it."""
    rows = []
    for curve in by_run(positions).values():
        value = {row["seen"]: row["value"] for row in curve}
        for prime in factorize(curve[0]["modulus"]):
            power = prime if prime > 2 else 4
            while power + 1 in value:
                which = {key: curve[0][key] for key in ("run", "modulus", "seed", "recipe")}
                jump, rise = value[power + 1] - value[power - 1], max(value.values()) - value[1]
                rows.append({**which, "prime": prime, "seen": power, "jump": jump, "rise": rise})
                power *= prime
    return rows


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    jumps = [
        (rows[0]["seed"], sum(row["jump"] for row in rows) / max(rows[0]["rise"], 1e-9))
        for rows in by_run(tables["jumps"]).values()
        if len(factorize(rows[0]["modulus"])) == 1
    ]
    right = []
    for rows in by_run(tables["digits"]).values():
        period = {str(digit): digit_period(digit) for digit in digits_of(rows[0]["modulus"])}
        seen = [row["value"] for row in rows if row["seen"] >= period[row["digit"]]]
        right.append((rows[0]["seed"], float(np.mean(seen))))
    gaps = [
        (rows[0]["seed"], max(abs(row["value"] - row["product"]) for row in rows))
        for rows in by_run(tables["positions"]).values()
    ]
    return Evidence(
        {"jumps": seed_means(jumps), "digits": seed_means(right), "product": seed_means(gaps)},
        {"learned": learned(tables)},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each modulus: accuracy of every seed with the product of its digits, and the digits of the first seed."""
    panels: list[Panel] = []
    for m in dict.fromkeys(row["modulus"] for row in tables["positions"]):
        rows = [row for row in tables["positions"] if row["modulus"] == m]
        longest = max(row["seen"] for row in rows)
        ticks = [2**k for k in range(longest.bit_length())]
        lines = [*seed_lines(rows, "seen", "value", "accuracy (one line per seed)", 0),
                 *seed_lines(rows, "seen", "product", "product of digits", 1)]  # fmt: skip
        marks = [p**k for p in factorize(m) for k in range(1, 12) if p**k <= longest]
        name = " · ".join(f"{p}^{w}" for p, w in factorize(m).items())
        panels.append(LinePanel(f"m = {m} = {name}", "numbers seen (t)", "accuracy", lines, ticks, marks))
        panels.append(_digit_map(m, tables["digits"]))
    save_panels(panels, folder / "fm-ladder")


def _digit_map(m: int, rows: Rows) -> MapPanel:
    first = next(iter(by_run([row for row in rows if row["modulus"] == m]).values()))
    digits = digits_of(m)
    values = [[row["value"] for row in first if row["digit"] == str(digit)] for digit in digits]
    stairs = [
        (min(digit_period(digit), len(values[0])) - 1.5, row + side)
        for row, digit in enumerate(digits)
        for side in (-0.5, 0.5)
    ]
    columns = [str(t) for t in range(1, len(values[0]) + 1)]
    title = f"m = {m}: digits, seed {first[0]['seed']}"
    return MapPanel(
        title, "numbers seen (t)", "digit", values, columns, [str(d) for d in digits], "accuracy", stairs=stairs
    )


EXPERIMENT = Experiment(
    name="fm-ladder",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
