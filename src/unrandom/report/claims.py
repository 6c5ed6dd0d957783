"""Shows each claim by its verdict, value and interval as text, and all by their counts per verdict."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unrandom.core.files import JsonObject

UNITLESS = ("share", "ratio")  # units that are not printed
NO_BREAK, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


@dataclass(frozen=True)
class VerdictSign:
    """A verdict as shown on pages: its name and sign distinguish it without colour."""

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
        VerdictSign("inconclusive", "≈", "the interval contains the threshold"),
        VerdictSign(
            "not judged", "?", "the precondition of the claim did not hold, or there were fewer than three units"
        ),
        VerdictSign("not run", "○", "nothing was measured for the claim at this scale"),
    )
}
ORIGINS = {"paper": "claims of the paper", "beyond": "claims beyond the paper"}


def display_fields(row: JsonObject) -> JsonObject:
    """A saved verdict with the texts that pages print of it; a value that is only a bound has no interval."""
    measured = row["value"] is not None
    interval = row["interval"] if measured and not row["bound"] and not is_point(row["interval"]) else None
    return {
        **row,
        "claim": sentence(row["claim"]),
        "quantity": sentence(row["quantity"]),
        "verdict": VERDICTS[row["verdict"]],
        "anchor": f"{row['experiment']}.{row['key']}",
        "measured": f"{row['bound']}{NO_BREAK}{number(row['value'], row['unit'])}".strip() if measured else "",
        "unit": "" if row["unit"] in UNITLESS else row["unit"],
        "interval": interval and " to ".join(number(end, row["unit"]) for end in interval),
        "count": f"n{NO_BREAK}={NO_BREAK}{row['units']:,}" if measured else "",
        "wanted": row["threshold"].replace(" ", NO_BREAK).replace("-", MINUS),
        "remarks": " ".join(sentence(remark) for remark in _remarks(row) if remark),
    }


def is_point(interval: Sequence[float] | None) -> bool:
    """Whether an interval has no width: all units have the same value."""
    return interval is not None and interval[0] == interval[1]


def sentence(text: str) -> str:
    """The text with a full stop, and with a capital unless it begins with a mathematical symbol."""
    first = text[:1].upper() if text[:2].isascii() and text[:2].isalpha() else text[:1]
    return first + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _remarks(row: JsonObject) -> list[str]:
    """Remarks printed below a claim; some may be empty."""
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
    """A value to three digits (a share to three decimals); a share below 1 is never rounded to 1."""
    if unit == "share" and 0.9995 <= value < 1:
        return ">0.999"
    if (unit == "share" and abs(value) >= 0.01) or value == 0:
        text = f"{value:.3f}"
    else:
        text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"
    return text.replace("-", MINUS)


def tally(rows: Iterable[JsonObject]) -> list[tuple[VerdictSign, int]]:
    """The number of claims with each verdict, zeros included, in the order of ``VERDICTS``."""
    counts = Counter(row["verdict"] for row in rows)
    return [(verdict, counts[name]) for name, verdict in VERDICTS.items()]


def counted(rows: Sequence[JsonObject]) -> list[tuple[VerdictSign, int, int]]:
    """`tally`, and how many of the claims with each verdict were written after the first look at their results."""
    after = dict(tally(row for row in rows if row["written"] == "after"))
    return [(verdict, count, after[verdict]) for verdict, count in tally(rows)]


def summary(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """`counted` for the paper's claims and for others, in total and by half of the experiments."""
    groups = []
    for origin, name in ORIGINS.items():
        own = [row for row in rows if row["origin"] == origin]
        halves = dict.fromkeys(row["half"] for row in own)
        parts = [{"name": half, **_counted([row for row in own if row["half"] == half])} for half in halves]
        groups.append({"name": name, "parts": parts, **_counted(own)})
    return [group for group in groups if group["total"]]


def _counted(rows: Sequence[JsonObject]) -> JsonObject:
    return {"total": len(rows), "counts": counted(rows)}
