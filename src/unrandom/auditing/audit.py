"""Audits a stream in one call: from numbers or a file to a verdict."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unrandom.auditing.breaks import follow
from unrandom.auditing.conclusion import predictable, unpredicted
from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.family import Family
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.inputs import named
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.formulas import behind_formula
from unrandom.auditing.reading.options import Reading, check_text, described, seconds_option
from unrandom.auditing.reading.parsing import Numbers
from unrandom.auditing.reading.tokens import MAX_NUMBERS
from unrandom.auditing.reading.values import numbers_of_letters, numbers_of_values
from unrandom.auditing.search import Search, choose
from unrandom.auditing.verdict import SEEDED, Verdict
from unrandom.core.errors import UserError
from unrandom.core.names import Raw
from unrandom.core.reading import about

if TYPE_CHECKING:
    from unrandom.auditing.seeds.by_trial import SeedSearch

SEARCH_SECONDS = 60.0  # time limit of an audit from its beginning, reading included, unless another one is given
LEAST_READING = 1.0  # seconds that reading may take, even if less is given for the audit
WHOLE, GIVEN = "lcg", "given-lcg"  # the families of the LCG that the user describes, which are tried first
HIDDEN_BITS = 8  # if fewer of a state seem to be hidden, it may be shown whole
NO_SEEDS = "none"  # what --seeds says if none shall be tried


def audit(
    numbers: str | Path | Sequence[Any] | np.ndarray,
    *,
    bits: int | None = None,
    bounded: int | None = None,
    start: int | float | None = None,
    scale: int | float | None = None,
    modulus: int | None = None,
    multiplier: int | None = None,
    increment: int | None = None,
    pattern: str | None = None,
    raw: Raw | None = None,
    column: str | None = None,
    regex: str | None = None,
    rows: bool = False,
    notation: str | None = None,
    alphabet: str | None = None,
    low: str | None = None,
    high: str | None = None,
    formula: str | None = None,
    family: str | None = None,
    seeds: str | None = None,
    around: str | None = None,
    program: str | None = None,
    max_seconds: float | None = None,
    watch: Callable[[str], None] = lambda _family: None,
) -> Verdict:
    """Search for a generator that predicts a stream of numbers: `Predictable`, `TooFew`, `NotFinished` or
    `NotPredicted`.

    ``numbers`` are the outputs of one generator in their order, as a list or an array of whole numbers, numbers with
    decimals, or strings as a program prints them (lists of the same things are shuffles); or the path of a file of them
    (``"-"`` is standard input).

    The numbers alone are enough: every plausible form of them is tried. What is known makes the search faster: whole
    numbers of ``bits`` bits; ``bounded`` numbers reduced to 0 … N − 1, or to N numbers from ``start`` on; numbers
    multiplied by ``scale`` (so that fractions from −1 to 1 have ``start=-1, scale=2``); an LCG of this ``modulus``,
    ``multiplier`` and ``increment``. Of a file, ``raw`` (such as ``"u32"``) reads binary words, ``column`` selects a
    column of a table or a key of JSON objects, ``regex`` finds the number in each line, ``rows`` reads all columns row
    by row, ``low`` and ``high`` are columns that bound fractions from 0 to 1, and ``notation`` says how numbers are
    written. The characters of tokens were drawn from an ``alphabet``, in order of value; numbers were computed by a
    ``formula`` from a fraction u, as ``"floor(100 / (1.0001 - u))"``. ``family`` restricts the search to one family of
    generators, ``max_seconds`` its time (60 s); ``watch`` is called with the name of each family before it is tried.

    If the numbers are the first ones after seeding, a few of them tell the seed: small seeds and recent times are tried
    unasked for less than 1,000 numbers (not with ``seeds="none"``). Before anything else, ``seeds`` (such as
    ``"32bit"`` or ``"0:1000000"``) are tried in the programs that could have made the numbers, and so are the times
    ``around`` a date (such as ``"2026-11-20T12:00"``, a day before and after it; ``"2026-11-20T12:00+-3"``: three
    hours), in seconds and milliseconds. ``program`` restricts this to programs with that text in their name, such as
    ``"php"``. It takes as long as it needs, unless ``max_seconds`` is given.

    A `Predictable` has ``family``, ``form``, ``parameters``, ``next`` (outputs), ``previous``, ``outputs_needed``,
    ``breaks`` and ``certificate``, the proof: it predicted outputs that were held back, or has far fewer bits than the
    outputs. A `TooFew` has ``candidates``, which make all outputs without a proof, and ``needed``: the families that
    remain possible, and how many more outputs each needs; so has a `NotFinished`, and the ``seconds`` that the rest
    takes. A `NotPredicted` proves nothing about the stream. All have ``verdict``, ``tried``, ``advice``, ``text()`` and
    ``to_json()``. Raises UserError for anything else.

    >>> import unrandom
    >>> verdict = unrandom.audit(unrandom.LCG(m=2**31 - 1, a=16807, c=0).orbit(x0=1, length=40))
    >>> verdict.parameters["a"], verdict.outputs_needed
    (16807, 5)
    >>> verdict.next[:2]
    [784558821, 530511967]
    """
    given = dict(locals())  # each option by its name
    reading = Reading.of(**{one.name: given[one.name] for one in fields(Reading)})
    for name, value in (("family", family), ("seeds", seeds), ("around", around), ("program", program)):
        check_text(f"--{name}", value)
    limit = seconds_option(max_seconds)
    if not callable(watch):
        raise UserError(f"watch must be a function, not {described(watch)}")
    with about("--family"):
        choose(family)
    assumed = Assumed.of(**{one.name: given[one.name] for one in fields(Assumed)})
    from_file = isinstance(numbers, str | Path)
    source = named(str(numbers)) if from_file else "the input"
    deadline = Deadline(SEARCH_SECONDS if limit is None else limit)
    until = Deadline(max(deadline.left, LEAST_READING))
    try:
        with about(source) if from_file else nullcontext():
            parsed = _read(numbers, reading, until)
            streams = interpretations(parsed, assumed, until)
    except OutOfTime:
        raise UserError(f"{source} was not read in the time that --max-seconds allows: give more time") from None
    asked = _asked_seeds(streams, seeds, around, program, Deadline(inf) if limit is None else deadline, watch)
    if asked is not None:
        asked.run()
        deadline = Deadline(SEARCH_SECONDS) if limit is None else deadline  # which begins after these seeds
    search = Search(_families(family, assumed, streams[0]), deadline, watch)
    unasked = (seeds, family, modulus) == (None, None, None) and asked is None and len(parsed) < SEEDED
    likely = partial(_likely_seeds, streams, program, _written(numbers)) if unasked else None
    return _verdict(search, streams, len(parsed), parsed.notes, asked, likely)


def _families(family: str | None, assumed: Assumed, stream: Stream) -> Sequence[Family]:
    """The families to try, in order: first the families of an LCG that the user describes."""
    whole = assumed.modulus is not None and stream.bits + HIDDEN_BITS > assumed.modulus.bit_length()
    first = (WHOLE, GIVEN) if whole else (GIVEN,)
    return sorted(
        (one for one in choose(family) if one.of_own or assumed.modulus is None or family is not None),
        key=lambda one: assumed.multiplier is None or one.name not in first,
    )


def _read(numbers: Any, reading: Reading, deadline: Deadline) -> Numbers:
    if isinstance(numbers, str | Path):
        return read(numbers, deadline=deadline, **vars(reading))
    if reading.stated(*(of_files := Reading.names(of_lists=False))):
        raise UserError(f"{', '.join(of_files[:-1])} and {of_files[-1]} are for files; numbers were given")
    if reading.alphabet is not None:
        found = numbers_of_letters(numbers, reading.alphabet, deadline)
    else:
        found = _given(numbers, deadline)
    return found if reading.formula is None else behind_formula(found, reading.formula, deadline)


def _given(numbers: Any, deadline: Deadline) -> Numbers:
    """The numbers of a list or an array."""
    if isinstance(numbers, np.ndarray):
        if numbers.ndim not in (1, 2):
            raise UserError(f"an array of numbers has one axis, or two (shuffles), not {numbers.ndim}")
        if numbers.ndim == 2 and numbers.dtype.kind in "biuf":
            rows = MAX_NUMBERS // max(1, numbers.shape[1]) + 1
            return numbers_of_values(numbers[:rows, : MAX_NUMBERS + 1].tolist(), deadline)
    elif not isinstance(numbers, Sequence):
        raise UserError("numbers must be a list or an array, or the path of a file")
    return numbers_of_values(numbers, deadline)


def _asked_seeds(
    streams: Sequence[Stream],
    seeds: str | None,
    around: str | None,
    program: str | None,
    deadline: Deadline,
    watch: Callable[[str], None],
) -> "SeedSearch | None":
    """The search for the seed that the user asks for; None if for none. Imports numba only then, or for a program."""
    if around is None and seeds in (None, NO_SEEDS):
        if program is not None and seeds == NO_SEEDS:
            raise UserError(f"--program is for trying seeds; leave it out with --seeds {NO_SEEDS}")
        if program is not None:
            from unrandom.auditing.seeds import choice

            choice.choose(program)
        return None
    from unrandom.auditing.seeds.by_trial import SeedSearch
    from unrandom.auditing.seeds.spans import parse_around, parse_seeds

    with about("--seeds"):
        spans = [parse_seeds(seeds)] if seeds is not None else []
    with about("--around"):
        spans += parse_around(around) if around is not None else []
    return SeedSearch(streams, spans, deadline, watch, program)


def _likely_seeds(
    streams: Sequence[Stream], program: str | None, written: float | None, search: Search
) -> "SeedSearch | None":
    """The search among likely seeds; None without numba."""
    if find_spec("numba") is None:
        return None
    from unrandom.auditing.seeds.by_trial import SeedSearch

    return SeedSearch.unasked(streams, search.deadline, search.watch, written, program)


def _written(numbers: Any) -> float | None:
    """When a file was last changed, in seconds since 1970; None for standard input and for what is not a file."""
    if not isinstance(numbers, str | Path) or str(numbers) == "-":
        return None
    with suppress(OSError):
        return Path(numbers).stat().st_mtime
    return None


def audit_streams(
    streams: Sequence[Stream],
    *,
    max_seconds: float = SEARCH_SECONDS,
    family: str | None = None,
    watch: Callable[[str], None] = lambda _family: None,
    notes: Sequence[str] = (),
) -> Verdict:
    """Search for a generator in these interpretations of the same numbers (the first one is as they were printed) for
    at most `max_seconds`, among all families or those named `family`. UserError for an unknown name.
    """
    outputs = len(streams[0]) * streams[0].form.outer // streams[0].form.inner
    return _verdict(Search(choose(family), Deadline(max_seconds), watch), streams, outputs, notes)


def _verdict(
    search: Search,
    streams: Sequence[Stream],
    outputs: int,
    notes: Sequence[str],
    asked: "SeedSearch | None" = None,
    likely: Callable[[Search], "SeedSearch | None"] | None = None,
) -> Verdict:
    """The verdict on `outputs` printed numbers. If the seeds `asked` for did not make them, the fast families are
    searched, then `likely` seeds, if there are any, and then the slow families.
    """
    found = (None if asked is None else asked.entered(search)) or search.search_fast(streams)
    if found is None and likely is not None and (seeds := likely(search)) is not None:
        seeds.run()
        found = seeds.entered(search)
    found = found or search.search_slow(streams)
    if found:
        return predictable(search, follow(search, *found), outputs, notes)
    return unpredicted(search, streams[0], outputs, notes)
