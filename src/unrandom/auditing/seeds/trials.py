"""What is compared with the outputs of a seeded program: a trial is a method with the outputs that it must make."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import ceil, inf, log2, pi, sqrt
from typing import Any

import numpy as np
from jaxtyping import Int64, UInt64

from unrandom.auditing.deadline import NO_LIMIT
from unrandom.auditing.family import agreement
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.scales import MANTISSA
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.seeds import draws
from unrandom.auditing.seeds.methods import Method
from unrandom.auditing.seeds.programs import Program
from unrandom.auditing.seeds.samples import drawn, resized
from unrandom.auditing.seeds.screens import Screens, passing, real_screen, screens, whole_screen
from unrandom.auditing.seeds.twisters import Words
from unrandom.core.files import JsonObject

COMPARED_BITS = 160  # information of the first outputs compared in the search for the seed; more cannot be needed
SCREENED_BITS = 8  # information of the outputs by which seeds are screened
FIRST_BITS = 12  # information of the outputs for which words are computed for every seed

MAX_FIRST_WORDS = 24

SPARE = 3  # words computed for an output, at least; those for which rejection takes still more are compared later

ROUND = 100  # a range of this size, or of a multiple, is taken for what it seems
OTHER_SIZES = 64  # sizes of ranges, from the least possible one on, that may make the same outputs
SHOW_RANGE = 1000  # this many numbers show their range

USUAL_BITS = (8, 15, 16, 24, 31, 32, 53, 63, 64)  # bits of words that programs often use


@dataclass(frozen=True)
class Trial:
    """A method of a program with the first outputs of a stream: whole numbers from `ranges`, or real numbers."""

    stream: Stream
    program: Program
    method: Method

    @cached_property
    def ranges(self) -> UInt64[np.ndarray, " outputs"]:
        """The sizes of the ranges of the compared outputs; that of all outputs of a method without a range."""
        return self._ranges(self.compared)

    @cached_property
    def information(self) -> list[float]:
        """Bits of each output of the stream: −log2 of the probability that a wrong seed makes it."""
        bits, known = self._information(), self.stream.known
        return bits if known is None else np.where(known, bits, 0.0).tolist()

    def _information(self) -> list[float]:
        """The same as if all outputs were known."""
        if self.method.kind == "word":
            return [float(self.method.bits)] * len(self.stream)
        if self.method.kind == "range":
            return [log2(self.stream.range_of(i) or 1) for i in range(len(self.stream))]
        least, most = self._bounds(len(self.stream))
        widths = np.maximum(most - least, 2.0**-self.method.bits)
        if self.method.kind == "normal":
            nearest = np.clip(0.0, least, most)
            widths = np.minimum(widths * np.exp(-nearest * nearest / 2) / sqrt(2 * pi), 1.0)
        return [float(bits) for bits in np.maximum(-np.log2(widths), 0.0)]

    @property
    def implausible(self) -> int:
        """Small if programs often make such outputs: words of a usual size, or numbers from a range with round ends."""
        usual = self.method.kind != "word" or self.method.bits in USUAL_BITS
        return 2 * (not self.stream.likely) + (not usual)

    def informative(self, bits: float) -> int:
        """How many outputs have this much information, or one more than there are."""
        enough = np.flatnonzero(np.cumsum(self.information) >= bits)
        return int(enough[0]) + 1 if len(enough) else len(self.stream) + 1

    @property
    def compared(self) -> int:
        return min(self.informative(COMPARED_BITS), len(self.stream))

    @property
    def first_words(self) -> int:
        """Words computed for every seed."""
        outputs = min(self.informative(FIRST_BITS), len(self.stream))
        return min(MAX_FIRST_WORDS, 1 + outputs * self._words_per_output)

    @property
    def all_words(self) -> int:
        """Words that the compared outputs take, at nearly all seeds."""
        return 64 + SPARE * self.compared * self._words_per_output

    @property
    def _words_per_output(self) -> int:
        return max(self.method.words(n) for n in set(self._ranges(self.compared).tolist()))

    def agreeing(self, words: Words) -> Int64[np.ndarray, " agreeing"]:
        """The columns of `words` that make the compared outputs, as far as the words suffice."""
        hits = np.empty(words.shape[1] + 1, dtype=np.int64)
        count = passing(words, self._screens, hits)
        if self.method.real:
            count = draws.agreeing_reals(words, self.method.constants, *self._compared_bounds, hits, count)
        else:
            count = draws.agreeing_whole(words, self.method.constants, self.ranges, self._targets, hits, count)
        return hits[:count]

    @cached_property
    def _screens(self) -> Screens:
        count = min(self.informative(SCREENED_BITS), self.compared)
        if self.method.real:
            bounds = zip(*(side[:count].tolist() for side in self._compared_bounds), strict=True)
            first = [real_screen(self.method, least, most) for least, most in bounds]
        else:
            numbers = zip(self.ranges[:count].tolist(), self._targets[:count].tolist(), strict=True)
            first = [whole_screen(self.method, n, target) for n, target in numbers]
        return screens(first, self.method.layout.words)

    @cached_property
    def _targets(self) -> UInt64[np.ndarray, " outputs"]:
        targets = self.stream.values[: self.compared].astype(np.uint64)
        if self.stream.known is not None:
            targets[~self.stream.known[: self.compared]] = draws.UNKNOWN
        return targets

    @cached_property
    def _compared_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        least, most = self._bounds(self.compared)
        if self.stream.known is None:
            return least, most
        known = self.stream.known[: self.compared]
        return np.where(known, least, -inf), np.where(known, most, inf)

    def _ranges(self, count: int) -> UInt64[np.ndarray, " outputs"]:
        if self.method.kind != "range":
            return np.full(count, 1 << min(self.method.bits, 32), dtype=np.uint64)
        return np.array([self.stream.range_of(i) for i in range(count)], dtype=np.uint64)

    def _bounds(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest real numbers that may have been printed as these."""
        values, errors = self.stream.values[:count], self.stream.rounding_error
        assert errors is not None
        error = errors[:count] + np.abs(values) * 2.0**-MANTISSA
        return values - error, values + error


