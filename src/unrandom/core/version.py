"""The version of Unrandom."""

__version__ = "0.1.0"
