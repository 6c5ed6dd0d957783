"""Tries the seeds of a range, in blocks, in as many threads as there are processors; the words of a program are
computed once for all its trials.

A first comparison, of a few words for every seed, leaves about one seed in 2**12; these are compared with more words.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby, islice
from threading import Event

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.seeds.programs import Program
from unrandom.auditing.seeds.spans import Span
from unrandom.auditing.seeds.trials import Trial
from unrandom.auditing.seeds.twisters import LANES
from unrandom.core.processors import usable_processors

CHUNK = 4096  # seeds whose words are computed at a time, a multiple of LANES; these fit in the cache of a processor

assert CHUNK % LANES == 0

BLOCK_SECONDS = 0.3  # approximate time of a block of seeds in one thread
KEPT = 1000  # seeds of a block that make all outputs and are kept


@dataclass
class Hits:
    """Seeds of a block with which a program makes the compared outputs: their number, and the first KEPT ones."""

    trial: Trial
    block: Span
    count: int
    seeds: list[int]


Report = Callable[[Hits], bool]  # is called for every block with hits; the search ends if it returns True


def scan(
    spans: Sequence[Span], trials: Sequence[Trial], deadline: Deadline, watch: Callable[[str], None], report: Report
) -> None:
    """Try all seeds; raises OutOfTime after the deadline."""
    stop = Event()
    with ThreadPoolExecutor(len(usable_processors())) as threads:
        try:
            for span in spans:
                for _, same in groupby(trials, key=lambda trial: id(trial.program)):
                    if _scan_program(threads, span, list(same), deadline, watch, report, stop):
                        return
        finally:
            stop.set()


def _scan_program(
    threads: ThreadPoolExecutor,
    span: Span,
    trials: Sequence[Trial],
    deadline: Deadline,
    watch: Callable[[str], None],
    report: Report,
    stop: Event,
) -> bool:
    """Try all seeds of a program. Returns whether the search has ended."""
    program, done = trials[0].program, 0
    total = min(len(span), program.distinct)
    blocks, running = _blocks(span, program), dict[Future[list[Hits]], int]()
    while not stop.is_set():
        deadline.check()
        watch(f"{program.about}: {done / total:.0%} of {total:.3g} seeds")
        for block in islice(blocks, 2 * len(usable_processors()) - len(running)):
            running[threads.submit(_try_block, program, trials, block, stop)] = len(block)
        if not running:
            break
        done += _finished(running, report, deadline, stop)
    return stop.is_set()


def _finished(running: dict[Future[list[Hits]], int], report: Report, deadline: Deadline, stop: Event) -> int:
    """Wait for a block, and report its seeds. Returns the number of seeds tried."""
    finished: set[Future[list[Hits]]] = set()
    while not finished:
        deadline.check()
        finished, _ = wait(running, timeout=BLOCK_SECONDS, return_when=FIRST_COMPLETED)
    for job in finished:
        for hits in job.result():
            if not stop.is_set() and report(hits):
                stop.set()
    return sum(running.pop(job) for job in finished)


def _blocks(span: Span, program: Program) -> Iterator[Span]:
    """Parts of the range, none of which spans a multiple of 2**32; seeds of the same effect are left out."""
    size = max(CHUNK, int(program.speed * BLOCK_SECONDS) // CHUNK * CHUNK)
    start, end = span.start, int(min(span.end, span.start + program.distinct))
    while start < end:
        stop = min(start + size, end, (start >> 32) + 1 << 32)
        yield Span(start, stop, span.per_second)
        start = stop


def _try_block(program: Program, trials: Sequence[Trial], block: Span, stop: Event) -> list[Hits]:
    count = max(trial.first_words for trial in trials)
    words = np.empty((count, CHUNK), dtype=np.uint64)
    left: list[list[UInt64[np.ndarray, " left"]]] = [[] for _ in trials]
    for start in range(block.start, block.end, CHUNK):
        if stop.is_set():
            return []
        seeds = np.arange(start, min(start + CHUNK, block.end), dtype=np.uint64)
        if len(seeds) == CHUNK:
            program.fill(seeds, words, program.table)
            columns = words
        else:
            columns = program.words(seeds, count)
        for trial, few in zip(trials, left, strict=True):
            agreeing = trial.agreeing(columns)
            if len(agreeing):
                few.append(seeds[agreeing])
    found = []
    for trial, few in zip(trials, left, strict=True):
        seeds = _refined(trial, np.concatenate(few), count, stop) if few else np.empty(0, dtype=np.uint64)
        if len(seeds):
            found.append(Hits(trial, block, len(seeds), seeds[:KEPT].tolist()))
    return found


def _refined(trial: Trial, seeds: UInt64[np.ndarray, " seeds"], count: int, stop: Event) -> UInt64[np.ndarray, " left"]:
    """The seeds with which all compared outputs are made, given that `count` words agree with these."""
    while count < trial.all_words and len(seeds):
        count = min(4 * count, trial.all_words)
        parts = []
        for start in range(0, len(seeds), CHUNK):
            if stop.is_set():
                break
            part = seeds[start : start + CHUNK]
            parts.append(part[trial.agreeing(trial.program.words(part, count))])
        seeds = np.concatenate(parts) if parts else seeds[:0]
    return seeds
