"""Prints results as a few lines, or as a table with one column per count of numbers seen."""

from unrandom.cli.answer import aligned
from unrandom.core.files import JsonObject
from unrandom.runs.run import Run

MAX_COLUMNS = 12  # positions of an accuracy curve that are shown


def result_text(result: JsonObject, run: Run) -> str:
    """The outcome of training: run, steps, losses and accuracies, and how to continue an unfinished run."""
    seconds = "" if result["train_seconds"] is None else f" in {result['train_seconds']} s"
    lines = [
        f"run      {result['run']}",
        f"steps    {result['steps']} of {run.config.steps}{seconds} ({result['data_mode']} data)",
    ]
    if result["train_loss"] is not None:
        lines.append(f"loss     train {result['train_loss']:.4f}  test {result['test_loss']:.4f} nats per token")
        measured = run.folder.read_metrics()[-1]["step"]
        at = "" if measured == result["steps"] else f", all measured at step {measured}"
        lines.append(
            f"accuracy on held-out parameters: {result['number_accuracy']:.4f} of all numbers, "
            f"{result['last_number_accuracy']:.4f} of last numbers{at}"
        )
    if "waits_for" in result:
        lines.append(f"the time was up while training {result['waits_for']}, from whose weights this run starts")
    if not result["finished"]:
        lines.append(f"to continue: unrandom resume {result['run']}{run.task_option}")
    return "\n".join(lines)


def evaluation_text(evaluation: list[JsonObject]) -> str:
    """Accuracy by position, digit and label: one block per part of the test."""
    return "\n\n".join(_part_text(tested) for tested in evaluation)


def _part_text(tested: JsonObject) -> str:
    position, digits = tested["by_position"], tested["by_digit"]
    length = len(position["seen"])
    shown = sorted({min(2**k, length) for k in range(length.bit_length() + 1)})[-MAX_COLUMNS:]
    counts = {"sequences": tested["sequences"], **tested["units"]}
    header = "".join(f"{t:>8}" for t in shown)
    curve = "".join(f"{position['value'][t - 1]:>8.3f}" for t in shown)
    lines = [
        f"{tested['name']}, {', '.join(f'{name}: {count}' for name, count in counts.items())}, {tested['about']}",
        f"last number right   {_accuracy_text(tested['last_number_accuracy'])}",
        f"                    interval: {tested['last_number_accuracy']['interval']}",
        f"{'numbers seen':<18}{header}",
        f"{'number accuracy':<18}{curve}",
    ]
    for name, values in zip(digits["digits"], digits["value"], strict=True):
        lines.append(f"{'  digit ' + name:<18}" + "".join(f"{values[t - 1]:>8.3f}" for t in shown))
    lines += _group_text(tested["by_group"])
    for further in tested["further"]:
        lines += [f"last number right   {_accuracy_text(further['last_number_accuracy'])}, with {further['about']}"]
        lines += _group_text(further["by_group"])
    return "\n".join(lines)


def _group_text(groupings: list[JsonObject]) -> list[str]:
    lines = []
    for grouping in groupings:
        lines.append(f"last number right by {grouping['label']}, {grouping['about']}:")
        for group in grouping["groups"]:
            counts = ", ".join(f"{name}: {count}" for name, count in list(group["units"].items())[:1])
            lines.append(f"  {group['group']:<12} {counts:<18}  {_accuracy_text(group)}".rstrip())
    return lines


def comparison_text(compared: list[JsonObject]) -> str:
    """One block per part of the test, one line per predictor: accuracy, context needed, ratio to `bayes`."""
    return "\n\n".join(_part_comparison_text(part) for part in compared)


def _part_comparison_text(compared: JsonObject) -> str:
    rows = compared["predictors"]
    thresholds = list(rows[0]["needed"])
    header = ["predictor", "last", "all", *(f"for {threshold}" for threshold in thresholds), "assumes"]
    table = [header, *([*_comparison_cells(row, thresholds), row["assumes"]] for row in rows)]
    title = (
        f"{compared['name']}, {compared['sequences']} sequences; for X: numbers seen from which accuracy stays above X"
    )
    return "\n".join([title, *aligned(table)])


def _comparison_cells(row: JsonObject, thresholds: list[str]) -> list[str]:
    cells = [row["predictor"], f"{row['last_number_accuracy']['value']:.3f}", f"{row['number_accuracy']:.3f}"]
    for threshold in thresholds:
        needed = row["needed"][threshold]
        ratio = "" if needed["over_ceiling"] is None else f" ({needed['over_ceiling']:g}x)"
        cells.append("never" if needed["numbers"] is None else f"{needed['numbers']}{ratio}")
    return cells


def _accuracy_text(tally: JsonObject) -> str:
    interval = "" if tally["low"] is None else f"95 % interval {tally['low']:.4f} to {tally['high']:.4f}; "
    return f"{tally['value']:.4f}  ({interval}{tally['correct']} of {tally['total']})"
