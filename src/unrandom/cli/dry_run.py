"""Says what training runs would cost, from closed forms; nothing is trained, timed or written."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unrandom.cli.answer import Answer, aligned
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.quantities import counted, duration, scaled
from unrandom.core.run_folder import RunFolder
from unrandom.evaluation.during_training import PROBES
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.training.checkpoint import saved_step
from unrandom.training.estimate import CORE_RATE, core_seconds, estimate
from unrandom.training.machine import choose_device

HOUR, DAY = 3600.0, 86400.0  # seconds
GPU, GPU_RATE, GPU_SHARE = "NVIDIA H200", 790e12, 0.4  # FLOP/s of its matrix product in bf16; the share that is reached


class Left(NamedTuple):
    """A run, and what is left to train of it."""

    run: RunSpec
    steps: int

    @property
    def flops(self) -> int:
        return self.steps * self.run.config.step_flops


def dry_run(wanted: Sequence[RunSpec], arguments: Namespace) -> Answer:
    """The cost of training these runs and their ancestors. Raises UserError for options with which nothing is
    trained."""
    given = {"--run": arguments.run, "--archived": arguments.archived, "--from-tables": arguments.from_tables}
    for option, value in given.items():
        if value:
            raise UserError(f"--dry-run says what training costs, and {option} trains nothing; leave out one of them")
    answer = _answer([_left(run, arguments.runs) for run in with_ancestors(wanted)], wanted, arguments)
    return answer, _text(answer)


def _left(run: RunSpec, out: Path) -> Left:
    """The steps after the newest intact checkpoint; 0 for a finished run."""
    folder = RunFolder(out / run.id)
    return Left(run, 0 if folder.finished else max(0, run.config.steps - saved_step(folder)))


def _answer(runs: Sequence[Left], wanted: Sequence[RunSpec], arguments: Namespace) -> JsonObject:
    ids, groups = {run.id for run in wanted}, dict[tuple[object, ...], list[Left]]()
    for each in runs:
        config = each.run.config
        key = (each.run.id not in ids, each.run.recipe, config.transformer, config.batch_size, config.steps)
        groups.setdefault(key, []).append(each)
    left = sum(each.flops for each in runs)
    is_long = arguments.scale == "paper" or core_seconds(left) > DAY
    gpu_hours = left / (GPU_RATE * GPU_SHARE) / HOUR
    return {
        "scale": arguments.scale,
        "seeds": arguments.seeds,
        "groups": [_row(group, for_others=bool(for_others)) for (for_others, *_), group in groups.items()],
        "runs": len(runs),
        "finished": sum(not each.steps for each in runs),
        "steps_left": sum(each.steps for each in runs),
        "core_hours": core_seconds(left) / HOUR,
        "flops": sum(each.run.flops for each in runs),
        "flops_left": left,
        "gpu": {"name": GPU, "flops_per_second": GPU_RATE, "share": GPU_SHARE, "hours": gpu_hours} if is_long else None,
    }


def _row(group: Sequence[Left], *, for_others: bool) -> JsonObject:
    """Runs of one recipe whose models and steps are alike, such as runs that differ only in seeds."""
    config, flops = group[0].run.config, sum(each.flops for each in group)
    memory = estimate(config, ranks=1, device=choose_device(), training_sequences=PROBES)
    return {
        "recipe": group[0].run.recipe,
        "for_others": for_others,  # whether the runs are needed only because others start from their weights
        "depth": config.transformer.depth,
        "d_model": config.transformer.d_model,
        "tokens": config.data.context_tokens,
        "vocabulary": config.transformer.vocab_size,
        "batch_size": config.batch_size,
        "runs": [each.run.id for each in group],
        "finished": sum(not each.steps for each in group),
        "steps": config.steps,
        "steps_left": sum(each.steps for each in group),
        "memory_bytes": memory.memory_bytes,
        "available_bytes": memory.available,
        "flops_left": flops,
        "core_hours": core_seconds(flops) / HOUR,
    }


def _text(answer: JsonObject) -> str:
    heading = ["run", "model", "runs", "steps each", "left in all", "core-hours"]
    table = aligned([heading, *map(_cells, answer["groups"])])
    notes = ["", *map(_note, answer["groups"])]
    lines = [f"{line}  {note}".rstrip() for line, note in zip(table, notes, strict=True)]
    return "\n".join([*lines, *_totals(answer)])


def _cells(row: JsonObject) -> list[str]:
    finished = f" ({row['finished']} finished)" if row["finished"] else ""
    return [
        row["recipe"],
        f"{row['depth']} x {row['d_model']}, {row['tokens']} tokens of {row['vocabulary']}, batch {row['batch_size']}",
        f"{len(row['runs'])}{finished}",
        f"{row['steps']:,}",
        f"{row['steps_left']:,}",
        _hours(row["core_hours"]),
    ]


def _note(row: JsonObject) -> str:
    """What a reader needs to know about the numbers of a line."""
    needed, free = row["memory_bytes"], row["available_bytes"]
    notes = {
        "others start from it": row["for_others"],
        f"needs {scaled(needed, 'B')} of memory, {scaled(free or 0, 'B')} are free": free is not None and needed > free,
    }
    return ", ".join(note for note, applies in notes.items() if applies)


def _totals(answer: JsonObject) -> list[str]:
    left, whole, gpu = scaled(answer["flops_left"], "FLOP"), scaled(answer["flops"], "FLOP"), answer["gpu"]
    lines = [
        f"total     {counted(answer['runs'], 'run')}, {answer['finished']} finished; "
        f"{counted(answer['steps_left'], 'step')} to go",
        f"compute   {left} to go of {whole} in training",
        f"time      roughly {duration(HOUR * answer['core_hours'])} of one core, at {scaled(CORE_RATE, 'FLOP')}/s: "
        "within a factor of two",
    ]
    if gpu is not None:
        lines.append(
            f"on a GPU  {_hours(gpu['hours'])} hours of one {gpu['name']} at {gpu['share']:.0%} of "
            f"{gpu['flops_per_second'] / 1e12:.0f} TFLOP/s"
        )
    return [*lines, "computed from the operations of training, not measured"]


def _hours(hours: float) -> str:
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.3g}"
