"""What did the benchmark of audits measure? Writes its tables into docs/audit-findings.md, from results/audit.

unrandom bench audit --out results/audit/audits.json
unrandom bench false-positives --out results/audit/false_positives.json
unrandom bench false-positives --short --out results/audit/false_positives_short.json
python docs/tabulate_audits.py
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "audit-findings.md"
RESULTS = ROOT / "results" / "audit"


RUNS = (
    ("50 to 2,500 numbers", "held back", "_before"),
    ("50 to 2,500 numbers", "counted", ""),
    ("3 to 30 numbers", "held back", "_short_before"),
    ("3 to 30 numbers", "counted", "_short"),
)
"""Kinds of streams, rules of proof, and the names of the files of results."""


def row(*cells: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def both(values: list[float] | None, unit: str = "") -> str:
    """The median and the worst, or one number if they are the same."""
    if values is None:
        return "–"
    median, worst = (f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}" for value in values)
    return f"{median}{unit}" if median == worst else f"{median} to {worst}{unit}"


def audits(results: dict[str, Any]) -> list[str]:
    """A row per program and form."""
    lines = [
        row("program", "form", "family", "outputs needed", "held back", "few", "seconds", "MB", "predicted"),
        row(*["---"] * 9),
    ]
    for one in results["audits"].values():
        families = ", ".join(f"`{name}`" for name in one["families"]) or "–"
        share = f"{one['predicted'] - one['wrong']} of {one['runs']}"
        outputs = both(one["needed"]), both(one["with_proof"]), few(one.get("few"))
        lines.append(
            row(one["program"], one["form"], families, *outputs, both(one["seconds"]), one["memory_mb"], share)
        )
    return lines


def few(counts: dict[str, list[float]] | None) -> str:
    """The fewest outputs for a candidate, then for a proof."""
    return "–" if counts is None else f"{both(counts['candidate'])}; {both(counts['proof'])}"


def peers(results: dict[str, Any]) -> list[str]:
    """A row per program that predicts the same streams."""
    lines = [row("program", "stream", "outputs", "its seconds", "an audit's", "right"), row(*["---"] * 6)]
    for name, one in results["peers"].items():
        if one["installed"]:
            right = f"{one['right']} of {one['runs']}"
            lines.append(row(name, one["form"], one["outputs"], one["seconds"], one["audit_seconds"], right))
        else:
            lines.append(row(name, one["form"], one["outputs"], "not installed", "", ""))
    return lines


def false_positives() -> list[str]:
    """A row per kind of streams and rule of proof."""
    names = ("predictable", "predictable up to a break", "too few", "not finished", "not predicted")
    lines = [
        row("streams", "proof", "audits", *names, "candidates", "most bits"),
        row(*["---"] * (5 + len(names))),
    ]
    for kind, rule, file in RUNS:
        measured = json.loads((RESULTS / f"false_positives{file}.json").read_text())
        forms = [form for source in measured["verdicts"].values() for form in source.values()]
        counts = [sum(form.get(name, 0) for form in forms) for name in names]
        found = list(measured.get("candidates", {}).values())
        listed = f"{sum(one['streams'] for one in found):,}" if found else "–"
        most = f"{max(one['most_bits'] for one in found):.1f}" if found else "–"
        lines.append(row(kind, rule, *(f"{count:,}" for count in (sum(counts), *counts)), listed, most))
    return lines


def page() -> str:
    """The page with its tables as measured."""
    text = PAGE.read_text()
    measured = json.loads((RESULTS / "audits.json").read_text())
    tables = {
        "audits": audits(measured),
        "peers": peers(measured),
        "false positives": false_positives(),
    }
    for name, lines in tables.items():
        block = re.compile(rf"(<!-- {name}: [^>]*-->\n).*?(<!-- end -->)", re.DOTALL)
        if not block.search(text):
            raise ValueError(f"{PAGE.name} has no place for the table of {name}")
        table = "\n".join(lines)
        text = block.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text)
    return text


if __name__ == "__main__":
    PAGE.write_text(page())
    print(PAGE.relative_to(ROOT))
