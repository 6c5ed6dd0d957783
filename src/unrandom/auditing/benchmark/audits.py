"""Measures how many outputs, how much time and how much memory audits take, and how few of the first outputs suffice
for a candidate and for a proof. Streams of known programs are audited with several seeds, each row in a process of its
own; other programs are measured beside them (`peers`).
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from unrandom.auditing.audit import audit
from unrandom.auditing.benchmark.peers import PEERS, compare
from unrandom.auditing.benchmark.rows import PRINTED
from unrandom.auditing.proof import MULTIPLE_TESTING_BITS, SIGNIFICANCE_BITS
from unrandom.auditing.verdict import Predictable
from unrandom.core.config import Config
from unrandom.core.errors import UserError, near_misses
from unrandom.core.files import JsonObject, write_json
from unrandom.core.memory import peak_memory
from unrandom.core.processors import usable_processors
from unrandom.core.reading import read_json

RUNS, SLOW_RUNS = 30, 3  # seeds for each row, and for a slow one
MAX_SECONDS = 120.0  # time limit of an audit
FOLLOWING = 10  # predictions that are compared with the numbers that follow
FEW_RUNS, FEW_SECONDS = 3, 2.0  # seeds for which the fewest outputs are found, and the time limit of these audits
SLOW_FEW_RUNS, SLOW_FEW_SECONDS = 1, 30.0  # the same for slow rows
FEW_FOLLOWING = 3  # predictions that must be right: of few numbers of V8 it is not known where a block of 64 ends
NOTHING, CANDIDATE, PROOF = range(3)


class SavedAudits(Config):
    """What the file of results holds: rows by their names."""

    audits: dict[str, dict[str, Any]]
    peers: dict[str, dict[str, Any]]


def bench_audit(
    runs: int = RUNS, only: str = "", path: Path | None = None, watch: Callable[[str], None] = lambda _row: None
) -> JsonObject:
    """Audit the streams of the rows whose program or form contains `only`, with `runs` seeds each, a tenth of them for
    slow rows; and let peers predict the streams that they can read.

    If a `path` is given, each row is saved there as soon as it is measured; rows that it has are not measured again.
    Raises UserError if `only` is in no name, and for a file that holds other results.
    """
    results: JsonObject = read_json(path, SavedAudits) if path and path.exists() else {"audits": {}, "peers": {}}
    rows = {f"{printed.program}: {printed.form}": i for i, printed in enumerate(PRINTED)}
    chosen = [name for name in (*rows, *PEERS) if only.lower() in name.lower()]
    if not chosen:
        raise UserError(f"--only: no row has {only!r:.80} in its name{near_misses(only, (*rows, *PEERS))}")
    for name in chosen:
        done = results["audits" if name in rows else "peers"]
        if name in done:
            continue
        watch(name)
        if name in rows:
            slow = PRINTED[rows[name]].slow
            done[name] = _alone(_audited, rows[name], max(SLOW_RUNS, runs // 10) if slow else runs)
        else:
            done[name] = _alone(compare, name, runs)
        if path is not None:
            write_json(path, results)
    _measure_few([name for name in chosen if name in rows], rows, results, path, watch)
    return results


def _measure_few(
    names: list[str], rows: dict[str, int], results: JsonObject, path: Path | None, watch: Callable[[str], None]
) -> None:
    """The fewest outputs of the rows that have none yet, on all processors."""
    todo = [name for name in names if results["audits"][name]["predicted"] and "few" not in results["audits"][name]]
    todo.sort(key=lambda name: PRINTED[rows[name]].slow)
    with ProcessPoolExecutor(len(usable_processors()), get_context("spawn")) as pool:
        waiting = {pool.submit(_fewest, rows[name], results["audits"][name]["families"][0]): name for name in todo}
        for done in as_completed(waiting):
            watch(f"{waiting[done]}: fewest outputs")
            results["audits"][waiting[done]]["few"] = done.result()
            if path is not None:
                write_json(path, results)


def _fewest(row: int, family: str) -> JsonObject:
    """The fewest first outputs from which a family has a right candidate, and a right proof, by median and worst."""
    fewest: dict[str, list[float]] = {"candidate": [], "proof": []}
    runs, seconds = (SLOW_FEW_RUNS, SLOW_FEW_SECONDS) if PRINTED[row].slow else (FEW_RUNS, FEW_SECONDS)
    for seed in range(runs):
        numbers, following = PRINTED[row].numbers(seed, FOLLOWING)
        continued, known = [*numbers, *following], dict[int, int]()

        def answer(count: int, continued: list[Any] = continued, known: dict[int, int] = known) -> int:
            if count not in known:
                known[count] = _answer(continued[:count], continued[count : count + FEW_FOLLOWING], family, seconds)
            return known[count]

        for name, wanted in (("proof", PROOF), ("candidate", CANDIDATE)):
            low, high = 0, len(numbers)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if answer(middle) >= wanted else (middle, high)
            fewest[name].append(high)
    return {name: _median_and_worst(counts) for name, counts in fewest.items()}


def _answer(numbers: list[Any], following: list[Any], family: str, seconds: float) -> int:
    """Whether a family proves what follows the numbers, or has a candidate for it."""
    verdict = audit(numbers, family=family, max_seconds=seconds)
    if isinstance(verdict, Predictable):
        return PROOF if _same(verdict.next[: len(following)], following) else NOTHING
    candidates = verdict.to_json()["candidates"]
    return CANDIDATE if any(_same(one["next"][: len(following)], following) for one in candidates) else NOTHING


def _alone(task: Callable[..., JsonObject], *arguments: Any) -> JsonObject:
    """The task's answer, from a new process, and the memory that it needed at most."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_with_memory, task, arguments).result()


