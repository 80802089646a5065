"""Draw pictures as pixels, by resvg (the extra ``render``)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import need
from .art import UNIT
from .scene import SHEET, Scene

Pixels = npt.NDArray[np.uint8]


def image(scene: Scene, tile: float = 60.0) -> Any:
    """Return the picture as a Pillow image; a tile is ``tile`` pixels wide."""
    opened = need("PIL.Image", "Pillow", "render").open
    drawn = need("resvg_py", "resvg-py", "render").svg_to_bytes(svg_string=scene.svg(tile))
    return opened(BytesIO(bytes(drawn))).convert("RGB")


def fitted(scene: Scene, width: int, height: int) -> Pixels:
    """Return the picture, as large as fits a sheet of that size, uint8 (height, width, 3)."""
    tile = min(width / scene.width, height / scene.height) * UNIT
    picture = image(scene, tile)
    sheet = need("PIL.Image", "Pillow", "render").new("RGB", (width, height), SHEET)
    sheet.paste(picture, ((width - picture.width) // 2, (height - picture.height) // 2))
    return np.asarray(sheet)
