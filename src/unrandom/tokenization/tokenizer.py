"""Base-b digits, least significant first (paper, appendix on base-b tokenization); width 1 is one token per number."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer, UInt64

from unrandom.core.errors import UserError


@dataclass(frozen=True)
class Tokenizer:
    """Numbers as ``width`` digits in base ``base``, one token per digit; exact for 0 <= x < min(base**width, 2**64)."""

    base: int
    width: int = 1

    def __post_init__(self) -> None:
        if not 2 <= self.base <= 2**31:
            raise UserError(f"the token base must be from 2 to 2^31, but {self.base} was given")
        if not 1 <= self.width <= 64:
            raise UserError(f"the digits per number must be from 1 to 64, but {self.width} were given")

    @property
    def vocab_size(self) -> int:
        return self.base

    @property
    def limit(self) -> int:
        """Upper bound (exclusive) of the numbers that can be encoded."""
        return min(self.base**self.width, 2**64)

    @property
    def dtype(self) -> type[np.unsignedinteger]:
        """The narrowest unsigned integer that holds a token."""
        return np.uint8 if self.base <= 2**8 else np.uint16 if self.base <= 2**16 else np.uint32

    def encode(self, numbers: UInt64[np.ndarray, "*rows length"]) -> Integer[np.ndarray, "*rows tokens"]:
        """The digits of all numbers in order, d[k] = floor(x / b^k) mod b. Raises UserError for too large numbers."""
        if numbers.size and int(numbers.max()) >= self.limit:
            raise UserError(f"the number {int(numbers.max())} does not fit; numbers below {self.limit} are allowed")
        if self.width == 1:
            return numbers.astype(self.dtype)
        shape = (*numbers.shape[:-1], numbers.shape[-1] * self.width)
        if self.base == 256 and self.width <= 8:  # the digits are the bytes
            size = next(size for size in (2, 4, 8) if size >= self.width)
            octets = np.ascontiguousarray(numbers, dtype=f"<u{size}").view(np.uint8).reshape(*numbers.shape, size)
            return octets[..., : self.width].reshape(shape)
        tokens = np.empty((*numbers.shape, self.width), dtype=self.dtype)
        quotient, base = numbers, np.uint64(self.base)
        for digit in range(self.width):
            quotient, tokens[..., digit] = np.divmod(quotient, base)
        return tokens.reshape(shape)

    def decode(self, tokens: Integer[np.ndarray, "*rows tokens"]) -> UInt64[np.ndarray, "*rows length"]:
        """The inverse of ``encode``. Digits of numbers from 2^64 on wrap around modulo 2^64."""
        if tokens.shape[-1] % self.width:
            raise UserError(f"{tokens.shape[-1]} tokens are not a multiple of the {self.width} digits of a number")
        digits = tokens.reshape(*tokens.shape[:-1], -1, self.width).astype(np.uint64)
        weights = np.array([pow(self.base, digit, 2**64) for digit in range(self.width)], dtype=np.uint64)
        return (digits * weights).sum(axis=-1, dtype=np.uint64)
