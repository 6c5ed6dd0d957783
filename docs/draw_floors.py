"""Draws the floors of the house, docs/images/floors.svg, from the import contract in pyproject.toml.

    python docs/draw_floors.py

A floor is a layer of the contract; a package's sentence is the first line of its docstring.
"""

import ast
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "floors.svg"
WIDTH, ROW, GAP, LEFT = 1080, 34, 8, 150  # pixels


def floors() -> list[list[str]]:
    """The packages of each floor, the highest floor first; `__main__` only starts the first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip() for name in layer.split("|")] for layer in layers if not layer.startswith("__")]


def sentence(package: str) -> str:
    """What a package does, by the first line of its docstring."""
    folder = ROOT / "src" / "unrandom" / package
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return (ast.get_docstring(ast.parse(file.read_text())) or "").splitlines()[0]


def picture() -> str:
    """The floors as SVG, one below the other; packages of one floor share it, and never import each other."""
    rows, top = [], GAP
    for packages in floors():
        height = ROW * len(packages)
        rows.append(f'<rect x="{GAP}" y="{top}" width="{WIDTH - 2 * GAP}" height="{height}" rx="6" class="floor"/>')
        for place, package in enumerate(packages):
            y = top + ROW * place + 22
            rows.append(f'<text x="{2 * GAP + 4}" y="{y}" class="name">{package}</text>')
            rows.append(f'<text x="{LEFT}" y="{y}" class="sentence">{escape(sentence(package))}</text>')
        top += height + GAP
    style = (
        "text{font:14px sans-serif;fill:#24292f}.name{font-family:monospace;font-weight:bold}"
        ".floor{fill:#eef2f6;stroke:#8c959f}svg{background:#fff}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}">'
    return "\n".join([head, f"<style>{style}</style>", *rows, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture())
    print(PICTURE.relative_to(ROOT))
