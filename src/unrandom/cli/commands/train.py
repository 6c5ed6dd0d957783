"""`unrandom train` trains a recipe, or continues its unfinished run; or it lists the recipes."""

from argparse import Namespace

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.options import RUN, Parser, add_configuration, add_device, add_log, add_max_minutes

EXAMPLE = "unrandom train fm-256 --set model.depth=2 --seed 1"


def add(command: Parser) -> None:
    command.add_argument(
        "recipe",
        metavar="RECIPE",
        nargs="?",
        help="a recipe's name (see --list), or a user-defined task as my_task.py:MyTask",
    )
    command.add_argument("--list", action="store_true", help="list the recipes with their cost")
    add_configuration(command)
    command.add_argument(
        "--start-from",
        metavar="RUN",
        help=f"start from the weights of this run, e.g. of a smaller modulus; it is trained first if unfinished: {RUN}",
    )
    add_device(command)
    add_max_minutes(command)
    add_log(command)


def run(arguments: Namespace) -> Answer:
    if arguments.list:
        return list_recipes()
    from unrandom.cli.text import result_text
    from unrandom.cli.training import configured, train
    from unrandom.core.errors import UserError
    from unrandom.runs.interface import prepare_run
    from unrandom.runs.recipes import RECIPES

    if arguments.recipe is None:
        raise UserError(f"name a recipe: {', '.join(RECIPES)}")
    spec = configured(arguments.recipe, arguments)
    run = prepare_run(spec, runs=arguments.runs, command=arguments.command_line, device=arguments.device)
    result = train(run, arguments.max_minutes, arguments.log)
    return result, result_text(result, run)


def list_recipes() -> Answer:
    """Every recipe with one line about it and its cost. Imports no torch."""
    import unrandom

    recipes = unrandom.recipes().values()
    listed = [{"recipe": recipe.name, "about": recipe.about, "cost": recipe.cost} for recipe in recipes]
    lines = aligned([[entry["recipe"], f"{entry['about']} ({entry['cost']})"] for entry in listed])
    return {"recipes": listed}, "\n".join(lines)
