"""What is compared with the outputs of a seeded program? A trial: a method, and the outputs that it must make."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2

import numpy as np
from jaxtyping import Int64, UInt64

from unrandom.auditing.forms.layers import Affine, Number, Signed
from unrandom.auditing.forms.stream import MANTISSA, Stream
from unrandom.auditing.reading.tokens import shown
from unrandom.auditing.seeds import draws
from unrandom.auditing.seeds.methods import Method, OutputKind
from unrandom.auditing.seeds.programs import PROGRAMS, Program
from unrandom.auditing.seeds.screens import Screen, fraction_screen, passing, whole_screen
from unrandom.auditing.seeds.twisters import Words
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject

COMPARED_BITS = 160  # information of the first outputs compared in the search for the seed; more cannot be needed
FIRST_BITS = 12  # information of the outputs for which words are computed for every seed

MAX_FIRST_WORDS = 24

SPARE = 3  # words computed for an output, at least; those for which rejection takes still more are compared later

UNUSED_BITS = 24
"""If the whole numbers of a stream have fewer bits than the outputs of a method, the chance of that is at most 2 to
the power of minus this number.
"""

WIDEST_BITS = 64  # numbers with more bits are compared with no method: compiled comparisons take 64-bit words
USUAL_BITS = (8, 15, 16, 24, 31, 32, 53, 63, 64)  # bits of words that programs often use
LAYERS = (Affine, Signed)  # interpretations of the printed numbers that are common in programs


@dataclass(frozen=True)
class Trial:
    """A method of a program with the first outputs of a stream: whole numbers from `ranges`, or fractions."""

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
        if self.method.kind == "word":
            return [float(self.method.bits)] * len(self.stream)
        if self.method.kind == "range":
            return [log2(self.stream.range_of(i) or 1) for i in range(len(self.stream))]
        least, most = self._bounds(len(self.stream))
        widths = np.maximum(most - least, 2.0**-self.method.bits)
        return [float(bits) for bits in np.maximum(-np.log2(widths), 0.0)]

    @property
    def implausible(self) -> int:
        """Small if programs often make such outputs: words of a usual size, or numbers from a range with round ends."""
        usual = self.method.kind != "word" or self.method.bits in USUAL_BITS
        return 2 * (not self.stream.likely) + (not usual)

    def informative(self, bits: float) -> int:
        """How many outputs have so much information, or one more than there are."""
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
        count = passing(words, self._screen, hits)
        if self.method.kind == "fraction":
            count = draws.agreeing_fractions(words, self.method.constants, *self._compared_bounds, hits, count)
        else:
            count = draws.agreeing_whole(words, self.method.constants, self.ranges, self._targets, hits, count)
        return hits[:count]

    @cached_property
    def _screen(self) -> Screen:
        if self.method.kind == "fraction":
            least, most = self._compared_bounds
            return fraction_screen(self.method, float(least[0]), float(most[0]))
        return whole_screen(self.method, int(self.ranges[0]), int(self._targets[0]))

    @cached_property
    def _targets(self) -> UInt64[np.ndarray, " outputs"]:
        return self.stream.values[: self.compared].astype(np.uint64)

    @cached_property
    def _compared_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self._bounds(self.compared)

    def _ranges(self, count: int) -> UInt64[np.ndarray, " outputs"]:
        if self.method.kind != "range":
            return np.full(count, 1 << min(self.method.bits, 32), dtype=np.uint64)
        return np.array([self.stream.range_of(i) for i in range(count)], dtype=np.uint64)

    def _bounds(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest fractions that may have been printed as these."""
        values, errors = self.stream.values[:count], self.stream.rounding_error
        assert errors is not None
        error = errors[:count] + values * 2.0**-MANTISSA
        return values - error, values + error


def choose(program: str | None) -> Sequence[Program]:
    """The programs whose names contain this text, or all; UserError if there are none."""
    chosen = [one for one in PROGRAMS if program is None or program.lower() in one.about.lower()]
    if not chosen:
        some = "; ".join(one.about for one in PROGRAMS[:5])
        raise UserError(f"--program: no program contains {shown(program or '')}; there are {some} and others")
    return chosen


def trials(streams: Sequence[Stream], program: str | None = None) -> list[Trial]:
    """All methods that may have made one of the streams, in the order of their programs; none for constants, nor for
    numbers of more than WIDEST_BITS.
    """
    found: dict[object, Trial] = {}
    for one in choose(program):
        for stream in streams:
            usual = all(isinstance(layer, LAYERS) for layer in stream.form.layers)
            if usual and stream.bits <= WIDEST_BITS and varied(stream):
                for method in _methods(one, stream):
                    ranges = (stream.bounded, stream.cycle) if method.kind == "range" else ()
                    key = (one.about, method, stream.form.layers, ranges)
                    found.setdefault(key, Trial(stream, one, method))
    return list(found.values())


def varied(stream: Stream) -> bool:
    """False for constants, of which any seed may be the cause that leads to an error."""
    return len(stream) == 1 or stream.bits_per_output > 0


def _methods(program: Program, stream: Stream) -> Iterator[Method]:
    kind: OutputKind = "word"
    if stream.fractions:
        kind = "fraction"
    elif stream.bounded is not None or stream.cycle:
        kind = "range"
    for method in program.methods_for(kind, stream.bits):
        if kind == "word":
            unused = method.bits - stream.bits
            if unused >= 0 and unused * len(stream) <= UNUSED_BITS:
                yield method
        elif kind == "fraction" or all(method.fits(n) for n in stream.cycle or (stream.bounded or 0,)):
            yield method


@dataclass(frozen=True)
class Seeded:
    """A program with its seed: the generator whose first output is the first one of the stream."""

    trial: Trial
    seed: int
    per_second: int = 0
    equal: tuple[str, ...] = ()  # other methods that make the same outputs

    @property
    def about(self) -> str:
        """Program, seed and method in words."""
        return f"{self.trial.program.about}, seed {self.seed}: {self.trial.method.about}"

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

    def _numbers(self, count: int) -> list[Number]:
        """The outputs that this many words make."""
        trial = self.trial
        words = trial.program.words(np.array([self.seed], dtype=np.uint64), count)
        if trial.method.kind == "fraction":
            fractions = np.empty(count)
            made = draws.fraction_outputs(words, trial.method.constants, fractions)
            return fractions[:made].tolist()
        numbers = np.empty(count, dtype=np.uint64)
        made = draws.whole_outputs(words, trial.method.constants, trial._ranges(count), numbers)
        return numbers[:made].tolist()


def outputs_needed(trial: Trial, programs_and_seeds: float, significance: float) -> int:
    """Outputs that make the chance of a wrong seed at most 2**−significance."""
    bits = significance + log2(programs_and_seeds)
    count = trial.informative(bits)
    if count <= len(trial.stream):
        return count
    mean = sum(trial.information) / len(trial.information)
    return max(count, ceil(bits / max(mean, 2.0**-6)))
