"""Does a command bear hostile files and options? It runs in a process of its own, with limits; what it did is judged.

``python tests/hostile/attack.py 500 runs`` tries 500 damaged run folders, and lists those that were not borne; the
other kinds are ``results``, ``records``, ``imports`` and ``options``. The same seed attacks in the same way; FIRST in
the environment is the first one (0).
"""

import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))  # where PYTHONSAFEPATH leaves it out
from damage import damage, sign
from options import mistaken

SECONDS = 120  # time limit of a command, of which none needs more than a few seconds
MEMORY = 2 * 2**30  # address space that a command may use, beyond that of the process that it is forked from
ROOT = Path(__file__).parents[2]
TINY = ["--set", "steps=6", "--set", "evaluate_every=3", "--set", "checkpoint_every=3", "--set", "test_sequences=32"]
VERDICTS = (10, 11, 12)  # statuses of audits: predictable, too few numbers, not finished


@dataclass(frozen=True)
class Case:
    """A command line, what was done to its files, and the names of which a refusal has to have one."""

    command: list[str]
    done: str
    names: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    said: str  # on standard error
    printed: str  # on standard output
    seconds: float
    changed: list[str]  # files outside its folders that it changed

    def fault(self, names: Sequence[str]) -> str:
        """What was not borne; empty if the command succeeded or refused in one line that has one of the names."""
        lines = [line for line in self.said.splitlines() if line.strip()]
        refusals = [line for line in lines if line.startswith("unrandom") and ": WARNING: " not in line]
        if self.status < 0:
            return f"ended by signal {-self.status}"
        if "Traceback" in self.said or "panicked" in self.said:
            return "traceback"
        if "\x1b[31m" in self.said + self.printed:
            return "escape sequence"
        if self.changed:
            return f"wrote outside: {self.changed[0]}"
        if self.status not in (0, 2, *VERDICTS):
            return f"status {self.status}"
        if self.status == 2 and len(refusals) != 1:
            return f"{len(refusals)} lines of refusal"
        if self.status == 2 and not any(name in refusals[0] for name in names):
            return "the refusal names neither a file nor an option"
        if len(self.said) > 4000:
            return f"{len(self.said)} characters of messages"
        return ""


def run_command(command: Sequence[str], inside: Path, outside: Path) -> Outcome:
    """Run one command in the folder ``inside``, wait for it, and look for changes in the folder ``outside``."""

    def run() -> int:
        from unrandom.cli import main

        os.chdir(inside)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        signal.alarm(SECONDS)
        return main(command)

    before, began = _contents(outside), time.monotonic()
    status, said, printed = in_fork(run)
    return Outcome(status, said, printed, time.monotonic() - began, _differences(before, _contents(outside)))


