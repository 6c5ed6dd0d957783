"""Which claims hold? Those of the saved results, filtered by verdict, origin and words."""

from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from unrandom.app.answers import answered, chosen, sentence
from unrandom.core.files import JsonObject
from unrandom.experiments.scale import SCALES, Scale
from unrandom.report.claims import VERDICTS, display_fields

SHOWN_SCALES = tuple(scale for scale in SCALES if scale != "smoke")
ORIGINS = ("all", "paper", "beyond")
SHOWN = 200  # claims at most
MAX_WORDS = 200  # characters of a search


@lru_cache(8)
def _claims(scale: Scale, results: Path) -> list[JsonObject]:
    from unrandom.experiments.registry import EXPERIMENTS
    from unrandom.experiments.reproduce import all_judgements

    return [display_fields(row) for row in all_judgements(list(EXPERIMENTS.values()), scale, results)]


@answered(1)
def claims(results: Path, scale: Any, verdicts: Any, origin: Any, words: str | None) -> str:
    """The claims with these verdicts and of this origin that contain all words, as HTML."""
    scale, origin = chosen(scale, SHOWN_SCALES, "scale"), chosen(origin, ORIGINS, "origin")
    verdicts = [chosen(verdict, verdict_names(), "verdict") for verdict in verdicts or ()]
    if not (results / scale).is_dir():
        return sentence(
            f"There are no saved results for the scale {scale} in the folder of results with which the app was started "
            f"(unrandom app --results DIR)."
        )
    wanted = [word.lower() for word in (words or "")[:MAX_WORDS].split()]
    rows = [
        row
        for row in _claims(scale, results)
        if row["verdict"].name in verdicts
        and origin in ("all", row["origin"])
        and all(word in f"{row['claim']} {row['experiment']} {row['quantity']}".lower() for word in wanted)
    ]
    more = f"; the first {SHOWN}" if len(rows) > SHOWN else ""
    said = sentence(f"{len(rows)} of {len(_claims(scale, results))} claims{more}.")
    return said + "".join(_claim(row) for row in rows[:SHOWN])


def _claim(row: JsonObject) -> str:
    verdict = row["verdict"]
    interval = f", 95 % interval {row['interval']}" if row["interval"] else ""
    value = f"{row['measured']} {row['unit']}".strip()
    measured = f"{value}{interval}, {row['count']}" if value else "no number"
    return (
        f'<article class="claim {verdict.slug}"><h4><span>{verdict.sign} {escape(verdict.name)}</span> '
        f"<code>{escape(row['experiment'])}</code></h4><p>{escape(row['claim'])}</p>"
        f"<p>{escape(row['quantity'])} Measured: {escape(measured)}; wanted: {escape(row['wanted'])}.</p>"
        + (f"<p><small>{escape(row['remarks'])}</small></p>" if row["remarks"] else "")
        + "</article>"
    )


def verdict_names() -> list[str]:
    return list(VERDICTS)
