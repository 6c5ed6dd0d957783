"""What gets a model there with less? Each means by itself, on and off, at one modulus: beyond the paper.

The *neutral* track keeps architecture, data and batch, and changes the optimiser alone; the *open* one changes more.
Compute is that of training up to the first measurement with 90 % of last numbers right, and of the runs before whose
weights are taken over. A run that never gets there is censored: its compute is a lower bound, and a ratio with it is a
bound, not a number with an interval. AdamW was tried at a few rates, with no other setting tuned.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unrandom.evaluation import Estimate, elements_needed, over_units
from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Precondition, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.elements import SEQUENCES, tested
from unrandom.experiments.scaling.presets import Size, planned, size_of
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

THERE = 0.9  # of last numbers
PLAIN, MIXED, CURRICULUM, GROWN, ROTARY, DEEPER = (
    "plain: Muon, abacus, depth 2",
    "half arbitrary (a, c)",
    "easier modulus in the mix",
    "from a smaller modulus",
    "rotary positions",
    "depth 4",
)
NEUTRAL, OPEN = "neutral", "open"
ADAMW = "AdamW, rate {:g}"
RATES: dict[Scale, tuple[float, ...]] = {
    "smoke": (1e-3,),
    "laptop": (1e-3, 3e-3),
    "gpu": (3e-4, 1e-3, 3e-3),
    "paper": (1e-4, 3e-4, 1e-3),
}
MORE_STEPS = 2  # for AdamW, over those of the plain run


@dataclass(frozen=True)
class Sizes:
    """The modulus of the comparison, 2^exponent, and an easier one."""

    exponent: int
    easier: int
    easier_steps: int
    steps: int
    evaluate_every: int


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(6, 4, 4, 8, 4),
    "laptop": Sizes(8, 4, 60, 300, 20),
    "gpu": Sizes(16, 8, 500, 2000, 100),
    "paper": Sizes(16, 8, 5000, 200_000, 1000),
}

THERE_WITH_PLAIN = Precondition("learned", "last-number accuracy of the plain run", THERE)


def _claim(key: str, statement: str, quantity: str, threshold: float = 1.1) -> Claim:
    return Claim(
        key=key,
        statement=statement,
        quantity=quantity,
        unit="ratio",
        threshold=threshold,
        precondition=THERE_WITH_PLAIN,
        origin="beyond",
    )


CLAIMS = (
    _claim(
        "muon",
        "Muon needs less compute than AdamW at the best of the rates that were tried, with twice the steps.",
        "compute to 90 %, AdamW's over Muon's",
        1.5,
    ),
    _claim("curriculum", "Easier sequences in the mix save compute.", "compute to 90 %, without over with"),
    _claim(
        "grown",
        "Starting from the weights of a smaller modulus saves compute.",
        "compute to 90 %, without over with, that of the smaller modulus included",
    ),
    _claim(
        "full-period",
        "Training on full-period sequences alone costs less than with half of them arbitrary.",
        "compute to 90 %, half over all",
    ),
    _claim("abacus", "Abacus positions save compute against rotary ones.", "compute to 90 %, rotary over abacus"),
    _claim("deeper", "Four layers need fewer numbers than two.", "numbers for 90 %, two layers' over four's"),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every means with every seed."""
    sizes = SIZES[scale]
    changes = [f"evaluate_every={sizes.evaluate_every}"]
    if scale == "paper":  # where the recipe is another
        changes += ["optimizer.name=muon", "data.mode=streaming"]
    size = size_of(scale, sizes.exponent)
    plain = replace(size, steps=sizes.steps, start=None, changes=(*size.changes, *changes))
    width = planned(scale, plain, 0).config.data.tokenizer.width
    warmup = f"warmup_steps={sizes.easier_steps // 10}"
    own = (*plain.changes, warmup)
    easier = Size(sizes.easier, plain.context, sizes.easier_steps, plain.batch_size, width, changes=own)
    return [
        planned(scale, replace(plain, start=easier) if name == GROWN else plain, seed, means)
        for seed in range(seeds)
        for name, means in _means(scale, plain).items()
    ]


