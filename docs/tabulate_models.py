"""Which trained models come with the package? Writes the index and the tables of docs/models.md.

python docs/tabulate_models.py          # measures the models that the index does not have
python docs/tabulate_models.py --all    # measures every model again: half an hour
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from unrandom.core.files import write_atomically, write_json
from unrandom.core.reading import sha256
from unrandom.runs.finding import RECIPES
from unrandom.runs.measurement import evaluate_run
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import IN_CHECKOUT, INDEX, PretrainedModel, described, pretrained, weights_file
from unrandom.tasks import Part, Task
from unrandom.tasks.lcg import LCGTask
from unrandom.training.checkpoint import saved_step

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "models.md"
SEQUENCES = 1024  # of each part of the test
OTHERS = {"arbitrary": "arbitrary a and c", "counting": "a = 1"}  # further tests of LCGs by name


def index() -> list[dict[str, Any]]:
    """One entry per archived model, in the order of recipes, then of moduli; those that are known are kept."""
    measured = [] if "--all" in sys.argv else json.loads(INDEX.read_text("utf-8"))["models"]
    known = {each["sha256"]: each for each in measured}
    runs = [Run.open(folder) for weights in IN_CHECKOUT for folder in sorted(weights.iterdir())]
    short = {run.id: run.recipe for run in runs if is_default(run)}
    order = sorted(runs, key=lambda run: (run.id not in short, run.recipe[:2], run.config.data.vocabulary, run.id))
    return [entry(run, short.get(run.id, run.id), known) for run in order]


def is_default(run: Run) -> bool:
    """Whether the model is named by its recipe: a run with seed 0 and, of a recipe of the package, its settings."""
    recipe = RECIPES.get(run.recipe)
    return run.config.seed == 0 and (recipe is None or recipe.build().digest() == run.config.digest())


def entry(run: Run, name: str, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What is known of one model, and what is measured; ``known`` has earlier entries by the hash of the weights."""
    digest = sha256(weights_file(run.folder.path))
    if digest in known:
        return known[digest] | {"name": name}
    print(f"measuring {run.id}", file=sys.stderr)
    task, model = run.config.data, run.config.model
    tested = evaluate_run(run, run.predictor(), part=None, sequences=SEQUENCES)
    return {
        "name": name,
        "id": run.id,
        "about": f"{task.rule}; unseen {task.unseen}",
        "depth": model.depth,
        "n_heads": model.n_heads,
        "d_model": model.d_model,
        "positions": model.positions,
        "parameters": run.folder.read_manifest()["parameters"],
        "bytes": weights_file(run.folder.path).stat().st_size,
        "sha256": digest,
        "steps": saved_step(run.folder),
        "sequences": SEQUENCES,
        "accuracy": [accuracy(part, task) for part in tested],
    }


def accuracy(tested: dict[str, Any], task: Task) -> dict[str, Any]:
    """The accuracy of the last number of one part of the test and, further, of other sequences; and which these are."""
    further = [{"about": OTHERS.get(each["name"], each["about"])} | last_number(each) for each in tested["further"]]
    return {
        "about": tested["symbol"],
        "sequences": sequences(task, tested["part"]),
        "seen": tested["by_position"]["seen"][-1],
        **last_number(tested),
        "further": further,
    }


def last_number(tested: dict[str, Any]) -> dict[str, Any]:
    """The accuracy of the last number."""
    kept = ("value", "low", "high", "correct", "total", "interval")
    return {key: tested["last_number_accuracy"][key] for key in kept}


def sequences(task: Task, part: Part) -> str:
    """Which sequences a part of the test has."""
    if not isinstance(task, LCGTask):
        return f"unseen {task.unseen}"
    primitive = isinstance(part, int) and task.tested_by_primitive_roots(part)
    unseen = "a and c" if task.hold_out == "values" else "(a, c)"
    return f"{'primitive root a' if primitive else 'full period'}, unseen {unseen}"


def table(models: list[PretrainedModel]) -> list[str]:
    """A row per model."""
    rows = [described(model) | {"name": f"`{model.name}`", "sha256": f"`{model.sha256[:12]}`"} for model in models]
    head = list(rows[0])
    return [f"| {' | '.join(map(str, cells))} |" for cells in (head, ["---"] * len(head), *(r.values() for r in rows))]


def page() -> str:
    """The page with the tables of the index."""
    models, text = list(pretrained().values()), PAGE.read_text(encoding="utf-8")
    tables = {
        "in the wheel": [model for model in models if model.in_wheel],
        "in the repository": [model for model in models if not model.in_wheel],
    }
    for name, chosen in tables.items():
        lines = "\n".join(table(chosen))
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m, t=lines: f"{m[1]}\n{t}\n\n{m[2]}", text, flags=re.DOTALL
        )
    return text


if __name__ == "__main__":
    write_json(INDEX, {"models": index()})
    pretrained.cache_clear()
    write_atomically(PAGE, page())
