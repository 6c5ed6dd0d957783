"""How soon does each digit of an LCG sequence repeat? (fig:digit_wise_sequences, eq:lcg_r, eq:period_m_composite)

Digit p^w has period p^(w+1) along a full-period sequence, and p^(w+1) / gcd(r, p^(w+1)) along every r-th number. That
is a theorem: there is nothing to judge, and the tests of ``generators.residues`` hold it against brute force.
"""

from pathlib import Path

from unrandom.experiments.claims import Evidence
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import MapPanel, save_panels
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.residues import digits_of, to_digits
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables, table

SHOWN = {"m": 2048, "a": 293, "c": 1033}  # the paper's example
SHOWN_NUMBERS = 64


def measure(_runs: list[Run], _scale: Scale) -> Tables:
    """The bits of the paper's example, along every number and along every second one."""
    shown = lcg_orbits(0, a=SHOWN["a"], c=SHOWN["c"], m=SHOWN["m"], length=2 * SHOWN_NUMBERS)
    bits = to_digits(shown, SHOWN["m"])[0]
    return {
        "example": table(
            {"r": r, "t": t, **{f"digit {w}": int(bit) for w, bit in enumerate(bits[t * r])}}
            for r in (1, 2)
            for t in range(SHOWN_NUMBERS)
        )
    }


def draw(tables: Tables, folder: Path) -> None:
    """The bits of the paper's example along every number and along every second one."""
    width = len(digits_of(SHOWN["m"]))
    panels = [
        MapPanel(
            f"m = {SHOWN['m']}, a = {SHOWN['a']}, c = {SHOWN['c']}: every {'number' if r == 1 else '2nd number'}",
            f"number (t / {r})" if r > 1 else "number (t)",
            "bit",
            [example[f"digit {w}"].to_list() for w in range(width)],
            rows=[str(w) for w in range(width)],
            bar="bit",
        )
        for (r,), example in tables["example"].group_by("r", maintain_order=True)
    ]
    save_panels(panels, folder / "digit-periods", columns=1)


EXPERIMENT = Experiment(
    name="digit-periods",
    claims=(),
    runs=lambda _scale, _seeds: [],
    measure=measure,
    draw=draw,
    evidence=lambda _tables: Evidence({}),
)
