"""Starts ``unrandom`` and ``python -m unrandom`` (and ``torchrun -m unrandom``). Ctrl-C is answered from here on."""

import sys

from unrandom.core.interrupts import until_exit


def main() -> int:
    """Run the command line; returns its exit status."""
    with until_exit():
        from unrandom.cli import main as command_line

        return command_line()


if __name__ == "__main__":
    sys.exit(main())
