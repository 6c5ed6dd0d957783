"""Which questions does the page answer? A section for each, with its figures, or with what is missing for it."""

from dataclasses import dataclass, field

from unrandom.core.files import JsonObject
from unrandom.figures.attention import attention_figure, distance_figure, tokens_shown
from unrandom.figures.description import Figure, MapPanel
from unrandom.figures.digits import digit_figure
from unrandom.figures.embedding import embedding_figure, variance_figure
from unrandom.figures.groups import group_figure
from unrandom.figures.staircase import common_base, staircase_figure
from unrandom.figures.training import accuracy_figure, loss_figure
from unrandom.report.text import intervals

PLANES = ((0, 1), (1, 2), (3, 4))  # components: parity, then the circles mod 4 and mod 8 that the paper finds


@dataclass(frozen=True)
class Panel:
    """One figure: a title that says what is shown, and a sentence that helps to read it."""

    title: str
    reading: str
    figure: Figure
    wide: bool = False


@dataclass(frozen=True)
class Section:
    """One question of the page. Panels of a group share their controls and sit side by side where there is room."""

    key: str
    heading: str
    reading: str = ""
    groups: list[list[Panel]] = field(default_factory=list)
    missing: str = ""


def build_sections(measurements: JsonObject) -> list[Section]:
    """All sections, in the order of the page."""
    parts = (_training, _staircase, _digits, _groups, _attention, _embedding)
    return [build(measurements) for build in parts]


def _training(measurements: JsonObject) -> Section:
    key, heading, metrics = "training", "Training", measurements["metrics"]
    if not metrics:
        return Section(key, heading, missing="Left out: no evaluations were logged during training.")
    gap = copied = ""
    if any("train_short_period_accuracy" in row for row in metrics):
        gap = (
            " Test sequences have full period; training draws easier short periods too, so a gap between the lines is "
            "not by itself memorisation."
        )
        copied = " Short periods repeat within the context, so they can be copied before anything is computed."
    loss = Panel("Loss by training step", f"The mean surprise at the next token.{gap}", loss_figure(metrics))
    accuracy = Panel(
        "Accuracy by training step",
        f"Test sequences have parameters that training never used.{copied}",
        accuracy_figure(metrics),
    )
    return Section(key, heading, "", [[loss, accuracy]])


def _staircase(measurements: JsonObject) -> Section:
    evaluation, ceilings, task = measurements["evaluation"], measurements["ceilings"], measurements["run"]["task"]
    beside = "The grey line is what is enough in principle."
    if ceilings:
        names = [row["predictor"] for row in ceilings[0]["predictors"]]
        explained = "; ".join(f"{name} {task['baselines'][name]}" for name in names)
        beside = f"Lines with marks are other predictors on the same kind of sequences: {explained}."
    panel = Panel(
        "Accuracy of the next number, by how many numbers were seen",
        "Each point is the share of test sequences whose next number is named exactly; the band is its 95% "
        f"interval ({intervals(evaluation)}). {beside} {task['enough_text']}",
        staircase_figure(evaluation, enough=task["enough"], ceilings=ceilings),
    )
    reading = ""
    if _digits_repeat(evaluation):
        reading = (
            "A model that has found the digits of the numbers climbs in steps: once the period of a digit was seen, it "
            "can look back by that many places, to where the digit was the same."
        )
    return Section("staircase", "How many numbers it must see", reading, [[panel]])


def _digits(measurements: JsonObject) -> Section:
    key, heading = "digits", "Which digits it knows, and from when"
    entries = [entry for entry in measurements["evaluation"] if entry["by_digit"]["digits"]]
    if not entries:
        return Section(key, heading, missing="Left out: accuracy was not measured digit by digit.")
    reading = "Each row is one digit of the next number, written in the primes of the modulus."
    return Section(key, heading, reading, [[_digit_panel(entry) for entry in entries]])


def _digit_panel(entry: JsonObject) -> Panel:
    drawn = digit_figure(entry)
    note = "Colour runs from chance (dark) to always right (bright)."
    if isinstance(drawn.first, MapPanel) and drawn.first.stairs:
        note += (
            " Along a sequence digits repeat, lower ones sooner. Right of the white line the digit was seen one period "
            "earlier and can be copied; anything better than chance to its left was not copied."
        )
    return Panel(f"Accuracy of each digit, {entry['symbol']}", note, drawn, wide=True)


