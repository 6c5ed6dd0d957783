"""How the numbers of a stream were printed: after some layers, with a number of digits, in a notation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

import numpy as np

from unrandom.auditing.forms.layers import Layer, Number
from unrandom.auditing.reading.numerals import Numeral


@dataclass(frozen=True)
class Form:
    """How the numbers of a stream were printed: after the `layers`, outermost last, in a `numeral` (None: as JSON
    numbers); those with decimals with this many `digits`: significant ones, or decimal places if `fixed`; None: exact.
    """

    kind: Literal["whole", "fraction"]
    numeral: Numeral | None = None
    digits: int | None = None
    fixed: bool = False
    single: bool = False  # exact in single precision, printed with the shortest digits that round back
    layers: tuple[Layer, ...] = ()

    @property
    def about(self) -> str:
        """The interpretation in words; empty if the numbers of the stream were printed as they are."""
        return "; ".join(layer.about for layer in self.layers)

    @property
    def inner(self) -> int:
        """The length of the shortest piece of the stream that was printed as a whole number of numbers, `outer`."""
        return prod(layer.inner for layer in self.layers)

    @property
    def outer(self) -> int:
        """How many numbers were printed for `inner` numbers of the stream."""
        return prod(layer.outer for layer in self.layers)

    def within(self, *layers: Layer) -> "Form":
        """This form with layers between the stream and its present layers."""
        return replace(self, layers=(*layers, *self.layers))

    def write(self, numbers: Sequence[Number]) -> list[Any]:
        """The numbers of a stream as JSON values, as they would have been printed. NoNumeral if one cannot be
        expressed in the notation.
        """
        return [self._printed(number) for number in self.restored(numbers)]

    def restored(self, numbers: Sequence[Number]) -> list[Number]:
        """The numbers of a stream after the layers, before they are printed."""
        for layer in self.layers:
            numbers = layer.restore(numbers)
        return list(numbers)

    def _printed(self, number: Number) -> Any:
        value = int(number) if self.kind == "whole" else self._rounded(number)
        return value if self.numeral is None else self.numeral.write(value)

    def _rounded(self, number: Number) -> float:
        if self.single:
            return float(str(np.float32(number)))
        if self.digits is None:
            return float(number)
        return float(f"{number:.{self.digits}{'f' if self.fixed else 'g'}}")
