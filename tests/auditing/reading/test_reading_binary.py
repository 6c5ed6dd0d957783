"""Raw words, arrays and numpy's files are read without unpickling anything."""

import io
import struct

import numpy as np
import pytest

from unrandom.auditing.reading.contents import read
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.core.errors import UserError


def npy(values):
    content = io.BytesIO()
    np.save(content, values, allow_pickle=True)
    return content.getvalue()


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_raw_integers(file, size):
    numbers = [1, 2 ** (8 * size) - 1, 7]
    for order, suffix in (("little", ""), ("big", "be"))[: 2 if size > 1 else 1]:
        found = read(file(b"".join(x.to_bytes(size, order) for x in numbers)), raw=f"u{8 * size}{suffix}")
        assert (found.kind, found.whole, found.numeral.write(7)) == ("whole", numbers, 7)


def test_raw_floats(file):
    numbers = [float(np.float32(x)) for x in (0.1, 0.123456789, 3e-7)]
    for order, suffix in (("<", ""), (">", "be")):
        found = read(file(struct.pack(f"{order}3f", *numbers)), raw=f"f32{suffix}")
        assert (found.kind, found.decimals, found.digits) == ("decimal", numbers, 9)
        assert found.places == 15
        assert found.numeral.write(numbers[0]) == 0.1
        found = read(file(struct.pack(f"{order}2d", 1 / 3, 0.5)), raw=f"f64{suffix}")
        assert (found.kind, found.decimals, found.digits) == ("decimal", [1 / 3, 0.5], 16)
    assert read(file(struct.pack("<2d", 5.0, 7.0)), raw="f64").whole == [5, 7]


def test_mistakes_about_raw_words(file):
    with pytest.raises(UserError, match="has 9 bytes, not a multiple of the 4 bytes of a u32 word"):
        read(file("123456789"), raw="u32")
    with pytest.raises(UserError, match="item 2: nan is not a finite number"):
        read(file(struct.pack("<2d", 0.5, float("nan"))), raw="f64")
    with pytest.raises(UserError, match="holds no numbers"):
        read(file(b""), raw="u8")


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "u8", ">i8", ">u4"])
def test_numpy_integers(file, kind):
    values = np.array([5, 100, 7], dtype=kind)
    for found in (read(file(npy(values))), numbers_of_values(values)):
        assert (found.kind, found.whole, found.notes) == ("whole", [5, 100, 7], [])


@pytest.mark.parametrize(("kind", "digits"), [("f2", 5), ("f4", 9), ("f8", 16), (">f8", 16)])
def test_numpy_floats(file, kind, digits):
    values = np.array([0.1, 1 / 3], dtype=kind)
    for found in (read(file(npy(values))), numbers_of_values(values)):
        assert (found.kind, found.decimals, found.digits) == ("decimal", values.tolist(), digits)


def test_numpy_bools_and_axes(file):
    assert read(file(npy(np.array([True, False])))).whole == [1, 0]
    assert read(file(npy(np.array(7)))).whole == [7]
    for order in "CF":
        found = read(file(npy(np.array([[0.5, 0.25], [0.75, 0.125]], order=order))))
        assert found.decimals == [0.5, 0.25, 0.75, 0.125]
        assert found.notes == ["array of shape (2, 2) read row by row"]
    found = read(file(npy(np.array([[3, 1, 2], [1, 2, 3]]))))
    assert (found.deck, found.whole, found.numeral.write(2)) == (3, [2, 0, 1, 0, 1, 2], 3)
    assert numbers_of_values(np.array(["heads", "tails"])).whole == [1, 0]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (npy(np.array([{}, []], dtype=object)), "is not a .npy file of numbers: it holds Python objects"),
        (npy(np.array([1 + 2j])), "not complex128"),
        (npy(np.array([1, 2]))[:-3], "it is cut off"),
        (npy(np.array([1, 2]))[:20], "is not a .npy file of numbers"),
        (npy(np.array([1, 2])).replace(b"(2,)", b"(-1,)"), "is not a .npy file of numbers"),
        (npy(np.array([])), "the list holds no numbers"),
        (npy(np.array([np.inf])), "item 1: inf is not a finite number"),
    ],
)
def test_numpy_files_that_cannot_be_read(file, content, line):
    with pytest.raises(UserError, match=line):
        read(file(content))
