"""Pictures as files, read back."""

import sys

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.grid.rendering.files import enlarge, write_pictures

image = pytest.importorskip("PIL.Image")


def clip(frames=3, colours=60):
    """Pictures that all differ."""
    rng = np.random.default_rng(1)
    palette = rng.integers(0, 256, (colours, 3)).astype(np.uint8)
    return [palette[rng.integers(0, colours, (16, 24))] for _ in range(frames)]


def read_gif(path):
    with image.open(path) as file:
        frames = []
        for number in range(file.n_frames):
            file.seek(number)
            frames.append(np.asarray(file.convert("RGB")))
        return frames, file.info["duration"], file.info["loop"]


def test_a_gif_keeps_every_pixel(tmp_path):
    pictures = clip()
    pictures.append(pictures[-1].copy())
    pictures[-1][3:5, 7] = pictures[0][0, 0]  # only a part changes, and then changes back
    pictures.append(pictures[-2])
    write_pictures(tmp_path / "x.gif", pictures, scale=2, frames_per_second=5)
    frames, duration, loop = read_gif(tmp_path / "x.gif")
    assert (len(frames), duration, loop) == (5, 200, 0)
    for frame, picture in zip(frames, pictures, strict=True):
        np.testing.assert_array_equal(frame, np.kron(picture, np.ones((2, 2, 1), np.uint8)))


def test_a_gif_of_many_colours_comes_close(tmp_path):
    ramp = np.stack(np.broadcast_arrays(np.arange(0, 256, 4)[:, None], np.arange(0, 256, 4), 128), axis=-1)
    write_pictures(tmp_path / "x.gif", [ramp.astype(np.uint8)])
    (frame,), _, _ = read_gif(tmp_path / "x.gif")
    assert np.abs(frame.astype(int) - ramp).mean() < 10


def test_a_png_shows_the_last_picture(tmp_path):
    pictures = clip()
    write_pictures(tmp_path / "x.PNG", pictures, scale=3)
    with image.open(tmp_path / "x.PNG") as file:
        np.testing.assert_array_equal(np.asarray(file), enlarge(pictures[-1], 3))


@pytest.mark.filterwarnings("ignore:os.fork")
def test_an_mp4_has_every_frame(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    pictures = [np.full((16, 24, 3), 60 * number, np.uint8) for number in range(4)]
    write_pictures(tmp_path / "x.tmp", pictures, scale=4, frames_per_second=8, suffix=".mp4")
    reader = ffmpeg.read_frames(str(tmp_path / "x.tmp"))
    facts = next(reader)
    frames = [np.frombuffer(frame, np.uint8) for frame in reader]
    assert facts["size"] == (96, 64) and facts["fps"] == 8 and len(frames) == 4
    assert [round(float(frame.mean()) / 60) for frame in frames] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"path": "x.bmp"}, "path"),
        ({"path": "gif"}, "path"),
        ({"pictures": []}, "pictures"),
        ({"scale": 0}, "scale"),
        ({"scale": 1.5}, "scale"),
        ({"frames_per_second": 0}, "frames_per_second"),
    ],
)
def test_bad_input(tmp_path, arguments, field):
    given = {"path": "x.gif", "pictures": clip(1), **arguments}
    with pytest.raises(ConfigurationError) as caught:
        write_pictures(tmp_path / given.pop("path"), given.pop("pictures"), **given)
    assert caught.value.field == field
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "module", "package"), [
    ("x.gif", "PIL.Image", "pillow"), ("x.png", "PIL.Image", "pillow"), ("x.mp4", "imageio_ffmpeg", "imageio-ffmpeg"),
])  # fmt: skip
def test_a_missing_package_is_named(tmp_path, monkeypatch, name, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"{package}.*jaxworld\[render\]"):
        write_pictures(tmp_path / name, clip(1))
