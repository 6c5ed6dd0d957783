"""What one embedding for many moduli encodes. (fig:multip_pca_embd)

The paper: a semi-circle along the first principal component, parity in the second, residues mod 2 and 3 in the second
and third. For the embeddings of the main runs, the table ``shares`` has the share of each component's variance between
residues (their modulus is the column ``residue``), and its correlation with the size of the number; ``points`` has the
components themselves.
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.summaries import by_run, matrix, rows_of, tables_by_run
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import MapPanel, Panel, ScatterPanel
from unrandom.interpretation import order_along_component, principal_components, residue_variance, token_vectors
from unrandom.runs.tables import Tables

ENTRY = Entry(
    name="um-embedding",
    section="unseen modulus",
    place=8,
    about="one embedding for many moduli: size first, then residues of small primes",
    minutes=100,
    figures={"fig:multip_pca_embd": "embedding of unseen moduli"},
)

COMPONENTS = 6
RESIDUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)


CLAIMS = {
    "order": Claim(
        statement="The first component orders the numbers by size.",
        quantity="absolute rank correlation of the component with the number",
        wanted=at_least(0.9, "correlation"),
    ),
    "parity": Claim(
        statement="The second component separates even from odd.",
        quantity="share of its variance between the two",
        wanted=at_least(0.5, "share"),
    ),
    "mod-six": LateClaim(
        statement="The second and third components group numbers modulo 2 and 3.",
        quantity="share of the variance between residues, mod 2 or mod 3, whichever is less; the better of the two "
        "components for each",
        wanted=at_least(0.5, "share"),
    ),
    "mod-three-anywhere": LateClaim(
        statement="Some component groups numbers modulo 3, whichever it is.",
        quantity="share of its variance between the three residues, the best of the first six components",
        wanted=at_least(0.75, "share"),
    ),
}


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return tables_by_run(runs, _measured)


def _measured(run: Run) -> dict[str, Rows]:
    components = principal_components(token_vectors(run.load_model()), COMPONENTS)
    found = {residue: residue_variance(components.values, residue) for residue in RESIDUES}
    shares: Rows = []
    for i, explained in enumerate(components.explained.tolist()):
        key_columns = {"component": i + 1, "explained": explained, "order": order_along_component(components.values, i)}
        shares += [
            {**key_columns, "residue": residue, "share": float(each.shares[i]), "shuffled": float(each.shuffled[i])}
            for residue, each in found.items()
        ]
    numbers = {f"PC{i}": values for i, values in enumerate(components.values.T, 1)}
    return {"shares": shares, "points": rows_of({}, number=range(len(components.values)), **numbers)}


def evidence(tables: Tables) -> Evidence:
    found: dict[str, list[float]] = {key: [] for key in CLAIMS}
    for shares in by_run(tables["shares"]):
        if shares["component"].n_unique() < 3:
            continue
        two, three = (shares.filter(pl.col("residue") == residue).sort("component")["share"] for residue in (2, 3))
        found["order"].append(shares["order"][0])
        found["parity"].append(two[1])
        found["mod-six"].append(min(max(two[1], two[2]), max(three[1], three[2])))
        found["mod-three-anywhere"].append(max(three))
    return found


def draw(tables: Tables) -> Pictures:
    """The plane of the first two components, and the share of each one's variance between residues, for each seed."""
    panels: list[Panel] = []
    for shares, points in zip(by_run(tables["shares"]), by_run(tables["points"]), strict=True):
        seed = f"seed {shares['seed'][0]}"
        plane, groups = points.select("PC1", "PC2").rows(), (points["number"] % 2).to_list()
        panels.append(ScatterPanel(f"{seed}: mod 2", "PC1", "PC2", plane, groups, "≡"))
        panels.append(_share_map(seed, shares))
    yield Picture(panels)


def _share_map(seed: str, shares: pl.DataFrame) -> MapPanel:
    in_order = shares.sort("component", maintain_order=True)
    components = in_order.unique("component", maintain_order=True)
    values = [*matrix(in_order, ["residue"], "component", "share"), tuple(components["order"])]
    names = [*(f"mod {residue}" for residue in RESIDUES), "size (|ρ|)"]
    columns = [str(i) for i in components["component"]]
    return MapPanel(
        f"{seed}: share of variance", "principal component", "", values, columns, names, "share", written=True
    )


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
