"""How is a number converted to tokens and back? As base-b digits, one token per digit."""

from unrandom.tokenization.tokenizer import Tokenizer