def _digits_repeat(evaluation: list[JsonObject]) -> bool:
    """Whether any digit has a period that is known."""
    return any(period is not None for entry in evaluation for period in entry["by_digit"]["period"])


def _groups(measurements: JsonObject) -> Section:
    key, heading, evaluation = "groups", "Which sequences are harder", measurements["evaluation"]
    further: dict[str, list[JsonObject]] = {}  # what else was tested, by what it is
    for entry in evaluation:
        for test in entry["further"]:
            further.setdefault(test["about"], []).append({**test, "symbol": entry["symbol"]})
    tested = {f"held-out sequences, {evaluation[0]['about']}": evaluation, **further}
    told_apart = {about: [entry for entry in entries if entry["by_group"]] for about, entries in tested.items()}
    panels = [_group_panel(about, entries) for about, entries in told_apart.items() if entries]
    alone = " ".join(
        f"With {about}, {entry['last_number_accuracy']['value']:.1%} of the last numbers are right ({entry['symbol']})."
        for about, entries in further.items()
        for entry in entries
        if not entry["by_group"]
    )
    if not panels and not alone:
        return Section(key, heading, missing="Left out: the test's sequences were not told apart.")
    return Section(key, heading, alone, [[panel] for panel in panels])


def _group_panel(about: str, entries: list[JsonObject]) -> Panel:
    groupings = [grouping for entry in entries for grouping in entry["by_group"]]
    said = "; ".join(dict.fromkeys(f"{grouping['label']} is {grouping['about']}" for grouping in groupings))
    bars = "Bars are 95% intervals; a group with a single value of what sequences share has none."
    return Panel(f"Accuracy of the last number: {about}", f"{said}. {bars}", group_figure(entries))


def _attention(measurements: JsonObject) -> Section:
    key, heading, heads = "attention", "Where it looks", measurements["attention"]
    if not heads:
        return Section(key, heading, missing="Left out: this model has no attention patterns.")
    base = common_base(measurements["evaluation"])
    shown = tokens_shown(heads)
    cut = f" The first {shown} tokens are shown." if shown < len(heads[0]["pattern"]) else ""
    pattern = Panel(
        "Attention pattern on one sequence",
        "Each row is a guess being made, and its colours are how much it reads from each earlier token. A line "
        "parallel to the diagonal is a fixed look-back. Colour follows the square root of the weight."
        f"{cut} Sequence: {measurements['attention_sequence']}.",
        attention_figure(heads, shown),
    )
    distance = Panel(
        "Mean attention weight by how far back",
        f"Averaged over many sequences. Peaks on the diamonds mean that the head looks back by powers of {base}"
        f"{', where digits repeat' if _digits_repeat(measurements['evaluation']) else ''}.",
        distance_figure(heads, base=base, tokens_per_number=measurements["run"]["task"]["width"]),
    )
    return Section(key, heading, "", [[pattern, distance]])


def _embedding(measurements: JsonObject) -> Section:
    key, heading, table = "embedding", "How it represents numbers", measurements["embedding"]
    known = len(table["explained"])
    if known < 2:
        return Section(key, heading, missing="Left out: an embedding of one component has no plane to show it in.")
    thing = "number" if table["labels"] == "numbers" else "digit token"
    planes = [
        Panel(f"Components {x + 1} and {y + 1}", "", embedding_figure(table, (x, y))) for x, y in PLANES if y < known
    ]
    measured = Panel(
        "Variance of each component explained by residues",
        "1 means that the residue alone gives the coordinate.",
        variance_figure(table),
    )
    control = Panel(
        "The same with shuffled labels",
        "What chance alone gives: many classes explain much of anything. Believe only the difference.",
        variance_figure(table, shuffled=True),
    )
    reading = (
        f"Each point is a {thing}, placed by the principal components of its embedding and coloured by its residue. "
        "Where colours separate, those components hold the residue, and so the lowest digits."
    )
    return Section(key, heading, reading, [planes, [measured, control]])
