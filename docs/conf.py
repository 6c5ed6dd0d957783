"""How is the documentation built? By Sphinx, from the Markdown of this folder, the notebooks of examples/ and docstrings.

    sphinx-build -W --keep-going -b html docs build/site       # every page; the lessons are executed
    sphinx-build -W --keep-going -b doctest docs build/site    # the examples of the reference
    python docs/check_links.py build/site                      # links, anchors, and that nothing is loaded from elsewhere

The site needs no network: no fonts, scripts or formulas from elsewhere.
"""

import os
import sys
from pathlib import Path

import unrandom

ROOT = Path(__file__).parents[1]
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
    "sphinxarg.ext",
]
exclude_patterns = ["lessons/.ipynb_checkpoints"]
html_theme = "furo"
html_title = "Unrandom"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False

# Markdown and notebooks
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True  # a lesson needs no file of the repository
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds per cell
nb_ipywidgets_js = {}
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the models are small, and busy cores make two threads slower than one


def copy_lessons() -> None:
    """The notebooks of examples/ as pages of the site, with links that start from there; written only if they changed."""
    for notebook in sorted((ROOT / "examples").glob("*.ipynb")):
        page, text = ROOT / "docs" / "lessons" / notebook.name, notebook.read_text().replace("](../docs/", "](../")
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


copy_lessons()

# Docstrings
default_role = "py:obj"  # a name in single backticks is a link if it is documented, else code
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
doctest_global_setup = f"import os; os.chdir({str(ROOT)!r})"
