"""Run configurations: one small TOML file for each run, checked key by key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from cacao_env.agent import Agent, require
from cacao_env.agents.checkpoint import NAME, is_name
from cacao_env.checks import as_path, in_short
from cacao_env.engine.options import Options
from cacao_env.files import read_toml
from cacao_env.registry import load_agent


class ConfigError(ValueError):
    """One sentence that names the key and what was expected."""


_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "dict[str, float]": (dict,),
    "list[str]": (list,),
}

C = TypeVar("C")
MOST = 10**15  # of any number: compiled code and float32 can hold it
MOST_WIDTH = 10_000  # of a network's layers


def read(kind: type[C], path: str | Path, overrides: Sequence[str] = ()) -> C:
    """Read a configuration, a dataclass, from a TOML file and overrides."""
    return from_dict(kind, overridden(read_toml(as_path(path, ConfigError)), overrides))


def overridden(data: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return a copy of ``data`` with ``key=value`` overrides."""
    data = dict(data)
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"{text!r} is not of the form key=value")
        try:
            data |= tomllib.loads(f"{key} = {value}")
        except tomllib.TOMLDecodeError:
            data[key.strip()] = value.strip()  # a bare word is a string
    return data


def strings_in(data: Any) -> Iterator[str]:
    """Every text in plain data, keys of tables included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from (key, *strings_in(value))
    elif isinstance(data, list):
        for one in data:
            yield from strings_in(one)


def from_dict(kind: type[C], data: dict[str, Any]) -> C:
    """Build a configuration; raise ConfigError for an unknown key or a wrong type."""
    if not isinstance(data, dict):
        raise ConfigError(f"the configuration is {in_short(data)}, expected keys and their values")
    known = {f.name: str(f.type) for f in fields(kind)}  # type: ignore[arg-type]
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"there is no key {key!r}; there are: {', '.join(sorted(known))}")
        right = isinstance(value, _TYPES[known[key]])
        if not right or (isinstance(value, bool) and known[key] != "bool"):
            raise ConfigError(f"{key} is {value!r}, expected {known[key]}")
        inside = value.values() if isinstance(value, dict) else [value]
        if any(isinstance(x, float) and not math.isfinite(x) for x in inside):
            raise ConfigError(f"{key} is {value!r}, expected finite numbers")
        if isinstance(value, list) and not all(isinstance(x, str) for x in value):
            raise ConfigError(f"{key} is {value!r}, expected {known[key]}")
    return kind(**data)


def agent_named(key: str, name: str, config: RunConfig, games: Iterable[Options] = ()) -> Agent:
    """Load an agent that a configuration names, to play such games; the ConfigError names the key."""
    try:
        agent = load_agent(name, allow_code=config.code is None or name in config.code)
        for options in games:
            require(agent, options)
        return agent
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


# --- Keys with limits -------------------------------------------------------------------------


def limited(default: Any, holds: Callable[[Any], bool], expected: str) -> Any:
    """A key with a default whose values must pass a test."""
    return field(default=default, metadata={"holds": holds, "expected": expected})


def positive(default: float, most: int = MOST) -> Any:
    """A number above 0."""
    return limited(default, lambda x: 0 < x <= most, f"more than 0 and at most {most:,}")


def at_least(least: float, default: float, most: int = MOST) -> Any:
    """A number that is not below ``least``."""
    return limited(default, lambda x: least <= x <= most, f"{least} or more and at most {most:,}")


def fraction(default: float) -> Any:
    """A number from 0 to 1."""
    return limited(default, lambda x: 0 <= x <= 1, "a fraction from 0 to 1")


def one_of(allowed: Sequence[str], default: str) -> Any:
    """One of some words."""
    return limited(default, lambda x: x in allowed, f"one of {', '.join(allowed)}")


def _seed(least: int, default: int) -> Any:
    return limited(default, lambda x: least <= x < 2**32, f"{least} to {2**32 - 1}")


def run_name(default: str) -> Any:
    """The name of a run and of its checkpoint."""
    return limited(default, is_name, NAME)


@dataclass(frozen=True)
class RunConfig:
    """The keys that every trainer has."""

    name: str = run_name("run")
    seed: int = _seed(0, 0)
    start: str = ""  # the checkpoint to start from, if any
    # The run ends after so many minutes of training, or at the trainer's own limit.
    minutes: float = positive(60.0)
    save_minutes: float = positive(2.0)
    # The periodic evaluation: every so many rounds or, if that is 0, every so many minutes.
    eval_rounds: int = at_least(0, 0)
    eval_minutes: float = positive(2.0)
    eval_games: int = positive(300)  # against each opponent
    eval_opponents: list[str] = field(default_factory=lambda: ["greedy"])
    # The final evaluation: deals, each played with the agent in every seat, against any agents.
    deals: int = positive(200)
    against: list[str] = field(default_factory=lambda: ["random", "greedy"])
    evaluation_seed: int = _seed(1, 1_000_000_000)  # the periodic evaluation has other deals
    # Classes (module:Class) that may be loaded; None: all that are named, because the user gave the
    # configuration.  What a run folder holds is data: a resumed run loads those of ``--set`` alone.
    code: ClassVar[frozenset[str] | None] = None
    # The least win share against some of ``against``; the command fails if one is not reached.
    bars: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check each key's limits; subclasses check how keys fit together."""
        for key in fields(self):
            value = getattr(self, key.name)
            if key.metadata and not key.metadata["holds"](value):
                raise ConfigError(
                    f"{key.name} is {in_short(value)}, expected {key.metadata['expected']}"
                )
        if not self.against:
            raise ConfigError(f"against is {self.against!r}, expected at least one agent")
        for name, bar in self.bars.items():
            if name not in self.against or not isinstance(bar, int | float) or not 0 <= bar <= 1:
                raise ConfigError(f"bars is {self.bars!r}, expected win shares for some of against")

    @property
    def games_played(self) -> list[Options]:
        """The kinds of games that the agent is measured in."""
        raise NotImplementedError

    def loading(self, code: Iterable[str]) -> Self:
        """Load no other classes than these."""
        object.__setattr__(self, "code", frozenset(code))
        return self


def thread_count(least: int, default: int) -> Any:
    """A number of threads or processes."""
    return limited(default, lambda x: least <= x <= 1024, f"{least} to 1024")


def check_weights(key: str, weights: dict[str, float]) -> None:
    """Raise ConfigError unless weights are numbers from 0 whose sum is above 0."""
    values = weights.values()
    fine = all(isinstance(x, int | float) and 0 <= x <= 1e9 for x in values)
    if not fine or sum(values) <= 0:
        raise ConfigError(f"{key} is {weights!r}, expected weights above 0, none over 1e9")
