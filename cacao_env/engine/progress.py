"""Progress of everything that may take more than some seconds, compiling included."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from tqdm import tqdm

from .library import speaks

EVERY = 60.0  # seconds between lines


class Bar(tqdm):
    """tqdm's bar on a terminal, elsewhere a line a minute; it takes the arguments of tqdm.

    A process that another one started shows nothing.
    """

    # tqdm's own lock is a semaphore of the system, which a process that is stopped leaves behind.
    _lock = threading.RLock()

    def __init__(self, *args: Any, **about: Any) -> None:
        terminal = speaks() and sys.stderr.isatty()
        file = sys.stderr if terminal else _Lines()
        super().__init__(*args, file=file, disable=not speaks(), **about)


class _Lines:
    """What a bar writes to where standard error is no terminal: it passes on a line a minute."""

    def __init__(self) -> None:
        self._due = time.monotonic() + EVERY

    def write(self, text: str) -> None:
        """Print a state of the bar if it is due."""
        if text.strip() and time.monotonic() >= self._due:
            self._due = time.monotonic() + EVERY
            print(text.strip(), file=sys.stderr, flush=True)

    def flush(self) -> None:
        """Do nothing: each line is printed at once."""
