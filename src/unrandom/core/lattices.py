"""Short vectors of an integer lattice by LLL reduction, with python-flint."""

from collections.abc import Sequence

from unrandom.core.errors import UserError


def short_vectors(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The LLL-reduced basis of the lattice that these rows span, without zero rows."""
    try:
        from flint import fmpz_mat  # imported on use: training needs no lattices
    except ImportError:
        raise UserError("reducing a lattice needs python-flint: pip install python-flint") from None
    reduced = fmpz_mat([list(row) for row in rows]).lll()
    return [vector for row in reduced.tolist() if any(vector := [int(x) for x in row])]
