"""The exposure figure: its panels say what they show, and it ends up in a file."""

from pathlib import Path

import numpy as np
import pytest

from jaxworld.plot import draw_exposure, write_exposure_figure
from jaxworld.plot.figures import write_figure
from jaxworld.study.experiments.exposure import ExposureSettings
from tests.cli.fake import fake_run


def test_three_panels_with_labels_and_a_legend() -> None:
    settings = ExposureSettings(personas=1234, worlds=8, ticks=6, tick_unit="day")
    figure = draw_exposure(fake_run(settings))
    lorenz, gini, differences = figure.axes
    for panel in (lorenz, gini):
        assert panel.get_xlabel() and panel.get_ylabel() and panel.get_title()
    assert differences.get_xlabel() and len(differences.get_yticklabels()) == 5
    assert "days" in gini.get_xlabel()
    assert "1,234 personas" in figure.get_suptitle() and "8 worlds" in figure.get_suptitle()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*settings.recommenders, "equal exposure"]
    colours = {line.get_color() for line in gini.lines}
    assert len(colours) == len(settings.recommenders)


def test_lines_and_bands_are_the_results() -> None:
    result = fake_run(ExposureSettings(personas=8, worlds=2, ticks=5, recommenders=("random", "twhin")))
    lorenz, gini, differences = draw_exposure(result).axes
    ticks, mean, low, high = result.curves["twhin"]["gini"]
    np.testing.assert_array_equal(gini.lines[1].get_xydata(), np.stack([ticks, mean], axis=1))
    band = gini.collections[1].get_paths()[0].vertices[:, 1]
    assert np.isclose(band.min(), np.nanmin(low)) and np.isclose(band.max(), np.nanmax(high))
    np.testing.assert_array_equal(lorenz.lines[0].get_ydata(), result.lorenz["random"][1])
    dot = next(line for line in differences.lines if line.get_marker() not in ("None", "", None)).get_xdata()[0]
    assert dot == result.summary["twhin"]["gini"]["difference_to_random"]["mean"]


def test_without_random_there_is_no_difference_to_it() -> None:
    result = fake_run(ExposureSettings(personas=8, worlds=2, ticks=1, recommenders=("twhin", "reddit_hot")))
    assert len(draw_exposure(result).axes) == 2


def test_file_is_a_picture(tmp_path: Path) -> None:
    result = fake_run(ExposureSettings(personas=8, worlds=2, ticks=5))
    write_exposure_figure(result, tmp_path / "any.name")
    content = (tmp_path / "any.name").read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 20_000


def test_failure_to_write_is_an_error(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    with pytest.raises(OSError, match="No such file"):
        write_figure(Figure(), tmp_path / "none" / "figure.png")
