"""Pictures as files: GIF, MP4 and PNG."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError, MissingExtraError, require

FORMATS = (".gif", ".mp4", ".png")
"""File names end in one of these; a PNG has the last picture only."""


def write_pictures(
    path: str | Path,
    pictures: Sequence[np.ndarray],
    *,
    scale: int = 1,
    frames_per_second: float = 10.0,
    suffix: str | None = None,
) -> None:
    """Write pictures to a file.

    Args:
        path: the file.
        pictures: ``uint8[height, width, 3]`` each, of one shape.
        scale: pixels for each pixel, each way.
        frames_per_second: how fast they pass, 0.1 to 100.
        suffix: the format, one of :data:`FORMATS`; the end of the file's name if None.

    Raises:
        ConfigurationError: for no picture, an unknown format, or a scale or speed that cannot be.
        MissingExtraError: if the package that writes this format is not installed.
    """
    kind = check_format("path", str(path) if suffix is None else suffix)
    require(len(pictures) > 0, "pictures", pictures, "give at least one")
    scale = checks.whole("scale", scale, 1, 32)
    pace = checks.number("frames_per_second", frames_per_second, 0.1, 100)
    if kind == ".png":
        _pillow().Image.fromarray(enlarge(pictures[-1], scale)).save(path, format="PNG", optimize=True)
    elif kind == ".gif":
        _write_gif(path, pictures, scale, pace)
    else:
        _write_mp4(path, pictures, scale, pace)


def check_format(field: str, name: str) -> str:
    """The format a file name stands for.

    Raises:
        ConfigurationError: naming ``field``, if it stands for none.
        MissingExtraError: if the package that writes it is not installed.
    """
    suffix = name[name.rfind(".") :].lower()
    if suffix not in FORMATS:
        raise ConfigurationError(field, name, f"end it in {', '.join(FORMATS)}")
    if suffix == ".mp4":
        _ffmpeg()
    else:
        _pillow()
    return suffix


def enlarge(picture: np.ndarray, scale: int) -> np.ndarray:
    """Every pixel as a square of ``scale`` by ``scale``."""
    return picture.repeat(scale, axis=0).repeat(scale, axis=1)


def _write_gif(path: str | Path, pictures: Sequence[np.ndarray], scale: int, pace: float) -> None:
    image = _pillow().Image
    packed = [picture.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32) for picture in pictures]
    colours = np.unique(np.concatenate([np.unique(picture) for picture in packed]))
    options: dict[str, Any] = {"duration": 10 * max(1, round(100 / pace)), "loop": 0, "optimize": False}
    if len(colours) < 256:  # the sprites have fewer, so the colours stay what they are
        palette = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=-1).astype(np.uint8)
        frames = [image.fromarray(enlarge(frame, scale)) for frame in _indexed(packed, colours)]
        for frame in frames:
            frame.putpalette(palette.tobytes())
        options.update(transparency=len(colours), disposal=1)
    else:
        frames = [image.fromarray(enlarge(picture, scale)).quantize(256, dither=0) for picture in pictures]
    frames[0].save(path, format="GIF", save_all=True, append_images=frames[1:], **options)


def _indexed(packed: Sequence[np.ndarray], colours: np.ndarray) -> Iterator[np.ndarray]:
    """Pictures as numbers of colours, with the number after the last where nothing changed: that compresses well."""
    earlier = None
    for picture in packed:
        frame = np.searchsorted(colours, picture).astype(np.uint8)
        yield frame if earlier is None else np.where(frame == earlier, np.uint8(len(colours)), frame)
        earlier = frame


def _write_mp4(path: str | Path, pictures: Sequence[np.ndarray], scale: int, pace: float) -> None:
    height, width = (side * scale for side in pictures[0].shape[:2])
    # The container is named, because the path may be that of a temporary file.
    writer = _ffmpeg().write_frames(
        str(path), (width, height), fps=pace, macro_block_size=2, output_params=["-f", "mp4"]
    )
    with warnings.catch_warnings():  # JAX warns of forks, but this one starts another program at once
        warnings.filterwarnings("ignore", message="os.fork", category=RuntimeWarning)
        writer.send(None)
    for picture in pictures:
        writer.send(np.ascontiguousarray(enlarge(picture, scale)).tobytes())
    writer.close()


def _pillow() -> Any:
    try:
        import PIL.Image
    except ImportError as error:
        raise MissingExtraError("pillow", "render", "a picture file") from error
    return PIL


def _ffmpeg() -> Any:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise MissingExtraError("imageio-ffmpeg", "render", "an MP4 file") from error
    return imageio_ffmpeg
