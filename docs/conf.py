"""How is the documentation built? By Sphinx, from Markdown, from the notebooks of examples/ and from docstrings.

    python docs/run_lessons.py --check                            # compares the outputs of the lessons with a run
    sphinx-build -W --keep-going -b html docs build/site          # every page
    python docs/check_links.py build/site                         # links, anchors, nothing loaded from elsewhere

The site needs no network: no fonts, scripts or formulas from elsewhere.
"""

import inspect
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import unrandom
from unrandom.core.config import Config

ROOT = Path(__file__).parents[1]
PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "LOG.md")
sys.path.insert(0, str(ROOT / "docs"))

ADDRESSES = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
REPOSITORY = ADDRESSES["Source"].partition("github.com/")[2]
PUBLISHED = " (once the project has its address)" if "OWNER" in REPOSITORY else ""  # a placeholder

project = "Unrandom"
copyright = author = "The Unrandom authors"
version = release = unrandom.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "command_reference",
    "formulas",
]
exclude_patterns = ["lessons/.ipynb_checkpoints"]
html_theme = "furo"
html_title = "Unrandom"
pygments_dark_style = "github-dark"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False

# Markdown and notebooks
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "mathml"
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks have the outputs of docs/run_lessons.py
nb_ipywidgets_js = {}


def copy_pages() -> None:
    """Pages of the site that are files elsewhere in the repository: the lessons, and what is about the project."""
    for notebook in sorted((ROOT / "examples").glob("*.ipynb")):
        written = json.loads(notebook.read_text("utf-8"))
        first = next(cell for cell in written["cells"] if cell["cell_type"] == "markdown")
        download = f"{{download}}`Download this notebook <../../examples/{notebook.name}>`"
        links = f"{download}, or [open it in Colab]({colab(notebook)}){PUBLISHED}."
        first["source"] = "".join([*first["source"], "\n\n", links])
        write(f"lessons/{notebook.name}", json.dumps(written, ensure_ascii=False).replace("](../docs/", "](../"))
    for name in PROJECT:
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](../")
        write(f"project/{name}", re.sub(r"\]\((?=\w+\.\w)", "](../../", text))


def colab(notebook: Path) -> str:
    """The address at which Colab opens a notebook of the repository."""
    return f"https://colab.research.google.com/github/{REPOSITORY}/blob/main/examples/{notebook.name}"


def write(name: str, text: str) -> None:
    """Write a page, if it changed: Sphinx reads again what is newer."""
    page = ROOT / "docs" / name
    page.parent.mkdir(exist_ok=True)
    if not page.exists() or page.read_text("utf-8") != text:
        page.write_text(text, "utf-8")


def redirect(_app: Sphinx, page: str, source: list[str]) -> None:
    """Links to files outside docs/ that are pages of the site lead to these pages."""
    up = "../" * page.count("/")
    source[0] = re.sub(r"\]\((?:\.\./)+examples/(\w+\.ipynb)", rf"]({up}lessons/\1", source[0])
    source[0] = re.sub(rf"\]\((?:\.\./)+({'|'.join(PROJECT)})", rf"]({up}project/\1", source[0])


def settings_only(_app: Sphinx, _what: str, _name: str, thing: Any, *_: Any) -> tuple[str, str] | None:
    """The signature of a configuration: its settings and their defaults, without the machinery of their ranges."""
    if not (isinstance(thing, type) and issubclass(thing, Config)):
        return None
    given = inspect.signature(thing).parameters.values()
    return f"(*, {', '.join(str(each.replace(annotation=inspect.Parameter.empty)) for each in given)})", ""


def setup(app: Sphinx) -> None:
    """Copy pages before Sphinx looks for them."""
    copy_pages()
    app.connect("source-read", redirect)
    app.connect("autodoc-process-signature", settings_only)


# Docstrings
default_role = "py:obj"  # a name in single backticks is a link if it is documented, else code
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
