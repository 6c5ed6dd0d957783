"""What do the two brightest attention lines carry? (fig:digits_topk)

Keeping only the key at t − p^k should keep the k low digits and lose the high ones; t − p^(k−1) should restore them.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Claim, Evidence, Written
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned, seed_means
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import MapPanel, Panel, save_panels
from unrandom.generators.residues import digits_of
from unrandom.interpretation import lookback_ablation
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_split, lcg_task

SEQUENCES = {"smoke": 16, "laptop": 1024, "gpu": 1024, "paper": 1024}
ONE, TWO = "t-p^k", "t-p^k, t-p^(k-1)"
READINGS = {"zeroed": False, "renormalised": True}  # the weights that are left: as they are, or scaled to sum to 1
FIGURE = "fig:digits_topk"


def _claims(reading: str) -> tuple[Claim, ...]:
    """What the paper says of its ablation, in one reading of "mask (zero) out the attention weights"."""
    written: Written = "before" if reading == "renormalised" else "after"
    return (
        Claim(
            key=f"low-kept-{reading}",
            statement=f"With only the key at t − 2^k left ({reading}), the k low bits stay right.",
            quantity="accuracy of the bits below k",
            unit="share",
            figure=FIGURE,
            threshold=0.9,
            written=written,
        ),
        Claim(
            key=f"high-lost-{reading}",
            statement=f"With only the key at t − 2^k left ({reading}), the bits above bit k are lost.",
            quantity="their accuracy above chance, over what it was",
            unit="ratio",
            figure=FIGURE,
            threshold=0.25,
            at_least=False,
            written="after",
        ),
        Claim(
            key=f"high-restored-{reading}",
            statement=f"With the key at t − 2^(k−1) left too ({reading}), bit k and those above come back.",
            quantity="their accuracy above chance, over what it was",
            unit="ratio",
            figure=FIGURE,
            threshold=0.5,
            written=written,
        ),
        Claim(
            key=f"control-{reading}",
            statement=f"A random key instead ({reading}) does not keep the low bits.",
            quantity="accuracy of the bits below k",
            unit="share",
            figure=FIGURE,
            threshold=0.75,
            at_least=False,
            written=written,
        ),
    )


CLAIMS = (
    *(claim for reading in READINGS for claim in _claims(reading)),
    Claim(
        key="bit-k",
        statement="Bit k itself is copied from t − 2^k, where it was the opposite: it comes out wrong every time.",
        quantity="accuracy of bit k with only that key left (renormalised)",
        unit="share",
        threshold=0.1,
        at_least=False,
        origin="beyond",
        written="after",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    digits: Rows = []
    summary: Rows = []
    for run in runs:
        (m,) = lcg_task(run.config.data).moduli
        sequences = lcg_split(run.split()).test(m, SEQUENCES[scale], name="ablation")
        for ablation in lookback_ablation(run.predictor(), sequences, p=2, seed=run.config.seed):
            which = {**about(run), "keep": ablation.keep, "renormalised": ablation.renormalised}
            shares = ablation.digit_shares()
            low, high = (float(share.pooled.value) for share in (shares.low, shares.high))
            summary.append({**which, "low": low, "high": high})
            digits += [
                {**which, "digit": digit, "seen": t + 1, "value": float(value)}
                for digit, tally in ablation.by_digit().items()
                for t, value in enumerate(tally.value)
            ]
    return {"summary": summary, "digits": digits}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    """Bits above k are judged without bit k: its copy is always wrong, which would count as a loss."""
    found: dict[str, list[tuple[int, float]]] = {claim.key: [] for claim in CLAIMS}
    above = {run: _by_place(rows) for run, rows in by_run(tables["digits"]).items()}
    for run, rows in by_run(tables["summary"]).items():
        seed = rows[0]["seed"]
        of = {(each["keep"], each["renormalised"]): each for each in rows}
        before = of["all", None]["high"] - 0.5
        above_before = above[run]["all", None, True] - 0.5
        for reading, renormalised in READINGS.items():
            found[f"low-kept-{reading}"].append((seed, of[ONE, renormalised]["low"]))
            found[f"control-{reading}"].append((seed, of["random 1", renormalised]["low"]))
            if min(before, above_before) > 0.05:  # a model that never had the high bits cannot lose them
                lost = (above[run][ONE, renormalised, True] - 0.5) / above_before
                found[f"high-lost-{reading}"].append((seed, lost))
                found[f"high-restored-{reading}"].append((seed, (of[TWO, renormalised]["high"] - 0.5) / before))
        found["bit-k"].append((seed, above[run][ONE, True, False]))
    return Evidence({key: seed_means(values) for key, values in found.items()}, {"learned": learned(tables)})


def _by_place(rows: Rows) -> dict[tuple[str, bool | None, bool], float]:
    """Mean accuracy for each ablation, of bit k = ⌊log2 t⌋ alone and of the bits above it, over t ≥ 2."""
    groups: dict[tuple[str, bool | None, bool], list[float]] = {}
    for row in rows:
        k, bit = row["seen"].bit_length() - 1, int(row["digit"].removeprefix("2^"))
        if k >= 1 and bit >= k:
            groups.setdefault((row["keep"], row["renormalised"], bit > k), []).append(row["value"])
    return {key: float(np.mean(values)) for key, values in groups.items()}


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """The digit accuracies of the first seed: untouched, then each ablation, renormalised and not."""
    panels: list[Panel] = []
    first = next(iter(by_run(tables["digits"]).values()))
    digits = [str(digit) for digit in digits_of(first[0]["modulus"])]
    conditions = dict.fromkeys((row["keep"], row["renormalised"]) for row in first)
    for keep, renormalised in sorted(conditions, key=lambda condition: condition[1] is False):
        rows = [row for row in first if (row["keep"], row["renormalised"]) == (keep, renormalised)]
        values = [[row["value"] for row in rows if row["digit"] == digit] for digit in digits]
        how = {None: "", True: ", renormalised", False: ", not renormalised"}[renormalised]
        seen = [str(t + 1) for t in range(len(values[0]))]
        panels.append(MapPanel(f"keep {keep}{how}", "numbers seen (t)", "digit", values, seen, digits, "accuracy"))
    save_panels(panels, folder / "fm-lookback-ablation", columns=3)


EXPERIMENT = Experiment(
    name="fm-lookback-ablation",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