def in_fork(task: Callable[[], int | None]) -> tuple[int, str, str]:
    """Exit status, standard error and standard output of a task in a fork of this process.

    Threads do not survive a fork, so that this process must have started none: whatever computes runs in a fork, too.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            os.dup2(printed.fileno(), 1)
            os.dup2(said.fileno(), 2)
            sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), errors="backslashreplace")
            sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), errors="backslashreplace")
            status = 1
            try:
                status = task() or 0
            except SystemExit as ended:
                status = int(ended.code or 0)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        texts = []
        for file in (said, printed):
            file.seek(0)
            texts.append(file.read(2**20).decode(errors="replace"))
    return os.waitstatus_to_exitcode(ended), texts[0], texts[1]


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes()[: 2**16] for path in files}


def _differences(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    return sorted(name for name in {**before, **after} if before.get(name) != after.get(name))


def prepare(base: Path) -> None:
    """Make what is damaged: a finished and an unfinished run, exports, and results of experiments and races."""
    from unrandom.cli import main

    runs = ["--runs", str(base / "runs")]
    assert main(["train", "quadratic-smoke", *TINY, *runs, "--log", "csv"]) == 0
    assert main(["train", "quadratic-smoke", *TINY, "--seed", "1", "--max-minutes", "0", *runs]) == 0
    (finished,) = (path.parent for path in (base / "runs").glob("*/result.json"))
    (begun,) = (path for path in (base / "runs").iterdir() if path != finished)
    finished.rename(base / "runs" / "finished")
    shutil.copytree(base / "runs" / "finished", base / "runs" / "half")
    begun.rename(base / "runs" / "begun")
    (base / "runs" / "half" / "result.json").unlink()
    shutil.rmtree(max((base / "runs" / "half" / "checkpoints").iterdir()))
    assert main(["report", str(base / "runs" / "finished")]) == 0
    for to in ("huggingface", "safetensors"):
        assert main(["export", str(base / "runs" / "finished"), str(base / "exports" / to), "--to", to]) == 0
    for name in ("fm-grokking", "um-heads", "fm-primes", "um-scaling", "fm-order"):
        shutil.copytree(ROOT / "results" / "laptop" / name, base / "results" / "laptop" / name)
    shutil.copy(ROOT / "results" / "laptop" / "notes.toml", base / "results" / "laptop")
    shutil.copytree(ROOT / "results" / "records", base / "results" / "records")


def damaged_run(chance: Random, inside: Path, outside: Path) -> Case:
    """A damaged run folder, and a command that reads it."""
    name = chance.choice(("finished", "half", "half", "begun"))
    folder = inside / "runs" / name
    done = _damage_one(folder, chance, outside, chance.choice((1, 1, 2)))
    commands = [
        *(["resume", name], ["resume", name], ["predict", name, str(inside / "numbers.txt")], ["report", name]),
        ["export", name, str(inside / "exported"), "--to", chance.choice(("huggingface", "safetensors"))],
        *(["evaluate", name, "--sequences", "16"], ["compare", "finished", name], ["predict", "latest", "numbers.txt"]),
        ["evaluate", name, "--predictors", "copy", "--sequences", "16"],
    ]
    command = chance.choice(commands)
    (inside / "numbers.txt").write_text("1 2 3\n")
    command = [str(inside / "runs" / word) if word in ("finished", "half", "begun") else word for word in command]
    names = (str(folder), *((f"runs/{name}", "and runs holds") if "latest" in command else ()))
    return Case([*command, *(["--json"] if chance.random() < 0.3 else [])], done, names)


def damaged_result(chance: Random, inside: Path, outside: Path) -> Case:
    """Damaged results of experiments, and a command that reads them."""
    done = _damage_one(inside / "results" / "laptop", chance, outside)
    results = ["--results", str(inside / "results")]
    name = done.partition(" ")[0].rpartition("/")[0]
    experiment = name if name in ("fm-grokking", "um-heads", "fm-primes", "um-scaling", "fm-order") else "fm-grokking"
    command = chance.choice(
        [
            ["claims", *results],
            ["claims", *results, "--write", str(inside / "page.html")],
            ["reproduce", experiment, "--from-tables", *results],
        ]
    )
    return Case([*command, *(["--json"] if chance.random() < 0.3 else [])], done, (str(inside / "results"),))


def damaged_record(chance: Random, inside: Path, outside: Path) -> Case:
    """Damaged records of races, and a command that reads them."""
    done = _damage_one(inside / "results" / "records", chance, outside)
    show = ["speedrun", "--results", str(inside / "results")]
    race = ["--set", "batch_size=64", "--max-minutes", "0", "--runs", str(inside / "races")]
    return Case([*show, *chance.choice((race, []))], done, (str(inside / "results"),))


def damaged_import(chance: Random, inside: Path, outside: Path) -> Case:
    """A damaged export, imported."""
    folder = inside / "exports" / chance.choice(("huggingface", "safetensors"))
    done = _damage_one(folder, chance, outside, chance.choice((1, 1, 2)))
    return Case(["import", str(folder), "--runs", str(inside / "imported")], done, (str(folder),))


def wrong_option(chance: Random, inside: Path, _outside: Path) -> Case:
    """A command line with a mistake."""
    command, names = mistaken(chance, inside)
    return Case(command, "", names)


def _damage_one(folder: Path, chance: Random, outside: Path, times: int = 1) -> str:
    done = []
    for _ in range(times):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
        files = [path for path in files if path.stat().st_size < 2**26]
        path = chance.choice([path for path in files if path.suffix not in (".png", ".svg")] or files)
        where = path.parent.relative_to(folder)
        done.append(f"{where}/{damage(path, chance, folder, outside)}")
    sign(folder, chance)
    return "; ".join(done)


KINDS: dict[str, Callable[[Random, Path, Path], Case]] = {
    "runs": damaged_run,
    "results": damaged_result,
    "records": damaged_record,
    "imports": damaged_import,
    "options": wrong_option,
}


def attack(kind: str, seed: int, base: Path) -> tuple[Case, Outcome]:
    """One attack on a copy of what `prepare` made in ``base``; returns the case and how the command ended."""
    with tempfile.TemporaryDirectory() as made:
        inside, outside = Path(made) / "inside", Path(made) / "outside"
        shutil.copytree(base, inside)
        outside.mkdir()

        def make() -> None:
            print(json.dumps(asdict(KINDS[kind](Random(f"{kind} {seed}"), inside, outside))))

        status, said, printed = in_fork(make)
        assert status == 0, (kind, seed, status, said)
        case = Case(**json.loads(printed))
        return case, run_command(case.command, inside, outside)


def import_before_forks() -> None:
    """Import once what most commands import; whatever computes runs in forks still, as threads do not survive them."""
    for name in ("torch._dynamo", "unrandom.experiments.registry", "unrandom.report.results", "scipy.stats"):
        import_module(name)


def main_program() -> None:
    failed = False
    import_before_forks()
    number, kinds = int(sys.argv[1]), sys.argv[2:] or list(KINDS)
    first = int(os.environ.get("FIRST", 0))
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        status, said, _ = in_fork(lambda: prepare(base))
        assert status == 0, said
        for kind in kinds:
            counts: Counter[str] = Counter()
            slowest = 0.0
            for seed in range(first, first + number):
                case, outcome = attack(kind, seed, base)
                fault = outcome.fault(case.names)
                counts[fault.partition(":")[0] or ("refused" if outcome.status else "borne")] += 1
                slowest = max(slowest, outcome.seconds)
                if fault:
                    failed = True
                    said = "".join(outcome.said.strip().splitlines()[-1:])
                    print(f"{kind} {seed}: {fault}\n  {case.done}\n  {' '.join(case.command)!r:.300}\n  {said!r:.300}")
            print(f"{kind}: {dict(counts)}, slowest {slowest:.1f} s", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main_program()