def _means(scale: Scale, size: Size) -> dict[str, tuple[str, ...]]:
    """What is done, and the changes of the configuration that do it."""
    phase = {"modulus": 2 ** SIZES[scale].easier, "share": 0.5, "decay": "linear", "steps": size.steps // 2}
    adamw = ("optimizer.name=adamw", f"steps={MORE_STEPS * size.steps}")
    return {
        PLAIN: (),
        MIXED: ("data.full_period_share=0.5",),
        CURRICULUM: (f"data.curriculum={json.dumps([phase])}",),
        GROWN: (),
        ROTARY: ("model.positions=rotary",),
        DEEPER: ("model.depth=4",),
        **{ADAMW.format(rate): (*adamw, f"optimizer.lr={rate}") for rate in RATES[scale]},
    }


def _name(run: Run) -> str:
    """Which means a run is, by its configuration."""
    config = run.config
    signs = {
        ADAMW.format(config.optimizer.lr): config.optimizer.name == "adamw",
        MIXED: lcg_task(config.data).full_period_share < 1,
        CURRICULUM: bool(lcg_task(config.data).curriculum),
        GROWN: config.start is not None,
        ROTARY: config.model.positions == "rotary",
        DEEPER: config.model.depth == 4,
    }
    return next((name for name, there in signs.items() if there), PLAIN)


def measure(runs: list[Run], scale: Scale) -> RowTables:
    tables: RowTables = {"curves": [], "runs": []}
    for run in runs:
        before = sum(each.config.flops for each in run.ancestors())
        name = _name(run)
        which = {"run": run.id, "means": name, "seed": run.config.seed}
        a_step = run.config.flops / run.config.steps
        curve = [
            {**which, "step": row["step"], "flops": before + row["step"] * a_step, "last": row["last_number_accuracy"]}
            for row in run.folder.read_metrics()
        ]
        there = next((row for row in curve if row["last"] >= THERE), None)
        (modulus,) = lcg_task(run.config.data).moduli
        needed = elements_needed(tested(run, run.split(), modulus, SEQUENCES[scale]), THERE).needed
        tables["curves"] += curve
        tables["runs"].append(
            {
                **which,
                "track": NEUTRAL if name == PLAIN or run.config.optimizer.name == "adamw" else OPEN,
                "flops": (there or curve[-1])["flops"],
                "steps": (there or curve[-1])["step"],
                "censored": there is None,
                "final": curve[-1]["last"],
                "elements": needed,
            }
        )
    tables["means"] = _summary(tables["runs"])
    return tables


def _summary(rows: Rows) -> Rows:
    """For each means: compute and numbers for 90 % over the plain run's with the same seed.

    With Student's interval where no run was censored, else as a bound (``≥`` or ``≤``) without one.
    """
    summary = []
    for name in dict.fromkeys(row["means"] for row in rows):
        own = [row for row in rows if row["means"] == name]
        summary.append(
            {
                "means": name,
                "track": own[0]["track"],
                "seeds": len(own),
                "censored": sum(row["censored"] for row in own),
                "flops": float(np.mean([row["flops"] for row in own])),
                **_columns("compute_ratio", ratio(rows, name, PLAIN, "flops")),
                **_columns("elements_ratio", ratio(rows, name, PLAIN, "elements")),
            }
        )
    return summary


def _columns(name: str, found: Finding) -> dict[str, float | str | None]:
    """A finding as columns of a table."""
    if isinstance(found, Bound):
        sign, value, low, high = ("≥" if found.at_least else "≤"), found.value, None, None
    elif isinstance(found, Unknown):
        sign, value, low, high = "", None, None, None
    else:
        assert not isinstance(found, Estimate), "ratios are one value for each seed"
        mean = over_units(found)
        sign, value, low, high = "", mean.value, mean.low, mean.high
    return {name: value, f"{name}_bound": sign, f"{name}_low": low, f"{name}_high": high}


def ratio(rows: Rows, slow: str, fast: str, key: str = "flops") -> Finding:
    """What one means takes over what another takes, by seed; a bound where runs of one of them never got there.

    Compute of a censored run is what it took in vain. Numbers needed that are None have no bound.
    """
    found = {name: {row["seed"]: row for row in rows if row["means"] == name} for name in (slow, fast)}
    seeds = sorted(set(found[slow]) & set(found[fast]))
    pairs = [(found[slow][seed], found[fast][seed]) for seed in seeds]
    if not pairs or any(not each[key] for pair in pairs for each in pair):
        return Unknown("a run never got to 90 %")
    ratios = [first[key] / second[key] for first, second in pairs]
    late, early = (sum(pair[side]["censored"] for pair in pairs) if key == "flops" else 0 for side in (0, 1))
    if late and early:
        return Unknown(f"{late} runs ({slow}) and {early} runs ({fast}) never got there")
    if late or early:
        name, times = (slow, late) if late else (fast, early)
        return Bound(ratios, at_least=bool(late), why=f"{times} of {len(pairs)} runs never got there ({name})")
    return ratios


def best_adamw(rows: Rows) -> str:
    """The rate with the highest final accuracy on average. That what is reported chooses it is in AdamW's favour."""
    names = [name for name in dict.fromkeys(row["means"] for row in rows) if name.startswith("AdamW")]
    return max(names, key=lambda name: float(np.mean([row["final"] for row in rows if row["means"] == name])))


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    rows = tables["runs"]
    plain = [row["final"] for row in rows if row["means"] == PLAIN]
    return Evidence(
        {
            "muon": ratio(rows, best_adamw(rows), PLAIN),
            "curriculum": ratio(rows, PLAIN, CURRICULUM),
            "grown": ratio(rows, PLAIN, GROWN),
            "full-period": ratio(rows, MIXED, PLAIN),
            "abacus": ratio(rows, ROTARY, PLAIN),
            "deeper": ratio(rows, PLAIN, DEEPER, "elements"),
        },
        {THERE_WITH_PLAIN.key: float(np.mean(plain)) if plain else None},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Accuracy by compute, the optimisers beside the rest; one line for each seed."""
    names = list(dict.fromkeys(row["means"] for row in tables["runs"]))
    adamw = [name for name in names if name.startswith("AdamW")]
    groups = {
        "neutral: the optimiser alone": [PLAIN, *adamw],
        "open": [name for name in names if name not in adamw],
    }
    panels = []
    for title, chosen in groups.items():
        lines = []
        for kind, name in enumerate(chosen):
            own = [row for row in tables["curves"] if row["means"] == name]
            for seed in sorted({row["seed"] for row in own}):
                curve = [row for row in own if row["seed"] == seed]
                lines.append(Line([row["flops"] / 1e12 for row in curve], [row["last"] for row in curve], name, kind))
        panels.append(LinePanel(title, "training compute (TFLOP)", "last number right", lines, beside=True))
    save_panels(panels, folder / "fm-what-helps")


EXPERIMENT = Experiment(
    name="fm-what-helps",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
