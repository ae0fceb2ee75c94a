"""``jaxworld render``."""

import json

import numpy as np
import pytest

from jaxworld.cli.main import main
from jaxworld.core import registry
from jaxworld.grid.rendering.film import film
from tests.grid.rendering.pool import Pool

image = pytest.importorskip("PIL.Image")
NAME = "grid/pool_of_tests"


@pytest.fixture(autouse=True)
def pool(monkeypatch):
    monkeypatch.setitem(registry._factories, NAME, ("tests.grid.rendering.pool:Pool", "a pool"))


def test_a_gif_of_the_map(tmp_path, capsys):
    out = tmp_path / "new" / "x.gif"
    assert (
        main(["render", NAME, "--steps", "8", "--set", "last=5", "--scale", "2", "--fps", "4", "--out", str(out)]) == 0
    )
    text = capsys.readouterr().out
    assert "5 steps" in text and "128 x 80" in text
    world = Pool()
    pictures = [shot.picture for shot in film(world, 8, params=world.params(last=5))]
    with image.open(out) as file:
        last = np.asarray(file.convert("RGB"))
        np.testing.assert_array_equal(last[::2, ::2], pictures[0])
        file.seek(file.n_frames - 1)
        np.testing.assert_array_equal(np.asarray(file.convert("RGB"))[::2, ::2], pictures[-1])
    assert [path.name for path in out.parent.iterdir()] == ["x.gif"]


def test_what_a_player_sees_as_png_with_json(tmp_path, capsys):
    out = tmp_path / "x.png"
    arguments = ["--view", "player_1", "--seed", "3", "--steps", "0", "--scale", "1", "--json", "--out", str(out)]
    assert main(["render", NAME, *arguments]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["pixels"] == [24, 32] and facts["steps"] == 0 and facts["returns"] == [0, 0]
    assert facts["bytes"] == out.stat().st_size
    (shot,) = film(Pool(), 0, seed=3, view="player_1")
    with image.open(out) as file:
        np.testing.assert_array_equal(np.asarray(file), shot.picture)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["grid/nowhere"], "no such world"),
        (["core/bandit"], "NAME"),
        (["grid/real_matrix_prisoners_dilemma"], "NAME"),
        ([NAME, "--view", "player_2"], "view"),
        ([NAME, "--steps", "-1"], "--steps"),
        ([NAME, "--scale", "0"], "--scale"),
        ([NAME, "--fps", "0"], "--fps"),
        ([NAME, "--policy", "wise"], "--policy"),
        ([NAME, "--out", "x.bmp"], "--out"),
        ([NAME, "--set", "depth=3"], "depth"),
        ([NAME, "--set", "observation_mode=odd"], "observation_mode"),
        ([NAME, "--set", "last"], "--set"),
        ([NAME, "--seed", "-1"], "seed"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, part):
    monkeypatch.chdir(tmp_path)
    assert main(["render", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and part in captured.err and not captured.out
    assert not list(tmp_path.iterdir())
