"""Integers to tokens and back."""

from unrandom.tokenization.tokenizer import Tokenizer

__all__ = ["Tokenizer"]
