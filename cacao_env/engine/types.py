"""The types that compiled functions declare: the words of their annotations.

A function that Python calls has annotations: a scalar (``i8``, ``f8``, ``b1``), an array of a kind and
a number of dimensions (``f4x2``), a record or an array of records (``State``, ``StateArray``) or a
named tuple of these.  Kinds are NumPy's.  ``u1x1 | f4x1`` stands for two functions, one for each type.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

i8: TypeAlias = Any
f8: TypeAlias = Any
b1: TypeAlias = Any
b1x1: TypeAlias = Any
b1x2: TypeAlias = Any
i1x1: TypeAlias = Any
i1x2: TypeAlias = Any
i2x2: TypeAlias = Any
i8x1: TypeAlias = Any
i8x2: TypeAlias = Any
u1x1: TypeAlias = Any
u1x2: TypeAlias = Any
u2x1: TypeAlias = Any
u2x2: TypeAlias = Any
u4x1: TypeAlias = Any
u8x1: TypeAlias = Any
f4x1: TypeAlias = Any
f4x2: TypeAlias = Any
f4x3: TypeAlias = Any
f8x1: TypeAlias = Any
f8x2: TypeAlias = Any
f8x3: TypeAlias = Any


class Struct(np.void):  # type: ignore[misc]
    """A record whose fields are attributes, as in compiled code; ``np.record`` is far slower."""

    __slots__ = ()


def _assign(field: str, record: Struct, value: Any) -> None:
    record[field] = value


def struct(fields: Any) -> np.dtype[Any]:
    """Return the aligned dtype of records with these fields."""
    plain = np.dtype(fields, align=True)
    for field in plain.names or ():
        setattr(Struct, field, property(itemgetter(field), partial(_assign, field)))
    return np.dtype((Struct, plain))


class Scalar(NamedTuple):
    """An integer, a number or a truth value: ``i8``, ``f8`` or ``b1``."""

    kind: str


class Array(NamedTuple):
    """An array in C order, aligned, that can be written to."""

    dtype: np.dtype[Any]
    ndim: int


class Record(NamedTuple):
    """One record of an array."""

    dtype: np.dtype[Any]


class Tuple(NamedTuple):
    """A named tuple, and the types of its fields."""

    cls: type
    fields: tuple[Type, ...]


Type = Scalar | Array | Record | Tuple | None
Signature = tuple[Type, ...]
_NAMED: dict[str, Type] = {
    "None": None,
    **{kind: Scalar(kind) for kind in ("i8", "f8", "b1")},
    **{"int": Scalar("i8"), "float": Scalar("f8"), "bool": Scalar("b1")},
}


def name(word: str, type_: Type) -> None:
    """Let a word of annotations stand for a type."""
    _NAMED[word] = type_


def key_of(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype: NumPy's, or of records the word that stands for one."""
    if dtype.names is None:
        return dtype.name
    return next(word for word, type_ in _NAMED.items() if type_ == Record(dtype))


def signatures(function: Callable[..., Any]) -> list[Signature]:
    """Return the types of a function's arguments: one signature for each choice between types."""
    words = dict(function.__annotations__)
    words.pop("return", None)
    options = [[_type_of(part.strip(), function) for part in w.split("|")] for w in words.values()]
    return list(product(*options))


def _type_of(word: str, where: Any) -> Type:
    if word in _NAMED:
        return _NAMED[word]
    kind, by, ndim = word.partition("x")
    if by and ndim.isdigit():
        return Array(np.dtype(kind.replace("b1", "bool")), int(ndim))
    cls = vars(sys.modules[where.__module__]).get(word)
    if not (isinstance(cls, type) and issubclass(cls, tuple)):
        raise TypeError(f"{where.__qualname__}: {word!r} names no type of compiled functions")
    return Tuple(cls, tuple(_type_of(_word(part), cls) for part in cls.__annotations__.values()))


def flat(types: Signature) -> list[Type]:
    """Return types without named tuples: their fields stand in their place."""
    return [
        part for one in types for part in (flat(one.fields) if isinstance(one, Tuple) else [one])
    ]


def _word(annotation: Any) -> str:
    return str(getattr(annotation, "__forward_arg__", annotation))
