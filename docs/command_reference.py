"""Writes the reference of commands from their parsers and the table of recipes from their docstrings.

``{commands}`` and ``{recipes}`` are directives.
"""

import argparse
import re
from argparse import Action, ArgumentParser
from collections.abc import Iterable, Iterator

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx

from unrandom.cli.parsing import full_parser
from unrandom.runs.recipes import RECIPES


class Commands(Directive):
    """A section per command: what it does, an example, its arguments and options."""

    def run(self) -> list[nodes.Node]:
        container = nodes.container()
        self.state.nested_parse(StringList(list(sections()), "commands"), 0, container, match_titles=True)
        for table in container.findall(nodes.table):
            table["classes"].append("options")
        return container.children


class Recipes(Directive):
    """A row per recipe: its name, what it trains, and its cost."""

    def run(self) -> list[nodes.Node]:
        container = nodes.container()
        self.state.nested_parse(StringList(list(recipe_rows()), "recipes"), 0, container)
        return container.children


def recipe_rows() -> Iterator[str]:
    """The Markdown of the table of recipes."""
    yield from ("| recipe | what it trains | cost |", "|---|---|---|")
    yield from (f"| `{each.name}` | {escaped(each.about)} | {each.cost} |" for each in RECIPES.values())


def sections() -> Iterator[str]:
    """The Markdown of all commands."""
    commands = next(action for action in full_parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, parser in commands.choices.items():
        yield from section(name, parser)


def section(name: str, parser: ArgumentParser) -> Iterator[str]:
    """The Markdown of one command."""
    yield from (f"### {name}", "", sentence(parser.description or ""), "")
    _, _, examples = (parser.epilog or "").partition(":")
    yield from ("```sh", *(line.strip() for line in examples.strip().splitlines()), "```", "")
    plain = [action for group in parser._action_groups[:2] for action in group._group_actions]
    yield from options(action for action in plain if not isinstance(action, argparse._HelpAction))
    for group in parser._action_groups[2:]:
        yield from (f"**{escaped(group.title or '')}**", "")
        yield from options(group._group_actions)


def options(actions: Iterable[Action]) -> Iterator[str]:
    """The Markdown of a table of arguments."""
    yield from ("| | |", "|---|---|")
    yield from (f"| {written(action)} | {cell(action)} |" for action in actions)
    yield ""


def sentence(text: str) -> str:
    """The text as a sentence of Markdown."""
    return escaped(text[:1].upper() + text[1:]).rstrip(".") + "."


def escaped(text: str) -> str:
    """Text in which nothing is markup, and options are code."""
    return re.sub(r"(?<![\w-])--[a-z][\w-]*", r"`\g<0>`", re.sub(r"([|*_<\[])", r"\\\1", text))


def written(action: Action) -> str:
    """An argument as it is typed."""
    value = action.metavar or action.dest.upper()
    value = " ".join(value) if isinstance(value, tuple) else value
    names = [f"{name} {value}" if action.nargs != 0 else name for name in action.option_strings] or [value]
    return ", ".join(f"`{name}`".replace("|", "\\|") for name in names)


def cell(action: Action) -> str:
    """What an argument means, with the values that it allows."""
    choices = f"; one of {', '.join(f'`{each}`' for each in action.choices)}" if action.choices else ""
    return escaped((action.help or "").replace("%%", "%")) + choices


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    app.add_directive("recipes", Recipes)
    return {"parallel_read_safe": True}
