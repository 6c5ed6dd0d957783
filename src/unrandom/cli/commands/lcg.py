"""`unrandom lcg` prints numbers of a linear congruential generator, one per line."""

import sys
from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, within

EXAMPLE = """unrandom lcg --m 16 --a 5 --c 3 -n 20
unrandom lcg --m 2^31 --a 1103515245 --c 12345 | unrandom audit -
unrandom lcg --m 256 --a 77 --c 21 --x0 9 -n 40 | unrandom predict demo -"""
LARGEST_MODULUS = 2**64  # Periods are computed up to this modulus.
NUMBERS = within(int, 1, 1_000_000)


def add(command: Parser) -> None:
    command.add_argument("--m", metavar="M", required=True, help="modulus, from 2 to 2^64, e.g. 16, 2^31 or 0x100")
    command.add_argument("--a", metavar="A", required=True, help="multiplier, below the modulus")
    command.add_argument("--c", metavar="C", required=True, help="increment, below the modulus")
    command.add_argument("--x0", metavar="X", default="1", help="first number, below the modulus (1)")
    command.add_argument("-n", type=NUMBERS, default=20, dest="count", metavar="K", help="how many numbers (20)")


def run(arguments: Namespace) -> Answer:
    """The numbers from x0 on; as JSON, with the period. Imports no torch. Raises UserError for a value out of range."""
    from unrandom.core.config import parse_integer
    from unrandom.core.errors import UserError
    from unrandom.core.quantities import counted
    from unrandom.core.reading import about
    from unrandom.generators.lcg import LCG

    given: dict[str, int] = {}
    for name in ("m", "a", "c", "x0"):
        with about(f"--{name}"):
            given[name] = parse_integer(getattr(arguments, name))
    modulus, first = given["m"], given["x0"]
    if not 2 <= modulus <= LARGEST_MODULUS:
        raise UserError(f"--m must be from 2 to 2^64, but {modulus} was given")
    if wrong := next((name for name in ("a", "c", "x0") if not 0 <= given[name] < modulus), None):
        raise UserError(f"--{wrong} must be from 0 to {modulus - 1}, below the modulus, but {given[wrong]} was given")
    generator = LCG(m=modulus, a=given["a"], c=given["c"])
    numbers = generator.orbit(x0=first, length=arguments.count)
    answer = {**given, "numbers": numbers}
    if arguments.json:
        answer |= {"period": generator.period(first), "full_period": generator.has_full_period}
    elif (different := len(set(numbers))) < len(numbers) and not generator.has_full_period:
        period = generator.period(first)
        after = f" after the first {different - period}" if different > period else ""
        print(f"it has no full period: it repeats every {counted(period, 'number')}{after}", file=sys.stderr)
    return answer, "\n".join(map(str, numbers))
