"""What did this run learn, and how? One HTML file that answers, from measurements alone: no model, no network."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from plotly.offline import get_plotlyjs

from unrandom import figures
from unrandom.core.arithmetic import digits_needed
from unrandom.core.files import write_atomically

Tree = dict[str, Any]
LEVELS = (0.5, 0.9, 0.99)
PREDICTORS = {
    "copy": "copy repeats what followed the current number before",
    "lookback": "lookback is the paper's algorithm by hand, copying and extrapolating from p^k numbers before",
    "algebraic": "algebraic solves for the parameters",
    "bayes": "bayes is the exact posterior under the training prior: the ceiling",
}
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


def write_page(measurements: Tree, path: Path) -> Path:
    """Render the page and write it atomically; the folder must exist."""
    write_atomically(path, render_page(measurements))
    return path


def render_page(measurements: Tree) -> str:
    """The whole page as one string of HTML; everything that came from the run is escaped."""
    sections = [build(measurements) for build in (_training, _ladder, _digits, _periods, _attention, _embedding)]
    drawn = [panel.figure for section in sections for group in section.groups for panel in group]
    return _template().render(
        run=measurements["run"],
        answer=_answer(measurements),
        sections=sections,
        samples=[_sample(sample) for sample in measurements.get("samples") or []],
        configuration=list(_leaves(measurements["run"].get("config") or {})),
        figures=[_plain(figure) for figure in drawn],
        themes=figures.TEMPLATES,
        plotlyjs=get_plotlyjs(),
    )


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
    unseen, ceilings = _unseen_modulus(measurements), measurements.get("ceilings") or []
    panel = Panel(
        "Accuracy of the next number, by how many numbers were seen",
        "Each point is the share of test sequences whose next number is named exactly; the band is a 95% "
        "binomial interval. "
        + (_ceiling_words(ceilings) if ceilings else "The grey line is what is enough in principle. ")
        + (
            "With an unknown modulus, about six numbers are enough in principle, and three with a known one."
            if unseen
            else "Three numbers determine every later one when the modulus is known."
        ),
        figures.ladder_figure(evaluation, unseen_modulus=unseen, ceilings=ceilings),
    )
    reading = (
        "A model that has found the digits of the numbers climbs in steps: once pᵏ numbers are seen it can look "
        "back pᵏ places, to where the lowest k digits were the same."
    )
    return Section(section.key, section.heading, reading, [[panel]])


def _ceiling_words(ceilings: list[Tree]) -> str:
    """What the dotted lines are."""
    known = [row["predictor"] for row in ceilings[0]["predictors"]]
    explained = [words for name, words in PREDICTORS.items() if name in known]
    return f"Dotted, on the same kind of sequences: {'; '.join(explained)}. "


def _digits(measurements: Tree) -> Section:
    section = Section("digits", "Which digits it knows, and from when")
    entries = [entry for entry in measurements.get("evaluation") or [] if entry.get("by_digit")]
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
        Panel(f"Accuracy of each digit, m = {entry['modulus']}", note, figures.digit_figure(entry), wide=True)
        for entry in entries
    ]
    return Section(section.key, section.heading, reading, [panels])


def _periods(measurements: Tree) -> Section:
    section = Section("periods", "Short and long periods")
    entries = [entry for entry in measurements.get("evaluation") or [] if entry.get("by_period")]
    if not entries:
        return _without(section, "accuracy was not measured by period")
    panel = Panel(
        "Accuracy of the last number, by the period of the sequence",
        "A sequence that repeats within the context needs only copying; one of full period m repeats after m "
        "numbers. Bars are 95% binomial intervals; here a and c are arbitrary, so training may have used them.",
        figures.period_figure(entries),
    )
    return Section(section.key, section.heading, "", [[panel]])


def _attention(measurements: Tree) -> Section:
    section = Section("attention", "Where it looks")
    heads = measurements.get("attention")
    if not heads:
        return _without(section, "no attention pattern was recorded")
    sequence = measurements.get("attention_sequence") or {}
    where = f" Sequence: {_parameters(sequence)}." if sequence else ""
    evaluation = measurements.get("evaluation") or [{"modulus": sequence.get("modulus", 2)}]
    base, width = figures.common_base(evaluation), _tokens_per_number(measurements)
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


def _parameters(sequence: Tree) -> str:
    """``m = 256, a = 5, c = 31, x₀ = 1``, broken over lines only between the parameters."""
    symbols = (("modulus", "m"), ("a", "a"), ("c", "c"), ("x0", "x₀"))
    return ", ".join(f"{symbol}\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{sequence[key]}" for key, symbol in symbols)


def _without(section: Section, why: str) -> Section:
    return Section(section.key, section.heading, missing=f"Left out: {why}.")


def _unseen_modulus(measurements: Tree) -> bool:
    return measurements["run"].get("config_regime") == "um"


def _tokens_per_number(measurements: Tree) -> int:
    """Tokens are digits in base len(embedding), or whole numbers."""
    table, evaluation = measurements.get("embedding") or {}, measurements.get("evaluation")
    if table.get("labels") != "digits" or not evaluation:
        return 1
    return digits_needed(max(entry["modulus"] for entry in evaluation) - 1, len(table["values"]))


def _answer(measurements: Tree) -> Tree:
    """The head of the page: what was reached, after how many numbers, and under which conditions."""
    run, evaluation = measurements["run"], measurements.get("evaluation") or []
    shares = sorted(entry["last_number_accuracy"]["value"] for entry in evaluation)
    reached = dict.fromkeys(map(percent, shares[:1] + shares[-1:]))
    unseen = _unseen_modulus(measurements)
    fixed = f"mod {evaluation[0]['modulus']:,}" if evaluation and not unseen else "mod m, with many moduli m"
    return {
        "reached": " to ".join(reached),
        "seen": max((entry["by_position"]["seen"][-1] for entry in evaluation), default=0),
        "rows": [_answer_row(entry) for entry in evaluation],
        "generator": fixed,
        "unseen": "modulus m, multiplier a and increment c" if unseen else "multiplier a and increment c",
        "sequences": f"{sum(entry['sequences'] for entry in evaluation):,}",
        "data": {
            "streaming": "fresh sequences at every step",
            "fixed": "a fixed set of sequences, repeated",
        }.get(run.get("data_mode", ""), str(run.get("data_mode", ""))),
        "time": duration(run.get("train_seconds")),
    }


def _answer_row(entry: Tree) -> Tree:
    last = entry["last_number_accuracy"]
    return {
        "modulus": entry["modulus"],
        "accuracy": percent(last["value"]),
        "interval": f"{percent(last['low'])} to {percent(last['high'])}",
        "counts": f"{last['correct']:,} of {last['total']:,} sequences",
        "after": [(f"{level:.0%}", figures.first_stays_above(entry["by_position"], level)) for level in LEVELS],
    }


def _sample(sample: Tree) -> Tree:
    """One sequence: a strip of right and wrong, and every number with what was guessed."""
    truth, guesses = sample["numbers"][1:], sample["predicted"]
    right = [guess == number for guess, number in zip(guesses, truth, strict=True)]
    run_of_right = next((i for i, good in enumerate(reversed(right)) if not good), len(right))
    cells = [
        {
            "number": number,
            "right": number == guess,
            "title": f"after {seen}: guessed {guess}, true {number} (probability of the truth {chance:.2g})",
        }
        for seen, (number, guess, chance) in enumerate(zip(truth, guesses, sample["probability"], strict=True), 1)
    ]
    return {
        "parameters": _parameters(sample),
        "period": sample["period"],
        "given": sample["numbers"][0],
        "cells": cells,
        "right": sum(right),
        "total": len(right),
        "all_right_from": len(right) - run_of_right + 1 if run_of_right else None,
        "width": max(len(str(number)) for number in sample["numbers"]),
        "strip_right": _bars(right, True, 0, 10),
        "strip_wrong": _bars(right, False, 6, 4),
    }


def _bars(right: Sequence[bool], wanted: bool, top: int, height: int) -> str:
    """An SVG path with a bar for each guess that is as wanted."""
    return "".join(f"M{i} {top}h1v{height}h-1z" for i, good in enumerate(right) if good == wanted)


def percent(share: float) -> str:
    """One decimal; never rounded to 0% or 100% unless it is exactly that."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share:.1%}" if 0 < share < 1 else f"{share:.0%}"


def duration(seconds: float | None) -> str:
    """In the largest unit that leaves a number above 2."""
    if seconds is None:
        return "unknown time"
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def _leaves(tree: Tree, prefix: str = "") -> Iterator[tuple[str, str]]:
    """A nested configuration as dotted keys and JSON values."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value)


def _plain(figure: go.Figure) -> Tree:
    """A figure as small JSON: numbers to four digits, and no template, for the page holds one of each theme."""
    tree = json.loads(figure.to_json(), parse_float=_short)
    del tree["layout"]["template"]
    return tree


def _short(number: str) -> float | int:
    value = float(number)
    short = round(value, 4) if abs(value) >= 1 else float(f"{value:.4g}")
    return int(short) if short.is_integer() else short


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("unrandom.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("template.html.j2")
