"""Parameters in the names of agents: ``mc:sims=64,top=8``, ``trinitario+search:ms=16``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A parameter of the default's type: a number from ``low`` to ``high``, or so many characters."""

    default: int | float | str
    low: int | float
    high: int | float
    meaning: str

    def parse(self, name: str, text: str) -> Any:
        """Parse a value; ValueError names the parameter and the expected values."""
        kind: type[Any] = type(self.default)
        if kind is str:
            if not self.low <= len(text) <= self.high:
                raise ValueError(
                    f"{name} has {len(text)} characters, expected {self.low} to {self.high}"
                )
            return text
        noun, digits = "an integer", r"-?[0-9]{1,12}"
        if kind is float:
            noun, digits = "a number", digits + r"(\.[0-9]{1,12})?"
        if not re.fullmatch(digits, text) or not self.low <= kind(text) <= self.high:
            raise ValueError(
                f"{name} is {text[:40]!r}, expected {noun} from {self.low} to {self.high}"
            )
        return kind(text)


def parse_values(whose: str, text: str, known: dict[str, Parameter]) -> dict[str, Any]:
    """Parse ``key=value,key=value``; return all parameters, with defaults for those not given."""
    values = {key: parameter.default for key, parameter in known.items()}
    for item in text.split(",") if text else ():
        key, equals, value = item.partition("=")
        if key not in known or not equals:
            expected = ", ".join(f"{one}=..." for one in known) or "none"
            # Without the value, which may be a secret.
            raise ValueError(f"{whose} has no parameter {key!r}; it has: {expected}")
        values[key] = known[key].parse(f"{key} of {whose}", value)
    return values


def split_names(text: str) -> list[str]:
    """Split ``greedy,mc:sims=64,top=8`` into names; ``top=8`` belongs to the name before it."""
    names: list[str] = []
    for part in text.split(","):
        if names and re.match(r"\w+=", part):
            names[-1] += f",{part}"
        else:
            names.append(part.strip())
    return names
