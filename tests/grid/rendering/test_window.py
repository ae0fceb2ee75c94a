"""The window, without a screen."""

import sys

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.grid.rendering.window import Window

pygame = pytest.importorskip("pygame")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def test_it_shows_pictures_enlarged_and_closes():
    window, picture = Window("x", scale=3), np.random.default_rng(0).integers(0, 256, (8, 16, 3)).astype(np.uint8)
    assert window.shown() is None
    window.show(picture)
    np.testing.assert_array_equal(window.shown(), picture.repeat(3, axis=0).repeat(3, axis=1))
    window.show(255 - picture)
    np.testing.assert_array_equal(window.shown()[::3, ::3], 255 - picture)
    assert pygame.display.get_caption()[0] == "x"
    window.close()
    assert window.closed and window.shown() is None
    window.show(picture)
    assert window.shown() is None


def test_whoever_looks_can_close_it():
    window = Window("x")
    window.show(np.zeros((144, 192, 3), np.uint8))
    assert window.shown().shape == (144 * 4, 192 * 4, 3)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(np.zeros((144, 192, 3), np.uint8))
    assert window.closed


def test_bad_input_and_a_missing_package(monkeypatch):
    with pytest.raises(ConfigurationError, match="scale"):
        Window("x", scale=0)
    with pytest.raises(ConfigurationError, match="frames_per_second"):
        Window("x", frames_per_second=-1)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtraError, match=r"pygame-ce.*jaxworld\[human\]"):
        Window("x")
