"""Loads templates by one Jinja configuration: HTML is escaped, and undefined names are errors."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(package: str, name: str) -> "Template":
    """Load the template with this file name from the folder of a package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # training needs none of it

    environment = Environment(
        loader=PackageLoader(package, "."),
        autoescape=not name.endswith(".md.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)
