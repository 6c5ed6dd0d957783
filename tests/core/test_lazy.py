"""A package that offers names lazily has every one of them, and imports torch for those alone that need it."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tiers import slow

LAZY = ["unrandom.models", "unrandom.predictors", "unrandom.training"]


def names_of(package):
    """What a package says to a type checker that it offers."""
    text = Path(import_module(package).__file__).read_text().partition("if TYPE_CHECKING:")[2].partition("\nelse:")[0]
    return [name for names in re.findall(r"import (.+)", text) for name in names.split(", ")]


@pytest.mark.parametrize("package", LAZY)
def test_every_name_is_there_and_is_not_a_module(package):
    module = import_module(package)
    assert names_of(package)
    for name in names_of(package):
        assert getattr(module, name).__module__.startswith(f"{package}.")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing
    with pytest.raises(ImportError):
        exec(f"from {package} import nothing")


@pytest.mark.parametrize("package", [*LAZY[:2], *slow(LAZY[2])])
def test_a_name_stays_what_it_is_after_the_modules_are_imported(package):
    program = f"""
import importlib, pkgutil, {package} as package
for module in pkgutil.iter_modules(package.__path__):
    importlib.import_module(package.__name__ + "." + module.name)
assert all(callable(getattr(package, name)) for name in {names_of(package)})
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_configuration_needs_no_torch():
    program = "import sys, unrandom.runs.recipes; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
