"""A window that shows pixels, by pygame (the extra ``window``)."""

from __future__ import annotations

import os
from typing import Any

from ..checks import need
from .raster import Pixels


class Window:
    """A window.  After its button has closed it, ``show`` does nothing.

    Only the thread that made it may use it.
    """

    def __init__(self, width: int, height: int) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        self._pygame = pygame = need("pygame", "pygame", "window")
        pygame.display.init()
        try:
            self._screen: Any = pygame.display.set_mode((width, height))
        except pygame.error as error:
            raise ValueError(f"render_mode 'human' needs a screen: {error}") from None
        pygame.display.set_caption("Cacao")

    def show(self, pixels: Pixels) -> None:
        """Show pixels, uint8 (height, width, 3)."""
        if self._screen is None:
            return
        pygame = self._pygame
        surface = pygame.surfarray.make_surface(pixels.swapaxes(0, 1))
        self._screen.blit(surface, (0, 0))
        pygame.display.flip()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()

    def close(self) -> None:
        """Close the window."""
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()
