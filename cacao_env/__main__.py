"""``python -m cacao_env`` is the command ``cacao``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
