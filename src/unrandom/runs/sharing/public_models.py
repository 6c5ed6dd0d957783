"""Makes a run folder of a file with the weights of a model of the paper's public code.

The settings are a recipe's, changed by what the tensors tell (`models.formats.public_code`), by what the file's
name tells if it names a scaling run, and by what is set. What the model was tested on is not known: the run has no
metrics, and its test is drawn independently of what the model was trained on (docs/export.md).
"""

import json
import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unrandom.core.arithmetic import digits_needed
from unrandom.core.config import as_typed
from unrandom.core.errors import UserError, lookup
from unrandom.core.files import JsonObject, replaced_atomically, write_json
from unrandom.core.reading import about
from unrandom.core.run_folder import RunFolder
from unrandom.core.version import __version__
from unrandom.models import parameter_count
from unrandom.models.formats.conversion import Tensors
from unrandom.models.formats.public_code import from_public_code, settings_of, without_prefixes
from unrandom.models.tensor_files import read_any_tensors
from unrandom.runs.recipes import RECIPES
from unrandom.runs.run import Run, split_of
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import save_checkpoint

PUBLIC_CODE = "the paper's public code"
DIGITS_RECIPE = "fm-base256"  # the recipe of a model with several tokens per number
NUMBERS_RECIPE = "fm-2048"  # the recipe of a model with one token per number
PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")  # ends of names of files that are pickles
BETA2 = 0.98  # of AdamW in the scaling runs; their names do not tell it

WHOLE, DECIMAL = r"(\d{1,20})", r"(\d{1,12}(?:\.\d{1,12})?)"
IN_NAME = (
    ("p", WHOLE, "modulus"),
    ("b", WHOLE, "base"),
    ("d", WHOLE, "digits"),
    ("sl", WHOLE, "numbers"),
    ("na", WHOLE, "data.n_a"),
    ("nc", WHOLE, "data.n_c"),
    ("ne", WHOLE, "examples"),
    ("n", WHOLE, "model.d_model"),
    ("h", WHOLE, "model.n_heads"),
    ("d", WHOLE, "model.depth"),
    ("ds", WHOLE, "data_seed"),
    ("I", WHOLE, "seed"),
    ("lr", DECIMAL, "optimizer.lr"),
    ("Twarm", WHOLE, "warmup_steps"),
    ("T", WHOLE, "steps"),
    ("B", WHOLE, "batch_size"),
    ("wd", DECIMAL, "optimizer.weight_decay"),
)
"""What the name of a scaling run tells, in its order: letters, a number, and the setting or a word of `_derived`."""

_WORDS = ("modulus", "base", "digits", "numbers", "examples")  # in IN_NAME, but not settings

NAME = re.compile("(?<![0-9A-Za-z])" + "_".join(letters + number for letters, number, _ in IN_NAME) + "(?![0-9])")


def is_model_file(path: Path) -> bool:
    """Whether a path is a model's file, rather than a folder."""
    return path.is_file() or path.suffix in (".safetensors", *PICKLED)


def settings_in_name(name: str) -> dict[str, Any]:
    """The settings of a run configuration that a file's name tells; none if it does not name a scaling run.

    >>> from unrandom.runs.sharing.public_models import settings_in_name
    >>> name = "p65536_b256_d2_sl512_na1024_nc1024_ne1_n768_h6_d2_ds71_I9_lr0.000100_Twarm5000_T200000_B512_wd1.00"
    >>> found = settings_in_name(name + ".safetensors")
    >>> found["data.context"], found["model.n_heads"], found["optimizer.lr"], found["steps"]
    (511, 6, 0.0001, 200000)
    """
    found = NAME.search(name)
    if found is None:
        return {}
    read = {
        key: int(text) if number == WHOLE else float(text)
        for (_, number, key), text in zip(IN_NAME, found.groups(), strict=True)
    }
    return {**{key: value for key, value in read.items() if key not in _WORDS}, **_derived(read)}


