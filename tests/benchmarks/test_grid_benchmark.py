"""The benchmark of grid worlds: a row of its table, and peers that are not there."""

from pathlib import Path

from benchmarks import grid
from benchmarks.floors import Rates


def test_a_row_has_a_time_a_floor_and_what_compiling_cost(monkeypatch):
    monkeypatch.setattr(grid, "_num_steps", lambda worlds: 3)
    rates = Rates(1e9, 1e9, 1e8, 1e8, 1e9)
    row, compiling = grid.steps_row("grid/coins", 2, 1, rates, {})
    assert row.ours.cpu_s > 0 and compiling["compile_cpu_s"] > 0.1
    # 225 sites, two players and an end need 229 words in pairs, and three keys; the state is read and written.
    assert row.floor_s == max((2 * 282 + 2 * 5 * 121 + 8) / 1e9, (226 + 2 + 2 + 6) / 1e8)


def test_peers_that_cannot_run_are_named_and_left_out(capsys, tmp_path):
    assert grid.socialjax(tmp_path, "coin_game", 2, 1) == {}
    assert grid.melting_pot(Path("/bin/false"), "coins", 1) == {}
    assert capsys.readouterr().err.count("not measured") == 2
