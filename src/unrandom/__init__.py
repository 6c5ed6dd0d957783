"""Unrandom: can a Transformer predict pseudo-random numbers, how, and how far is that from what is possible?"""

__version__ = "0.1.0"
