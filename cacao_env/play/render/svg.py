"""Shapes as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .scene import Scene
from .shapes import UNIT, Ellipse, Polygon, Rect, Shape, Words

FONT = "'DejaVu Sans', Verdana, 'Helvetica Neue', Arial, sans-serif"


def svg(scene: Scene, tile: float = 60.0) -> str:
    """Return a scene as an SVG file; a tile is ``tile`` pixels wide unless the picture is scaled."""
    width, height = scene.width * tile / UNIT, scene.height * tile / UNIT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {_n(scene.width)} {_n(scene.height)}" font-family="{FONT}">'
        f"{elements(scene.shapes)}</svg>\n"
    )


def elements(shapes: Sequence[Shape]) -> str:
    """Return shapes as SVG elements."""
    return "".join(_element(shape) for shape in shapes)


def _element(shape: Shape) -> str:
    if isinstance(shape, Words):
        weight = ' font-weight="bold"' if shape.bold else ""
        return (
            f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}" '
            f'fill="{shape.fill}" text-anchor="{shape.anchor}" dominant-baseline="central"{weight}>'
            f"{escape(shape.text)}</text>"
        )
    paint = f'fill="{shape.fill or "none"}"'
    if shape.stroke and shape.line:
        paint += f' stroke="{shape.stroke}" stroke-width="{_n(shape.line)}"'
    if isinstance(shape, Rect):
        dashes = ' stroke-dasharray="9 7"' if shape.dashed else ""
        return (
            f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" '
            f'height="{_n(shape.height)}" rx="{_n(shape.radius)}" {paint}{dashes}/>'
        )
    if isinstance(shape, Ellipse):
        return (
            f'<ellipse cx="{_n(shape.x)}" cy="{_n(shape.y)}" rx="{_n(shape.rx)}" '
            f'ry="{_n(shape.ry)}" {paint}/>'
        )
    assert isinstance(shape, Polygon)
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
    return f'<polygon points="{points}" stroke-linejoin="round" {paint}/>'


def _n(number: float) -> str:
    """A number with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
