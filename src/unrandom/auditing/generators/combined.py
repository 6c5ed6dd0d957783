"""Combined generators: fractions made from two or three linear recurrences of different prime moduli (Wichmann and Hill
1982; L'Ecuyer 1988, 1999), and MySQL's RAND().

The sum of ± x / m over the components, modulo 1, is X / M exactly, where M is the product of the moduli and X a linear
recurrence modulo M with the coefficients of the Chinese remainder theorem. The output of a program differs from X / M
by a little, if it divides by other numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, prod

Windows = tuple[tuple[int, ...], ...]
"""The state: the last numbers of every component, oldest first. The newest ones make the output."""


@dataclass(frozen=True)
class Component:
    """x[t] = (a[1] x[t−1] + … + a[k] x[t−k] + constant) mod modulus, which is added to the output or subtracted."""

    modulus: int
    coefficients: tuple[int, ...]
    sign: int = 1
    constant: int = 0

    def following(self, window: Sequence[int]) -> int:
        """The number after a window of k numbers, oldest first."""
        terms = (a * x for a, x in zip(self.coefficients, reversed(window), strict=True))
        return (sum(terms) + self.constant) % self.modulus

    def preceding(self, window: Sequence[int]) -> int:
        """The number before a window of k numbers."""
        *others, oldest = self.coefficients
        newest = window[-1] - self.constant
        known = sum(a * x for a, x in zip(others, reversed(window[:-1]), strict=True))
        return (newest - known) * pow(oldest, -1, self.modulus) % self.modulus


@dataclass(frozen=True)
class Combined:
    """A combined generator. `fraction` makes an output of the newest numbers of all components; it is at most
    `tolerance` below or above X / M, modulo 1. Some show whole numbers, too, made by `word`: fractions times `size`.
    """

    name: str
    components: tuple[Component, ...]
    fraction: Callable[..., float]
    tolerance: float
    word: Callable[..., int] | None = None
    size: int = 0

    @property
    def modulus(self) -> int:
        """M, the product of the moduli."""
        return prod(component.modulus for component in self.components)

    @property
    def order(self) -> int:
        """The number of earlier numbers on which the next one depends."""
        return len(self.components[0].coefficients)

    @property
    def invertible(self) -> bool:
        """Whether the numbers before a state are determined."""
        return all(gcd(one.coefficients[-1], one.modulus) == 1 for one in self.components)

    @property
    def coefficients(self) -> list[int]:
        """The coefficients of the recurrence of X, modulo M."""
        return [self._composed([one.coefficients[i] for one in self.components]) for i in range(self.order)]

    @property
    def constant(self) -> int:
        """The constant of the recurrence of X, modulo M."""
        return sum(self._cofactor(one) * one.constant for one in self.components) % self.modulus

    def windows(self, first: Sequence[int]) -> Windows:
        """The state whose outputs are near X / M for the first numbers X, as many as the order."""
        inverses = [pow(self._cofactor(one), -1, one.modulus) for one in self.components]
        return tuple(
            tuple(x * inverse % one.modulus for x in first)
            for one, inverse in zip(self.components, inverses, strict=True)
        )

    def step(self, state: Windows) -> Windows:
        return tuple((*window[1:], one.following(window)) for one, window in zip(self.components, state, strict=True))

    def back(self, state: Windows) -> Windows:
        return tuple((one.preceding(window), *window[:-1]) for one, window in zip(self.components, state, strict=True))

    def output(self, state: Windows) -> float:
        """The fraction that the newest numbers make."""
        return self.fraction(*(window[-1] for window in state))

    def outputs(self, state: Windows) -> Iterator[float]:
        """The fractions from the one that the oldest numbers of the state make."""
        return (self.fraction(*newest) for newest in self._newest(state))

    def words(self, state: Windows) -> Iterator[int]:
        """The whole numbers from the one that the oldest numbers of the state make."""
        assert self.word is not None
        return (self.word(*newest) for newest in self._newest(state))

    def _newest(self, state: Windows) -> Iterator[tuple[int, ...]]:
        """The numbers of the components that make each output, from the oldest ones of the state on."""
        yield from zip(*(window[:-1] for window in state), strict=True)
        while True:
            yield tuple(window[-1] for window in state)
            state = self.step(state)

    def _cofactor(self, component: Component) -> int:
        return component.sign * self.modulus // component.modulus

    def _composed(self, residues: Sequence[int]) -> int:
        """The number modulo M with these residues."""
        total = 0
        for one, residue in zip(self.components, residues, strict=True):
            others = self.modulus // one.modulus
            total += residue * others * pow(others, -1, one.modulus)
        return total % self.modulus


def _wichmann_hill(x: int, y: int, z: int) -> float:
    total = x / 30269.0 + y / 30307.0 + z / 30323.0
    return total - int(total)


def _from_one(size: int) -> Callable[[int, int], int]:
    """The difference modulo `size`, from 1 to `size`."""
    return lambda x, y: (x - y - 1) % size + 1


M1, M2 = 4294967087, 4294944443
M31, CMRG_M2 = 2**31 - 1, 2145483479

_lecuyer, _mrg32k3a = _from_one(2147483562), _from_one(M1)


def _difference(x: int, y: int) -> int:
    return (x - y) % M31


MYSQL_MODULUS = 0x3FFFFFFF

COMBINED: tuple[Combined, ...] = (
    Combined(
        "Wichmann and Hill 1982 (R, Python 2.2, Excel 2003 and 2007)",
        (Component(30269, (171,)), Component(30307, (172,)), Component(30323, (170,))),
        _wichmann_hill,
        2.0**-50,
    ),
    Combined(
        "L'Ecuyer 1988 (PHP's lcg_value())",
        (Component(2147483563, (40014,)), Component(2147483399, (40692,), -1)),
        lambda x, y: _lecuyer(x, y) * 4.656613e-10,
        1e-7,
        _lecuyer,
        2147483562,
    ),
    Combined(
        "MySQL's RAND()",
        (Component(MYSQL_MODULUS, (5, MYSQL_MODULUS - 3), constant=33),),
        lambda x: x / MYSQL_MODULUS,
        0.0,
    ),
    Combined(
        "MRG32k3a, L'Ecuyer 1999 (R's L'Ecuyer-CMRG)",
        (Component(M1, (0, 1403580, M1 - 810728)), Component(M2, (527612, 0, M2 - 1370589), -1)),
        lambda x, y: _mrg32k3a(x, y) * 2.328306549295727688e-10,
        5.5e-6,
        _mrg32k3a,
        M1,
    ),
    Combined(
        "L'Ecuyer 1996 (cmrg of GSL)",
        (Component(M31, (0, 63308, M31 - 183326)), Component(CMRG_M2, (86098, 0, CMRG_M2 - 539608), -1)),
        lambda x, y: _difference(x, y) / M31,
        9.4e-4,
        _difference,
        M31,
    ),
    Combined(
        "Fishman and Moore's and L'Ecuyer's (Knuth, TAOCP vol. 2, 3.3.4; fishman2x of GSL)",
        (Component(M31, (48271,)), Component(2147483399, (40692,), -1)),
        lambda x, y: _difference(x, y) / M31,
        2e-7,
        _difference,
        M31,
    ),
)
"""Combined generators in use."""
