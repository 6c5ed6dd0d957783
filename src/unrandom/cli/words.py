"""How does a result read in a terminal?"""

from typing import Any

Tree = dict[str, Any]
COLUMNS = 12  # positions shown of an accuracy curve
HELD_OUT = {  # what training saw of a test, for each value of data.hold_out
    "values": "of which training saw no multiplier and no increment",
    "pairs": "of which training saw no pair (a, c)",
    None: "that training may have seen",
}


def result_words(result: Tree, steps: int) -> str:
    """The outcome of training in a few lines."""
    lines = [
        f"run      {result['run']}",
        f"steps    {result['steps']} of {steps}{_in_seconds(result['train_seconds'])} ({result['data_mode']} data)",
    ]
    if result["train_loss"] is not None:
        lines.append(f"loss     train {result['train_loss']:.4f}  test {result['test_loss']:.4f} nats per token")
        lines.append(
            f"numbers  right on unseen (a, c): {result['number_accuracy']:.4f} of all, "
            f"{result['last_number_accuracy']:.4f} of the last"
        )
    if "waits_for" in result:
        lines.append(f"the time was up in {result['waits_for']}, whose weights it begins with")
    if not result["finished"]:
        lines.append(f"to go on: unrandom resume {result['run']}")
    return "\n".join(lines)


def _in_seconds(seconds: float | None) -> str:
    return "" if seconds is None else f" in {seconds} s"


def evaluation_words(evaluation: list[Tree]) -> str:
    """Accuracy by position, digit and period, a block for each modulus."""
    return "\n\n".join(_modulus_words(tested) for tested in evaluation)


def _modulus_words(tested: Tree) -> str:
    position, digits = tested["by_position"], tested["by_digit"]
    length = len(position["seen"])
    shown = sorted({min(2**k, length) for k in range(length.bit_length() + 1)})[-COLUMNS:]
    kind = HELD_OUT[tested["held_out"]]
    head = "".join(f"{t:>8}" for t in shown)
    curve = "".join(f"{position['value'][t - 1]:>8.3f}" for t in shown)
    lines = [
        f"modulus {tested['modulus']}, sequences: {tested['sequences']}, multipliers: {tested['multipliers']}, "
        f"increments: {tested['increments']}, {kind}",
        f"last number right   {_share(tested['last_number_accuracy'])}",
        f"                    interval: {tested['last_number_accuracy']['interval']}",
        *([f"the same with a = 1 {_share(tested['counting'])}, counting in steps of c"] if tested["counting"] else []),
        f"{'numbers seen':<18}{head}",
        f"{'number accuracy':<18}{curve}",
    ]
    for name, values in zip(digits["digits"], digits["value"], strict=True):
        lines.append(f"{'  digit ' + name:<18}" + "".join(f"{values[t - 1]:>8.3f}" for t in shown))
    lines += _valuation_words(tested["by_valuation"])
    lines.append("last number right by period, arbitrary (a, c):")
    lines += [f"  period {group['group']:<10} {_share(group['last_number_accuracy'])}" for group in tested["by_period"]]
    return "\n".join(lines)


def _valuation_words(rows: list[Tree]) -> list[str]:
    """Accuracy by how often each prime divides a − 1, which decides how hard a multiplier is."""
    if not rows:
        return []
    lines = ["last number right by v_p(a − 1), how often p divides a − 1; the less often, the harder as a rule:"]
    for row in rows:
        which = f"v_{row['prime']} = {'∞' if row['valuation'] is None else row['valuation']}"
        count = f"{row['multipliers']} multiplier{'s' * (row['multipliers'] != 1)}"
        lines.append(f"  {which:<8} {count:<15}  {_share(row)}")
    return lines


def comparison_words(compared: list[Tree]) -> str:
    """A block for each modulus, a line for each predictor: accuracy, numbers needed, their ratio to the ceiling."""
    return "\n\n".join(_compared_words(each) for each in compared)


def _compared_words(compared: Tree) -> str:
    rows = compared["predictors"]
    thresholds = list(rows[0]["needed"])
    head = ["predictor", "last", "all", *(f"for {threshold}" for threshold in thresholds), "assumes"]
    table = [head, *([*_compared_cells(row, thresholds), row["assumes"]] for row in rows)]
    widths = [max(len(line[index]) for line in table) for index in range(len(head))]
    lines = ["  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip() for line in table]
    said = f"modulus {compared['modulus']}, {compared['sequences']} sequences; numbers seen until accuracy stays"
    return "\n".join([said, *lines])


def _compared_cells(row: Tree, thresholds: list[str]) -> list[str]:
    cells = [row["predictor"], f"{row['last_number_accuracy']['value']:.3f}", f"{row['number_accuracy']:.3f}"]
    for threshold in thresholds:
        found = row["needed"][threshold]
        ratio = "" if found["over_ceiling"] is None else f" ({found['over_ceiling']:g}x)"
        cells.append("never" if found["numbers"] is None else f"{found['numbers']}{ratio}")
    return cells


def _share(tally: Tree) -> str:
    interval = "" if tally["low"] is None else f"95 % interval {tally['low']:.4f} to {tally['high']:.4f}; "
    return f"{tally['value']:.4f}  ({interval}{tally['correct']} of {tally['total']})"
