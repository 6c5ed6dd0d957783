"""Shows the embedding by its principal components, and the variance that residues explain."""

from typing import Any

from unrandom.figures.description import Axis, Figure, MapPanel, ScatterPanel

Table = dict[str, Any]


def embedding_figure(table: Table, pair: tuple[int, int]) -> Figure:
    """Every token in the plane of two components (numbers from 0), coloured by residue; one view per modulus."""
    x, y = pair
    names = [f"PC{i + 1} ({table['explained'][i]:.0%} of variance)" for i in pair]
    points = [(row[x], row[y]) for row in table["values"]]
    moduli = [row["modulus"] for row in table["residue_variance"]] or [2]
    return Figure({f"mod {q}": _plane(points, q, *names) for q in moduli}, height=340, width=540)


def _plane(points: list[tuple[float, float]], modulus: int, x: str, y: str) -> ScatterPanel:
    title, bar = f"Embedding, coloured by residue mod {modulus}", f"residue mod {modulus}"
    residues = [token % modulus for token in range(len(points))]
    return ScatterPanel(title, x, y, points, residues, "≡", bar, hover="%{pointNumber} (residue %{marker.color})")


def variance_figure(table: Table, *, shuffled: bool = False) -> Figure:
    """A map of the share of each component's variance that residues explain, or of the control with shuffled labels."""
    rows = table["residue_variance"]
    panel = MapPanel(
        "Variance explained by residues" + ", with shuffled labels" * shuffled,
        "component",
        Axis("", range(len(rows)), [f"mod {row['modulus']}" for row in rows], limits=(len(rows) - 0.5, -0.5)),
        [row["shuffled" if shuffled else "shares"] for row in rows],
        [f"PC{i + 1}" for i in range(len(table["explained"]))],
        bar="share of variance",
        written=True,
        hover="%{y} explains %{z:.1%} of %{x}",
    )
    return Figure({"": panel}, height=110 + 32 * len(rows))
