"""What does one embedding for many moduli look like? (fig:multip_pca_embd)

The paper: a semi-circle along the first principal component, parity in the second, residues mod 2 and 3 in the second
and third.
"""

from pathlib import Path

from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows, Scale
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.summaries import about
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import MapPanel, Panel, ScatterPanel, save_panels
from unrandom.interpretation import order_along_component, principal_components, residue_variance
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

COMPONENTS = 6
RESIDUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)

FIGURE = "fig:multip_pca_embd"

CLAIMS = (
    Claim(
        key="order",
        statement="The first component runs along the numbers.",
        quantity="size of the rank correlation between the two",
        unit="correlation",
        figure=FIGURE,
        threshold=0.9,
    ),
    Claim(
        key="parity",
        statement="The second component separates even from odd.",
        quantity="share of its variance between the two",
        unit="share",
        figure=FIGURE,
        threshold=0.5,
    ),
    Claim(
        key="mod-six",
        statement="The second and third components group numbers modulo 2 and 3.",
        quantity="share of their variance between residues mod 6, mean of the two",
        unit="share",
        figure=FIGURE,
        threshold=0.5,
    ),
    Claim(
        key="parity-anywhere",
        statement="Some component separates even from odd, whichever it is.",
        quantity="share of its variance between the two, the best of the first six components",
        unit="share",
        figure=FIGURE,
        threshold=0.75,
        written="after",
    ),
    Claim(
        key="mod-three-anywhere",
        statement="Some component groups numbers modulo 3, whichever it is.",
        quantity="share of its variance between the three residues, the best of the first six components",
        unit="share",
        figure=FIGURE,
        threshold=0.75,
        written="after",
    ),
)


def measure(runs: list[Run], _scale: Scale) -> RowTables:
    shares: Rows = []
    points: Rows = []
    for run in runs:
        components = principal_components(run.load_model().embed.weight.detach().numpy(), COMPONENTS)
        found = {residue: residue_variance(components.values, residue) for residue in RESIDUES}
        for i in range(components.values.shape[1]):
            order = order_along_component(components.values, i)
            shares += [
                {
                    **about(run),
                    "component": i + 1,
                    "explained": float(components.explained[i]),
                    "order": order,
                    "residue": residue,
                    "share": float(share.shares[i]),
                    "shuffled": float(share.shuffled[i]),
                }
                for residue, share in found.items()
            ]
        points += [
            {**about(run), "number": number, **{f"PC{i + 1}": float(value) for i, value in enumerate(values)}}
            for number, values in enumerate(components.values)
        ]
    return {"shares": shares, "points": points}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for rows in by_run(tables["shares"]).values():
        components = sorted({row["component"] for row in rows})
        if len(components) < 3:
            continue
        share = {(row["residue"], row["component"]): row["share"] for row in rows}
        found["order"].append(rows[0]["order"])
        found["parity"].append(share[2, 2])
        found["mod-six"].append((share[6, 2] + share[6, 3]) / 2)
        found["parity-anywhere"].append(max(share[2, i] for i in components))
        found["mod-three-anywhere"].append(max(share[3, i] for i in components))
    return Evidence(found, {"learned": learned(tables)})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each seed: two planes, and what residues explain of each component."""
    panels: list[Panel] = []
    for run, rows in by_run(tables["shares"]).items():
        points = [row for row in tables["points"] if row["run"] == run]
        seed = f"seed {rows[0]['seed']}"
        for (x, y), residue in (((1, 2), 2), ((2, 3), 6)):
            plane = [(row[f"PC{x}"], row[f"PC{y}"]) for row in points]
            groups = [row["number"] % residue for row in points]
            panels.append(ScatterPanel(f"{seed}: mod {residue}", f"PC{x}", f"PC{y}", plane, groups, "≡"))
        panels.append(_share_map(seed, rows))
    save_panels(panels, folder / "um-embedding", columns=3)


def _share_map(seed: str, rows: Rows) -> MapPanel:
    components = sorted({row["component"] for row in rows})
    share = {(row["residue"], row["component"]): row["share"] for row in rows}
    order = {row["component"]: row["order"] for row in rows}
    values = [[share[residue, i] for i in components] for residue in RESIDUES] + [[order[i] for i in components]]
    names = [f"mod {residue}" for residue in RESIDUES] + ["size (|ρ|)"]
    columns = [f"PC{i}" for i in components]
    return MapPanel(f"{seed}: share of variance", "", "", values, columns, names, "share", written=True)


EXPERIMENT = Experiment(
    name="um-embedding",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=3,
)
