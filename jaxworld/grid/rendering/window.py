"""A window that shows pictures."""

from __future__ import annotations

import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import MissingExtraError

LONG_SIDE = 900
"""Pixels of the screen the longer side of a picture may take, if a whole enlargement allows."""


class Window:
    """A window on the screen; it opens with the first picture. With ``SDL_VIDEODRIVER=dummy`` it needs no screen.

    Args:
        title: what its frame says.
        scale: screen pixels for each pixel; chosen by the first picture if None.
        frames_per_second: pictures shown in a second at most; 0 does not wait.

    Raises:
        MissingExtraError: if pygame-ce is not installed.
    """

    def __init__(self, title: str, scale: int | None = None, frames_per_second: float = 0.0) -> None:
        try:
            import pygame
        except ImportError as error:
            raise MissingExtraError("pygame-ce", "human", "a window") from error
        self._pygame = pygame
        self._title = title
        self._scale = None if scale is None else checks.whole("scale", scale, 1, 100)
        self._pace = checks.number("frames_per_second", frames_per_second, 0, 1000)
        self._screen: pygame.Surface | None = None
        self._clock: pygame.time.Clock | None = None
        self.closed = False
        """Whether it was closed, by :meth:`close` or by the person who looked at it."""

    def show(self, picture: np.ndarray) -> None:
        """Show ``uint8[height, width, 3]``, enlarged; does nothing once closed."""
        if self.closed:
            return
        pygame = self._pygame
        height, width = picture.shape[:2]
        if self._screen is None:
            pygame.display.init()
            self._scale = self._scale or max(1, LONG_SIDE // max(height, width))
            self._screen = pygame.display.set_mode((width * self._scale, height * self._scale))
            self._clock = pygame.time.Clock()
            pygame.display.set_caption(self._title)
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        pygame.transform.scale(surface, self._screen.get_size(), self._screen)
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        elif self._clock is not None and self._pace:
            self._clock.tick(self._pace)

    def shown(self) -> np.ndarray | None:
        """What is on the screen, ``uint8[height, width, 3]``; None before the first picture and after the end."""
        if self._screen is None:
            return None
        return np.ascontiguousarray(self._pygame.surfarray.array3d(self._screen).swapaxes(0, 1))

    def close(self) -> None:
        """Close the window, for good."""
        if self._screen is not None:
            self._pygame.display.quit()
        self._screen, self.closed = None, True
