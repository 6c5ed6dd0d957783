"""What can be said of the project in a row? Draws docs/images/badge-*.svg from pyproject.toml and the saved results.

    python docs/draw_badges.py

They are files of the repository, so that they are true without a network, and as old as the commit.
"""

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.reproduce import all_judgements

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
LETTER, PADDING, HEIGHT = 6.8, 8, 20  # pixels


def facts() -> dict[str, tuple[str, str]]:
    """The label and the value of each badge, by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = all_judgements(list(EXPERIMENTS.values()), "laptop", ROOT / "results")
    verdicts = [row["verdict"] for row in rows if row["origin"] == "paper"]
    return {
        "python": ("Python", project["requires-python"].replace(">=", "≥ ")),
        "hardware": ("runs on", "two CPU cores, no GPU"),
        "claims": ("the paper's claims, small scale", f"{verdicts.count('reproduced')} of {len(verdicts)} reproduced"),
        "licence": ("licence", project["license"]),
    }


def badge(label: str, value: str) -> str:
    """A badge as SVG."""
    left, right = (round(LETTER * len(text)) + 2 * PADDING for text in (label, value))
    size = f'width="{left + right}" height="{HEIGHT}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(f"{label}: {value}")}">',
            f'<rect width="{left}" height="{HEIGHT}" fill="#444c56"/>',
            f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="#0072b2"/>',
            '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
            f'<text x="{PADDING}" y="14" textLength="{left - 2 * PADDING}">{escape(label)}</text>',
            f'<text x="{left + PADDING}" y="14" textLength="{right - 2 * PADDING}">{escape(value)}</text>',
            "</g></svg>\n",
        ]
    )


def badges() -> dict[Path, str]:
    """Every badge by its file."""
    return {IMAGES / f"badge-{name}.svg": badge(*fact) for name, fact in facts().items()}


if __name__ == "__main__":
    for file, text in badges().items():
        file.write_text(text, "utf-8")
        print(file.relative_to(ROOT))
