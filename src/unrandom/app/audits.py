"""Audits pasted or uploaded numbers by running `unrandom audit` in a process of its own.

So a visitor's audit can be ended, and its memory is given back, whatever the numbers are.
"""

import json
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from unrandom.app.answers import answered, chosen, naming_command, sentence
from unrandom.app.children import start
from unrandom.app.limits import (
    AUDIT_SECONDS,
    KILLED_AFTER,
    MAX_CHARACTERS,
    MAX_FILE,
    MAX_SECONDS,
    MAX_WORDS,
)
from unrandom.auditing.reading.parsing import NOTATIONS
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject

INFERRED = "inferred"
NOTATION_NAMES = (INFERRED, *NOTATIONS)
HEADLINES = {
    "predictable": "Predictable",
    "predictable up to a break": "Predictable up to a break",
    "too few": "Too few numbers",
    "not finished": "Not finished",
    "not predicted": "Not predicted",
}
UNFINISHED = "not-finished"  # class of the section of a verdict that a longer search may change
NEEDED_SHOWN = 5
CANDIDATES_SHOWN, NEXT_SHOWN = 5, 5
BREAKS_SHOWN = 8
KILLED = 9  # the signal, which Windows does not have
MISTAKE = 2  # exit status of the command for what cannot be read


@answered(1)
def audit(
    text: str | None,
    file: str | None = None,
    column: Any = None,
    regex: Any = None,
    notation: Any = INFERRED,
    alphabet: Any = None,
    seconds: Any = None,
) -> str:
    """The verdict on the numbers of an uploaded file or, without one, of a text, as HTML.

    The options are those of the command, as texts, empty where they are not given; ``seconds`` limits the search.
    """
    if seconds is None:
        seconds = AUDIT_SECONDS
    elif isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 1 <= seconds <= MAX_SECONDS:
        raise UserError(f"the search can take from 1 to {MAX_SECONDS} seconds")
    notation = chosen(notation or INFERRED, NOTATION_NAMES, "notation")
    options = _options(column=column, regex=regex, notation="" if notation == INFERRED else notation, alphabet=alphabet)
    content = _content(text or "", file)
    with tempfile.TemporaryDirectory(prefix="unrandom-audit-") as folder:
        path = Path(folder) / "numbers"
        path.write_bytes(content)
        return _verdict(_audited(path, options, seconds), seconds)


def _options(**given: Any) -> list[str]:
    """Options of the command, each as one argument, so that what a visitor types can be no option of its own."""
    options = []
    for name, value in given.items():
        if not isinstance(value, str | None):
            raise UserError(f"the {name} must be a text")
        if len(value or "") > MAX_WORDS:
            raise UserError(f"the {name} has {len(value or ''):,} characters; {MAX_WORDS} are allowed")
        if value and ("\0" in value or value.encode(errors="ignore").decode() != value):
            raise UserError(f"the {name} has characters that are no text")
        options += [f"--{name}={value}"] if value else []
    return options


def _content(text: str, file: str | None) -> bytes:
    if file is not None:
        try:
            content = Path(file).read_bytes()  # Gradio's own copy, in its folder of temporary files
        except OSError:
            raise UserError("the file is no longer here; choose it again") from None
        if len(content) > MAX_FILE:
            raise UserError(f"the file has {len(content):,} bytes; {MAX_FILE:,} are allowed")
        return content
    if not text.strip():
        raise UserError("paste some numbers, or choose a file")
    if len(text) > MAX_CHARACTERS:
        raise UserError(f"{len(text):,} characters were pasted; {MAX_CHARACTERS:,} are allowed")
    return text.encode("utf-8", errors="replace")


def _audited(path: Path, options: list[str], seconds: float) -> JsonObject:
    """The answer of the command as JSON values. Raises UserError with its line for what cannot be read."""
    search = ("audit", str(path), "--json", "--max-seconds", str(seconds), *options)
    most = seconds + KILLED_AFTER
    with start(*search, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            written, said = (stream.decode(errors="replace") for stream in process.communicate(timeout=most))
        except subprocess.TimeoutExpired:
            process.kill()
            raise UserError(f"the audit took more than {most} s and was ended; try fewer numbers") from None
    if process.returncode == -KILLED:  # as when the app ends
        raise UserError("the audit was ended before it had an answer, as it is when memory runs out; try fewer numbers")
    if process.returncode == MISTAKE:
        mistake = said.strip().splitlines()[-1].removeprefix("unrandom: ").replace(str(path), "the input")
        raise UserError(naming_command(mistake, "audit"))
    if not written:
        raise RuntimeError(f"an audit ended with status {process.returncode}: {said}")
    answer: JsonObject = json.loads(written)
    return answer


def _verdict(answer: JsonObject, seconds: float) -> str:
    """The verdict, the proof, the next and previous numbers, and what to do, as HTML."""
    kind = answer["verdict"]
    rows = {
        "outputs": f"{answer['outputs']:,} given"
        + (f", {answer['outputs_needed']:,} needed" if answer["outputs_needed"] else ""),
        "form": answer["form"],
        "parameters": ", ".join(_parameter(*each) for each in answer["parameters"].items()),
        "proof": _proof(answer["certificate"]),
        "next": " ".join(map(str, answer["next"])),
        "before the first": " ".join(map(str, answer["previous"] or [])),
        "breaks": "; ".join(each["about"] for each in answer["breaks"][:BREAKS_SHOWN]),
        "not proven": " · ".join(map(_candidate, answer["candidates"][:CANDIDATES_SHOWN])),
        "fewest more": _needed(answer["needed"]),
    }
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(text))}</dd>" for name, text in rows.items() if text)
    notes = "".join(sentence(note) for note in answer["notes"])
    about = sentence(answer["about"][:1].upper() + answer["about"][1:] + ".") if answer["about"] else ""
    advice = sentence(naming_command(answer["advice"], "audit"))
    searched = sentence(
        f"This search was limited to {seconds} seconds; the command line takes any limit, as of ten minutes: "
        "unrandom audit FILE --max-seconds 600."
    )
    return (
        f'<section class="verdict {kind.replace(" ", "-")}"><h3>{HEADLINES[kind]}</h3>{about}<dl>{items}</dl>'
        f"{notes}{advice}{searched if kind == 'not finished' else ''}</section>"
    )


def _candidate(candidate: JsonObject) -> str:
    parameters = ", ".join(_parameter(*each) for each in candidate["parameters"].items() if each[0] != "state")
    following = " ".join(map(str, candidate["next"][:NEXT_SHOWN]))
    return (
        f"{candidate['about']} ({parameters}), {candidate['bits']:.0f} of {candidate['needed_bits']} bits of evidence, "
        f"{candidate['more']} more numbers decide; next {following}"
    )


def _parameter(name: str, value: object) -> str:
    return f"known as {value}" if name == "known_as" else f"{name} = {value}"


def _proof(certificate: JsonObject | None) -> str:
    return "" if certificate is None else str(certificate["about"])


def _needed(needed: list[JsonObject]) -> str:
    first = {each["about"]: each["more"] for each in reversed(needed)}
    fewest = sorted(first.items(), key=lambda item: item[1])[:NEEDED_SHOWN]
    return " · ".join(f"{more:,} for {about}" for about, more in fewest)
