"""Lazy exports of a package: the module of each name is imported when the name is first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package (PEP 562), given which of its modules holds which names.

    A name that needs an extra which is not installed raises UserError. A module without names is offered itself. No
    other name may be a module's, too: importing the module would put it in the place of the name.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name in homes and not homes[name]:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        except ModuleNotFoundError as error:
            from unrandom.core.errors import UserError  # not before: importing the package stays light
            from unrandom.core.extras import extra_needed

            if needed := extra_needed(f"{package}.{name}", error):
                raise UserError(needed) from None
            raise
        setattr(sys.modules[package], name, value)
        return value

    return find
