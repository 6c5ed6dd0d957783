"""The trained models that come with the package: two inside the wheel, more in the repository, beside its results.

``pretrained.json`` lists them with what was measured of each; ``docs/tabulate_models.py`` writes it. `archive` made
their folders. An installed package has the models of ``IN_WHEEL`` in ``weights/`` (``force-include``, pyproject.toml),
a checkout has all in ``results/laptop/weights/`` and ``results/overnight/weights/``.
"""

import json
import shutil
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, replaced_atomically
from unrandom.core.reading import sha256
from unrandom.core.run_folder import RunFolder

INDEX = Path(__file__).with_name("pretrained.json")
IN_CHECKOUT = tuple(Path(__file__).parents[4] / "results" / scale / "weights" for scale in ("laptop", "overnight"))
FOLDERS = (Path(__file__).parents[2] / "weights", *IN_CHECKOUT)  # The first is in an installed package.
IN_WHEEL = ("fm-256", "um-144")
ALIASES = {"demo": "fm-256"}
COPIES = "pretrained"  # folder, beside one's own runs, of the copies that results are written to


@dataclass(frozen=True)
class PretrainedModel:
    """A trained model that comes with the package or its repository, and its accuracy on held-out parameters.

    >>> import unrandom
    >>> unrandom.pretrained()["um-144"].depth
    4
    """

    name: str  # a short name, for `unrandom.load`
    id: str  # the name of its run and folder
    about: str  # its task in a line
    depth: int
    n_heads: int
    d_model: int
    positions: str
    parameters: int  # count
    bytes: int  # size of the weights, in bf16
    sha256: str  # of the weights
    steps: int  # of training
    sequences: int  # of each part of the test
    # For the last number of each part of the test: about, sequences, value, low, high, correct, total, interval; and
    # `further`, the same (without `seen`) for other sequences, such as arbitrary (a, c).
    accuracy: list[JsonObject]

    @property
    def folder(self) -> Path | None:
        """The run folder; None if it is only in the repository, and this is an installed package."""
        return next((parent / self.id for parent in FOLDERS if RunFolder(parent / self.id).exists), None)

    @property
    def in_wheel(self) -> bool:
        """Whether an installed package has the weights."""
        return self.name in IN_WHEEL

    def to_json(self) -> JsonObject:
        """All fields, with the folder where it is on this machine."""
        return asdict(self) | {"in_wheel": self.in_wheel, "folder": None if self.folder is None else str(self.folder)}


@cache
def pretrained() -> dict[str, PretrainedModel]:
    """The models that come with the package or its repository, by name, with size, accuracy and checksum.

    Accuracy is measured on the last number of held-out sequences, for each part of the test, with a 95 % interval. An
    LCG model is tested on sequences of full period with unseen (a, c), and further on arbitrary (a, c).

    >>> import unrandom
    >>> model = unrandom.pretrained()["fm-256"]
    >>> model.id, model.parameters, model.in_wheel
    ('fm-256-11566064', 237952, True)
    >>> [(part["value"], round(part["low"], 2)) for part in model.accuracy]
    [(1.0, 0.91)]
    >>> [(part["sequences"], [other["about"] for other in part["further"]]) for part in model.accuracy]
    [('full period, unseen a and c', ['arbitrary a and c'])]
    """
    return {each["name"]: PretrainedModel(**each) for each in json.loads(INDEX.read_text(encoding="utf-8"))["models"]}


def find_pretrained(name: str, *, by_id: bool = False) -> Path | None:
    """The folder of the model that has this name or alias or, instead, this id; None if there is none. Raises
    UserError for a model whose weights are in the repository only, when this is an installed package."""
    wanted, models = ALIASES.get(name, name), pretrained()
    model = next((each for each in models.values() if each.id == name), None) if by_id else models.get(wanted)
    if model is not None and model.folder is None:
        raise UserError(
            f"the weights of {model.name} are not in the installed package; they are in its repository, in "
            f"results/*/weights/{model.id}: name that folder (a run of your own is named by its folder, or as "
            f"{model.name}:newest)"
        )
    return None if model is None else model.folder


def is_pretrained(folder: Path) -> bool:
    """Whether a run folder comes with the package; nothing is written into such a folder."""
    return any(folder.resolve().parent == parent.resolve() for parent in FOLDERS)


def copy_pretrained(folder: Path, parent: Path) -> Path:
    """A copy of a run folder in ``parent``, into which reports can be written; an existing copy is returned.

    It is not among the runs in ``parent``, where the user's own run may have the same id. Raises UserError where
    ``parent`` cannot be written to.
    """
    copy = parent / COPIES / folder.name
    if not RunFolder(copy).exists:
        with replaced_atomically(copy) as made:
            shutil.copytree(folder, made, copy_function=shutil.copyfile, dirs_exist_ok=True)
    return copy


def check_pretrained(model: PretrainedModel) -> bool:
    """Whether the weights on this machine have the checksum of the index; True for a model that is not here."""
    return model.folder is None or sha256(weights_file(model.folder)) == model.sha256


def weights_file(folder: Path) -> Path:
    """The one weights file of an archived run."""
    (file,) = folder.glob("checkpoints/*/model.safetensors")
    return file


def described(model: PretrainedModel) -> dict[str, Any]:
    """The row of a model in a table, as short texts: name, task, size, accuracy by kind of sequence, and checksum."""
    of_test = [_accuracy(part["about"], part["sequences"], part) for part in model.accuracy]
    of_others = [
        _accuracy(part["about"], other["about"], other) for part in model.accuracy for other in part["further"]
    ]
    return {
        "name": model.name,
        "task": model.about,
        "layers": model.depth,
        "parameters": f"{model.parameters:,}",
        "size": f"{model.bytes / 1e6:.2f} MB",
        "accuracy": "; ".join(of_test),
        "on other sequences": "; ".join(of_others) or "not tested",
        "sha256": model.sha256[:12],
    }


def _accuracy(part: str, sequences: str, measured: JsonObject) -> str:
    interval = f"[{measured['low']:.3f}, {measured['high']:.3f}]"
    return f"{part}, {sequences}: {measured['value']:.3f} {interval}"
