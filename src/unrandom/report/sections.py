"""Which questions does the page answer? A section for each, with its figures, or with what is missing for it."""

from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from unrandom import figures
from unrandom.report.words import intervals

Tree = dict[str, Any]
PLANES = ((0, 1), (1, 2), (3, 4))  # components: parity, then the circles mod 4 and mod 8 that the paper finds


@dataclass(frozen=True)
class Panel:
    """One figure: a title that says what is shown, and a sentence that helps to read it."""

    title: str
    reading: str
    figure: go.Figure
    wide: bool = False


@dataclass(frozen=True)
class Section:
    """One question of the page. Panels of a group share their controls and sit side by side where there is room."""

    key: str
    heading: str
    reading: str = ""
    groups: list[list[Panel]] = field(default_factory=list)
    missing: str = ""


def build_sections(measurements: Tree) -> list[Section]:
    """All sections, in the order of the page."""
    parts = (_training, _ladder, _digits, _groups, _attention, _embedding)
    return [build(measurements) for build in parts]


def _training(measurements: Tree) -> Section:
    section = Section("training", "Training")
    metrics = measurements.get("metrics")
    if not metrics:
        return _without(section, "no evaluations were logged during training")
    loss = Panel(
        "Loss by training step",
        "The mean surprise at the next token. Test sequences have full period; training draws easier short periods "
        "too, so a gap between the lines is not by itself memorisation.",
        figures.loss_figure(metrics),
    )
    accuracy = Panel(
        "Accuracy by training step",
        "Test sequences have parameters that training never used. Sequences with short periods repeat "
        "within the context, so they can be copied before anything is computed.",
        figures.accuracy_figure(metrics),
    )
    return Section(section.key, section.heading, "", [[loss, accuracy]])


def _ladder(measurements: Tree) -> Section:
    section = Section("ladder", "How many numbers it must see")
    evaluation = measurements.get("evaluation")
    if not evaluation:
        return _without(section, "the run was not evaluated on test sequences")
    task, ceilings = measurements["run"]["task"], measurements.get("ceilings") or []
    panel = Panel(
        "Accuracy of the next number, by how many numbers were seen",
        "Each point is the share of test sequences whose next number is named exactly; the band is its 95% "
        f"interval ({intervals(evaluation)}). "
        + (
            _ceiling_words(ceilings, task["baselines"])
            if ceilings
            else "The grey line is what is enough in principle. "
        )
        + task["enough_words"],
        figures.ladder_figure(evaluation, enough=task["enough"], ceilings=ceilings),
    )
    reading = (
        "A model that has found the digits of the numbers climbs in steps: once pᵏ numbers are seen it can look "
        "back pᵏ places, to where the lowest k digits were the same."
    )
    return Section(section.key, section.heading, reading, [[panel]])


def _ceiling_words(ceilings: list[Tree], baselines: Tree) -> str:
    """What the lines beside the model's are."""
    explained = "; ".join(f"{row['predictor']} {baselines[row['predictor']]}" for row in ceilings[0]["predictors"])
    return f"Lines with marks are other predictors on the same kind of sequences: {explained}. "


def _digits(measurements: Tree) -> Section:
    section = Section("digits", "Which digits it knows, and from when")
    entries = [entry for entry in measurements.get("evaluation") or [] if entry["by_digit"]["digits"]]
    if not entries:
        return _without(section, "accuracy was not measured digit by digit")
    reading = (
        "Each row is one digit of the next number, written in the primes of the modulus. In a full-period sequence "
        "the digit of weight pʷ repeats after pʷ⁺¹ numbers."
    )
    note = (
        "Colour runs from chance (dark) to always right (bright). Right of the white line the digit was seen one "
        "period earlier and can be copied; anything better than chance to its left was not copied."
    )
    panels = [
        Panel(f"Accuracy of each digit, {entry['symbol']}", note, figures.digit_figure(entry), wide=True)
        for entry in entries
    ]
    return Section(section.key, section.heading, reading, [panels])


