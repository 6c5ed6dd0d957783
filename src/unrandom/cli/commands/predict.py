"""What does `unrandom predict` do? It continues sequences of numbers, and prints how reliable the model is."""

from argparse import Namespace
from typing import TYPE_CHECKING

from unrandom.cli.answer import Answer
from unrandom.cli.options import PREDICTED, Parser, add_run

if TYPE_CHECKING:
    from unrandom.runs.continuation import Continuation

EXAMPLE = "seq 3 7 255 | unrandom predict fm-256 - -n 3"


def add(command: Parser) -> None:
    add_run(command)
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="one number per line, or one sequence per line, separated by spaces or commas; - is standard input",
    )
    command.add_argument(
        "-n", type=PREDICTED, default=1, dest="count", metavar="K", help="how many numbers to predict per sequence (1)"
    )


def run(arguments: Namespace) -> Answer:
    """The next numbers of each sequence, each with the probability that the model assigns to it."""
    import unrandom
    from unrandom.cli.progress import counting, say
    from unrandom.runs.continuation import read_sequences

    run = unrandom.load(arguments.run)
    sequences, longest = read_sequences(arguments.file, limit=run.config.data.vocabulary), run.config.data.context
    _ = run.model  # a run without a checkpoint is refused before anything is printed
    if any(len(numbers) > longest for numbers in sequences):
        of_each = "of each sequence " if len(sequences) > 1 else ""
        say(f"only the last {longest} numbers {of_each}are used: this is the context of the model")
    fewest = min(longest, *map(len, sequences))
    say(run.reliability.text(f"{run.folder.path}{run.task_option}", fewest=fewest))
    continued: list[Continuation] = []
    with counting("predicting", len(sequences) * arguments.count) as count:
        for numbers in sequences:

            def progress(done: int, earlier: int = len(continued) * arguments.count) -> None:
                count(earlier + done)

            continued.append(run.predict(numbers, arguments.count, progress=progress))
    answer = {
        "predictions": [each.numbers for each in continued],
        "probabilities": [each.probabilities for each in continued],
        "reliable_from": run.reliability.reliable_from,
        "numbers_used": [each.numbers_used for each in continued],
    }
    lines = [
        "\n".join(f"{number}\t{chance:.3f}" for number, chance in zip(each.numbers, each.probabilities, strict=True))
        for each in continued
    ]
    return answer, "\n\n".join(lines)
