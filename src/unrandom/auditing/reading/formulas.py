"""Finds the fractions u from which a program computed numbers by a formula, such as floor(100 / (1.0001 - u)): they lie
between two bounds, found by bisection, since the formula only rises or only falls with u.

A formula is parsed, and never run as code: it has numbers, u, + - * / **, parentheses, and a few functions.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from jaxtyping import Float64

from unrandom.auditing.deadline import NO_LIMIT, Deadline
from unrandom.auditing.reading.numerals import DOUBLE, NoNumeral, Numeral
from unrandom.auditing.reading.orders import Words
from unrandom.auditing.reading.parsing import Numbers
from unrandom.auditing.reading.tokens import shown
from unrandom.core.errors import UserError

LONGEST = 200  # characters of a formula
BITS = 53  # bits after the point of the fractions that are tried
GRID = 4096  # fractions at which a formula is checked to rise or to fall
ALLOWED = "numbers, u, + - * / ** ( ) and floor, ceil, round, trunc, int, sqrt, log, exp, abs, min, max"

Values = Float64[np.ndarray, " n"]
Function = Callable[[Any], Any]  # maps an array of fractions to an array, element by element

_OPERATIONS: dict[type, Callable[..., Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.UAdd: np.positive,
    ast.USub: np.negative,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round": lambda x: np.floor(x + 0.5),
    "trunc": np.trunc,
    "int": np.trunc,
    "sqrt": np.sqrt,
    "log": np.log,
    "exp": np.exp,
    "abs": np.abs,
}
_OF_SEVERAL: dict[str, Callable[..., Any]] = {"min": np.minimum, "max": np.maximum}
_DRAWS = ("random", "rand")  # Math.random() may stand for u


@dataclass(frozen=True)
class Formula:
    """A formula in u, which rises or falls as u does from 0 to below 1. UserError for any other."""

    text: str

    def __post_init__(self) -> None:
        values = self(np.unique(np.concatenate([np.arange(GRID) / GRID, 2.0 ** -np.arange(1, BITS + 1), self._near_1])))
        if np.isnan(values).any():
            raise UserError(f"--formula {shown(self.text)} has no value for some u from 0 to 1")
        with np.errstate(all="ignore"):
            steps = values[1:] - values[:-1]
        if (steps > 0).any() == (steps < 0).any():
            fault = "rises and falls" if (steps > 0).any() else "has the same value for every u"
            raise UserError(f"--formula {shown(self.text)} {fault}; it must rise or fall with u from 0 to 1")

    @cached_property
    def _near_1(self) -> Values:
        return 1 - 2.0 ** -np.arange(1, BITS + 1)

    @cached_property
    def _function(self) -> Function:
        if len(self.text) > LONGEST:
            raise UserError(f"--formula may have at most {LONGEST} characters")
        try:
            return _compiled(ast.parse(self.text.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if isinstance(error, UserError):
                raise
            raise UserError(f"--formula {shown(self.text)} is not a formula; it may have {ALLOWED}") from None

    @cached_property
    def _sign(self) -> float:
        ends = self(np.array([0.0, 1 - 2.0**-BITS]))
        return 1.0 if ends[1] >= ends[0] else -1.0

    @cached_property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        values = self(np.arange(1, GRID) / GRID)
        return bool((values == np.rint(values)).all())

    def __call__(self, u: Values) -> Values:
        """The values at fractions u."""
        with np.errstate(all="ignore"):
            return np.asarray(self._function(u), dtype=np.float64) + np.zeros(len(u))

    def bounds(self, values: Values, error: Values, deadline: Deadline = NO_LIMIT) -> tuple[Values, Values]:
        """For each value, the least u of which the formula has this value up to its `error`, and the least one above
        it for which it has not; equal if there is none.
        """
        values = self._sign * values
        return self._least(values - error, deadline, np.greater_equal), self._least(
            values + error, deadline, np.greater
        )

    def _least(self, limits: Values, deadline: Deadline, reaches: Callable[[Values, Values], Any]) -> Values:
        """The least u at which the rising formula reaches each limit, or passes it; 1 if it never does."""
        low, high = np.zeros(len(limits), dtype=np.int64), np.full(len(limits), 1 << BITS, dtype=np.int64)
        for _ in range(BITS + 1):
            deadline.check()
            middle = (low + high) // 2
            reached = reaches(self._sign * self(middle / 2.0**BITS), limits) | (low == high)
            low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
            low = np.minimum(low, high)
        return high / 2.0**BITS


@dataclass(frozen=True)
class Computed:
    """Fractions as the values of a formula, which are written in the notation of the input."""

    formula: Formula
    notation: Numeral
    whole: bool  # whether it is for whole numbers

    def parse(self, token: str) -> float | None:
        value = self.notation.parse(token)
        if value is None:
            return None
        low, high = self.formula.bounds(np.array([float(value)]), np.zeros(1))
        return float(low[0] + high[0]) / 2 if low[0] < high[0] else None

    def write(self, number: float) -> Any:
        value = float(self.formula(np.array([float(number)]))[0])
        if not np.isfinite(value):
            raise NoNumeral
        return self.notation.write(round(value) if self.whole else value)


def behind_formula(numbers: Numbers, text: str, deadline: Deadline = NO_LIMIT) -> Numbers:
    """The fractions of which numbers are the values of this formula. UserError if one of them is not a value of it, and
    for shuffles; OutOfTime after the deadline.
    """
    formula = Formula(text)
    if numbers.deck or numbers.drawn or isinstance(numbers.numeral, Words):
        raise UserError("--formula is for numbers, and not for shuffles, symbols or words")
    try:
        values = np.array(numbers.whole or numbers.decimals, dtype=np.float64)
    except OverflowError:
        raise UserError("--formula is for numbers that fit doubles") from None
    distinct, places = np.unique(values, return_inverse=True)
    low, high = formula.bounds(distinct, _rounding(numbers, distinct), deadline)
    wrong = np.flatnonzero(low >= high)
    if len(wrong):
        value = float(distinct[wrong[0]])
        raise UserError(f"{value:.15g} is not a value of --formula {shown(text)} for any u from 0 to 1")
    low, high = low[places], high[places]
    notes = [*numbers.notes, f"fractions u of which the numbers are {text.strip()}"]
    return Numbers(
        "decimal",
        [],
        ((low + high) / 2).tolist(),
        numeral=Computed(formula, numbers.numeral, numbers.kind == "whole"),
        errors=((high - low) / 2).tolist(),
        notes=notes,
    )


def _rounding(numbers: Numbers, values: Values) -> Values:
    """How far printed numbers may be from those that were computed."""
    if numbers.kind == "whole":
        return np.zeros(len(values))
    if numbers.digits >= DOUBLE or not numbers.digits:
        return 4 * np.spacing(np.abs(values))
    return np.full(len(values), 0.5 * 10.0**-numbers.places) + 4 * np.spacing(np.abs(values))


def _compiled(node: ast.expr) -> Function:
    """The function of u that a parsed formula is."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _constant(float(value))
        case ast.Name(id="u"):
            return lambda u: u
        case ast.UnaryOp(op=operator, operand=operand) if type(operator) in _OPERATIONS:
            return _applied(_OPERATIONS[type(operator)], [_compiled(operand)])
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATIONS:
            return _applied(_OPERATIONS[type(operator)], [_compiled(left), _compiled(right)])
        case ast.Call(func=called, args=arguments, keywords=[]):
            name = _name(called)
            if name in _DRAWS and not arguments:
                return lambda u: u
            if name in _FUNCTIONS and len(arguments) == 1:
                return _applied(_FUNCTIONS[name], [_compiled(arguments[0])])
            if name in _OF_SEVERAL and arguments:
                operation = _OF_SEVERAL[name]
                return _applied(lambda *parts: reduce(operation, parts), [_compiled(one) for one in arguments])
    raise UserError(f"--formula may have {ALLOWED}, but not {shown(ast.unparse(node))}")


def _name(called: ast.expr) -> str:
    """The name of a function, perhaps in one of the usual modules."""
    match called:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="Math" | "math" | "np" | "numpy"), attr=name):
            return name
    return ""


def _constant(value: float) -> Function:
    return lambda _u: np.float64(value)


def _applied(operation: Callable[..., Any], parts: list[Function]) -> Function:
    return lambda u: operation(*(part(u) for part in parts))