def _groups(measurements: Tree) -> Section:
    section = Section("groups", "Which sequences are harder")
    evaluation = measurements.get("evaluation") or []
    tests: dict[str, list[Tree]] = {}  # what else was tested, by what it is
    for entry in evaluation:
        for test in entry["further"]:
            tests.setdefault(test["about"], []).append({**test, "symbol": entry["symbol"]})
    held_out = [entry for entry in evaluation if entry["by_group"]]
    panels = [_group_panel(f"held-out sequences, {held_out[0]['about']}", held_out)] if held_out else []
    panels += [
        _group_panel(about, own) for about, entries in tests.items() if (own := [e for e in entries if e["by_group"]])
    ]
    alone = " ".join(
        f"With {about}, {entry['last_number_accuracy']['value']:.1%} of the last numbers are right ({entry['symbol']})."
        for about, entries in tests.items()
        for entry in entries
        if not entry["by_group"]
    )
    if not panels and not alone:
        return _without(section, "the test's sequences were not told apart")
    return Section(section.key, section.heading, alone, [[panel] for panel in panels])


def _group_panel(about: str, entries: list[Tree]) -> Panel:
    groupings = [grouping for entry in entries for grouping in entry["by_group"]]
    said = "; ".join(dict.fromkeys(f"{grouping['label']} is {grouping['about']}" for grouping in groupings))
    intervals = "Bars are 95% intervals; a group with a single value of what sequences share has none."
    return Panel(f"Accuracy of the last number: {about}", f"{said}. {intervals}", figures.group_figure(entries))


def _attention(measurements: Tree) -> Section:
    section = Section("attention", "Where it looks")
    heads = measurements.get("attention")
    if not heads:
        return _without(section, "no attention pattern was recorded")
    sequence = measurements.get("attention_sequence")
    where = f" Sequence: {sequence}." if sequence else ""
    base, width = figures.common_base(measurements.get("evaluation") or []), measurements["run"]["task"]["width"]
    shown = figures.tokens_shown(heads)
    cut = f" The first {shown} tokens are shown." if shown < len(heads[0]["pattern"]) else ""
    pattern = Panel(
        "Attention pattern on one sequence",
        "Each row is a guess being made, and its colours are how much it reads from each earlier token. A line "
        f"parallel to the diagonal is a fixed look-back. Colour follows the square root of the weight.{cut}{where}",
        figures.attention_figure(heads),
    )
    distance = Panel(
        "Mean attention weight by how far back",
        f"Averaged over many sequences. Peaks on the diamonds mean that the head looks back by powers of {base}, "
        "where low digits repeat.",
        figures.distance_figure(heads, base=base, tokens_per_number=width),
    )
    return Section(section.key, section.heading, "", [[pattern, distance]])


def _embedding(measurements: Tree) -> Section:
    section = Section("embedding", "How it represents numbers")
    table = measurements.get("embedding")
    if not table or not table.get("values") or not table.get("explained"):
        return _without(section, "the embedding was not analysed")
    thing = "number" if table["labels"] == "numbers" else "digit token"
    known = len(table["explained"])
    planes = [pair for pair in PLANES if max(pair) < known] or [(0, known - 1)]
    scatters = [
        Panel(
            f"Components {x + 1} and {y + 1}",
            "",
            figures.embedding_figure(table, (x, y)),
        )
        for x, y in planes
    ]
    reading = (
        f"Each point is a {thing}, placed by the principal components of its embedding and coloured by its residue. "
        "Where colours separate, those components hold the residue, and so the lowest digits."
    )
    groups = [scatters]
    if table.get("residue_variance"):
        measured = Panel(
            "Variance of each component explained by residues",
            "1 means that the residue alone gives the coordinate.",
            figures.variance_figure(table),
        )
        control = Panel(
            "The same with shuffled labels",
            "What chance alone gives: many classes explain much of anything. Believe only the difference.",
            figures.variance_figure(table, shuffled=True),
        )
        groups.append([measured, control])
    return Section(section.key, section.heading, reading, groups)


def _without(section: Section, why: str) -> Section:
    return Section(section.key, section.heading, missing=f"Left out: {why}.")
