"""The report of a run: one section per question, with its figures, or the reason why it is empty."""

from dataclasses import dataclass, field

from unrandom.core.arithmetic import factorize
from unrandom.core.files import JsonObject
from unrandom.figures.attention import attention_figure, attention_grid, distance_figure, tokens_shown
from unrandom.figures.description import Figure, MapPanel
from unrandom.figures.digits import digit_figure
from unrandom.figures.embedding import embedding_figure, variance_figure
from unrandom.figures.grids import Grid
from unrandom.figures.groups import group_figure
from unrandom.figures.staircase import common_base, staircase_figure
from unrandom.figures.training import accuracy_figure, loss_figure
from unrandom.report.headline import intervals

GRID_TOKENS = 64  # tokens of each head in the figure of all heads
PLANES = ((0, 1), (1, 2), (3, 4))  # pairs of components; in the paper they show parity, residues mod 4 and mod 8


@dataclass(frozen=True)
class Panel:
    """One figure with a title and a sentence that explains how to read it."""

    title: str
    reading: str
    figure: Figure | Grid
    wide: bool = False


@dataclass(frozen=True)
class Section:
    """One section of the page. Panels of a group share their controls and are placed side by side if they fit."""

    key: str
    heading: str
    reading: str = ""
    groups: list[list[Panel]] = field(default_factory=list)
    missing: str = ""  # why the section has no figures; empty if it has


def build_sections(measurements: JsonObject) -> list[Section]:
    return [build(measurements) for build in (_training, _staircase, _digits, _groups, _attention, _embedding)]


def _training(measurements: JsonObject) -> Section:
    key, heading, metrics = "training", "Training", measurements["metrics"]
    if not metrics:
        return Section(key, heading, missing="Left out: no evaluations were logged during training.")
    gap_note = copy_note = ""
    if any("train_short_period_accuracy" in row for row in metrics):
        gap_note = (
            " Test sequences have full period; training also includes short periods, which are easier, so a gap "
            "between the lines is not by itself a sign of memorisation."
        )
        copy_note = " Short periods repeat within the context, so a model can predict them by copying."
    loss = Panel("Loss by training step", f"Mean cross-entropy of the next token.{gap_note}", loss_figure(metrics))
    accuracy = Panel(
        "Accuracy by training step",
        f"Test sequences have parameters that training never used.{copy_note}",
        accuracy_figure(metrics),
    )
    return Section(key, heading, "", [[loss, accuracy]])


def _staircase(measurements: JsonObject) -> Section:
    evaluation, ceilings, task = measurements["evaluation"], measurements["ceilings"], measurements["run"]["task"]
    reference = "The grey line shows how many numbers are enough in principle."
    if ceilings:
        names = [row["predictor"] for row in ceilings[0]["predictors"]]
        explained = "; ".join(f"{name} {task['baselines'][name]}" for name in names)
        reference = f"Lines with markers are baselines on the same kind of sequences: {explained}."
    panel = Panel(
        "Accuracy of the next number, by how many numbers were seen",
        "Each point is the share of test sequences whose next number is predicted exactly; the band is its 95% "
        f"interval ({intervals(evaluation)}). {reference} {task['enough_text']}",
        staircase_figure(evaluation, enough=task["enough"], ceilings=ceilings),
    )
    reading = ""
    if _digits_repeat(evaluation):
        reading = (
            "The accuracy of a model that represents the digits of the numbers climbs in steps: once a full period "
            "of a digit was seen, the model can copy the digit from one period earlier."
        )
    return Section("staircase", "How many numbers the model must see", reading, [[panel]])


def _digits(measurements: JsonObject) -> Section:
    key, heading = "digits", "Which digits the model predicts, and after how many numbers"
    entries = [entry for entry in measurements["evaluation"] if entry["by_digit"]["digits"]]
    if not entries:
        return Section(key, heading, missing="Left out: accuracy was not measured digit by digit.")
    reading = "Each row is one digit of the next number, in base p for a prime p of the modulus."
    return Section(key, heading, reading, [[_digit_panel(entry) for entry in entries]])


def _digit_panel(entry: JsonObject) -> Panel:
    drawn = digit_figure(entry)
    note = "Chance is white, always correct is blue, and what is wrong more often than by chance is red."
    if isinstance(drawn.first, MapPanel) and drawn.first.stairs:
        note += (
            " Along a sequence digits repeat, lower ones sooner. Right of the line, the digit occurred one "
            "period earlier and can be copied; accuracy above chance to its left is not due to copying."
        )
    return Panel(f"Accuracy of each digit, {entry['symbol']}", note, drawn, wide=True)


