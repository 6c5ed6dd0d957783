import builtins

import pytest

from unrandom.core.errors import UserError
from unrandom.core.lattices import short_vectors


def test_the_basis_is_of_short_vectors():
    assert {tuple(map(abs, vector)) for vector in short_vectors([[201, 37], [1648, 297]])} == {(1, 32), (40, 1)}


def test_what_depends_on_the_others_is_left_out():
    assert len(short_vectors([[2, 0], [0, 2], [1, 1], [3, 5]])) == 2


def test_a_missing_flint_is_named(monkeypatch):
    def without_flint(name, *args, real=builtins.__import__, **kwargs):
        if name == "flint":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_flint)
    with pytest.raises(UserError, match="python-flint"):
        short_vectors([[1, 0], [0, 1]])
