"""Cuts and patches the second layer's look-backs of fm-2p14, at the places where it looks, and at controls.

`order_depth` says what is tested; the rows are for its tables ``cut`` and ``patch``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.core.errors import UserError
from unrandom.evaluation import evaluate
from unrandom.evaluation.intervals import over_clusters
from unrandom.experiments.baselines import order_depth_panels as names
from unrandom.interpretation import digit_attention_by_lookback, overwrite, without_lookbacks
from unrandom.models import intervene, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import Edit
from unrandom.predictors import LookbackPredictor
from unrandom.predictors.modular import add, multiply, subtract
from unrandom.runs.measurement import attention_patterns
from unrandom.tasks import Examples

LAYER = 1  # the second
Numbers = UInt64[np.ndarray, "sequences numbers"]


@dataclass(frozen=True)
class Cut:
    """Look-backs by the number that is guessed, to be cut in one layer, one after another."""

    layer: int
    lookbacks: Sequence[Mapping[int, int]]

    def edits(self, digits: int) -> dict[str, Edit]:
        """The edit of the layer's pattern, given the tokens per number."""
        edits = [without_lookbacks(each, digits) for each in self.lookbacks]
        return {_tap("hook_pattern", self.layer): lambda pattern: reduce(lambda x, edit: edit(x), edits, pattern)}


