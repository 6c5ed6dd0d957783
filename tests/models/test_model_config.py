"""Fields added to the model configuration later leave existing run ids unchanged."""

import json
from pathlib import Path
from typing import ClassVar

import pytest

from unrandom.models import ModelConfig, TransformerConfig
from unrandom.runs.recipes import recipe
from unrandom.training import RunConfig

IDS = json.loads((Path(__file__).parents[1] / "golden" / "recipe_ids.json").read_text())


class Gated(ModelConfig):
    """The model configuration with one further field."""

    gate: bool = False

    added_later: ClassVar[frozenset[str]] = ModelConfig.added_later | {"gate"}


class GatedFromTheStart(ModelConfig):
    """The same field, not declared in ``added_later``."""

    gate: bool = False


class GatedRun(RunConfig):
    model: Gated = Gated()

    @property
    def transformer(self) -> TransformerConfig:
        """That of the other fields: no transformer has a gate."""
        tree = self.to_json()
        del tree["model"]["gate"]
        return RunConfig.parse({**tree, "start": None}).transformer


@pytest.mark.parametrize("name", IDS)
def test_a_field_that_is_added_later_leaves_every_recipe_its_id(name):
    tree = recipe(name).build().to_json()
    assert GatedRun.parse(tree).digest() == IDS[name]
    assert GatedRun.parse({**tree, "model": {**tree["model"], "gate": True}}).digest() != IDS[name]


def test_an_undeclared_new_field_would_change_the_digest():
    assert Gated().digest() == ModelConfig().digest()
    assert GatedFromTheStart().digest() != ModelConfig().digest()
