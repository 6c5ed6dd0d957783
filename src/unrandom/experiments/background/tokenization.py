"""Splits numbers into tokens with two position indices (table ``example``; no claims). (fig:byte-tok-vis)"""

import numpy as np

from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.figures.panels import MapPanel
from unrandom.runs.tables import Tables, table
from unrandom.tokenization import Tokenizer

ENTRY = Entry(
    name="tokenization",
    section="background",
    place=2,
    about="base-b tokens and their two abacus indices",
    figures={"fig:byte-tok-vis": "base-b tokens and abacus positions"},
)

EXAMPLE = (3_214_748_365, 1_013_904_223, 196_435, 4_294_967_295)  # The first is the paper's.


def measure(_runs: list[Run], _scale: Scale) -> Tables:
    """The tokens of the example with their two position indices."""
    tokens = Tokenizer(256, 4).encode(np.array(EXAMPLE, dtype=np.uint64))
    rows = [{"number": i // 4, "digit": i % 4, "position": i, "token": int(token)} for i, token in enumerate(tokens)]
    return {"example": table(rows)}


def draw(tables: Tables) -> Pictures:
    """The tokens of the example, above the index of the number and the index of the digit that each token has."""
    example = tables["example"]
    columns = [str(position) for position in example["position"]]

    def strip(title: str, key: str, high: int) -> MapPanel:
        return MapPanel(
            title, "token position", "", [example[key].to_list()], columns, [""], key, (0, high), written=True
        )

    panels = [
        strip(f"base-256 tokens of {', '.join(map(str, EXAMPLE[:2]))}, …", "token", 255),
        strip("abacus 1: which number (shared by its digits)", "number", len(EXAMPLE) - 1),
        strip("abacus 2: which digit (shared by all numbers)", "digit", 3),
    ]
    yield Picture(panels, columns=1)


EXPERIMENT = Experiment(ENTRY, {}, lambda _scale, _seeds: [], measure, lambda _tables: {}, draw)