def _digits_repeat(evaluation: list[JsonObject]) -> bool:
    """Whether the period of any digit is known."""
    return any(period is not None for entry in evaluation for period in entry["by_digit"]["period"])


def _groups(measurements: JsonObject) -> Section:
    key, heading, evaluation = "groups", "Which sequences are harder", measurements["evaluation"]
    further: dict[str, list[JsonObject]] = {}  # further tests by their description
    for entry in evaluation:
        for test in entry["further"]:
            further.setdefault(test["about"], []).append({**test, "symbol": entry["symbol"]})
    tested = {f"held-out sequences, {evaluation[0]['about']}": evaluation, **further}
    grouped = {about: [entry for entry in entries if entry["by_group"]] for about, entries in tested.items()}
    panels = [_group_panel(about, entries) for about, entries in grouped.items() if entries]
    ungrouped = " ".join(
        f"With {about}, {entry['last_number_accuracy']['value']:.1%} of the last numbers are right ({entry['symbol']})."
        for about, entries in further.items()
        for entry in entries
        if not entry["by_group"]
    )
    if not panels and not ungrouped:
        return Section(key, heading, missing="Left out: the test sequences have no labels to group them by.")
    return Section(key, heading, ungrouped, [[panel] for panel in panels])


def _group_panel(about: str, entries: list[JsonObject]) -> Panel:
    groupings = [grouping for entry in entries for grouping in entry["by_group"]]
    labels = "; ".join(dict.fromkeys(f"{grouping['label']} is {grouping['about']}" for grouping in groupings))
    bars = "Bars are 95% intervals; a group with only one independent unit has no interval."
    return Panel(f"Accuracy of the last number: {about}", f"{labels}. {bars}", group_figure(entries))


def _attention(measurements: JsonObject) -> Section:
    key, heading, heads = "attention", "Which earlier numbers it attends to", measurements["attention"]
    if not heads:
        return Section(key, heading, missing="Left out: this model has no attention patterns.")
    base = common_base(measurements["evaluation"])
    bases = {entry["basis"] for entry in measurements["evaluation"]}
    modulus = bases.pop() if len(bases) == 1 else None
    several = modulus is not None and len(factorize(modulus)) > 1
    marked = f"divisors of {modulus}" if several else f"powers of {base}"
    shown = tokens_shown(heads)
    cut_note = f" The first {shown} tokens are shown." if shown < len(heads[0]["pattern"]) else ""
    pattern = Panel(
        "Attention pattern on one sequence",
        "Each row is a query, the token from which the next one is predicted; colour is its attention weight on each "
        "earlier token, on a square-root scale. A line parallel to the diagonal is a fixed look-back."
        f"{cut_note} Sequence: {measurements['attention_sequence']}.",
        attention_figure(heads, shown),
    )
    distance = Panel(
        "Mean attention weight by look-back",
        f"Averaged over many sequences. Peaks at the diamonds mean that the head looks back by {marked}"
        f"{', where digits repeat' if _digits_repeat(measurements['evaluation']) else ''}.",
        distance_figure(
            heads,
            base=base,
            modulus=modulus if several else None,
            tokens_per_number=measurements["run"]["task"]["width"],
        ),
    )
    if len(heads) == 1:
        return Section(key, heading, "", [[pattern, distance]])
    small = min(shown, GRID_TOKENS)
    everything = Panel(
        "All heads on this sequence",
        f"The first {small} tokens, each head on its own scale; point at a cell to read its query, key and weight.",
        attention_grid(heads, small),
        wide=True,
    )
    return Section(key, heading, "", [[everything], [pattern, distance]])


def _embedding(measurements: JsonObject) -> Section:
    key, heading, table = "embedding", "How it represents numbers", measurements["embedding"]
    components = len(table["explained"])
    if components < 2:
        return Section(key, heading, missing="Left out: the embedding has fewer than two components to plot.")
    token = "number" if table["labels"] == "numbers" else "digit token"
    shown = [(x, y) for x, y in PLANES if y < components]
    planes = [Panel(f"Components {x + 1} and {y + 1}", "", embedding_figure(table, (x, y))) for x, y in shown]
    measured = Panel(
        "Variance of each component explained by residues",
        "1 means that the residue determines the coordinate.",
        variance_figure(table),
    )
    control = Panel(
        "The same with shuffled labels",
        "The share explained by chance, which grows with the number of classes. Only the difference is evidence.",
        variance_figure(table, shuffled=True),
    )
    reading = (
        f"Each point is a {token}, placed by the principal components of its embedding and coloured by its residue. "
        "Where colours separate, these components encode the residue, and so the lowest digits."
    )
    return Section(key, heading, reading, [planes, [measured, control]])
