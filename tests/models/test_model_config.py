"""Fields added to the model configuration later leave existing run ids unchanged."""

import json
from pathlib import Path
from typing import ClassVar

import pytest

from unrandom.models import ModelConfig
from unrandom.runs.recipes import recipe
from unrandom.training import RunConfig

IDS = json.loads((Path(__file__).parents[1] / "golden" / "recipe_ids.json").read_text())
# A run that starts from another builds both transformers, which do not know the field that is planted here.
FROM_RANDOM_WEIGHTS = [name for name in IDS if recipe(name).build().start is None]


class Gated(ModelConfig):
    """The model configuration with one further field."""

    gate: bool = False

    added_later: ClassVar[frozenset[str]] = ModelConfig.added_later | {"gate"}


class GatedFromTheStart(ModelConfig):
    """The same field, not declared in ``added_later``."""

    gate: bool = False


class GatedRun(RunConfig):
    model: Gated = Gated()


@pytest.mark.parametrize("name", FROM_RANDOM_WEIGHTS)
def test_a_field_that_is_added_later_leaves_every_recipe_its_id(name):
    tree = recipe(name).build().to_json()
    assert GatedRun.parse(tree).digest() == IDS[name]
    assert GatedRun.parse({**tree, "model": {**tree["model"], "gate": True}}).digest() != IDS[name]


def test_an_undeclared_new_field_would_change_the_digest():
    assert Gated().digest() == ModelConfig().digest()
    assert GatedFromTheStart().digest() != ModelConfig().digest()
