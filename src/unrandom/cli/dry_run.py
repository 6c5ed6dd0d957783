"""What would it cost to train these runs on this machine? A few steps of each shape are timed; nothing is written."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

import torch

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.launcher import launcher_of
from unrandom.cli.progress import say, working
from unrandom.cli.trials import Trial, measure, shape_of
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.quantities import counted, duration, scaled
from unrandom.core.run_folder import RunFolder
from unrandom.evaluation.during_training import PROBES
from unrandom.runs.running.engines import EngineOptions
from unrandom.runs.running.engines.local import physical_cores, workers_and_threads
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.training import RunConfig
from unrandom.training.checkpoint import saved_step
from unrandom.training.estimate import CostEstimate, estimate
from unrandom.training.machine import choose_device, configure_process

HOUR, DAY = 3600.0, 86400.0  # seconds
GPU, GPU_RATE, GPU_SHARE = "NVIDIA H200", 790e12, 0.4  # FLOP/s of its matrix product in bf16; the share that is reached


@dataclass(frozen=True)
class Group:
    """Runs of one recipe that cost the same from their beginning, such as those that differ only in seeds."""

    runs: list[RunSpec]
    costs: list[CostEstimate]  # What is left of each run costs this. Finished runs have no time.
    trial: Trial | None  # None if all runs are finished.
    for_others: bool  # Whether the runs are needed only because others start from their weights.

    @property
    def config(self) -> RunConfig:
        return self.runs[0].config

    @property
    def finished(self) -> int:
        return sum(cost.steps == 0 for cost in self.costs)

    @property
    def steps_left(self) -> int:
        return sum(cost.steps for cost in self.costs)

    @property
    def flops_left(self) -> int:
        return sum(cost.flops for cost in self.costs)

    @property
    def seconds(self) -> float:
        """The time of all that is left, one run after another."""
        return sum(cost.seconds or 0.0 for cost in self.costs)


class Machine(NamedTuple):
    """What trains the runs."""

    device: torch.device
    workers: int
    units: int  # cores, or GPUs

    @classmethod
    def of(cls, options: EngineOptions) -> "Machine":
        """This machine, with as many workers as training would have."""
        device, (workers, _) = choose_device(), workers_and_threads(options)
        if device.type == "cpu":
            return cls(device, workers, physical_cores())
        gpus = max(1, torch.cuda.device_count())
        return cls(device, options.workers or gpus, gpus)

    @property
    def unit(self) -> str:
        return "core" if self.device.type == "cpu" else "GPU"

    @property
    def hours_key(self) -> str:
        """The name of the hours of one unit in JSON."""
        return f"{self.unit.lower()}_hours"


def check_measurable(arguments: Namespace) -> None:
    """Raise UserError for options with which there is nothing to measure, or not on this machine."""
    trains_nothing = {
        "--run": arguments.run is not None,
        "--archived": arguments.archived,
        "--from-tables": arguments.from_tables,
    }
    for option, given in trains_nothing.items():
        if given:
            raise UserError(f"--dry-run says what training costs, and {option} trains nothing; leave out one of them")
    elsewhere = {
        f"--engine {arguments.engine}": arguments.engine != "local",
        "--slurm": arguments.slurm,
        "--gpus-per-run": arguments.gpus_per_run is not None,
        "--pack": arguments.pack > 1,
        "--threads": (arguments.threads or 1) > 1,
    }
    for option, given in elsewhere.items():
        if given:
            raise UserError(
                f"--dry-run measures on this machine, each run by itself with one thread; leave out {option}"
            )


def dry_run(wanted: Sequence[RunSpec], arguments: Namespace) -> Answer:
    """What training these runs and their ancestors would cost, by trial steps. Nothing is trained or written."""
    check_measurable(arguments)
    machine = Machine.of(launcher_of(arguments).options)
    configure_process(machine.device)
    groups = _timed(_grouped(wanted, arguments.runs, machine.device), machine)
    answer = _answer(groups, arguments, machine)
    return answer, _text(answer, machine)


def _grouped(wanted: Sequence[RunSpec], out: Path, device: torch.device) -> list[Group]:
    """The runs and their ancestors in groups, with the closed forms of their costs."""
    ids, alike = {spec.id for spec in wanted}, dict[tuple[object, ...], list[RunSpec]]()
    for spec in with_ancestors(wanted):
        config = spec.config
        lengths = (config.steps, config.evaluate_every, config.test_sequences)
        alike.setdefault((spec.id not in ids, spec.recipe, shape_of(config), lengths), []).append(spec)
    return [
        Group(specs, _costs_left(specs, out, device), None, bool(for_others))
        for (for_others, *_), specs in alike.items()
    ]


def _costs_left(specs: Sequence[RunSpec], out: Path, device: torch.device) -> list[CostEstimate]:
    made = [_steps_made(spec, out) for spec in specs]
    left = {step: _cost_after(step, specs[0].config, device) for step in set(made)}
    return [left[step] for step in made]


def _cost_after(step: int, config: RunConfig, device: torch.device) -> CostEstimate:
    cost = estimate(config, ranks=1, device=device, step=step, training_sequences=PROBES)
    return cost if step < config.steps else replace(cost, evaluations=0)


def _steps_made(spec: RunSpec, out: Path) -> int:
    """The steps that are not made again: all of a finished run, else those of its newest intact checkpoint."""
    folder = RunFolder(out / spec.id)
    return spec.config.steps if folder.finished else min(saved_step(folder), spec.config.steps)


def _timed(groups: list[Group], machine: Machine) -> list[Group]:
    """The groups with measured times, but for those that are finished."""
    shapes = {shape_of(group.config): group.config for group in groups if group.steps_left}
    if shapes:
        say(f"timing a few steps of {counted(len(shapes), 'configuration')} ...")
    with working("timing"):
        trials = dict(zip(shapes, measure(list(shapes.values()), machine.device), strict=True))
    return [_with_times(group, trials[shape_of(group.config)]) if group.steps_left else group for group in groups]


def _with_times(group: Group, trial: Trial) -> Group:
    in_steps = trial.evaluation_seconds(group.config) / trial.step_seconds
    timed = [replace(cost.timed(trial.step_seconds), steps_per_evaluation=in_steps) for cost in group.costs]
    return replace(group, trial=trial, costs=timed)


def _seconds_of_all(groups: Sequence[Group], machine: Machine) -> float:
    """The time until all are trained: each run starts on the first free worker, once its ancestors have ended.

    More workers than cores or GPUs are no faster.
    """
    runs = [(spec, cost.seconds or 0.0) for group in groups for spec, cost in zip(group.runs, group.costs, strict=True)]
    free, ended = [0.0] * machine.workers, dict[str, float]()
    for spec, seconds in sorted(runs, key=lambda run: len(run[0].ancestors())):
        began = max(heappop(free), *(ended[each.id] for each in spec.ancestors()), 0.0)
        ended[spec.id] = began + seconds
        heappush(free, ended[spec.id])
    return max(sum(seconds for _, seconds in runs) / machine.units, *ended.values(), 0.0)


def _answer(groups: Sequence[Group], arguments: Namespace, machine: Machine) -> JsonObject:
    seconds, flops_left = sum(group.seconds for group in groups), sum(group.flops_left for group in groups)
    is_long = arguments.scale == "paper" or seconds > DAY
    gpu_hours = flops_left / (GPU_RATE * GPU_SHARE) / HOUR
    gpu = {"name": GPU, "flops_per_second": GPU_RATE, "share": GPU_SHARE, "hours": gpu_hours, "computed": True}
    return {
        "scale": arguments.scale,
        "seeds": arguments.seeds,
        "groups": [_row(group, machine) for group in groups],
        "runs": sum(len(group.runs) for group in groups),
        "finished": sum(group.finished for group in groups),
        "steps_left": sum(group.steps_left for group in groups),
        machine.hours_key: seconds / HOUR,
        "hours": _seconds_of_all(groups, machine) / HOUR,
        "workers": machine.workers,
        "device": machine.device.type,
        "flops": sum(run.flops for group in groups for run in group.runs),
        "flops_left": flops_left,
        "gpu": gpu if is_long else None,
    }


def _row(group: Group, machine: Machine) -> JsonObject:
    config, model, trial, memory = group.config, group.config.transformer, group.trial, group.costs[0]
    return {
        "recipe": group.runs[0].recipe,
        "for_others": group.for_others,
        "depth": model.depth,
        "d_model": model.d_model,
        "tokens": config.data.context_tokens,
        "vocabulary": model.vocab_size,
        "batch_size": config.batch_size,
        "runs": [run.id for run in group.runs],
        "finished": group.finished,
        "steps": config.steps,
        "steps_left": group.steps_left,
        "step_seconds": trial and trial.step_seconds,
        "evaluation_seconds": trial and trial.evaluation_seconds(config),
        "evaluations_left": sum(cost.evaluations for cost in group.costs),
        "timed_batch": trial and trial.rows,
        "memory_bytes": memory.memory_bytes,
        "available_bytes": memory.available,
        "flops_left": group.flops_left,
        machine.hours_key: group.seconds / HOUR,
    }


def _text(answer: JsonObject, machine: Machine) -> str:
    rows = answer["groups"]
    heading = ["run", "model", "runs", "steps each", "left in all", "per step", "evaluation", f"{machine.unit}-hours"]
    table = aligned([heading, *(_cells(row, row[machine.hours_key]) for row in rows)])
    notes = ["", *map(_note, rows)]
    lines = [f"{line}  {note}".rstrip() for line, note in zip(table, notes, strict=True)]
    return "\n".join([*lines, *_totals(answer, machine)])


def _cells(row: JsonObject, hours: float) -> list[str]:
    finished = f" ({row['finished']} finished)" if row["finished"] else ""
    return [
        row["recipe"],
        f"{row['depth']} x {row['d_model']}, {row['tokens']} tokens of {row['vocabulary']}, batch {row['batch_size']}",
        f"{len(row['runs'])}{finished}",
        f"{row['steps']:,}",
        f"{row['steps_left']:,}",
        *("-" if row[key] is None else duration(row[key]) for key in ("step_seconds", "evaluation_seconds")),
        _hours(hours),
    ]


def _note(row: JsonObject) -> str:
    """What a reader has to know about the numbers of a line."""
    needed, free, timed = row["memory_bytes"], row["available_bytes"], row["timed_batch"]
    notes = {
        f"from a batch of {timed}": timed is not None and timed < row["batch_size"],
        "others start from it": row["for_others"],
        f"needs {scaled(needed, 'B')} of memory, {scaled(free or 0, 'B')} are free": free is not None and needed > free,
    }
    return ", ".join(note for note, applies in notes.items() if applies)


def _totals(answer: JsonObject, machine: Machine) -> list[str]:
    left, whole = scaled(answer["flops_left"], "FLOP"), scaled(answer["flops"], "FLOP")
    lines = [
        f"total     {counted(answer['runs'], 'run')}, {answer['finished']} finished; "
        f"{counted(answer['steps_left'], 'step')} to go",
        f"time      {_hours(answer[machine.hours_key])} {machine.unit}-hours; "
        f"with {counted(machine.workers, 'worker')} of one thread about {duration(HOUR * answer['hours'])}",
        f"compute   {left} to go of {whole} in training, in closed form",
    ]
    if (gpu := answer["gpu"]) is not None:
        lines.append(
            f"on a GPU  {_hours(gpu['hours'])} hours of one {gpu['name']} at {gpu['share']:.0%} of "
            f"{gpu['flops_per_second'] / 1e12:.0f} TFLOP/s: computed from the operations, not measured"
        )
    if answer["steps_left"]:
        lines.append(
            "measured just now on this machine, with one thread, beside whatever else it does; starting a run, its "
            "checkpoints and what follows training are not counted"
        )
    return lines


def _hours(hours: float) -> str:
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.3g}"