def _with_memory(task: Callable[..., JsonObject], arguments: tuple[Any, ...]) -> JsonObject:
    answer = task(*arguments)
    peak = peak_memory()
    return {**answer, "memory_mb": None if peak is None else round(peak / 2**20)}


def _audited(row: int, runs: int) -> JsonObject:
    """The audits of a row: how many predicted, what they needed, and how long they took, by median and worst."""
    printed = PRINTED[row]
    families, needed, proved, seconds, wrong = [], [], [], [], 0
    for seed in range(runs):
        numbers, following = printed.numbers(seed, FOLLOWING)
        began = perf_counter()
        verdict = audit(numbers, seeds="none", max_seconds=MAX_SECONDS)
        seconds.append(perf_counter() - began)
        if not isinstance(verdict, Predictable):
            continue
        wrong += not _same(verdict.next, following)
        families.append(verdict.family)
        needed.append(verdict.outputs_needed)
        proved.append(verdict.outputs_needed + _proof(verdict))
    return {
        "program": printed.program,
        "form": printed.form,
        "given": printed.length,
        "runs": runs,
        "predicted": len(needed),
        "wrong": wrong,
        "families": sorted(set(families)),
        "needed": _median_and_worst(needed),
        "with_proof": _median_and_worst(proved),
        "seconds": _median_and_worst([round(one, 3) for one in seconds]),
    }


def _proof(verdict: Predictable) -> int:
    """The held-back outputs that an audit asks for; none if the proof counts all outputs."""
    if not verdict.certificate.held_back:
        return 0
    bits_per_output = -verdict.certificate.log2_chance / verdict.certificate.held_back
    return ceil((SIGNIFICANCE_BITS + MULTIPLE_TESTING_BITS) / bits_per_output)


def _median_and_worst(values: Iterable[float]) -> list[float] | None:
    values = sorted(values)
    return [round(median(values), 3), values[-1]] if values else None


def _same(predicted: list[Any], printed: list[Any]) -> bool:
    """Whether the predictions are the numbers that were printed, with the same digits."""
    return len(predicted) == len(printed) and all(
        str(a) == str(b) or (isinstance(a, float) and a == float(b)) for a, b in zip(predicted, printed, strict=True)
    )
