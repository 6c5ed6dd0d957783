"""Draws the verdict from a search: the generator that was proven, with what comes next; or what is known without a
proof.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from unrandom.auditing.breaks import Trace
from unrandom.auditing.family import Assuming
from unrandom.auditing.findings import fewest_outputs
from unrandom.auditing.forms.shown import Cycle, Normals, Real
from unrandom.auditing.forms.stream import CONTINUATION, WIDTHS, Stream
from unrandom.auditing.proof import SIGNIFICANCE_BITS
from unrandom.auditing.reading.numerals import NoNumeral
from unrandom.auditing.search import Search
from unrandom.auditing.verdict import Break, Candidate, NotFinished, NotPredicted, Predictable, TooFew, Verdict

MAX_CANDIDATES = 10  # generators reported that are not proven
FEW_NUMBERS = 30  # fewer may not show the ends of their range


def predictable(search: Search, trace: Trace, outputs: int, notes: Sequence[str]) -> Predictable:
    """The verdict on `outputs` printed numbers, of which a generator makes a stretch or all."""
    stream, found, form = trace.stream, trace.found, trace.stream.form
    inner, outer, whole = form.inner, form.outer, trace.last == len(trace.stream)

    def printed(index: int) -> int:
        return index * outer // inner

    notes, previous = list(notes), None
    generator = found.generator
    assumption = generator.assumption(len(stream)) if isinstance(generator, Assuming) else None
    if not found.exact:
        notes.append("The predictions agree with the numbers except for rounding errors: their last digits may differ.")
    if trace.cut:
        notes.append("The time limit ended the comparison: the generator may predict more of the outputs.")
    if assumption:
        notes.append(assumption)
    elif trace.first == 0 and not any(one.reseeded for one in trace.breaks) and found.stream is stream:
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
        next=stream.printed_after(trace.outputs, outputs) if whole else [],
        previous=previous,
        first=printed(trace.first) + 1,
        last=outputs if whole else printed(trace.last),
        breaks=[Break(printed(b.after), b.skipped, b.lost, b.reseeded) for b in trace.breaks],
        notes=[*notes, *search.notes],
    )


def unpredicted(search: Search, stream: Stream, outputs: int, notes: Sequence[str]) -> Verdict:
    """The verdict on `outputs` printed numbers without a proof; `stream` is their most plausible form."""
    notes = [*notes, *_hints(stream), *search.notes]
    ordered = sorted(search.needed, key=lambda one: (not one.recognised, one.outputs))
    least = {one.about: one for one in reversed(ordered)}  # each kind of generator, in the form in which it needs least
    needed = [one for one in ordered if least[one.about] is one]
    candidates = _candidates(search, outputs)
    if search.seconds and not any(one.recognised for one in needed):
        return NotFinished(outputs, search.tried, search.seconds, needed, notes, candidates)
    if needed or candidates or search.needs_unknown_number:
        return TooFew(outputs, search.tried, needed, notes, candidates)
    return NotPredicted(outputs, search.tried, notes)


def _hints(stream: Stream) -> list[str]:
    """Which options may help, of those that a user can hardly think of; none for shuffles."""
    if isinstance(stream.shown, Cycle):
        return []
    if stream.concentrated and not isinstance(stream.shown, Normals):
        return [
            "The numbers are not spread evenly over their range: if they were computed from fractions u, state the "
            'formula, as in --formula "floor(100/(1.0001-u))".'
        ]
    if len(stream) < FEW_NUMBERS and not (isinstance(stream.shown, Real) or stream.stated or stream.bits in WIDTHS):
        return [
            "So few numbers do not show the ends of their range: --bounded N states it, and --from its least number."
        ]
    return []


def _candidates(search: Search, outputs: int) -> list[Candidate]:
    """The generators found without a proof, up to MAX_CANDIDATES: those with the most evidence first, seeded programs
    before others. Of those that go on with the same numbers, the first one is listed.
    """
    ordered = [*search.seeds, *sorted(search.unproven, key=lambda one: (not one.stream.likely, -one.bits))]
    by_next: dict[object, Candidate] = {}
    for one in ordered:
        stream = one.stream
        following = stream.printed_after(islice(one.generator.outputs(), len(stream), None), outputs)
        candidate = Candidate(
            family=one.family.name,
            about=one.family.about,
            form=stream.form.about,
            parameters=one.generator.parameters,
            next=following,
            bits=round(max(0.0, one.bits), 1),
            needed_bits=SIGNIFICANCE_BITS,
            more=one.more,
        )
        by_next.setdefault((str(following), one.apart), candidate)
    return sorted(by_next.values(), key=lambda one: -one.bits)[:MAX_CANDIDATES]
