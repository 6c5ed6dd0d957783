"""`unrandom predict` continues sequences of numbers, and prints how reliable the model is on them."""

import shlex
from argparse import Namespace
from typing import TYPE_CHECKING

from unrandom.cli.answer import Answer
from unrandom.cli.options import PREDICTED, Parser, add_reading, add_run
from unrandom.core.errors import UserError

if TYPE_CHECKING:
    from unrandom.runs.continuation import Continuation

EXAMPLE = "unrandom lcg --m 256 --a 77 --c 21 --x0 9 -n 40 | unrandom predict fm-256 - -n 3"
SEQUENCES_SHOWN = 8  # sequences whose tests are printed, at most; --json has all


def add(command: Parser) -> None:
    add_run(command)
    command.add_argument(
        "numbers",
        metavar="FILE|-|NUMBER",
        nargs="+",
        help="a file with the numbers of a sequence in order, read as audit reads them, or, if every line is a list of "
        "numbers separated by spaces or commas, one sequence per line; - is standard input; or two numbers or more",
    )
    command.add_argument(
        "-n", type=PREDICTED, default=1, dest="count", metavar="K", help="how many numbers to predict per sequence (1)"
    )
    add_reading(command)


def run(arguments: Namespace) -> Answer:
    """The next numbers of each sequence, each with the probability that the model assigns to it, and its test."""
    import unrandom
    from unrandom.auditing.reading.options import Reading
    from unrandom.auditing.reading.sequences import read_sequences
    from unrandom.cli.progress import counting, say
    from unrandom.runs.finding import LATEST, NEWEST

    run = unrandom.load(arguments.run, runs=arguments.runs)
    reading = {name: getattr(arguments, name) for name in Reading.names(of_audits=False)}
    if len(arguments.numbers) > 1:
        sequences, notes, file = [[_number(word) for word in arguments.numbers]], list[str](), "FILE"
    else:
        sequences, notes = read_sequences(arguments.numbers[0], **reading)
        file = shlex.quote(arguments.numbers[0]) if len(sequences) == 1 else "FILE"
    limit, longest = run.config.data.vocabulary, run.config.data.context
    for numbers in sequences:
        if (unknown := next((number for number in numbers if not 0 <= number < limit), None)) is not None:
            known = f"{unknown} is not from 0 to {limit - 1}, the numbers this model knows"
            raise UserError(f"{known}; {_instead(numbers, file)[1]}")
    if arguments.run.endswith((LATEST, NEWEST)):
        notes.append(f"by {run.id}, which predicts the next number {run.config.data.scope.rstrip(',')}")
    _ = run.model  # a run without a checkpoint is refused before anything is printed
    if any(len(numbers) > longest for numbers in sequences):
        of_each = "of each sequence " if len(sequences) > 1 else ""
        notes.append(f"only the last {longest} numbers {of_each}are used: this is the context of the model")
    for note in notes:
        say(note)
    continued: list[Continuation] = []
    with counting("predicting", len(sequences) * arguments.count) as count:
        for numbers in sequences:

            def progress(done: int, earlier: int = len(continued) * arguments.count) -> None:
                count(earlier + done)

            continued.append(run.predict(numbers, arguments.count, progress=progress))
    for i, each in enumerate(continued[:SEQUENCES_SHOWN], start=1):
        which = f"sequence {i}: " if len(continued) > 1 else ""
        say(f"{which}{each.tried.text()}")
        if each.tried.contradiction is not None:
            say(f"{which}warning: {each.tried.contradiction}")
    if len(continued) > SEQUENCES_SHOWN:
        say(f"the tests of {len(continued) - SEQUENCES_SHOWN:,} more sequences are in the answer with --json")
    doubtful = [i for i, each in enumerate(continued) if each.tried.verdict in ("do not rely", "undecided")]
    suggested = None
    if doubtful:
        suggested, instead = _instead(sequences[doubtful[0]], file)
        say(f"instead{f', for sequence {doubtful[0] + 1}' if len(continued) > 1 else ''}: {instead}")
    answer = {
        "predictions": [each.numbers for each in continued],
        "probabilities": [each.probabilities for each in continued],
        "tried": [each.tried.to_json() for each in continued],
        "suggested": suggested,
        "numbers_used": [each.numbers_used for each in continued],
    }
    lines = [
        "\n".join(f"{number}\t{chance:.3f}" for number, chance in zip(each.numbers, each.probabilities, strict=True))
        for each in continued
    ]
    return answer, "\n\n".join(lines)


def _number(word: str) -> int:
    """A number that was typed. Raises UserError for anything else."""
    from unrandom.core.config import parse_integer

    try:
        return parse_integer(word)
    except UserError:
        raise UserError(f"{word!r:.80} is not a whole number; give FILE, - for standard input, or numbers") from None


def _instead(numbers: list[int], file: str) -> tuple[str | None, str]:
    """The model for numbers that another one does not continue, if there is one; and a clause that says what to do."""
    from unrandom.runs.suggestion import suggested_model

    found = suggested_model(numbers) if min(numbers) >= 0 else None
    if found is None:
        return None, f"search for their generator with: unrandom audit {file}"
    name, tried = found
    guessed = f"{name} would have guessed {tried.guessed} of the last {tried.tested}"
    return name, f"{guessed}: unrandom predict {name} {file}"
