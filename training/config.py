"""Run configurations: one small TOML file a run, checked key by key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar


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


def read(kind: type[C], path: str | Path, overrides: Sequence[str] = ()) -> C:
    """A configuration of any kind, a dataclass, from a TOML file and overrides."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None
    return from_dict(kind, overridden(data, overrides))


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


def from_dict(kind: type[C], data: dict[str, Any]) -> C:
    """A configuration from plain data; ConfigError for an unknown key or a wrong type."""
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
    for key in {"seed", "evaluation_seed"} & set(data):
        least = 1 if key == "evaluation_seed" else 0  # training watches on the deals before it
        if not least <= data[key] < 2**32:
            raise ConfigError(f"{key} is {data[key]!r}, expected {least} to {2**32 - 1}")
    return kind(**data)
