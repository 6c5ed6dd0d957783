"""The batches of a recipe are what they have always been: a change here changes every run."""

import json
from pathlib import Path

import pytest

from unrandom.runs.recipes import recipe
from unrandom.tasks import make_batches

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "batches.json").read_text())


@pytest.mark.parametrize("name", GOLDEN)
def test_the_first_tokens_of_a_recipe(name):
    wanted = GOLDEN[name]
    config = recipe(wanted["recipe"]).build().override(wanted["set"])
    tokens = make_batches(config.data.split(config.seed), 8).tokens(wanted["step"])
    assert tokens[:, :12].tolist() == wanted["tokens"]
