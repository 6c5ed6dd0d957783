"""What does `unrandom predict` do? It continues sequences of numbers, and says how far that can be trusted."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_run, at_least

EXAMPLE = "seq 3 7 255 | unrandom predict fm-256 - -n 3"


def add(command: Parser) -> None:
    """What can be typed."""
    add_run(command)
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="numbers, one a line; or one sequence a line, separated by spaces or commas; - is standard input",
    )
    command.add_argument("-n", type=at_least(int, 1), default=1, dest="count", metavar="K", help="how many (1)")


def run(arguments: Namespace) -> Answer:
    """The next numbers of each sequence, with the probability that the model gives each."""
    from unrandom.cli.progress import counting, say
    from unrandom.runs.continuation import Reliability, predict_sequences, read_sequences
    from unrandom.runs.finding import find_run
    from unrandom.training.machine import choose_device

    run = find_run(arguments.run)
    sequences, longest = read_sequences(arguments.file, limit=run.config.data.vocabulary), run.config.data.context
    predictor = run.predictor(choose_device())
    if any(len(numbers) > longest for numbers in sequences):
        whole = "of each sequence " if len(sequences) > 1 else ""
        say(f"only the last {longest} numbers {whole}are used; this model reads no more")
    used = [numbers[-longest:] for numbers in sequences]
    reliability = Reliability.of(run.folder.read_metrics())
    say(reliability.text(f"{run.folder.path}{run.task_option}", fewest=min(map(len, used))))
    with counting("predicting", len(used) * arguments.count) as count:
        predictions, probabilities = predict_sequences(predictor, used, arguments.count, count)
    answer = {
        "predictions": predictions,
        "probabilities": probabilities,
        "reliable_from": reliability.start,
        "numbers_used": [len(numbers) for numbers in used],
    }
    lines = [
        "\n".join(f"{number}\t{probability:.3f}" for number, probability in zip(*row, strict=True))
        for row in zip(predictions, probabilities, strict=True)
    ]
    return answer, "\n\n".join(lines)