def _derived(read: dict[str, Any]) -> dict[str, Any]:
    """The settings that follow from several parts of a name, or that every scaling run has."""
    modulus, base, digits, numbers, examples = (read[word] for word in _WORDS)
    if modulus < 2 or base < 2:
        raise UserError(f"its name has modulus {modulus} and base {base}; both must be 2 or more")
    is_usual = digits == digits_needed(modulus - 1, base)
    # Each (a, c) once, or this number of sequences.
    sequences = None if examples == 1 else read["data.n_a"] * read["data.n_c"] * examples
    return {
        "data.modulus": modulus,
        "data.base": base,
        "data.digits": None if is_usual else digits,
        "data.context": numbers - 1,  # the last one is only predicted
        "data.n_sequences": sequences,
        "optimizer.beta2": BETA2,
    }


def import_public(path: Path, out: Path, *, recipe: str | None = None, assignments: Sequence[str] = ()) -> Run:
    """Make a run folder ``out/<run id>`` of a file with a model of the paper's public code, and return the run.

    Settings are ``recipe``'s (by default fm-base256, or fm-2048 where a number is one token), then what the
    tensors and the file's name tell, then ``assignments`` (``KEY=VALUE``). Nothing is unpickled. Raises UserError if
    the run folder exists, and, naming the tensor or the setting, if the file is not such a model or does not fit.
    """
    with about(path):
        if path.suffix in PICKLED:
            raise UserError(_how_to_convert(path))
        tensors = without_prefixes(read_any_tensors(path))
        in_tensors = {f"model.{name}": value for name, value in settings_of(tensors).items()}
        in_name = settings_in_name(path.name)
        default = DIGITS_RECIPE if in_name or in_tensors["model.positions"] == "abacus" else NUMBERS_RECIPE
        chosen = lookup("recipe", recipe or default, RECIPES)
        told = {**in_tensors, **in_name}
        typed = [f"{key}={as_typed(value)}" for key, value in told.items()]
        spec = RunSpec(chosen.name, chosen.build().override([*typed, *assignments]))
        target = out / spec.id
        if target.exists():
            raise UserError(f"{target} exists already; import into another folder with --runs")
        known = {*told, *(assignment.partition("=")[0].strip() for assignment in assignments)}
        _make(target, path, spec, tensors, known)
    return Run.open(target)


def _make(target: Path, path: Path, spec: RunSpec, tensors: Tensors, known: set[str]) -> None:
    """Write the run folder: a checkpoint after the last step, a result without measures, and the manifest."""
    config, split = spec.config, split_of(spec.config)
    model = from_public_code(config.transformer, tensors)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    keys = ("model.n_heads", "model.activation")  # what the tensors cannot tell, and logits depend on
    manifest: JsonObject = {
        "recipe": spec.recipe,
        "config": config.to_json(),
        "parameters": parameter_count(config.transformer),
        "split": split.manifest(),
        "created": now,
        "trained_by": PUBLIC_CODE,
        "imported": {
            "from": str(path),
            "format": PUBLIC_CODE,
            "assumed": {key: config.at(key) for key in keys if key not in known},
            "metrics": "unknown: nothing was measured in training that is known here",
            "held_out": "drawn here; which (a, c) the model was trained on is not known",
            "unrandom": __version__,
            "at": now,
        },
    }
    result = {"recipe": spec.recipe, "steps": config.steps, "finished": True, "data_mode": config.data.mode}
    with replaced_atomically(target) as made:
        run = RunFolder(made)
        save_checkpoint(run, config.steps, model, None, {"train_seconds": None})
        write_json(run.result, result)
        run.create(manifest)  # last: a folder with a manifest is found as a run


def _how_to_convert(path: Path) -> str:
    """Advice about a pickle, with a command that makes a safetensors file of it."""
    pickled, made = (json.dumps(str(name)) for name in (path, path.with_suffix(".safetensors")))
    program = (
        f"import torch, safetensors.torch as s; s.save_file({{k: v.contiguous() for k, v in torch.load({pickled}, "
        f'weights_only=True).items() if not k.endswith("lm_head.weight")}}, {made})'
    )
    return (
        f"{path} is a pickle, which is never loaded, because unpickling can run code; to convert it yourself: "
        f"python -c {shlex.quote(program)}"
    )
