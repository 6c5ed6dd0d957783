"""Types of every call under test: beartype checks them, with PEP 484's rule that an int will do for a float.

jaxtyping wraps each function to compare the axes of its arrays, which takes many times as long as a short function.
Here it wraps classes and the functions whose annotations have axes; beartype alone checks the others.
"""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, get_args

import jaxtyping
from beartype import BeartypeConf, beartype

check = beartype(conf=BeartypeConf(is_pep484_tower=True, violation_type=TypeError))


def install() -> None:
    """Check the modules of the package that are imported from now on."""
    of_arrays = jaxtyping.jaxtyped

    def jaxtyped(*, typechecker: Any) -> Callable[[Any], Any]:
        def checked(given: Any) -> Any:
            if isinstance(given, FunctionType) and not any(map(_has_axes, given.__annotations__.values())):
                return _checked_alone(given)
            return of_arrays(typechecker=typechecker)(given)

        return checked

    jaxtyping.jaxtyped = jaxtyped
    jaxtyping.install_import_hook("unrandom", "typechecking.check")


def _has_axes(hint: Any) -> bool:
    """Whether it may have: a name for later is not looked up."""
    if isinstance(hint, list | tuple):
        return any(map(_has_axes, hint))
    is_array = isinstance(hint, type) and issubclass(hint, jaxtyping.AbstractArray)
    return isinstance(hint, str) or is_array or any(map(_has_axes, get_args(hint)))


def _checked_alone(function: Any) -> Any:
    """jaxtyping's switch is for this check, too."""
    strict = check(function)
    if strict is function:
        return function

    @wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        return (function if jaxtyping.config.jaxtyping_disable else strict)(*given, **named)

    return checked
