"""Outputs of more real programs are predicted without a hint: Node.js 26, Lua, databases, musl, awk and GSL."""

from pathlib import Path

import pytest

import unrandom
from tiers import nightly, slow, slow_but
from unrandom.auditing.verdict import Predictable, Verdict

VECTORS = Path(__file__).parents[1] / "vectors"

SHOWN = 10


def lines_of(name: str) -> list[str]:
    return [line for line in (VECTORS / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]


def predicted(lines: list[str], family: str | None = None) -> Verdict:
    """The verdict on all lines but the last ones, after checking that it predicts these."""
    verdict = unrandom.audit(lines[:-SHOWN], family=family)
    assert isinstance(verdict, Predictable)
    assert [float(number) for number in verdict.next] == [float(line) for line in lines[-SHOWN:]]
    return verdict


@pytest.mark.parametrize(
    ("name", "family"),
    [
        *slow(("node26_random", "sums"), ("node26_6_digits", "sums")),
        ("lua_words", "xoshiro"),
        *nightly(("postgresql_random", "scrambled")),
        ("mariadb_rand", "combined"),
        ("musl_rand", "truncated-lcg"),
        *slow(("musl_rand_100", "remainder")),
        ("mawk_rand", "additive"),
    ],
)
def test_programs(name: str, family: str) -> None:
    verdict = predicted(lines_of(name))
    assert verdict.family == family


@pytest.mark.nightly
def test_doubles_of_lua() -> None:
    predicted(lines_of("lua_doubles"), "scrambled")  # some 30 seconds of a solver without the hint


GSL = dict(line.split(": ") for line in lines_of("gsl"))


QUICK = ("lecuyer21", "rand48", "random8-glibc2", "ranlux", "transputer", "vax")


@pytest.mark.parametrize("name", slow_but(QUICK, GSL))
def test_generators_of_the_gnu_scientific_library(name: str) -> None:
    predicted(GSL[name].split())
