"""Writes the times of the tests into CONTRIBUTING.md, from the reports that `make times` lets pytest write."""

import re
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from unrandom.core.files import write_atomically

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
SLOWEST, WIDEST = 10, 60  # tests, and characters of their names


class Tier(NamedTuple):
    """One run of the suite: its command, its wall time in seconds, and the seconds of each test."""

    command: str
    seconds: float
    tests: list[tuple[str, float]]

    @classmethod
    def read(cls, command: str, report: Path) -> "Tier":
        """From the XML that ``pytest --junitxml`` writes."""
        suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
        cases = [case for suite in suites for case in suite.iter("testcase")]
        wall = sum(float(suite.get("time", 0)) for suite in suites)
        return cls(command, wall, [(case.get("name", ""), float(case.get("time", 0))) for case in cases])

    def head(self) -> list[str]:
        """The two cells above its slowest tests."""
        return [f"`{self.command}`: {self.seconds // 60:.0f}:{self.seconds % 60:02.0f}, {len(self.tests):,} tests", "s"]

    def slowest(self) -> list[list[str]]:
        """Name and seconds of its slowest tests."""
        chosen = sorted(self.tests, key=lambda test: -test[1])[:SLOWEST]
        return [[f"`{name if len(name) <= WIDEST else name[: WIDEST - 1] + '…'}`", f"{s:.0f}"] for name, s in chosen]


def table(tiers: list[Tier]) -> str:
    """The slowest tests of each tier side by side, in Markdown."""
    head = [cell for tier in tiers for cell in tier.head()]
    rows = [[cell for row in side for cell in row] for side in zip(*(tier.slowest() for tier in tiers), strict=True)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


if __name__ == "__main__":
    fast, slow = map(Path, sys.argv[1:])
    made = table([Tier.read("make test", fast), Tier.read("pytest -n auto --slow", slow)])
    marks = re.compile(r"(<!-- times -->\n).*?(<!-- end -->)", flags=re.DOTALL)
    write_atomically(PAGE, marks.sub(lambda m: f"{m[1]}\n{made}\n\n{m[2]}", PAGE.read_text(encoding="utf-8")))