@dataclass(frozen=True)
class Places:
    """The places where the published model's second layer looks, in numbers: order 2 needs N, ``unit`` is N / 16."""

    unit: int

    @classmethod
    def of(cls, modulus: int, context: int) -> "Places":
        """Raises UserError unless N is a multiple of 32, and at most ``context``."""
        enough = LookbackPredictor(modulus).numbers_needed()
        if enough % 32 or context < enough:
            raise UserError(
                f"m = {modulus} and {context} numbers were given; the {enough} numbers that order 2 needs must be "
                "a multiple of 32 and fit into the context"
            )
        return cls(enough // 16)

    @property
    def enough(self) -> int:
        """The numbers that order 2 needs."""
        return 16 * self.unit

    @property
    def blocks(self) -> dict[range, int]:
        """Counts of numbers seen, N/2 to N − 1, in blocks with the same look-back."""
        u = self.unit
        return {range(8 * u, 9 * u): u, range(9 * u, 13 * u): 5 * u, range(13 * u, 16 * u): 9 * u}

    @property
    def named_blocks(self) -> dict[str, Sequence[int]]:
        """The blocks by what they are called in tables; all as POOLED, and as EXACT where the differences are equal."""
        first, _, last = self.blocks
        named = {f"{block[0]}–{block[-1]}": block for block in self.blocks}
        return {**named, names.EXACT: [*first, *last], names.POOLED: self.seen}

    @property
    def seen(self) -> range:
        return range(8 * self.unit, 16 * self.unit)

    def kin(self, n: int) -> list[int]:
        """The look-backs of number n that are N/16 modulo N/8 and reach a number from N/4 on."""
        return list(range(self.unit, n - 4 * self.unit + 1, 2 * self.unit))

    def cuts(self) -> dict[str, Cut]:
        """The cuts by name. Look-backs of the CONTROLS are not in `kin`."""
        half, u = self.unit // 2, self.unit
        looked_at = {n: lookback for block, lookback in self.blocks.items() for n in block}
        most = max(len(self.kin(n)) for n in self.seen)
        every = [{n: self.kin(n)[i] for n in self.seen if i < len(self.kin(n))} for i in range(most)]
        shifts = dict(zip(names.CONTROLS, (-half, half, u), strict=False))
        n_half = dict.fromkeys(self.seen, 8 * u)
        return {
            names.NOTHING: Cut(LAYER, []),
            names.LOOKED_AT: Cut(LAYER, [looked_at]),
            names.KIN: Cut(LAYER, every),
            **{name: Cut(LAYER, [{n: r + by for n, r in looked_at.items()}]) for name, by in shifts.items()},
            names.CONTROLS[-1]: Cut(LAYER, [n_half]),
            names.FIRST_HALF: Cut(0, [n_half]),
            names.FIRST_QUARTER: Cut(0, [dict.fromkeys(self.seen, 4 * u)]),
        }

    def errors(self, numbers: Numbers, modulus: int) -> UInt64[np.ndarray, " sequences"]:
        """4 D_{N/8}(q) modulo m, which is the same for all q from N/4 on."""
        q, s = 4 * self.unit, 2 * self.unit
        error = numbers[:, q] - 2 * numbers[:, q - s] + numbers[:, q - 2 * s]  # modulo 2^64, which m divides
        return (4 * error) % np.uint64(modulus)

    def differences(self, numbers: Numbers, modulus: int) -> UInt64[np.ndarray, " sequences"]:
        """4 (x[q − N/8] − x[q − N/4]) modulo m for q = N/4."""
        return (4 * (numbers[:, 2 * self.unit] - numbers[:, 0])) % np.uint64(modulus)

    def factors(self, low: int, count: int) -> UInt64[np.ndarray, " count"]:
        """u = 1 + w 2^i for w = 1, 2, 3, 1, …; 4 (u − 1) times a difference is divisible by 2^low, once more if w = 2.

        A difference over N/8 numbers is divisible by N/8. Modulo m, 4 (u − 1) times all of a sequence are equal.
        """
        return 1 + (1 + np.arange(count, dtype=np.uint64) % 3) * np.uint64(2**low // (8 * self.unit))


def cut_rows(predictor: TransformerPredictor, sequences: Examples, places: Places) -> Iterator[dict[str, Any]]:
    """Guesses right and low bits right, by what is cut in the second layer, and by block of numbers seen."""
    low = LookbackPredictor(sequences.parameters.modulus(0)).digits_known(places.enough // 2 - 1)
    unedited = evaluate(predictor, sequences).guesses
    for name, cut in places.cuts().items():
        with intervene(predictor.model, cut.edits(predictor.tokenizer.width)):
            tested = evaluate(predictor, sequences)
        measured = {
            "right": tested.correct,
            "low": tested.right_digits()[..., low].all(axis=-1),
            "high": tested.right_digits()[..., ~low].all(axis=-1),
            "same": tested.guesses == unedited,
        }
        for block, seen in places.named_blocks.items():
            for what, holds in measured.items():
                share = _share(holds[:, np.array(seen) - 1], sequences)
                yield {"cut": name, "block": block, "what": what, **share}


def _tap(name: str, layer: int = LAYER) -> str:
    return f"blocks.{layer}.attn.{name}"


def _share(holds: Bool[np.ndarray, "sequences guesses"], sequences: Examples) -> dict[str, Any]:
    """The share that holds, with its interval over multipliers and increments; ``units`` is the smaller number."""
    labels = sequences.parameters.labels
    clusters = {called: labels[name] for name, called in sequences.units.items()}
    found = over_clusters(holds.mean(axis=1, keepdims=True), clusters)
    value, low, high = found.first()
    return {"value": value, "low": low, "high": high, "units": found.clusters, "interval": found.kind}


def patch_rows(predictor: TransformerPredictor, sequences: Examples, places: Places) -> Iterator[dict[str, Any]]:
    """Guesses that move as the errors or the differences say, or at all, by what is patched from which sequences."""
    modulus, numbers = sequences.parameters.modulus(0), sequences.numbers
    low = int(LookbackPredictor(modulus).digits_known(places.enough // 2 - 1).sum())
    unedited = predictor.predict(numbers).numbers
    head = int(looking(predictor, sequences, places).argmax())
    beside = (head + 1) % predictor.model.config.n_heads
    another = np.roll(numbers, len(numbers) // 2, axis=0)
    multiple = multiply(numbers, places.factors(low, len(numbers))[:, None], modulus)
    for name, other, patches in (
        (names.ANOTHER, another, {names.PATCHED: (head, 1)}),
        (names.MULTIPLE, multiple, {names.PATCHED: (head, 1), names.OTHER_HEAD: (beside, 1), names.BESIDE: (head, 0)}),
    ):
        moves = {
            "error": subtract(places.errors(other, modulus), places.errors(numbers, modulus), modulus),
            "difference": subtract(places.differences(other, modulus), places.differences(numbers, modulus), modulus),
        }
        told_apart = moves["error"] != (0 if name == names.ANOTHER else moves["difference"])
        chosen = replace(sequences, parameters=sequences.parameters[told_apart], numbers=numbers[told_apart])
        for patch, (patched, parity) in patches.items():
            guesses = _patched(predictor, numbers, other, places, patched, parity)
            found = {what: guesses == add(unedited, by[:, None], modulus) for what, by in moves.items()}
            for block, seen in places.named_blocks.items():
                for what, holds in {**found, "changed": guesses != unedited}.items():
                    share = _share(holds[told_apart][:, np.array(seen) - 1], chosen)
                    yield {"patch": patch, "other": name, "block": block, "what": what, **share}


def _patched(
    predictor: TransformerPredictor, numbers: Numbers, other: Numbers, places: Places, head: int, parity: int
) -> UInt64[np.ndarray, "sequences guesses"]:
    """Guesses for ``numbers`` while the head reads values of the ``other`` sequences, as after N/2 to N − 1 numbers.

    Blocks of N/16 numbers are guessed one after another, each with the values patched in every second block before it,
    from number N/4 on: the blocks N/16 (``parity`` 1) or N/8 (0) modulo N/8 back.
    """
    tap, u, width = _tap("hook_v"), places.unit, predictor.tokenizer.width
    found = predictor.predict(numbers).numbers
    for first in range(0, len(numbers), predictor.chunk):  # one forward pass per chunk, so that rows match
        part = slice(first, first + predictor.chunk)
        with record(predictor.model, tap) as seen:
            predictor.predict(other[part])
        for block in range(8, 16):
            sources = [q for q in range(4 * u, block * u) if (block - q // u) % 2 == parity]
            tokens = [q * width + digit for q in sources for digit in range(width)]
            with intervene(predictor.model, {tap: overwrite(head, seen[tap], tokens)}):
                guessed = slice(block * u - 1, (block + 1) * u - 1)
                found[part, guessed] = predictor.predict(numbers[part, : guessed.stop + 1]).numbers[:, guessed]
    return found


def looking(predictor: TransformerPredictor, sequences: Examples, places: Places) -> Float[np.ndarray, " heads"]:
    """Mean weight of each head of the second layer, for the highest digit, on numbers N/16 modulo N/8 back."""
    width = predictor.tokenizer.width
    pattern = attention_patterns(predictor, sequences, places.enough * width)[LAYER]
    weights = digit_attention_by_lookback(pattern, width, width - 1)
    u = places.unit
    return np.mean([weights[:, n - 1, u : n + 1 : 2 * u].sum(axis=1) for n in places.seen], axis=0)
