"""Draw shapes as pixels, by Pillow (the extra ``render``)."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...checks import need
from .scene import SHEET, Scene
from .shapes import UNIT, Ellipse, Polygon, Rect, Shape, Words

FINER = 2  # so many times finer is the drawing, which is then averaged for smooth edges
Pixels = npt.NDArray[np.uint8]


def image(scene: Scene, tile: float = 60.0) -> Any:
    """Return the picture as a Pillow image; a tile is ``tile`` pixels wide."""
    drawing = _pillow("ImageDraw")
    scale = FINER * tile / UNIT
    width, height = (max(1, round(side * tile / UNIT)) for side in (scene.width, scene.height))
    sheet = _pillow("Image").new("RGB", (FINER * width, FINER * height))
    pen = drawing.Draw(sheet)
    for shape in scene.shapes:
        _draw(pen, shape, scale)
    return sheet.resize((width, height), _pillow("Image").Resampling.BOX)


def fitted(scene: Scene, width: int, height: int) -> Pixels:
    """Return the picture, as large as fits a sheet of that size, uint8 (height, width, 3)."""
    tile = min(width / scene.width, height / scene.height) * UNIT
    picture = image(scene, tile)
    sheet = _pillow("Image").new("RGB", (width, height), SHEET)
    sheet.paste(picture, ((width - picture.width) // 2, (height - picture.height) // 2))
    return np.asarray(sheet)


def _pillow(module: str) -> Any:
    return need(f"PIL.{module}", "Pillow", "render")


def _draw(pen: Any, shape: Shape, k: float) -> None:
    if isinstance(shape, Words):
        font = _font(max(1, round(shape.size * k)))
        anchor = {"start": "lm", "middle": "mm", "end": "rm"}[shape.anchor]
        bold = round(shape.size * k / 45) if shape.bold else 0
        at = (shape.x * k, shape.y * k)
        pen.text(
            at, shape.text, shape.fill, font, anchor, stroke_width=bold, stroke_fill=shape.fill
        )
        return
    line = max(1, round(shape.line * k)) if shape.stroke and shape.line else 0
    if isinstance(shape, Polygon):
        points = [(x * k, y * k) for x, y in shape.points]
        if shape.fill:
            pen.polygon(points, shape.fill)
        if line:
            pen.line([*points, *points[:2]], shape.stroke, line, "curve")
        return
    if isinstance(shape, Ellipse):
        wide, tall = shape.rx * k + line / 2, shape.ry * k + line / 2
        x, y = shape.x * k, shape.y * k
        pen.ellipse((x - wide, y - tall, x + wide, y + tall), shape.fill, shape.stroke, line)
        return
    half = line / 2
    box = (
        shape.x * k - half,
        shape.y * k - half,
        (shape.x + shape.width) * k + half,
        (shape.y + shape.height) * k + half,
    )
    if shape.dashed:
        if shape.fill:
            pen.rounded_rectangle(box, shape.radius * k, shape.fill)
        _dashes(pen, shape, k, line)
    else:
        pen.rounded_rectangle(box, shape.radius * k + half, shape.fill, shape.stroke, line)


def _dashes(pen: Any, shape: Rect, k: float, line: int) -> None:
    """The outline of a rectangle in dashes of 9 units and gaps of 7."""
    x, y, w, h = shape.x, shape.y, shape.width, shape.height
    corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]
    for (ax, ay), (bx, by) in pairwise(corners):
        length = math.hypot(bx - ax, by - ay)
        for begin in np.arange(shape.radius / 2, length - 4, 16.0).tolist():
            p, q = begin / length, min(length, begin + 9) / length
            ends = [((ax + (bx - ax) * t) * k, (ay + (by - ay) * t) * k) for t in (p, q)]
            pen.line(ends, shape.stroke, line)


@cache
def _font(size: int) -> Any:
    return _pillow("ImageFont").load_default(size)
