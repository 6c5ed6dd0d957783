"""How does a number become tokens, and which position vectors do they get? (fig:byte-tok-vis)"""

from pathlib import Path

import numpy as np

from unrandom.core.seeds import stream
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, Scale, Tables
from unrandom.experiments.runs import Run
from unrandom.figures.panels import MapPanel, save_panels
from unrandom.tokenization import Tokenizer

EXAMPLE = (3_214_748_365, 1_013_904_223, 196_435, 4_294_967_295)  # the first is the paper's
CASES = ((256, 4), (243, 5), (2, 32), (10, 10), (65_536, 2))  # base and digits, all of which hold 2^32 - 1

CLAIMS = (
    Claim(
        "inverse",
        "Base-b digits are an exact inverse: share of random numbers below 2^32 that come back, for five bases.",
        "fig:byte-tok-vis",
        1.0,
    ),
)


def measure(_runs: list[Run], _scale: Scale) -> Tables:
    """The tokens of the example with their two position indices, and round trips of random numbers."""
    tokenizer = Tokenizer(256, 4)
    tokens = tokenizer.encode(np.array(EXAMPLE, dtype=np.uint64))
    example = [{"number": i // 4, "digit": i % 4, "position": i, "token": int(token)} for i, token in enumerate(tokens)]
    numbers = stream(0, "tokenization").integers(0, 2**32, size=2000, dtype=np.uint64)
    trips = [
        {"base": base, "digits": digits, "returned": int((_there_and_back(base, digits, numbers) == numbers).sum()),
         "numbers": len(numbers)}
        for base, digits in CASES
    ]  # fmt: skip
    return {"example": example, "round_trips": trips}


def _there_and_back(base: int, digits: int, numbers: np.ndarray) -> np.ndarray:
    tokenizer = Tokenizer(base, digits)
    return tokenizer.decode(tokenizer.encode(numbers))


def evidence(tables: Tables) -> Evidence:
    return {"inverse": [row["returned"] / row["numbers"] for row in tables["round_trips"]]}


def draw(tables: Tables, folder: Path) -> None:
    """The tokens of the example over the index of the number and of the digit that each is given."""
    rows = tables["example"]
    columns = [str(row["position"]) for row in rows]

    def strip(title: str, key: str, high: int) -> MapPanel:
        return MapPanel(
            title, "token position", "", [[row[key] for row in rows]], columns, limits=(0, high), written=False
        )

    panels = [
        strip(f"base-256 tokens of {', '.join(map(str, EXAMPLE[:2]))}, …", "token", 255),
        strip("abacus 1: which number (shared by its digits)", "number", len(EXAMPLE) - 1),
        strip("abacus 2: which digit (shared by all numbers)", "digit", 3),
    ]
    save_panels(panels, folder / "tokenization", columns=1)


EXPERIMENT = Experiment(
    name="tokenization",
    about="base-b tokens and the two position tables",
    figures=("fig:byte-tok-vis",),
    claims=CLAIMS,
    runs=lambda _scale, _seeds: [],
    measure=measure,
    draw=draw,
    evidence=evidence,
)
