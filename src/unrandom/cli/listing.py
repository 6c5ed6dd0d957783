"""What is there to train, and to reproduce? Lists that are there at once: that of the recipes imports no torch."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from unrandom.cli.answer import print_answer
from unrandom.experiments.catalogue import CATALOGUE

Tree = dict[str, Any]


def run(arguments: Namespace) -> None:
    """Print the list that the command asks for."""
    answer, words = list_recipes() if arguments.command == "train" else list_experiments(arguments.results)
    print_answer(arguments, answer, words)


def list_recipes() -> tuple[Tree, str]:
    """Every recipe with a line about it, and what it costs."""
    from unrandom.runs.recipes import RECIPES  # configurations, which the other list can do without

    listed = [{"recipe": recipe.name, "about": recipe.about, "cost": recipe.cost} for recipe in RECIPES.values()]
    width = max(len(entry["recipe"]) for entry in listed)
    lines = [f"{entry['recipe']:<{width}}  {entry['about']} ({entry['cost']})" for entry in listed]
    return {"recipes": listed}, "\n".join(lines)


def list_experiments(results: Path) -> tuple[Tree, str]:
    """Every experiment with the paper's figures that it answers to, and the scales at which it was measured."""
    listed = [
        {
            "name": entry.name,
            "half": entry.half,
            "about": entry.about,
            "figures": list(entry.figures),
            "measured": [path.parent.parent.name for path in sorted(results.glob(f"*/{entry.name}/made.json"))],
        }
        for entry in CATALOGUE.values()
    ]
    width = max(len(entry.name) for entry in CATALOGUE.values())
    lines = [
        f"{entry['name']:<{width}}  {entry['about']} (measured: {', '.join(entry['measured']) or 'nowhere yet'})"
        for entry in listed
    ]
    return {"experiments": listed}, "\n".join(lines)
