"""Tells whether audits can have changed since all of their tests passed: exit status 0 if so, with the reason.

``.ci/last-full-run`` holds the commit of that run; ``make test-all`` writes it. What audits stand on are the modules
that they import, however indirectly.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
LAST_FULL_RUN = ROOT / ".ci" / "last-full-run"
ALWAYS = ("tests/auditing/", "constraints.txt")


def grounds() -> set[str]:
    """The files of audits, and those that they import."""
    graph = grimp.build_graph("unrandom", cache_dir=None)
    audits = {"unrandom.auditing", *graph.find_descendants("unrandom.auditing")}
    modules = audits.union(*(graph.find_upstream_modules(module) for module in audits))
    stems = ["src/" + module.replace(".", "/") for module in modules]
    return {f"{stem}.py" for stem in stems} | {f"{stem}/__init__.py" for stem in stems}


def concerned(changed: Iterable[str], files: set[str]) -> list[str]:
    """The changed files that audits or their tests depend on."""
    return sorted(name for name in changed if name in files or name.startswith(ALWAYS))


def _git(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)


def reason() -> str | None:
    """Why the slow audits have to run; None if they need not."""
    if not LAST_FULL_RUN.exists():
        return "no full run is recorded"
    commit = LAST_FULL_RUN.read_text().strip()
    if _git("merge-base", "--is-ancestor", commit, "HEAD").returncode:
        return f"{commit[:12]}, of the last full run, is not an ancestor of this commit"
    names = _git("diff", "--name-only", commit, "HEAD").stdout.splitlines()
    found = concerned(names, grounds())
    return f"{found[0]} and {len(found) - 1} more have changed since {commit[:12]}" if found else None


if __name__ == "__main__":
    why = reason()
    print(f"slow audits: run, because {why}" if why else "slow audits: left out, as nothing of theirs has changed")
    sys.exit(why is None)
