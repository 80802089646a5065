"""What an attack is, and how long it goes on."""

import faulthandler
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

PATIENCE = 600  # seconds for one try, compiling included; then the stacks are printed and it ends


@dataclass
class Budget:
    """So many tries, or so many seconds: ``for number in budget``."""

    seed: int
    count: int | None = None
    seconds: float | None = None

    def __iter__(self) -> Iterator[int]:
        """Number the tries; one that hangs ends the process."""
        begin, number = time.monotonic(), 0
        try:
            while self.count is None or number < self.count:
                if self.seconds is not None and time.monotonic() - begin > self.seconds:
                    break
                faulthandler.dump_traceback_later(PATIENCE, exit=True, file=sys.__stderr__)
                yield number
                number += 1
        finally:
            faulthandler.cancel_dump_traceback_later()

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


@dataclass
class Summary:
    """How an attack ended; ``faults`` has what should not have happened, each with its try."""

    tried: int = 0
    refused: int = 0
    accepted: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        return (
            f"{name}: {self.tried:,} tried, {self.refused:,} refused, {self.accepted:,} accepted, "
            f"{len(self.faults)} faults"
        )


Attack = Callable[[Budget], Summary]


def attempt(summary: Summary, number: int, door: Callable[[], object]) -> object | None:
    """Try a door and return what it made, or None; bad data may only raise ValueError, in one line."""
    summary.tried += 1
    try:
        made = door()
    except ValueError as error:
        summary.refused += 1
        if not str(error) or "\n" in str(error) or len(str(error)) > 1000:
            summary.faults.append(f"try {number}: no sentence: {str(error)[:200]!r}")
        return None
    except Exception as error:
        summary.faults.append(f"try {number}: {type(error).__name__}: {str(error)[:200]}")
        return None
    summary.accepted += 1
    return made
