"""How is a number written? As base-b digits, one token each, and back."""

from unrandom.tokenization.tokenizer import Tokenizer

__all__ = ["Tokenizer"]
