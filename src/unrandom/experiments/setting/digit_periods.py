"""How soon does each digit of an LCG sequence repeat? (fig:digit_wise_sequences, eq:lcg_r, eq:period_m_composite)

Digit p^w has period p^(w+1) along a full-period sequence, and p^(w+1) / gcd(r, p^(w+1)) along every r-th number.
"""

from math import gcd
from pathlib import Path

import numpy as np

from unrandom.core.seeds import stream
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, Scale, Tables
from unrandom.experiments.runs import Run
from unrandom.figures.panels import MapPanel, save_panels
from unrandom.generators.full_period import sample_increments, sample_multipliers
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.residues import digits_of, to_digits

SHOWN = {"m": 2048, "a": 293, "c": 1033}  # the paper's example
SHOWN_NUMBERS = 64
GENERATORS = {"smoke": 3, "laptop": 40, "gpu": 40, "paper": 40}  # of each modulus
MODULI = (64, 2048, 216, 360, 7776)
STRIDES = (1, 2, 3, 4, 6)

CLAIMS = (
    Claim(
        "every-number",
        "Along a full-period sequence, digit p^w has period p^(w+1): share of digits of random generators.",
        "fig:digit_wise_sequences",
        1.0,
    ),
    Claim(
        "every-rth-number",
        "Along every r-th number, its period is p^(w+1) / gcd(r, p^(w+1)): share of digits, r = 2, 3, 4, 6.",
        "fig:digit_wise_sequences",
        1.0,
    ),
)


def measure(_runs: list[Run], scale: Scale) -> Tables:
    """The measured and the predicted period of every digit of random full-period generators."""
    rows = []
    for m in MODULI:
        rng = stream(0, "digit periods", m)
        count = GENERATORS[scale]
        a = np.resize(sample_multipliers(rng, m, min(count, 6)), count)
        c = sample_increments(rng, m, min(count, 16)).repeat(-(-count // 16))[:count]
        orbits = lcg_orbits(rng.integers(0, m, size=count, dtype=np.uint64), a=a, c=c, m=m, length=2 * m)
        digits = to_digits(orbits, m)
        for generator in range(count):
            for index, digit in enumerate(digits_of(m)):
                top = digit.prime ** (digit.power + 1)
                for r in STRIDES:
                    found = _period(digits[generator, ::r, index], m)
                    rows.append(
                        {
                            "m": m,
                            "generator": generator,
                            "r": r,
                            "digit": str(digit),
                            "period": found,
                            "predicted": top // gcd(r, top),
                        }
                    )
    shown = lcg_orbits(0, a=SHOWN["a"], c=SHOWN["c"], m=SHOWN["m"], length=2 * SHOWN_NUMBERS)
    bits = to_digits(shown, SHOWN["m"])[0]
    example = [
        {"r": r, "t": t, **{f"digit {w}": int(bit) for w, bit in enumerate(bits[t * r])}}
        for r in (1, 2)
        for t in range(SHOWN_NUMBERS)
    ]
    return {"periods": rows, "example": example}


def _period(values: np.ndarray, longest: int) -> int:
    """The smallest shift under which the sequence is the same, among the divisors of ``longest``."""
    shifts = (shift for shift in range(1, longest + 1) if longest % shift == 0)
    return next(shift for shift in shifts if np.array_equal(values[shift:], values[:-shift]))


def evidence(tables: Tables) -> Evidence:
    """For each generator, the share of its digits whose period is as predicted."""
    found: dict[str, dict[tuple[int, int], list[bool]]] = {"every-number": {}, "every-rth-number": {}}
    for row in tables["periods"]:
        key = "every-number" if row["r"] == 1 else "every-rth-number"
        found[key].setdefault((row["m"], row["generator"]), []).append(row["period"] == row["predicted"])
    return {key: [float(np.mean(right)) for right in units.values()] for key, units in found.items()}


def draw(tables: Tables, folder: Path) -> None:
    """The bits of the paper's example along every number and along every second one."""
    width = len(digits_of(SHOWN["m"]))
    panels = [
        MapPanel(
            f"m = {SHOWN['m']}, a = {SHOWN['a']}, c = {SHOWN['c']}: every {'number' if r == 1 else '2nd number'}",
            f"number (t / {r})" if r > 1 else "number (t)",
            "bit",
            [[row[f"digit {w}"] for row in tables["example"] if row["r"] == r] for w in range(width)],
            rows=[str(w) for w in range(width)],
            bar="bit",
        )
        for r in (1, 2)
    ]
    save_panels(panels, folder / "digit-periods", columns=1)


EXPERIMENT = Experiment(
    name="digit-periods",
    about="how soon each digit of a sequence repeats",
    figures=("fig:digit_wise_sequences", "eq:lcg_r", "eq:period_m_composite"),
    claims=CLAIMS,
    runs=lambda _scale, _seeds: [],
    measure=measure,
    draw=draw,
    evidence=evidence,
)
