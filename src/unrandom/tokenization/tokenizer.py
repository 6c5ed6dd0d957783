"""How does a number become tokens? As base-b digits, least significant first (paper, appendix on base-b tokenization).

One token a number is the case of one digit: base = vocabulary size, width = 1. So there is one tokenizer.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer, UInt64

from unrandom.core.errors import UserError


@dataclass(frozen=True)
class Tokenizer:
    """Numbers as ``width`` digits in base ``base``: exact both ways for 0 <= x < min(base**width, 2**64)."""

    base: int
    width: int = 1

    def __post_init__(self) -> None:
        if not 2 <= self.base <= 2**31:
            raise UserError(f"a token base of {self.base} was given; from 2 to 2^31 is allowed")
        if not 1 <= self.width <= 64:
            raise UserError(f"{self.width} digits a number were asked for; from 1 to 64 are allowed")

    @property
    def vocab_size(self) -> int:
        return self.base

    @property
    def limit(self) -> int:
        """Numbers below this can be written."""
        return min(self.base**self.width, 2**64)

    @property
    def dtype(self) -> type[np.unsignedinteger]:
        """The narrowest unsigned integer that holds a token."""
        return np.uint8 if self.base <= 2**8 else np.uint16 if self.base <= 2**16 else np.uint32

    def encode(self, numbers: UInt64[np.ndarray, "*rows length"]) -> Integer[np.ndarray, "*rows tokens"]:
        """Digits of each number in turn: d[k] = floor(x / b^k) mod b. Raises UserError when a number does not fit."""
        if numbers.size and int(numbers.max()) >= self.limit:
            raise UserError(f"the number {int(numbers.max())} does not fit; numbers below {self.limit} are allowed")
        if self.width == 1:
            return numbers.astype(self.dtype)
        shape = (*numbers.shape[:-1], numbers.shape[-1] * self.width)
        if self.base == 256 and self.width <= 8:  # the digits are the bytes
            word = next(size for size in (2, 4, 8) if size >= self.width)
            octets = np.ascontiguousarray(numbers, dtype=f"<u{word}").view(np.uint8).reshape(*numbers.shape, word)
            return octets[..., : self.width].reshape(shape)
        tokens = np.empty((*numbers.shape, self.width), dtype=self.dtype)
        rest, base = numbers, np.uint64(self.base)
        for digit in range(self.width):
            rest, tokens[..., digit] = np.divmod(rest, base)
        return tokens.reshape(shape)

    def decode(self, tokens: Integer[np.ndarray, "*rows tokens"]) -> UInt64[np.ndarray, "*rows length"]:
        """The inverse of ``encode``. Digit strings that no number below 2^64 has wrap around modulo 2^64."""
        if tokens.shape[-1] % self.width:
            raise UserError(f"{tokens.shape[-1]} tokens are not a whole count of {self.width}-digit numbers")
        digits = tokens.reshape(*tokens.shape[:-1], -1, self.width).astype(np.uint64)
        weights = np.array([pow(self.base, digit, 2**64) for digit in range(self.width)], dtype=np.uint64)
        return (digits * weights).sum(axis=-1, dtype=np.uint64)
