"""``python -m unrandom`` (and so ``torchrun -m unrandom``)."""

import sys

from unrandom.cli import main

if __name__ == "__main__":
    sys.exit(main())
