"""The render modes of the environments.

``ansi``: text; ``human``: a window; ``rgb_array``: pixels, uint8 (HEIGHT, WIDTH, 3); ``svg``: a
picture as text.  All modes show all hands.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from ..game import Game
from ..render.position import position_of
from ..render.raster import fitted
from ..render.scene import scene_of
from ..render.window import Window

MODES = ["ansi", "human", "rgb_array", "svg"]
WIDTH, HEIGHT = 1120, 720  # pixels, the same for all positions, as a video of them needs it


class Renderer:
    """Render the games of one environment in one mode."""

    def __init__(self, mode: str | None) -> None:
        self.mode = mode
        self._window: Window | None = None

    def show(self, game: Game) -> Any:
        """Return the position, or show it in a window in mode "human"."""
        if self.mode is None:
            gymnasium.logger.warn("render() needs a render_mode, such as 'ansi'.")
            return None
        if self.mode == "ansi":
            return str(game)
        scene = scene_of(position_of(game))
        if self.mode == "svg":
            return scene.svg()
        pixels = fitted(scene, WIDTH, HEIGHT)
        if self.mode == "rgb_array":
            return pixels
        if self._window is None:
            self._window = Window(WIDTH, HEIGHT)
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
