"""What gets a model there with less? Each means by itself, on and off, at one modulus: beyond the paper.

The *neutral* track keeps architecture, data and batch, and changes the optimiser alone; the *open* one changes more.
Compute is that of training up to the first measurement with 90 % of last numbers right, and of the runs before whose
weights are taken over. A run that never gets there counts with all of its compute, and the tables say so.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unrandom.evaluation import elements_needed
from unrandom.evaluation.bootstrap import bootstrap_mean
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.runs import Run
from unrandom.experiments.scaling.elements import SEQUENCES, tested
from unrandom.experiments.scaling.runs import Size, planned, size_of
from unrandom.figures.panels import Line, LinePanel, save_panels

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
TUNED = "AdamW, tuned"
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

FIGURE = "beyond the paper"
CLAIMS = (
    Claim(
        "muon",
        "Muon needs less compute than AdamW with the best of its rates and twice the steps: AdamW's over Muon's.",
        FIGURE,
        1.5,
    ),
    Claim("curriculum", "Easier sequences in the mix save compute: without over with.", FIGURE, 1.1),
    Claim("grown", "So do the weights of a smaller modulus, with their own compute: without over with.", FIGURE, 1.1),
    Claim("full-period", "Full-period sequences alone cost less than half of them: half over all.", FIGURE, 1.1),
    Claim("abacus", "Abacus positions save compute against rotary ones: rotary over abacus.", FIGURE, 1.1),
    Claim("deeper", "Four layers need fewer numbers for 90 % than two: two's over four's.", FIGURE, 1.1),
)  # fmt: skip


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
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
        MIXED: config.data.full_period_share < 1,
        CURRICULUM: bool(config.data.curriculum),
        GROWN: config.start is not None,
        ROTARY: config.model.positions == "rotary",
        DEEPER: config.model.depth == 4,
    }
    return next((name for name, there in signs.items() if there), PLAIN)


def measure(runs: list[Run], scale: Scale) -> Tables:
    tables: Tables = {"curves": [], "runs": []}
    for run in runs:
        planned_run = PlannedRun(run.recipe, run.config)
        before = sum(PlannedRun(each.recipe, each.config).flops for each in run.ancestors())
        name = _name(run)
        which = {"run": run.id, "means": name, "seed": run.config.seed}
        a_step = planned_run.flops / run.config.steps
        curve = [
            {**which, "step": row["step"], "flops": before + row["step"] * a_step, "last": row["last_number_accuracy"]}
            for row in run.folder.read_metrics()
        ]
        there = next((row for row in curve if row["last"] >= THERE), None)
        (modulus,) = run.config.data.test_moduli
        needed = elements_needed(tested(run, run.split(), modulus, SEQUENCES[scale]), THERE).needed
        tables["curves"] += curve
        tables["runs"].append(
            {
                **which,
                "track": NEUTRAL if name == PLAIN or run.config.optimizer.name == "adamw" else OPEN,
                "flops": (there or curve[-1])["flops"],
                "steps": (there or curve[-1])["step"],
                "censored": there is None,
                "elements": needed,
            }
        )
    tables["means"] = _summary(tables["runs"])
    return tables


def _summary(rows: Rows) -> Rows:
    """A row a means: compute and numbers for 90 %, each over the plain run's of the same seed, with the interval."""
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
                **_interval("compute_ratio", list(_ratios(rows, name, PLAIN, "flops").values())),
                **_interval("elements_ratio", list(_ratios(rows, name, PLAIN, "elements").values())),
            }
        )
    return summary


def _interval(name: str, values: list[float]) -> dict[str, float | None]:
    if not values:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    low, high = bootstrap_mean(values)
    return {name: float(np.mean(values)), f"{name}_low": low, f"{name}_high": high}


def _ratios(rows: Rows, name: str, other: str, key: str) -> dict[int, float]:
    """By seed, what one means takes over what another takes; none where the other never gets there.

    Where only the first never does, its compute is what it took in vain, and the ratio is at least this.
    """
    found: dict[str, Mapping[int, Any]] = {
        each: {row["seed"]: row for row in rows if row["means"] == each} for each in (name, other)
    }
    shared = {
        seed: (row[key], found[other][seed][key])
        for seed, row in found[name].items()
        if seed in found[other] and not found[other][seed]["censored"]
    }
    return {seed: first / second for seed, (first, second) in shared.items() if first and second}


def best_adamw(rows: Rows) -> str:
    """The rate with the least compute on average. That it is chosen by what is reported is in AdamW's favour."""
    names = [name for name in dict.fromkeys(row["means"] for row in rows) if name.startswith("AdamW")]
    return min(names, key=lambda name: float(np.mean([row["flops"] for row in rows if row["means"] == name])))


def evidence(tables: Tables) -> Evidence:
    rows = tables["runs"]
    seeds = sorted({row["seed"] for row in rows})

    def ratios(slow: str, fast: str, key: str = "flops") -> list[float]:
        """A seed with which the one that is said to be fast never gets there speaks against the claim: 0."""
        found = _ratios(rows, slow, fast, key)
        return [found.get(seed, 0.0) for seed in seeds]

    return {
        "muon": ratios(best_adamw(rows), PLAIN),
        "curriculum": ratios(PLAIN, CURRICULUM),
        "grown": ratios(PLAIN, GROWN),
        "full-period": ratios(MIXED, PLAIN),
        "abacus": ratios(ROTARY, PLAIN),
        "deeper": ratios(PLAIN, DEEPER, "elements"),
    }


def draw(tables: Tables, folder: Path) -> None:
    """Accuracy by compute, the optimisers beside the rest; a line a seed."""
    best = best_adamw(tables["runs"])
    names = list(dict.fromkeys(row["means"] for row in tables["runs"]))
    groups = {
        "neutral: the optimiser alone": [PLAIN, best],
        "open": [name for name in names if not name.startswith("AdamW")],
    }
    panels = []
    for title, chosen in groups.items():
        lines = []
        for kind, name in enumerate(chosen):
            label = f"{TUNED} ({name.removeprefix('AdamW, ')})" if name == best else name
            own = [row for row in tables["curves"] if row["means"] == name]
            for seed in sorted({row["seed"] for row in own}):
                curve = [row for row in own if row["seed"] == seed]
                lines.append(Line([row["flops"] / 1e12 for row in curve], [row["last"] for row in curve], label, kind))
        panels.append(LinePanel(title, "training compute (TFLOP)", "last number right", lines, marks=()))
    save_panels(panels, folder / "fm-what-helps")


EXPERIMENT = Experiment(
    name="fm-what-helps",
    about="optimiser, curriculum, mix, positions and depth: compute and numbers for 90 %",
    figures=(FIGURE,),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
