"""How does a result read in a terminal?"""

from unrandom.core.files import JsonObject
from unrandom.runs.run import Run

COLUMNS = 12  # positions shown of an accuracy curve


def result_text(result: JsonObject, run: Run) -> str:
    """The outcome of training in a few lines."""
    seconds = "" if result["train_seconds"] is None else f" in {result['train_seconds']} s"
    lines = [
        f"run      {result['run']}",
        f"steps    {result['steps']} of {run.config.steps}{seconds} ({result['data_mode']} data)",
    ]
    if result["train_loss"] is not None:
        lines.append(f"loss     train {result['train_loss']:.4f}  test {result['test_loss']:.4f} nats per token")
        lines.append(
            f"numbers  right on unseen parameters: {result['number_accuracy']:.4f} of all, "
            f"{result['last_number_accuracy']:.4f} of the last"
        )
    if "waits_for" in result:
        lines.append(f"the time was up in {result['waits_for']}, whose weights it begins with")
    if not result["finished"]:
        lines.append(f"to go on: unrandom resume {result['run']}{run.task_option}")
    return "\n".join(lines)


def evaluation_text(evaluation: list[JsonObject]) -> str:
    """Accuracy by position, digit and label, a block for each part of the test."""
    return "\n\n".join(_part_text(tested) for tested in evaluation)


def _part_text(tested: JsonObject) -> str:
    position, digits = tested["by_position"], tested["by_digit"]
    length = len(position["seen"])
    shown = sorted({min(2**k, length) for k in range(length.bit_length() + 1)})[-COLUMNS:]
    counts = {"sequences": tested["sequences"], **tested["units"]}
    head = "".join(f"{t:>8}" for t in shown)
    curve = "".join(f"{position['value'][t - 1]:>8.3f}" for t in shown)
    lines = [
        f"{tested['name']}, {', '.join(f'{name}: {count}' for name, count in counts.items())}, {tested['about']}",
        f"last number right   {_share(tested['last_number_accuracy'])}",
        f"                    interval: {tested['last_number_accuracy']['interval']}",
        f"{'numbers seen':<18}{head}",
        f"{'number accuracy':<18}{curve}",
    ]
    for name, values in zip(digits["digits"], digits["value"], strict=True):
        lines.append(f"{'  digit ' + name:<18}" + "".join(f"{values[t - 1]:>8.3f}" for t in shown))
    lines += _group_text(tested["by_group"])
    for further in tested["further"]:
        lines += [f"last number right   {_share(further['last_number_accuracy'])}, with {further['about']}"]
        lines += _group_text(further["by_group"])
    return "\n".join(lines)


def _group_text(groupings: list[JsonObject]) -> list[str]:
    """Accuracy on the last number in the groups that a label tells apart."""
    lines = []
    for grouping in groupings:
        lines.append(f"last number right by {grouping['label']}, {grouping['about']}:")
        for group in grouping["groups"]:
            counts = ", ".join(f"{name}: {count}" for name, count in list(group["units"].items())[:1])
            lines.append(f"  {group['group']:<12} {counts:<18}  {_share(group)}".rstrip())
    return lines


def comparison_text(compared: list[JsonObject]) -> str:
    """A block for each part of the test, a line for each predictor: accuracy, numbers needed, ratio to the ceiling."""
    return "\n\n".join(_compared_text(each) for each in compared)


def _compared_text(compared: JsonObject) -> str:
    rows = compared["predictors"]
    thresholds = list(rows[0]["needed"])
    head = ["predictor", "last", "all", *(f"for {threshold}" for threshold in thresholds), "assumes"]
    table = [head, *([*_compared_cells(row, thresholds), row["assumes"]] for row in rows)]
    widths = [max(len(line[index]) for line in table) for index in range(len(head))]
    lines = ["  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip() for line in table]
    said = f"{compared['name']}, {compared['sequences']} sequences; numbers seen until accuracy stays"
    return "\n".join([said, *lines])


def _compared_cells(row: JsonObject, thresholds: list[str]) -> list[str]:
    cells = [row["predictor"], f"{row['last_number_accuracy']['value']:.3f}", f"{row['number_accuracy']:.3f}"]
    for threshold in thresholds:
        found = row["needed"][threshold]
        ratio = "" if found["over_ceiling"] is None else f" ({found['over_ceiling']:g}x)"
        cells.append("never" if found["numbers"] is None else f"{found['numbers']}{ratio}")
    return cells


def _share(tally: JsonObject) -> str:
    interval = "" if tally["low"] is None else f"95 % interval {tally['low']:.4f} to {tally['high']:.4f}; "
    return f"{tally['value']:.4f}  ({interval}{tally['correct']} of {tally['total']})"
