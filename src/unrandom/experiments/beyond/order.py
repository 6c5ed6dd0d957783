"""Which order of look-back does a fixed-modulus model use? Bits known, attention, and guesses with one line cut off.

The theory is in docs/order.md: j numbers r = p^k steps apart leave k + (j − 1)(k + v) digits certain with weights that
are the same for every a and c, v = v_p(a − 1). Lines are counted here in quarters of the largest power of two seen,
s = 2^k <= n / 4, so that order 2 looks back at 2 s and 4 s, order 3 at s, 2 s and 3 s, and order 4 at s to 4 s.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from unrandom.core.arithmetic import largest_power
from unrandom.core.seeds import stream
from unrandom.data import SequenceSet
from unrandom.evaluation import Evaluation, bits_known, elements_needed, evaluate
from unrandom.experiments.beyond.order_panels import draw
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.rows import by_run, learned, seed_means
from unrandom.experiments.runs import Run
from unrandom.experiments.scaling.elements import about
from unrandom.experiments.scaling.runs import SIZES, planned
from unrandom.interpretation import attention_by_lookback, without_lookbacks
from unrandom.models import intervene, record
from unrandom.predictors import LookbackPredictor
from unrandom.predictors.transformer import TransformerPredictor

SEVERAL_SEEDS: dict[Scale, int] = {"laptop": 12}  # larger moduli, 2^exponent, have one seed; they are drawn, not judged
SEQUENCES: dict[Scale, int] = {"smoke": 64, "laptop": 1024, "gpu": 2048, "paper": 2048}
CUT_SEQUENCES: dict[Scale, int] = {"smoke": 16, "laptop": 128, "gpu": 128, "paper": 128}
ATTENDING_SEQUENCES = 16
LARGEST_PATTERN = 2**28  # weights of a head, over all sequences: of long ones, fewer are read
ALMOST = 0.99
FIRST = 8  # lines are told apart from this many numbers on, where s is 2 or more
MULTIPLES = (1, 2, 3, 4)
OFF = 0  # of no line: as a multiple, a look-back that is none of s
OF_ORDER_2 = (2, 4)
EVERY = "all"

CLAIMS = (
    Claim(
        key="no-more",
        statement="Two-layer models need no more numbers than looking back at two of them.",
        quantity="numbers for 99 % over those of order 2, mean over the moduli that every seed has",
        unit="ratio",
        threshold=1.1,
        at_least=False,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="no-fewer",
        statement="Two-layer models need no fewer numbers than looking back at two of them.",
        quantity="numbers for 99 % over those of order 2, mean over the moduli that every seed has",
        unit="ratio",
        threshold=0.9,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="stairs",
        statement="At every position they know the bits that order 2 leaves certain, and no others.",
        quantity="bits known, the model's less those of order 2, mean of the absolute value over positions and moduli",
        unit="bits",
        threshold=0.5,
        at_least=False,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="two-lines",
        statement="What the first layer looks back at is the two numbers of order 2.",
        quantity="share of the attention to earlier numbers at the look-backs 2 s and 4 s, mean over heads and moduli",
        unit="share",
        threshold=0.5,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="either-needed",
        statement="Without either of these two numbers the guess is lost.",
        quantity="accuracy with that look-back cut off over that with none, the larger of 2 s and 4 s, over moduli",
        unit="ratio",
        threshold=0.25,
        at_least=False,
        origin="beyond",
    ),
    Claim(
        key="others-spared",
        statement="Without the numbers that only higher orders look back at, it stays.",
        quantity="accuracy with that look-back cut off over that with none, the smaller of s and 3 s, over moduli",
        unit="ratio",
        threshold=0.9,
        origin="beyond",
    ),
    Claim(
        key="valuation",
        statement="Where p divides a − 1 more often, more bits are known, as fixed weights would leave certain.",
        quantity="bits known with v ≥ 4 less those with v = 2, where order 2 leaves two bits or more open",
        unit="bits",
        threshold=1.5,
        origin="beyond",
        written="after",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    """The models of fm-scaling; of the moduli that are slow to train, one seed."""
    several = SEVERAL_SEEDS.get(scale)
    return [
        planned(scale, size, seed)
        for size in SIZES[scale]
        for seed in range(seeds if several is None or size.exponent <= several else min(seeds, 1))
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    tables: Tables = {"bits": [], "needed": [], "attention": [], "cut": []}
    for run in runs:
        (modulus,) = run.config.data.test_moduli
        which = about(run, modulus)
        predictor = run.predictor()
        fewer = max(1, predictor.model.config.context**2 * SEQUENCES[scale] // LARGEST_PATTERN)
        tested = evaluate(predictor, _drawn(run, SEQUENCES[scale] // fewer, "order"))
        needed = elements_needed(tested, ALMOST)
        found = {"needed": needed.needed, "low": needed.low, "high": needed.high, "longest": tested.correct.shape[1]}
        tables["needed"].append({**which, **found})
        tables["bits"] += [{**which, **row} for row in _bit_rows(tested)]
        numbers = _drawn(run, ATTENDING_SEQUENCES, "attention").numbers
        tables["attention"] += [{**which, **row} for row in _attention_rows(predictor, numbers)]
        cut = _drawn(run, CUT_SEQUENCES[scale] // fewer, "cut")
        tables["cut"] += [{**which, **row} for row in _cut_rows(predictor, cut, run.config.seed)]
    return tables


def _drawn(run: Run, sequences: int, name: str) -> SequenceSet:
    (modulus,) = run.config.data.test_moduli
    return SequenceSet.of(run.split().test_parameters(modulus, sequences, name=name), run.config.data.context + 1)


def _bit_rows(tested: Evaluation) -> Iterator[dict[str, Any]]:
    """Bits known and accuracy by position, over all sequences and by v = v_2(a − 1)."""
    valuations = tested.valuations(2)
    groups = {EVERY: valuations >= 0, "v = 2": valuations == 2, "v = 3": valuations == 3, "v ≥ 4": valuations >= 4}
    for group, rows in groups.items():
        if rows.any():
            own = tested.only(rows)
            for t, (bits, right) in enumerate(zip(bits_known(own), own.by_position.value, strict=True)):
                yield {"group": group, "seen": t + 1, "bits": float(bits), "accuracy": float(right)}


def _attention_rows(predictor: TransformerPredictor, numbers: np.ndarray) -> Iterator[dict[str, Any]]:
    """For each head, the share of its attention to earlier numbers at each multiple of s, and what chance gives."""
    model, width = predictor.model, predictor.tokenizer.width
    names = [f"blocks.{layer}.attn.hook_pattern" for layer in range(model.config.depth)]
    with record(model, names) as seen:
        predictor.predict(numbers)
    for layer, name in enumerate(names):
        for head, weights in enumerate(attention_by_lookback(seen[name].numpy(), width)):
            for multiple in MULTIPLES:
                places = [(n, multiple * _stride(n)) for n in range(FIRST, len(weights) + 1)]
                shares = [weights[n - 1, r] / max(weights[n - 1, 1:].sum(), 1e-9) for n, r in places]
                chance = float(np.mean([1 / n for n, _ in places]))
                yield {
                    "layer": layer,
                    "head": head,
                    "multiple": multiple,
                    "share": float(np.mean(shares)),
                    "chance": chance,
                }


def _cut_rows(predictor: TransformerPredictor, sequences: SequenceSet, seed: int) -> Iterator[dict[str, Any]]:
    """Guesses with nothing cut off, with each line, and with a look-back that is none, in all layers and heads."""
    model, longest = predictor.model, sequences.numbers.shape[1] - 1
    taps = [f"blocks.{layer}.attn.hook_pattern" for layer in range(model.config.depth)]
    rng = stream(seed, "cut off")
    lines = {str(i): {n: i * _stride(n) for n in range(FIRST, longest + 1)} for i in MULTIPLES}
    off = {n: int(rng.choice([r for r in range(1, n) if r % _stride(n)])) for n in range(FIRST, longest + 1)}
    solved = LookbackPredictor(2 ** (sequences.parameters.modulus(0).bit_length() - 1)).numbers_needed()
    for cut, lookbacks in {"nothing": {}, **lines, "another": off}.items():
        edit = without_lookbacks(lookbacks, predictor.tokenizer.width)
        with intervene(model, dict.fromkeys(taps, edit)):
            tested = evaluate(predictor, sequences)
        right = tested.by_position.value[solved - 1 :]
        known = float(bits_known(tested)[FIRST - 1 :].mean())
        yield {"cut": cut, "accuracy": float(right.mean()) if right.size else None, "bits": known}


def _stride(n: int) -> int:
    """s, the largest power of two of which n numbers hold four."""
    return largest_power(n // 4, 2)


def evidence(tables: Tables) -> Evidence:
    seeds = {row["seed"] for row in tables["needed"]}
    moduli = {row["modulus"] for row in tables["needed"]}
    shared = {m for m in moduli if {row["seed"] for row in tables["needed"] if row["modulus"] == m} == seeds}
    tables = {name: [row for row in rows if row["modulus"] in shared] for name, rows in tables.items()}
    by_hand = {m: LookbackPredictor(m) for m in shared}
    ratios = seed_means(
        (row["seed"], (row["needed"] or row["longest"] + 1) / by_hand[row["modulus"]].numbers_needed())
        for row in tables["needed"]
    )
    first = [row for row in tables["attention"] if row["layer"] == 0 and row["multiple"] in OF_ORDER_2]
    either, others = _cuts(tables["cut"], OF_ORDER_2, max), _cuts(tables["cut"], (1, 3), min)
    return Evidence(
        {
            "no-more": ratios,
            "no-fewer": ratios,
            "stairs": seed_means(_distances(tables["bits"], by_hand)),
            "two-lines": seed_means(_two_lines(first)),
            "either-needed": either,
            "others-spared": others,
            "valuation": seed_means(_by_valuation(tables["bits"], by_hand)),
        },
        {"learned": learned(tables)},
    )


def _distances(bits: Rows, by_hand: dict[int, LookbackPredictor]) -> Iterator[tuple[int, float]]:
    for rows in by_run([row for row in bits if row["group"] == EVERY]).values():
        hand = by_hand[rows[0]["modulus"]]
        yield rows[0]["seed"], float(np.mean([abs(r["bits"] - hand.digits_known(r["seen"] - 1).sum()) for r in rows]))


def _two_lines(rows: Rows) -> Iterator[tuple[int, float]]:
    """Of each run, the attention at both lines together, mean over heads."""
    for own in by_run(rows).values():
        heads = len({row["head"] for row in own})
        yield own[0]["seed"], sum(row["share"] for row in own) / heads


def _cuts(rows: Rows, multiples: tuple[int, ...], choose: Any) -> list[float]:
    """By seed, the accuracy that is left with one of these look-backs cut off, the larger or the smaller."""
    found = []
    for own in by_run(rows).values():
        accuracy = {row["cut"]: row["accuracy"] for row in own}
        if accuracy["nothing"]:
            left = choose(accuracy[str(multiple)] for multiple in multiples)
            found.append((own[0]["seed"], left / accuracy["nothing"]))
    return seed_means(found)


def _by_valuation(bits: Rows, by_hand: dict[int, LookbackPredictor]) -> Iterator[tuple[int, float]]:
    """Positions from two numbers on, where order 2 is certain of all but two bits or more, even with v = 4."""
    for rows in by_run(bits).values():
        hand = by_hand[rows[0]["modulus"]]
        open_at = {t + 1 for t in range(1, rows[-1]["seen"]) if (~hand.digits_known(t)).sum() >= 2}
        known = {
            group: [row["bits"] for row in rows if row["group"] == group and row["seen"] in open_at]
            for group in ("v = 2", "v ≥ 4")
        }
        if all(known.values()):
            yield rows[0]["seed"], float(np.mean(known["v ≥ 4"]) - np.mean(known["v = 2"]))


EXPERIMENT = Experiment(
    name="fm-order",
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
)
