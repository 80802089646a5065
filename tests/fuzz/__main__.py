"""Run attacks for a time or a number of tries, and sum up; the exit status is 1 if one found a
fault, or tried nothing.

python -m tests.fuzz                              # all of them, a minute together
python -m tests.fuzz states --count 100000
"""

import argparse
import sys
import time

from .attack import Budget
from .registry import ATTACKS


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}")
    parser.add_argument("--seconds", type=float, default=60, help="for all attacks together")
    parser.add_argument("--count", type=int, help="tries of each attack, instead of seconds")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    names = options.names or list(ATTACKS)
    if unknown := set(names) - set(ATTACKS):
        parser.error(f"there is no attack {unknown.pop()!r}; there are: {', '.join(ATTACKS)}")
    each = None if options.count else options.seconds / len(names)
    faults = 0
    for name in names:
        begin = time.monotonic()
        summary = ATTACKS[name](Budget(options.seed, options.count, each))
        if not summary.tried:
            summary.faults.append("nothing was tried")
        print(f"{summary.line(name)}, {time.monotonic() - begin:.0f} s", flush=True)
        for text in (*summary.notes, *summary.faults[:20]):
            print(f"  {text}")
        faults += len(summary.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
