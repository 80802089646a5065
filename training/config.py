"""Run configurations: one small TOML file a run, checked key by key."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from cacao_env.options import check_options
from cacao_env.rewards import REWARDS
from cacao_env.vector import OPPONENTS


class ConfigError(ValueError):
    """One sentence that names the key and what was expected."""


@dataclass(frozen=True)
class Config:
    """Everything that ``training.train_sb3`` can be told; the defaults are a 2-player run."""

    # The game.
    num_players: int = 2
    volcanoes: bool = False
    table_size: int = 15
    reward: str = "shaped"
    opponents: dict[str, float] = field(default_factory=lambda: {"random": 0.3, "greedy": 0.7})
    # The run: it stops at whichever limit comes first.
    name: str = "run"
    seed: int = 0
    steps: int = 1_000_000
    minutes: float = 60.0
    threads: int = 1
    # PPO.
    games: int = 64
    rollout: int = 64
    batch: int = 512
    epochs: int = 3
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-4
    clip: float = 0.2
    gamma: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.005
    target_kl: float = 0.05
    width: int = 64
    # The measurement at the end: deals, each played with the agent in every seat.
    blocks: int = 200
    against: list[str] = field(default_factory=lambda: ["random", "greedy"])
    evaluation_seed: int = 1_000_000_000
    # Least share of wins against an opponent; the program says whether it was reached.
    bars: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        try:
            check_options(self.num_players, "auto", self.table_size)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if self.reward not in REWARDS:
            raise ConfigError(f"reward is {self.reward!r}, expected one of {', '.join(REWARDS)}")
        for key, names in (("opponents", self.opponents), ("against", self.against)):
            unknown = [name for name in names if name not in OPPONENTS]
            if unknown or not names:
                raise ConfigError(f"{key} is {names!r}, expected some of {', '.join(OPPONENTS)}")
        odds = self.opponents.values()
        if not all(isinstance(x, int | float) and x >= 0 for x in odds) or sum(odds) <= 0:
            raise ConfigError(f"opponents is {self.opponents!r}, expected odds above 0")
        for name, bar in self.bars.items():
            if name not in self.against or not isinstance(bar, int | float) or not 0 <= bar <= 1:
                raise ConfigError(
                    f"bars is {self.bars!r}, expected shares of wins for some of against"
                )
        positive = ("steps", "minutes", "threads", "games", "rollout", "batch", "epochs", "width")
        for key in (*positive, "learning_rate", "final_learning_rate", "clip", "blocks"):
            if getattr(self, key) <= 0:
                raise ConfigError(f"{key} is {getattr(self, key)!r}, expected more than 0")
        if self.batch > self.games * self.rollout:
            raise ConfigError(
                f"batch is {self.batch}, more than games * rollout = {self.games * self.rollout}"
            )

    def as_dict(self) -> dict[str, Any]:
        """All keys with their values, as plain data."""
        return asdict(self)


_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "dict[str, float]": (dict,),
    "list[str]": (list,),
}


C = TypeVar("C")


def load(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """A ``Config`` from a TOML file, with ``key=value`` overrides (values as TOML writes them)."""
    return read(Config, path, overrides)


def read(kind: type[C], path: str | Path, overrides: Sequence[str] = ()) -> C:
    """A configuration of any kind, a dataclass, from a TOML file and overrides."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None
    return from_dict(overridden(data, overrides), kind)


def overridden(data: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """The same with ``key=value`` overrides."""
    data = dict(data)
    for override in overrides:
        data.update(_parse_override(override))
    return data


def _parse_override(text: str) -> dict[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"{text!r} is not of the form key=value")
    try:
        return tomllib.loads(f"{key} = {value}")
    except tomllib.TOMLDecodeError:
        return {key.strip(): value.strip()}  # a bare word is a string


def from_dict(data: dict[str, Any], kind: type[C] = Config) -> C:  # type: ignore[assignment]
    """A configuration from plain data; ConfigError for an unknown key or a wrong type."""
    known = {f.name: str(f.type) for f in fields(kind)}  # type: ignore[arg-type]
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"there is no key {key!r}; there are: {', '.join(sorted(known))}")
        right = isinstance(value, _TYPES[known[key]])
        if not right or (isinstance(value, bool) and known[key] != "bool"):
            raise ConfigError(f"{key} is {value!r}, expected {known[key]}")
    return kind(**data)
