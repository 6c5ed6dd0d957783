"""How does a template become a page? One environment for all of them: HTML is escaped, and nothing may be undefined."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


@cache
def template(name: str) -> Template:
    """The template of this file name, beside this module."""
    environment = Environment(
        loader=PackageLoader("unrandom.report", "."),
        autoescape=not name.endswith(".md.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)
