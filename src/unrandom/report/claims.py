"""How is a claim shown? Its verdict with a sign, its number with its interval, and how many there are of each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unrandom.core.files import JsonObject

PURE = ("share", "ratio")  # numbers without a unit: the quantity says of what
SPACE, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


@dataclass(frozen=True)
class VerdictSign:
    """A verdict can be told from the others by its sign and its name, without colour."""

    name: str
    sign: str
    meaning: str

    @property
    def slug(self) -> str:
        return self.name.replace(" ", "-")


VERDICTS = {
    verdict.name: verdict
    for verdict in (
        VerdictSign("reproduced", "✓", "the whole 95 % interval is on the wanted side of the threshold"),
        VerdictSign("not reproduced", "✗", "the whole 95 % interval is on the other side"),
        VerdictSign("inconclusive", "≈", "the interval holds the threshold"),
        VerdictSign(
            "not judged", "?", "what the claim takes for granted did not hold, or there were fewer than three units"
        ),
        VerdictSign("not run", "○", "nothing was measured for it at this scale"),
    )
}
ORIGINS = {"paper": "claims of the paper", "beyond": "claims beyond the paper"}


def shown(row: JsonObject) -> JsonObject:
    """A claim with what the pages print of it; a value that is only a bound has no interval."""
    measured = row["value"] is not None
    interval = row["interval"] if measured and not row["bound"] else None
    return {
        **row,
        "claim": sentence(row["claim"]),
        "quantity": sentence(row["quantity"]),
        "verdict": VERDICTS[row["verdict"]],
        "anchor": f"{row['experiment']}.{row['key']}",
        "measured": f"{row['bound']}{SPACE}{number(row['value'], row['unit'])}".strip() if measured else "",
        "unit": "" if row["unit"] in PURE else row["unit"],
        "interval": interval and " to ".join(number(end, row["unit"]) for end in interval),
        "count": f"n{SPACE}={SPACE}{row['units']:,}" if measured else "",
        "wanted": row["threshold"].replace(" ", SPACE).replace("-", MINUS),
        "remarks": " ".join(sentence(remark) for remark in _remarks(row) if remark),
    }


def sentence(text: str) -> str:
    """With a capital at the start, unless a symbol of mathematics stands there, and a full stop at the end."""
    word = text[:2].isascii() and text[:2].isalpha()
    return (text[:1].upper() if word else text[:1]) + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _remarks(row: JsonObject) -> list[str]:
    """What a reader needs beside the numbers; some may be empty."""
    unjudged = row["verdict"] in ("not judged", "not run")
    reason = f"{row['verdict']}: {row['reason']}" if unjudged and row["reason"] else row["reason"]
    return [
        reason,
        row["why"],
        f"presupposes {row['precondition']}" if row["precondition"] else "",
        "this claim is not the paper's" if row["origin"] == "beyond" else "",
        "written after the first look at its results" if row["written"] == "after" else "",
    ]


def number(value: float, unit: str) -> str:
    """Three digits, in shares after the point; a share is never rounded to 1 unless it is exactly that."""
    if unit == "share" and 0.9995 <= value < 1:
        return ">0.999"
    if (unit == "share" and abs(value) >= 0.01) or value == 0:
        text = f"{value:.3f}"
    else:
        text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"
    return text.replace("-", MINUS)


def tally(rows: Iterable[JsonObject]) -> list[tuple[VerdictSign, int]]:
    """How many claims have each verdict, all verdicts in their order."""
    counts = Counter(row["verdict"] for row in rows)
    return [(verdict, counts[name]) for name, verdict in VERDICTS.items()]


def summary(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """The claims of the paper and those beyond it, counted by verdict, and each of them by half."""
    groups = []
    for origin, name in ORIGINS.items():
        own = [row for row in rows if row["origin"] == origin]
        halves = dict.fromkeys(row["half"] for row in own)
        parts = [{"name": half, **_counted([row for row in own if row["half"] == half])} for half in halves]
        groups.append({"name": name, "parts": parts, **_counted(own)})
    return [group for group in groups if group["total"]]


def _counted(rows: Sequence[JsonObject]) -> JsonObject:
    return {"total": len(rows), "counts": tally(rows)}
