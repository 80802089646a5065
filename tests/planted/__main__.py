"""Plant the bugs whose description or file contains a word given, all without one."""

import sys

from .harness import try_all
from .lists import BUGS

if __name__ == "__main__":
    sys.exit(try_all(BUGS, sys.argv[1:] or [""]))