@dataclass(frozen=True)
class Seeded:
    """A program with its seed: the generator whose first output is the first one of the stream."""

    trial: Trial
    seed: int
    per_second: int = 0
    equal: tuple[str, ...] = ()  # other methods that make the same outputs

    @property
    def parameters(self) -> JsonObject:
        unit = {1: {"unit": "seconds since 1970"}, 1000: {"unit": "milliseconds since 1970"}}.get(self.per_second, {})
        return {
            "program": self.trial.program.about,
            "method": self.trial.method.about,
            **({"or": list(self.equal)} if self.equal else {}),
            "seed": self.seed,
            **unit,
            "draws before": 0,
        }

    def outputs(self) -> Iterator[Number]:
        done, count = 0, 64
        while True:
            numbers = self._numbers(count)
            yield from numbers[done:]
            done, count = max(done, len(numbers)), 4 * count

    def previous(self, count: int) -> list[Number] | None:
        """None: there are no outputs before the first one."""
        return None

    def assumption(self, outputs: int) -> str | None:
        """That the range is assumed, if others give the same `outputs`, and then not the same: those of a method that
        draws again what is too large may be the same.
        """
        stream, numbers, size = self.trial.stream, drawn(self.trial.stream), self.trial.stream.range_of(0)
        open_range = self.trial.method.kind == "range" and not (stream.stated or _is_usual(size))
        if numbers is None or not open_range or outputs >= SHOW_RANGE:
            return None
        following, others = self._following(), list[int]()
        for other in range(max(numbers) + 1, max(numbers) + 1 + OTHER_SIZES):
            trial = replace(self.trial, stream=resized(stream, other))
            seeded = replace(self, trial=trial)
            if (
                other != size
                and agreement(seeded, trial.stream, NO_LIMIT) == outputs
                and seeded._following() != following
            ):
                others.append(other)
        if not others:
            return None
        sizes = str(others[0]) if len(others) == 1 else f"{others[0]} to {others[-1]}"
        return (
            f"It is assumed that each number is one of {size}. If it is one of {sizes}, the outputs are the same, and "
            "those that follow are not: --bounded states it."
        )

    def _following(self) -> list[Any]:
        stream = self.trial.stream
        return stream.printed_after(islice(self.outputs(), len(stream), None), len(stream))

    def _numbers(self, count: int) -> list[Number]:
        """The outputs that this many words make."""
        trial = self.trial
        words = trial.program.words(np.array([self.seed], dtype=np.uint64), count)
        if trial.method.real:
            reals = np.empty(count)
            made = draws.real_outputs(words, trial.method.constants, reals)
            return reals[:made].tolist()
        numbers = np.empty(count, dtype=np.uint64)
        made = draws.whole_outputs(words, trial.method.constants, trial._ranges(count), numbers)
        return numbers[:made].tolist()


def _is_usual(size: int | None) -> bool:
    return size is not None and (size % ROUND == 0 or size & (size - 1) == 0)


def outputs_needed(trial: Trial, programs_and_seeds: float, significance: float) -> int:
    """Outputs that make the chance of a wrong seed at most 2**−significance."""
    bits = significance + log2(programs_and_seeds)
    count = trial.informative(bits)
    if count <= len(trial.stream):
        return count
    mean = sum(trial.information) / len(trial.information)
    return max(count, ceil(bits / max(mean, 2.0**-6)))
