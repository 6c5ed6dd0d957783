"""Which tracks are there? Fixed moduli up to 2^16, unseen moduli around 128, and two of the sizes of the paper."""

from collections.abc import Callable

from unrandom.core.errors import lookup
from unrandom.experiments.fixed_modulus.presets import fast_runs
from unrandom.experiments.scaling.presets import planned, size_of
from unrandom.experiments.speedrun.tracks import Line, Target, Track
from unrandom.runs.recipes import recipe
from unrandom.training import RunConfig

ADAMW = {"name": "adamw", "lr": 1e-3, "weight_decay": 1.0}  # a small model wants a higher rate


def _last_number(line: Line) -> bool:
    return line["last_number_accuracy"] >= 0.99


def _mean_of(*moduli: int) -> Callable[[Line], bool]:
    def met(line: Line) -> bool:
        return sum(line["test_moduli"][str(m)]["last_number_accuracy"] for m in moduli) / len(moduli) >= 0.9

    return met


def _from_number(most: int) -> Callable[[Line], bool]:
    def met(line: Line) -> bool:
        needed = line["numbers_needed"]["0.99"]
        return needed is not None and needed <= most

    return met


def _fm_256() -> RunConfig:
    pool = {"mode": "fixed", "n_sequences": 100_000}
    size = {"batch_size": 256, "steps": 3200, "warmup_steps": 100}
    return recipe("fm-256").build().replace(data=pool, optimizer=ADAMW, **size)


def _fm_4096() -> RunConfig:
    pools = {"mode": "fixed", "n_a": 256, "n_c": 256}
    return _house_fm_4096().replace(data=pools, optimizer=ADAMW, steps=4000, schedule="cosine")


def _house_fm_4096() -> RunConfig:
    return _house_of_digits(12)


def _house_fm_65536() -> RunConfig:
    return _house_of_digits(16)


def _house_of_digits(exponent: int) -> RunConfig:
    return planned("laptop", size_of("laptop", exponent), 0, data={"extra_test_multipliers": ()}).config


def _house_fm_2048() -> RunConfig:
    return fast_runs("gpu", 1, [2048])[0].config


def _fm_65536() -> RunConfig:
    larger = {"modulus": 2**16, "base": 256, "context": 383, "n_a": 1024, "n_c": 1024}
    return _fm_4096().replace(data=larger, steps=20_000)


def _um_128() -> RunConfig:
    pools = {"mode": "fixed", "n_m": 64, "n_a": 64, "n_c": 64, "full_period_share": 0.0}
    return recipe("um-128").build().replace(data=pools, optimizer=ADAMW, steps=8000)


TRACKS = {
    track.name: track
    for track in (
        Track(
            name="fm-256",
            about="one modulus, 2^8, one token a number, one layer",
            paper=_fm_256,
            house=recipe("fm-256").build,
            target=Target("after 64 numbers the next is right in .99 of the sequences", _last_number),
            check_every=2560,
            test_sequences=1024,
            seeds=5,
            test="7d0414a23ca89547",
        ),
        Track(
            name="fm-4096",
            about="one modulus, 2^12, three base-16 digits a number, two layers",
            paper=_fm_4096,
            house=_house_fm_4096,
            target=Target(
                "from 86 numbers seen on, of 95, every next one is right in .99 of the sequences", _from_number(86)
            ),
            check_every=1600,
            test_sequences=1024,
            seeds=5,
            test="e7a8642f6af75a27",
        ),
        Track(
            name="fm-65536",
            about="one modulus, 2^16, two base-256 digits a number, two layers",
            paper=_fm_65536,
            house=_house_fm_65536,
            target=Target(
                "from 256 numbers seen on, of 383, every next one is right in .99 of the sequences", _from_number(256)
            ),
            check_every=1600,
            test_sequences=512,
            seeds=3,
            test="ada78a57568d53ad",
        ),
        Track(
            name="um-128",
            about="unseen moduli 108, 125 and 128 (the prime 127 is reported), one token a number, four layers",
            paper=_um_128,
            house=recipe("um-128").build,
            target=Target(
                "after 64 numbers the next is right in .9 of the sequences, in the mean over 108, 125 and 128",
                _mean_of(108, 125, 128),
            ),
            check_every=25_600,
            test_sequences=1024,
            seeds=3,
            test="86c7ed6936f46b05",
        ),
        Track(
            name="fm-2048",
            about="the paper's fixed modulus 2^11, for a GPU",
            paper=recipe("fm-2048").build,
            house=_house_fm_2048,
            target=Target("after 256 numbers the next is right in .99 of the sequences", _last_number),
            check_every=64_000,
            test_sequences=1024,
            seeds=3,
            test="43bf006cf7f8b220",
        ),
        Track(
            name="um-2048",
            about="the paper's unseen moduli 1800, 2048 and 2352, for a GPU",
            paper=recipe("um-2048").build,
            house=recipe("um-2048-fast").build,
            target=Target(
                "after 256 numbers the next is right in .9 of the sequences, in the mean over 1800, 2048 and 2352",
                _mean_of(1800, 2048, 2352),
            ),
            check_every=128_000,
            test_sequences=1024,
            seeds=3,
            test="3e3dd4a606b67a80",
        ),
    )
}


def track(name: str) -> Track:
    """The track called ``name``; a UserError names the near misses when there is none."""
    return lookup("track", name, TRACKS)
