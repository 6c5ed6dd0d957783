"""Which tracks are there? Fixed moduli up to 2^16, and unseen moduli around 128 and up to the paper's.

Every track begins with two recipes: the paper's (repeated data, AdamW), scaled to the track's size, and the house
recipe, which is this project's own (fresh data, Muon).
"""

import math
from functools import partial

from unrandom.core.errors import lookup
from unrandom.experiments.scaling.presets import size_of, sized_run
from unrandom.experiments.speedrun.tracks import Metrics, Target, Track
from unrandom.runs.recipes import recipe
from unrandom.training import RunConfig

ADAMW = {"name": "adamw", "lr": 1e-3, "weight_decay": 1.0}  # small models need a higher rate than the paper's


def _last_number(seen: int) -> Target:
    return Target(
        f"after {seen} numbers the next is right in .99 of the sequences",
        lambda line: line["last_number_accuracy"] >= 0.99,
    )


def _mean_of_moduli(seen: int, *moduli: int) -> Target:
    *first, last = moduli

    def met(line: Metrics) -> bool:
        return sum(line["test_moduli"][str(m)]["last_number_accuracy"] for m in moduli) / len(moduli) >= 0.9

    named = f"{', '.join(map(str, first))} and {last}"
    return Target(f"after {seen} numbers the next is right in .9 of the sequences, on average over {named}", met)


def _context_needed(limit: int, context: int) -> Target:
    return Target(
        f"from {limit} numbers seen on, of {context}, every next one is right in .99 of the sequences",
        lambda line: (line["numbers_needed"]["0.99"] or math.inf) <= limit,
    )


def _fm_256() -> RunConfig:
    size = {"batch_size": 256, "steps": 3200, "warmup_steps": 100}
    return recipe("fm-256").build().replace(data={"mode": "fixed", "n_sequences": 100_000}, optimizer=ADAMW, **size)


def _fm_2048() -> RunConfig:
    arbitrary = {"mode": "fixed", "n_sequences": 100_000, "full_period_share": 0.0, "balanced_share": 0.0}
    return recipe("fm-2048-fast").build().replace(data=arbitrary, optimizer=ADAMW, steps=8000)


def _fm_4096() -> RunConfig:
    training_set = {"mode": "fixed", "n_a": 256, "n_c": 256}
    return _base_b(12).replace(data=training_set, optimizer=ADAMW, steps=4000, schedule="cosine")


def _fm_65536() -> RunConfig:
    larger = {"modulus": 2**16, "base": 256, "context": 383, "n_a": 1024, "n_c": 1024}
    return _fm_4096().replace(data=larger, steps=20_000)


def _um_128() -> RunConfig:
    training_set = {"mode": "fixed", "n_m": 64, "n_a": 64, "n_c": 64, "full_period_share": 0.0}
    return recipe("um-128").build().replace(data=training_set, optimizer=ADAMW, steps=8000)


def _base_b(exponent: int) -> RunConfig:
    """This project's recipe for 2^exponent, in base-b tokens."""
    return sized_run("laptop", size_of("laptop", exponent), 0, data={"extra_test_multipliers": ()}).config


TRACKS = {
    track.name: track
    for track in (
        Track(
            name="fm-256",
            about="one modulus, 2^8, one token per number, one layer",
            paper=_fm_256,
            house=recipe("fm-256").build,
            target=_last_number(64),
            check_every=2560,
            test_sequences=1024,
            seeds=5,
            test="7d0414a23ca89547",
        ),
        Track(
            name="fm-4096",
            about="one modulus, 2^12, three base-16 digits per number, two layers",
            paper=_fm_4096,
            house=partial(_base_b, 12),
            target=_context_needed(86, 95),
            check_every=1600,
            test_sequences=1024,
            seeds=5,
            test="e7a8642f6af75a27",
        ),
        Track(
            name="fm-65536",
            about="one modulus, 2^16, two base-256 digits per number, two layers",
            paper=_fm_65536,
            house=partial(_base_b, 16),
            target=_context_needed(256, 383),
            check_every=1600,
            test_sequences=512,
            seeds=3,
            test="ada78a57568d53ad",
        ),
        Track(
            name="um-128",
            about="unseen moduli 108, 125 and 128 (127 is measured, too, but not part of the target), "
            "one token per number, four layers",
            paper=_um_128,
            house=recipe("um-128").build,
            target=_mean_of_moduli(64, 108, 125, 128),
            check_every=25_600,
            test_sequences=1024,
            seeds=3,
            test="86c7ed6936f46b05",
        ),
        Track(
            name="fm-2048",
            about="the paper's fixed modulus 2^11, one token per number, one layer; an hour of one core",
            paper=_fm_2048,
            house=recipe("fm-2048-fast").build,
            target=_last_number(256),
            check_every=12_800,
            test_sequences=1024,
            seeds=3,
            test="43bf006cf7f8b220",
        ),
        Track(
            name="um-2048",
            about="the paper's unseen moduli 1800, 2048 and 2352, one token per number, four layers",
            paper=recipe("um-2048").build,
            house=recipe("um-2048-fast").build,
            target=_mean_of_moduli(256, 1800, 2048, 2352),
            check_every=32_000,
            test_sequences=1024,
            seeds=3,
            test="3e3dd4a606b67a80",
        ),
    )
}


def track(name: str) -> Track:
    """Return the track called ``name``. Raises UserError, with near misses, if it is missing."""
    return lookup("track", name, TRACKS)
