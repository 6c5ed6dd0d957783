"""How is a stream audited in one call? From numbers or a file to a verdict."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import islice
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unrandom.auditing.breaks import Course, follow
from unrandom.auditing.family import Assuming
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Form, Stream
from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.formulas import behind_formula
from unrandom.auditing.reading.numerals import NoNumeral
from unrandom.auditing.reading.options import Selection, check_text, described, seconds_option
from unrandom.auditing.reading.parsing import Numbers
from unrandom.auditing.reading.tokens import MAX_NUMBERS
from unrandom.auditing.reading.values import numbers_of_letters, numbers_of_values
from unrandom.auditing.search import SIGNIFICANCE_BITS, Search, Unproven, choose, fewest_outputs
from unrandom.auditing.verdict import Break, Candidate, NotFinished, NotPredicted, Predictable, TooFew, Verdict
from unrandom.core.deadline import Deadline, OutOfTime
from unrandom.core.errors import UserError
from unrandom.core.inputs import named
from unrandom.core.names import Raw
from unrandom.core.reading import about

if TYPE_CHECKING:
    from unrandom.auditing.seeds.search import SeedSearch

SEARCH_SECONDS = 60.0  # time limit of an audit from its beginning, reading included, unless another one is given
LEAST_READING = 1.0  # seconds that reading may take, even if less is given for the audit
CONTINUATION = 10  # number of outputs reported after the last one, and before the first one
GIVEN = "given-lcg"  # the family of the LCG that the user describes, which is tried first
MAX_CANDIDATES = 10  # generators reported that are not proven


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
    """Search for a generator that predicts a stream of numbers: `Predictable`, `TooFew` or `NotPredicted`.

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

    If the numbers are the first ones after seeding, a few of them tell the seed: before anything else, ``seeds`` (such
    as ``"32bit"`` or ``"0:1000000"``) are tried in the programs that could have made the numbers, and so are the times
    ``around`` a date (such as ``"2026-11-20T12:00"``, a day before and after it; ``"2026-11-20T12:00+-3"``: three
    hours), in seconds and milliseconds. ``program`` restricts this to programs with that text in their name, such as
    ``"php"``. It takes as long as it needs, unless ``max_seconds`` is given.

    A `Predictable` has ``family``, ``form``, ``parameters``, ``next`` (outputs), ``previous``, ``outputs_needed``,
    ``breaks`` and ``certificate``, the proof: it predicted outputs that were held back. A `TooFew` has ``needed``: the
    families that remain possible, and how many more outputs each needs. A `NotPredicted` proves nothing about the
    stream. All have ``verdict``, ``tried``, ``advice``, ``text()`` and ``to_json()``. Raises UserError for what is no
    such stream.

    >>> import unrandom
    >>> verdict = unrandom.audit(unrandom.LCG(m=2**31 - 1, a=16807, c=0).orbit(x0=1, length=40))
    >>> verdict.parameters["a"], verdict.outputs_needed
    (16807, 5)
    >>> verdict.next[:2]
    [784558821, 530511967]
    """
    chosen = Selection(column=column, regex=regex, rows=rows, notation=notation, alphabet=alphabet, low=low, high=high)
    check_text("--raw", raw)
    check_text("--formula", formula)
    for name, value in (("family", family), ("seeds", seeds), ("around", around), ("program", program)):
        check_text(f"--{name}", value)
    limit = seconds_option(max_seconds)
    if not callable(watch):
        raise UserError(f"watch must be a function, not {described(watch)}")
    with about("--family"):
        choose(family)
    assumed = Assumed.of(
        bits=bits,
        bounded=bounded,
        start=start,
        scale=scale,
        modulus=modulus,
        multiplier=multiplier,
        increment=increment,
        pattern=pattern,
    )
    from_file = isinstance(numbers, str | Path)
    source = named(str(numbers)) if from_file else "the input"
    deadline = Deadline(SEARCH_SECONDS if limit is None else limit)
    reading = Deadline(max(deadline.left, LEAST_READING))
    try:
        with about(source) if from_file else nullcontext():
            parsed = _read(numbers, raw, chosen, formula, reading)
            streams = interpretations(parsed, assumed, reading)
    except OutOfTime:
        raise UserError(f"{source} was not read in the time that --max-seconds allows: give more time") from None
    seeded = _seed_search(streams, seeds, around, program, Deadline(inf) if limit is None else deadline, watch)
    if seeded is not None:
        found = seeded.run()
        deadline = Deadline(SEARCH_SECONDS) if limit is None else deadline
        if found:
            search = Search(choose(family), deadline, watch)
            return _predictable(search, follow(search, found.stream, 0, found), len(parsed), parsed.notes)
    families = sorted(
        (one for one in choose(family) if one.of_own or modulus is None or family is not None),
        key=lambda one: multiplier is None or one.name != GIVEN,
    )
    return _searched(Search(families, deadline, watch), streams, parsed.notes, seeded)


def _read(numbers: Any, raw: Raw | None, chosen: Selection, formula: str | None, deadline: Deadline) -> Numbers:
    if isinstance(numbers, str | Path):
        return read(numbers, raw=raw, formula=formula, deadline=deadline, **vars(chosen))
    if raw is not None or replace(chosen, alphabet=None):
        raise UserError("raw, column, regex and notation are for files, as rows, low and high are; numbers were given")
    if chosen.alphabet is not None:
        found = numbers_of_letters(numbers, chosen.alphabet, deadline)
    else:
        found = _given(numbers, deadline)
    return found if formula is None else behind_formula(found, formula, deadline)


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


def _seed_search(
    streams: Sequence[Stream],
    seeds: str | None,
    around: str | None,
    program: str | None,
    deadline: Deadline,
    watch: Callable[[str], None],
) -> "SeedSearch | None":
    """The search for the seed that the user asks for; None if for none. Imports numba only then."""
    if seeds is None and around is None:
        if program is not None:
            raise UserError("--program is for trying seeds; give --seeds, or --around a time when they were taken")
        return None
    from unrandom.auditing.seeds.search import SeedSearch
    from unrandom.auditing.seeds.spans import parse_around, parse_seeds

    with about("--seeds"):
        spans = [parse_seeds(seeds)] if seeds is not None else []
    with about("--around"):
        spans += parse_around(around) if around is not None else []
    return SeedSearch(streams, spans, deadline, watch, program)


def audit_streams(
    streams: Sequence[Stream],
    *,
    max_seconds: float = SEARCH_SECONDS,
    family: str | None = None,
    watch: Callable[[str], None] = lambda _family: None,
    notes: Sequence[str] = (),
) -> Verdict:
    """Search for a generator in these interpretations of the same numbers (the first one is as they were printed) for
    at most `max_seconds`, among all families or those named `family`. UserError if there is no such family.
    """
    return _searched(Search(choose(family), Deadline(max_seconds), watch), streams, notes)


def _searched(
    search: Search, streams: Sequence[Stream], notes: Sequence[str], seeded: "SeedSearch | None" = None
) -> Verdict:
    """The verdict of a search, after the seeds that were tried before it."""
    outputs = len(streams[0]) * streams[0].form.outer // streams[0].form.inner
    found = search.find_quickly(streams) or search.find_slowly(streams)
    verdict = (
        _predictable(search, follow(search, *found), outputs, notes)
        if found
        else _unpredicted(search, outputs, list(notes))
    )
    return seeded.added_to(verdict) if seeded else verdict


def _unpredicted(search: Search, outputs: int, notes: list[str]) -> Verdict:
    """The verdict without a proof."""
    ordered = sorted(search.needed, key=lambda one: (not one.recognised, one.outputs))
    needed = list({one.about: one for one in reversed(ordered)}.values())[::-1]
    candidates = _candidates(search.unproven, outputs)
    if search.seconds:
        return NotFinished(outputs, search.tried, search.seconds, needed, notes, candidates)
    if needed or candidates or search.wanting:
        return TooFew(outputs, search.tried, needed, notes, candidates)
    return NotPredicted(outputs, search.tried, notes)


def _candidates(unproven: Sequence[Unproven], outputs: int) -> list[Candidate]:
    """The generators found without a proof, up to MAX_CANDIDATES that differ in what comes next: those with the most
    evidence first.
    """
    by_next: dict[str, Candidate] = {}
    for one in sorted(unproven, key=lambda one: (not one.stream.likely, -one.bits)):
        form = one.stream.form
        following = _next(one.stream, islice(one.generator.outputs(), len(one.stream), None), outputs)
        per_printed = float(one.stream.information.mean()) * form.inner / form.outer
        more = max(1, ceil((SIGNIFICANCE_BITS - one.bits) / max(per_printed, 2**-6)))
        bits = round(max(0.0, one.bits), 1)
        about, parameters = one.family.about, one.generator.parameters
        candidate = Candidate(one.family.name, about, form.about, parameters, following, bits, SIGNIFICANCE_BITS, more)
        by_next.setdefault(str(following), candidate)
    return sorted(by_next.values(), key=lambda one: -one.bits)[:MAX_CANDIDATES]


def _next(stream: Stream, following: Iterator[Number], outputs: int) -> list[Any]:
    """The printed numbers after `outputs` of them, of a generator that goes on with `following` after a stream."""
    inner, outer = stream.form.inner, stream.form.outer
    over = outputs - len(stream) * outer // inner  # printed numbers at the end that are less than one of the stream
    numbers = list(islice(following, inner * -(-(CONTINUATION + over) // outer)))
    return _written(stream.form, numbers)[over : over + CONTINUATION]


def _written(form: Form, numbers: list[Number]) -> list[Any]:
    """The numbers as the input would have printed them, to the first one that its notation cannot express."""
    while True:
        try:
            return form.write(numbers)
        except NoNumeral:
            numbers = numbers[:-1]


def _predictable(search: Search, course: Course, outputs: int, notes: Sequence[str]) -> Predictable:
    stream, found, form = course.stream, course.found, course.stream.form
    inner, outer = form.inner, form.outer

    def printed(index: int) -> int:
        return index * outer // inner

    following = _next(stream, course.outputs, outputs) if course.last == len(stream) else []
    notes, previous = list(notes), None
    generator = found.generator
    assumption = generator.assumption(len(stream)) if isinstance(generator, Assuming) else None
    if not found.exact:
        notes.append("The predictions agree with the numbers but for rounding errors: their last digits may differ.")
    if course.cut:
        notes.append("The time limit ended the comparison: the generator may predict more of the outputs.")
    if assumption:
        notes.append(assumption)
    elif course.first == 0 and not any(one.reseeded for one in course.breaks) and found.stream is stream:
        before = generator.previous(inner * -(-CONTINUATION // outer))
        with suppress(NoNumeral):
            previous = None if before is None else form.write(before)[-CONTINUATION:]
    return Predictable(
        outputs=outputs,
        tried=search.tried,
        family=found.family.name,
        about=found.family.about,
        form=form.about,
        parameters=generator.parameters,
        outputs_needed=-(-fewest_outputs(found, search.deadline) * outer // inner),
        certificate=found.certificate,
        next=following,
        previous=previous,
        first=printed(course.first) + 1,
        last=printed(course.last),
        breaks=[Break(printed(b.after), b.skipped, b.lost, b.reseeded) for b in course.breaks],
        notes=notes,
    )
