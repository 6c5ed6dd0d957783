"""How is the documentation built? By Sphinx, from Markdown, from the notebooks of examples/ and from docstrings.

    sphinx-build -W --keep-going -b html docs build/site          # every page; the lessons are executed
    sphinx-build -W --keep-going -b doctest docs build/doctest    # the examples of the reference
    python docs/check_links.py build/site                         # links, anchors, nothing loaded from elsewhere

The site needs no network: no fonts, scripts or formulas from elsewhere.
"""

import inspect
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import unrandom
from unrandom.core.config import Config

ROOT = Path(__file__).parents[1]
PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "LOG.md")
sys.path.insert(0, str(ROOT / "docs"))

project = "Unrandom"
copyright = author = "The Unrandom authors"
version = release = unrandom.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx_copybutton",
    "sphinx_design",
    "command_reference",
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
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off" if "doctest" in sys.argv else "force"
nb_execution_in_temp = True  # a lesson needs no file of the repository
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds per cell
nb_ipywidgets_js = {}
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the models are small, and busy cores make two threads slower than one


def copy_pages() -> None:
    """Pages of the site that are files elsewhere in the repository: the lessons, and what is about the project."""
    for notebook in sorted((ROOT / "examples").glob("*.ipynb")):
        written = json.loads(notebook.read_text("utf-8"))
        first = next(cell for cell in written["cells"] if cell["cell_type"] == "markdown")
        link = f"{{download}}`Download this notebook <../../examples/{notebook.name}>`"
        first["source"] = "".join([*first["source"], "\n\n", link])
        write(f"lessons/{notebook.name}", json.dumps(written, ensure_ascii=False).replace("](../docs/", "](../"))
    for name in PROJECT:
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](../")
        write(f"project/{name}", re.sub(r"\]\((?=\w+\.\w)", "](../../", text))


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
doctest_global_setup = f"import os; os.chdir({str(ROOT)!r})"
