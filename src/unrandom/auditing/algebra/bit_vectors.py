"""Finds the words that make a program's outputs lie between given bounds, by an SMT solver for bit vectors (Bitwuzla).

The program is run on unknown words, which record the operations applied to them; the solver finds numbers for them.
Bitwuzla is an optional dependency: ``pip install 'unrandom[smt]'``.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeAlias

from unrandom.auditing.generators.shifts import Expression
from unrandom.core.errors import UserError

Bound: TypeAlias = tuple[Any, int, int]
"""An `Expression` computed from the unknown ones, its smallest and its largest value."""


@cache
def available() -> bool:
    """Whether the solver is installed."""
    return find_spec("bitwuzla") is not None


def find_words(
    count: int, bits: int, bounds: Callable[[tuple[Expression, ...]], Iterable[Bound]], seconds: float
) -> tuple[int, ...] | None:
    """`count` words of `bits` bits that satisfy the bounds computed from them by <<, >>, &, |, ^, + and * with words
    and integers. None if there are none, or if none are found in time. UserError if the solver is not installed.
    """
    if not available():
        raise UserError("solving equations of words needs Bitwuzla: pip install 'unrandom[smt]'")
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    options.set(bitwuzla.Option.TIME_LIMIT_PER, max(1, int(1000 * seconds)))
    terms = bitwuzla.TermManager()
    solver = bitwuzla.Bitwuzla(terms, options)
    sort = terms.mk_bv_sort(bits)
    words = tuple(_Word(terms, terms.mk_const(sort, f"word{i}")) for i in range(count))
    for word, low, high in bounds(words):
        size = high - low + 1
        if size & (size - 1) == 0 == low % size:  # a few top bits are known, which is easier to solve
            lost = size.bit_length() - 1
            solver.assert_formula((word >> lost).combined("EQUAL", low >> lost))
        else:
            solver.assert_formula(word.combined("BV_UGE", low))
            solver.assert_formula(word.combined("BV_ULE", high))
    if solver.check_sat() != bitwuzla.Result.SAT:
        return None
    return tuple(int(solver.get_value(word.term).value(10)) for word in words)


def _operator(kind: str) -> Any:
    """The method of a word for operations of this kind."""
    return lambda word, other: _Word(word.terms, word.combined(kind, other))


class _Word:
    """An unknown word, or one computed from unknown ones."""

    def __init__(self, terms: Any, term: Any) -> None:
        self.terms, self.term = terms, term

    def combined(self, kind: str, other: "_Word | int") -> Any:
        """The term, or the formula, that an operation of this kind makes of this word and another or a number."""
        from bitwuzla import Kind

        operand = other.term if isinstance(other, _Word) else self.terms.mk_bv_value(self.term.sort(), other)
        return self.terms.mk_term(getattr(Kind, kind), [self.term, operand])

    __lshift__, __rshift__, __and__ = map(_operator, ("BV_SHL", "BV_SHR", "BV_AND"))
    __or__, __xor__, __add__, __mul__ = map(_operator, ("BV_OR", "BV_XOR", "BV_ADD", "BV_MUL"))
