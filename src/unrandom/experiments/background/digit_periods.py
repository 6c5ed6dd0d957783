"""How soon each digit of an LCG sequence repeats. (fig:digit_wise_sequences, eq:lcg_r, eq:period_m_composite)

The digit of weight p^w has period p^(w+1) along a full-period sequence, and p^(w+1) / gcd(r, p^(w+1)) along every r-th
number. This is a theorem, so there are no claims; the tests of ``generators.residues`` check it by brute force. The
table ``example`` has the bits of the paper's example.
"""

from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.figures.panels import MapPanel
from unrandom.figures.style import DIGIT, power
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.residues import digits_of, to_digits
from unrandom.runs.tables import Tables, table

ENTRY = Entry(
    name="digit-periods",
    section="background",
    place=1,
    about="how soon each digit of a sequence repeats",
    figures={
        "fig:digit_wise_sequences": "periods of the bits of a sequence",
        "eq:lcg_r": "the r-step recurrence",
        "eq:period_m_composite": "periods of digits modulo a composite number",
    },
)

EXAMPLE = {"m": 2048, "a": 293, "c": 1033}  # the paper's example
EXAMPLE_LENGTH = 64  # numbers


def measure(_runs: list[Run], _scale: Scale) -> Tables:
    """The bits of the paper's example, for every number and for every second one."""
    numbers = lcg_orbits(0, a=EXAMPLE["a"], c=EXAMPLE["c"], m=EXAMPLE["m"], length=2 * EXAMPLE_LENGTH)
    bits = to_digits(numbers, EXAMPLE["m"])[0]
    return {
        "example": table(
            {"r": r, "t": t, **{f"digit {w}": int(bit) for w, bit in enumerate(bits[t * r])}}
            for r in (1, 2)
            for t in range(EXAMPLE_LENGTH)
        )
    }


def draw(tables: Tables) -> Pictures:
    """The bits of the paper's example, for every number above and for every second one below."""
    width = len(digits_of(EXAMPLE["m"]))
    panels = [
        MapPanel(
            f"m = {EXAMPLE['m']}, a = {EXAMPLE['a']}, c = {EXAMPLE['c']}: every {'number' if r == 1 else '2nd number'}",
            f"number (t / {r})" if r > 1 else "number (t)",
            DIGIT,
            [example[f"digit {w}"].to_list() for w in range(width)],
            rows=[power(2, w) for w in range(width)],
            bar="bit",
        )
        for (r,), example in tables["example"].group_by("r", maintain_order=True)
    ]
    yield Picture(panels, columns=1)


EXPERIMENT = Experiment(ENTRY, {}, lambda _scale, _seeds: [], measure, lambda _tables: {}, draw)
