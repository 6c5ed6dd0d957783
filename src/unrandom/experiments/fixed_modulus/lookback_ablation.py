"""What do the two brightest attention lines carry? (fig:digits_topk)

Keeping only the key at t − p^k should keep the k low digits and lose the high ones; t − p^(k−1) should restore them.
"""

from pathlib import Path

from unrandom.data import SequenceSet
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.runs import POWERS_OF_TWO, fast_runs
from unrandom.experiments.rows import by_run
from unrandom.experiments.runs import Run
from unrandom.figures.panels import MapPanel, Panel, save_panels
from unrandom.generators.residues import digits_of
from unrandom.interpretation import lookback_ablation

SEQUENCES = {"smoke": 16, "laptop": 1024, "gpu": 1024, "paper": 1024}
ONE, TWO = "t-p^k", "t-p^k, t-p^(k-1)"

CLAIMS = (
    Claim(
        "low-kept",
        "With only the key at t − 2^k kept (renormalised), the k low bits stay right: accuracy.",
        "fig:digits_topk",
        0.9,
    ),
    Claim(
        "high-lost",
        "The higher bits are lost: their accuracy above chance, as a share of what it was.",
        "fig:digits_topk",
        0.25,
        at_least=False,
    ),
    Claim(
        "high-restored",
        "With t − 2^(k−1) kept too, they come back: accuracy above chance, as a share of what it was.",
        "fig:digits_topk",
        0.5,
        at_laptop="Renormalising gives the two keys weights that the model never saw; left as they are, they restore "
        "nearly all (see the maps).",
    ),
    Claim(
        "control",
        "A random key instead does not keep the low bits: accuracy.",
        "fig:digits_topk",
        0.75,
        at_least=False,
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale])


def measure(runs: list[Run], scale: Scale) -> Tables:
    digits: Rows = []
    summary: Rows = []
    for run in runs:
        (m,) = run.config.data.test_moduli
        test = run.split().test_parameters(m, SEQUENCES[scale], name="ablation")
        sequences = SequenceSet.of(test, run.config.data.context + 1)
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


def evidence(tables: Tables) -> Evidence:
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for rows in by_run(tables["summary"]).values():
        row = {each["keep"]: each for each in rows if each["renormalised"] is not False}
        found["low-kept"].append(row[ONE]["low"])
        found["control"].append(row["random 1"]["low"])
        before = row["all"]["high"] - 0.5
        if before > 0.05:  # a model that never had the high bits cannot lose them
            found["high-lost"].append((row[ONE]["high"] - 0.5) / before)
            found["high-restored"].append((row[TWO]["high"] - 0.5) / before)
    return found


def draw(tables: Tables, folder: Path) -> None:
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
    about="what the two brightest attention lines carry",
    figures=("fig:digits_topk",),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
