"""Converts numbers to tokens and back: base-b digits, one token per digit."""

from unrandom.tokenization.tokenizer import Tokenizer
