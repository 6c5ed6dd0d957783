"""How is a stream audited in one call? From numbers or a file to a verdict."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from itertools import islice
from math import inf
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
from unrandom.auditing.reading.numerals import NoNumeral
from unrandom.auditing.reading.options import check_text, described, seconds_option
from unrandom.auditing.reading.parsing import Numbers
from unrandom.auditing.reading.tokens import MAX_NUMBERS
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.auditing.search import Search, choose, fewest_outputs
from unrandom.auditing.verdict import Break, NotPredicted, Predictable, TooFew, Verdict
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
    raw: Raw | None = None,
    column: str | None = None,
    regex: str | None = None,
    notation: str | None = None,
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
    column of a table or a key of JSON objects, ``regex`` finds the number in each line, and ``notation`` says how
    numbers are written. ``family`` restricts the search to one family of generators, ``max_seconds`` its time (60 s);
    ``watch`` is called with the name of each family before it is tried.

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
    for name, value in (("raw", raw), ("column", column), ("regex", regex), ("notation", notation)):
        check_text(f"--{name}", value)
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
    )
    from_file = isinstance(numbers, str | Path)
    source = named(str(numbers)) if from_file else "the input"
    deadline = Deadline(SEARCH_SECONDS if limit is None else limit)
    reading = Deadline(max(deadline.left, LEAST_READING))
    try:
        with about(source) if from_file else nullcontext():
            parsed = _read(numbers, raw, column, regex, notation, reading)
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
    verdict = audit_streams(streams, max_seconds=deadline.left, family=family, watch=watch, notes=parsed.notes)
    return seeded.added_to(verdict) if seeded else verdict


def _read(
    numbers: Any, raw: Raw | None, column: str | None, regex: str | None, notation: str | None, deadline: Deadline
) -> Numbers:
    if isinstance(numbers, str | Path):
        return read(numbers, raw=raw, column=column, regex=regex, notation=notation, deadline=deadline)
    if (raw, column, regex, notation) != (None, None, None, None):
        raise UserError("raw, column, regex and notation are for files, but numbers were given")
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
    search = Search(choose(family), Deadline(max_seconds), watch)
    outputs = len(streams[0]) * streams[0].form.outer // streams[0].form.inner
    if found := search.find(streams):
        return _predictable(search, follow(search, *found), outputs, notes)
    if search.needed:
        needed = sorted(search.needed, key=lambda one: one.outputs)
        return TooFew(outputs, search.tried, needed, list(notes))
    return NotPredicted(outputs, search.tried, list(notes))


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

    following = []
    if course.last == len(stream):
        over = outputs - printed(len(stream))  # printed numbers at the end that are less than one of the stream
        following = _written(form, list(islice(course.outputs, inner * -(-(CONTINUATION + over) // outer))))[over:]
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
        next=following[:CONTINUATION],
        previous=previous,
        first=printed(course.first) + 1,
        last=printed(course.last),
        breaks=[Break(printed(b.after), b.skipped, b.lost, b.reseeded) for b in course.breaks],
        notes=notes,
    )
