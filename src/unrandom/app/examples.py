"""Examples for the Audit page: outputs of common programs, computed by the generators of this package or of Python."""

import random
import secrets
from collections.abc import Callable

from unrandom.auditing.generators.java import JAVA
from unrandom.auditing.generators.v8 import MathRandom, State

JAVA_SEED = 42
NODE_STATE: State = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)
PYTHON_SEED = 2026


def node_fractions(count: int = 20) -> list[str]:
    """What Math.random() of Node.js 12 to 24 returns from one state."""
    generator, state, numbers = MathRandom(53), NODE_STATE, list[int]()
    while len(numbers) < count:
        block, state = generator.block(state)
        numbers += block
    return [repr(number / 2**generator.shown) for number in numbers[:count]]


def java_integers(count: int = 8) -> list[str]:
    """What nextInt() of Java's Random(42) returns: the top 32 of 48 bits, signed."""
    states = JAVA.orbit(x0=JAVA_SEED ^ JAVA.a, length=count + 1)[1:]
    return [str((state >> 16) - (2**32 if state >> 47 else 0)) for state in states]


def python_tokens(count: int = 170) -> list[str]:
    """Tokens of 32 hexadecimal digits by Python's random module, which is not made for them."""
    chance = random.Random(PYTHON_SEED)
    return [f"{chance.getrandbits(128):032x}" for _ in range(count)]


def good_numbers(count: int = 100) -> list[str]:
    """Numbers of 32 bits by Python's secrets module, others each time."""
    return [str(secrets.randbits(32)) for _ in range(count)]


EXAMPLES: dict[str, Callable[[], list[str]]] = {
    "20 × Math.random() of Node.js": node_fractions,
    "8 × nextInt() of Java": java_integers,
    "170 tokens of Python's random": python_tokens,
    "100 good random numbers (secrets)": good_numbers,
}


def example(name: str) -> str:
    """The outputs of an example of `EXAMPLES`, one per line."""
    return "\n".join(EXAMPLES[name]())
