"""Which version of Unrandom is this?"""

__version__ = "0.1.0"
