"""What did the benchmark of audits measure? Writes its tables into docs/audit-findings.md, from results/audit.

unrandom bench audit --out results/audit/audits.json
unrandom bench false-positives --out results/audit/false_positives.json
python docs/tabulate_audits.py
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "audit-findings.md"
RESULTS = ROOT / "results" / "audit"


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
        row("program", "form", "family", "outputs needed", "with the proof", "seconds", "MB", "predicted"),
        row(*["---"] * 8),
    ]
    for one in results["audits"].values():
        families = ", ".join(f"`{name}`" for name in one["families"]) or "–"
        share = f"{one['predicted'] - one['wrong']} of {one['runs']}"
        needed, proved = both(one["needed"]), both(one["with_proof"])
        lines.append(
            row(one["program"], one["form"], families, needed, proved, both(one["seconds"]), one["memory_mb"], share)
        )
    return lines


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


def false_positives(results: dict[str, Any]) -> list[str]:
    """A row per source of unpredictable numbers."""
    verdicts = ("predictable", "predictable up to a break", "too few", "not predicted")
    lines = [row("source", "audits", *verdicts), row(*["---"] * (2 + len(verdicts)))]
    for source, forms in results["verdicts"].items():
        counts = [sum(form.get(verdict, 0) for form in forms.values()) for verdict in verdicts]
        lines.append(row(source, *(f"{count:,}" for count in (sum(counts), *counts))))
    return lines


def page() -> str:
    """The page with its tables as measured."""
    text = PAGE.read_text()
    measured = json.loads((RESULTS / "audits.json").read_text())
    tables = {
        "audits": audits(measured),
        "peers": peers(measured),
        "false positives": false_positives(json.loads((RESULTS / "false_positives.json").read_text())),
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
