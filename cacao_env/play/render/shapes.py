"""The shapes of pictures; a picture is a list of shapes, the first at the bottom.

Lengths are in units: a tile is UNIT wide.  Colours are ``#rrggbb`` or None for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

UNIT = 100.0
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    fill: str | None = None
    stroke: str | None = None
    line: float = 0.0
    dashed: bool = False


@dataclass(frozen=True)
class Ellipse:
    """An ellipse around a point."""

    x: float
    y: float
    rx: float
    ry: float
    fill: str | None = None
    stroke: str | None = None
    line: float = 0.0


@dataclass(frozen=True)
class Polygon:
    """A closed line through points."""

    points: tuple[tuple[float, float], ...]
    fill: str | None = None
    stroke: str | None = None
    line: float = 0.0


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its middle."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Anchor = "middle"
    bold: bool = False


Shape = Rect | Ellipse | Polygon | Words


def moved(shapes: Sequence[Shape], x: float, y: float, scale: float = 1.0) -> list[Shape]:
    """Return shapes scaled by ``scale`` and then moved by (x, y)."""
    return [_moved(shape, x, y, scale) for shape in shapes]


def _moved(shape: Shape, x: float, y: float, k: float) -> Shape:
    if isinstance(shape, Polygon):
        points = tuple((x + k * px, y + k * py) for px, py in shape.points)
        return replace(shape, points=points, line=k * shape.line)
    nx, ny = x + k * shape.x, y + k * shape.y
    if isinstance(shape, Words):
        return replace(shape, x=nx, y=ny, size=k * shape.size)
    if isinstance(shape, Ellipse):
        return replace(shape, x=nx, y=ny, rx=k * shape.rx, ry=k * shape.ry, line=k * shape.line)
    return replace(
        shape,
        x=nx,
        y=ny,
        width=k * shape.width,
        height=k * shape.height,
        radius=k * shape.radius,
        line=k * shape.line,
    )


def turned(shapes: Sequence[Shape], quarters: int) -> list[Shape]:
    """Return a tile's shapes after clockwise quarter turns; words stay upright."""
    found = list(shapes)
    for _ in range(quarters % 4):
        found = [_turned(shape) for shape in found]
    return found


def _turned(shape: Shape) -> Shape:
    if isinstance(shape, Polygon):
        return replace(shape, points=tuple((UNIT - y, x) for x, y in shape.points))
    if isinstance(shape, Rect):
        return replace(
            shape,
            x=UNIT - shape.y - shape.height,
            y=shape.x,
            width=shape.height,
            height=shape.width,
        )
    if isinstance(shape, Ellipse):
        return replace(shape, x=UNIT - shape.y, y=shape.x, rx=shape.ry, ry=shape.rx)
    return replace(shape, x=UNIT - shape.y, y=shape.x)
