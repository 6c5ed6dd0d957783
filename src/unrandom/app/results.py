"""The claims of the saved results, by experiment and with its pictures, filtered by verdict and words."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from unrandom.app.answers import answered, chosen, sentence
from unrandom.app.limits import MAX_WORDS
from unrandom.app.pictures import Picture, pictures
from unrandom.core.files import JsonObject
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.scale import SCALES, Scale
from unrandom.report.claims import VERDICTS, display_fields
from unrandom.report.claims import sentence as full_sentence

SHOWN_SCALES = tuple(scale for scale in SCALES if scale != "smoke")
ORIGINS = ("all", "paper", "beyond")
OPEN = 3  # up to this number of experiments, all are shown open


@lru_cache(8)
def _claims(scale: Scale, results: Path) -> list[JsonObject]:
    from unrandom.experiments.reproduce import all_judgements

    return [display_fields(row) for row in all_judgements(list(EXPERIMENTS.values()), scale, results)]


@answered(1)
def claims(results: Path, scale: Any, verdicts: Any, origin: Any, words: str | None) -> str:
    """The claims with these verdicts and of this origin that contain all words, as HTML, one block per experiment."""
    scale, origin = chosen(scale, SHOWN_SCALES, "scale"), chosen(origin, ORIGINS, "origin")
    verdicts = [chosen(verdict, verdict_names(), "verdict") for verdict in verdicts or ()]
    if not (results / scale).is_dir():
        from unrandom.experiments.reproduce import where_saved

        return sentence(
            f"There are no results of the scale {scale} in the folder that the app was started with (unrandom app "
            f"--results DIR){where_saved(scale, results)}. To make one experiment's here, run: unrandom "
            f"reproduce fm-staircase --scale {scale}."
        )
    wanted = [word.lower() for word in (words or "")[:MAX_WORDS].split()]
    every = _claims(scale, results)
    rows = [
        row
        for row in every
        if row["verdict"].name in verdicts
        and origin in ("all", row["origin"])
        and all(word in f"{row['claim']} {row['experiment']} {row['quantity']}".lower() for word in wanted)
    ]
    blocks = [(name, list(found)) for name, found in groupby(rows, key=lambda row: str(row["experiment"]))]
    where = f"{len(blocks)} experiment{'' if len(blocks) == 1 else 's'}"
    said = sentence(f"{len(rows)} of {len(every)} claims, in {where}; open one to see its pictures.")
    return said + "".join(_experiment(name, found, results, scale, len(blocks) <= OPEN) for name, found in blocks)


def _experiment(name: str, rows: Sequence[JsonObject], results: Path, scale: str, is_open: bool) -> str:
    """A block that opens: what the experiment is about and its verdicts; within it, pictures beside claims."""
    about = full_sentence(EXPERIMENTS[name].entry.about)
    signs = " ".join(f'<span class="{row["verdict"].slug}">{row["verdict"].sign}</span>' for row in rows)
    shown = "".join(_shown(each, about) for each in pictures(results, scale, name))
    return (
        f'<details class="experiment"{" open" if is_open else ""}><summary><code>{escape(name)}</code> '
        f"<span>{escape(about)}</span> <b>{signs}</b></summary>"
        f'<div class="evidence"><div>{"".join(map(_claim, rows))}</div><div class="pictures">{shown}</div></div>'
        "</details>"
    )


def _shown(picture: Picture, about: str) -> str:
    """A picture that is loaded when it comes into view, and opens in its full size."""
    address, size = escape(picture.address), f'width="{picture.width}" height="{picture.height}"'
    image = f'<img loading="lazy" src="{address}" {size} alt="{escape(about)}">'
    return f'<a href="{address}" target="_blank">{image}</a>'


def _claim(row: JsonObject) -> str:
    verdict = row["verdict"]
    interval = f", 95 % interval {row['interval']}" if row["interval"] else ""
    value = f"{row['measured']} {row['unit']}".strip()
    measured = f"{value}{interval}, {row['count']}" if value else "no number"
    return (
        f'<article class="claim {verdict.slug}"><h4>{verdict.sign} {escape(verdict.name)}</h4>'
        f"<p>{escape(row['claim'])}</p>"
        f"<p>{escape(row['quantity'])} Measured: {escape(measured)}; wanted: {escape(row['wanted'])}.</p>"
        + (f"<p><small>{escape(row['remarks'])}</small></p>" if row["remarks"] else "")
        + "</article>"
    )


def verdict_names() -> list[str]:
    return list(VERDICTS)
