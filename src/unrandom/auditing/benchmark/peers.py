"""Lets other programs predict the same streams: two predictors of MT19937, and a model of V8 for the solver z3.

All are optional (`unrandom[peers]`); one that is not installed is reported as that.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from unrandom.auditing.audit import audit
from unrandom.auditing.generators.v8 import MathRandom
from unrandom.auditing.verdict import Predictable
from unrandom.core.files import JsonObject

COMPARED = 10  # numbers that follow, and must be predicted
SHOWN = 53  # bits of V8's fractions
Predict = Callable[[Any, list[Any]], Iterator[Any]]


@dataclass(frozen=True)
class Peer:
    """A program that predicts numbers after the first `outputs` ones; `predict` is given its module and these.

    `printed` makes the numbers as they are printed; the peer is given them `backwards` if they were made so.
    """

    module: str
    outputs: int
    form: str
    printed: Callable[[Random], list[Any]]
    predict: Predict
    backwards: bool = False


def _words(chance: Random) -> list[Any]:
    return [chance.getrandbits(32) for _ in range(1300)]


def _block_of_v8(added: bool) -> Callable[[Random], list[Any]]:
    """The 64 fractions that V8 makes at a time, and hands out backwards."""

    def printed(chance: Random) -> list[Any]:
        numbers, _ = MathRandom(SHOWN, added).block((chance.getrandbits(64), chance.getrandbits(64)))
        return [number / 2**SHOWN for number in numbers]

    return printed


def _randcrack(module: Any, numbers: list[int]) -> Iterator[int]:
    cracker = module.RandCrack()
    for number in numbers:
        cracker.submit(number)
    return iter(lambda: cracker.predict_getrandbits(32), None)


def _mt19937predictor(module: Any, numbers: list[int]) -> Iterator[int]:
    predictor = module.MT19937Predictor()
    for number in numbers:
        predictor.setrandbits(number, 32)
    return iter(lambda: predictor.getrandbits(32), None)


def _z3_model(added: bool) -> Predict:
    """xorshift128+ in vectors of 64 bits; of the first word or the sum of both, the upper bits are given."""

    def predict(z3: Any, numbers: list[float]) -> Iterator[float]:
        state = first = z3.BitVecs("s0 s1", 64)
        solver = z3.Solver()
        for number in numbers:
            word = state[0] + state[1] if added else state[0]
            solver.add(z3.LShR(word, 64 - SHOWN) == int(number * 2**SHOWN))
            x, y = state
            x = x ^ (x << 23)
            state = [y, x ^ z3.LShR(x, 17) ^ y ^ z3.LShR(y, 26)]
        if solver.check() != z3.sat:
            return
        model = solver.model()
        words = tuple(model.eval(word, model_completion=True).as_long() for word in first)
        block, _ = MathRandom(SHOWN, added).block(words)
        yield from (x / 2**SHOWN for x in block[::-1][len(numbers) :])

    return predict


PEERS: dict[str, Peer] = {
    "randcrack": Peer("randcrack", 624, "words of MT19937", _words, _randcrack),
    "mersenne-twister-predictor": Peer("mt19937predictor", 624, "words of MT19937", _words, _mt19937predictor),
    "z3 model of V8 before 2026": Peer(
        "z3", 5, "`Math.random()` of Node.js 24", _block_of_v8(False), _z3_model(False), backwards=True
    ),
    "z3 model of V8 since 2026": Peer(
        "z3", 5, "`Math.random()` of Node.js 26", _block_of_v8(True), _z3_model(True), backwards=True
    ),
}


def compare(name: str, runs: int) -> JsonObject:
    """How often a peer predicts right, and median seconds, its own and an audit's on the same numbers."""
    peer = PEERS[name]
    about = {"outputs": peer.outputs, "form": peer.form}
    try:
        module = import_module(peer.module)
    except ImportError:
        return {**about, "installed": False}
    right, seconds, audits = 0, [], []
    for seed in range(runs):
        printed = peer.printed(Random(seed))
        numbers = printed[::-1] if peer.backwards else printed
        began = perf_counter()
        predicted = list(islice(peer.predict(module, numbers[: peer.outputs]), COMPARED))
        seconds.append(perf_counter() - began)
        right += predicted == numbers[peer.outputs : peer.outputs + COMPARED]
        began = perf_counter()
        assert isinstance(audit(printed), Predictable)
        audits.append(perf_counter() - began)
    return {
        **about,
        "installed": True,
        "runs": runs,
        "right": right,
        "seconds": round(median(seconds), 3),
        "audit_seconds": round(median(audits), 3),
    }
