"""How does a result read in a terminal?"""

from typing import Any

Tree = dict[str, Any]
COLUMNS = 12  # positions shown of an accuracy curve


def result_words(result: Tree, steps: int) -> str:
    """The outcome of training in a few lines."""
    lines = [
        f"run      {result['run']}",
        f"steps    {result['steps']} of {steps} in {result['train_seconds']} s ({result['data_mode']} data)",
    ]
    if result["train_loss"] is not None:
        lines.append(f"loss     train {result['train_loss']:.4f}  test {result['test_loss']:.4f} nats per token")
        lines.append(
            f"numbers  right on unseen (a, c): {result['number_accuracy']:.4f} of all, "
            f"{result['last_number_accuracy']:.4f} of the last"
        )
    if not result["finished"]:
        lines.append(f"to go on: unrandom resume {result['run']}")
    return "\n".join(lines)


def evaluation_words(evaluation: list[Tree]) -> str:
    """Accuracy by position, digit and period, a block for each modulus."""
    return "\n\n".join(_modulus_words(tested) for tested in evaluation)


def _modulus_words(tested: Tree) -> str:
    position, digits = tested["by_position"], tested["by_digit"]
    length = len(position["seen"])
    shown = sorted({min(2**k, length) for k in range(length.bit_length() + 1)})[-COLUMNS:]
    kind = "that training never saw" if tested["unseen_parameters"] else "that training may have seen"
    head = "".join(f"{t:>8}" for t in shown)
    curve = "".join(f"{position['value'][t - 1]:>8.3f}" for t in shown)
    lines = [
        f"modulus {tested['modulus']}, {tested['sequences']} sequences of {tested['multipliers']} multipliers and "
        f"{tested['increments']} increments {kind}",
        f"last number right   {_share(tested['last_number_accuracy'])}",
        f"{'numbers seen':<18}{head}",
        f"{'number accuracy':<18}{curve}",
    ]
    for name, values in zip(digits["digits"], digits["value"], strict=True):
        lines.append(f"{'  digit ' + name:<18}" + "".join(f"{values[t - 1]:>8.3f}" for t in shown))
    lines.append("last number right by period, arbitrary (a, c):")
    lines += [f"  period {group['group']:<10} {_share(group['last_number_accuracy'])}" for group in tested["by_period"]]
    return "\n".join(lines)


def _share(tally: Tree) -> str:
    return (
        f"{tally['value']:.4f}  (95 % interval {tally['low']:.4f} to {tally['high']:.4f}; "
        f"{tally['correct']} of {tally['total']})"
    )
