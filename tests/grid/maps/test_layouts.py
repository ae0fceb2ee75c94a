"""Our own layouts: the published sizes and counts, no cell cut off, fair to all sides, and what their names promise."""

import itertools

import networkx as nx
import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.grid.maps import GridMap, layout_names, load_map, parse_map
from tests.grid.maps.table import FACTS, SYMBOLS, check_facts

LAYOUTS = sorted(FACTS)
COMMONS = [name for name in LAYOUTS if name.startswith("commons")]


def layout(name: str) -> GridMap:
    return parse_map(load_map(name), SYMBOLS)


def walk_graph(grid_map: GridMap) -> nx.Graph:
    """Walkable cells, joined to their four neighbours."""
    grid = nx.grid_2d_graph(grid_map.rows, grid_map.cols)
    return grid.subgraph([cell for cell in grid if grid_map.text[cell[0]][cell[1]] != "#"])


def places(grid_map: GridMap, symbols: str) -> list[tuple[int, int]]:
    return [(cell // grid_map.cols, cell % grid_map.cols) for cell in grid_map.cells(symbols).tolist()]


def test_every_packaged_layout_is_in_the_table() -> None:
    assert set(layout_names()) == set(FACTS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_size_and_counts(name: str) -> None:
    check_facts(load_map(name).splitlines(), FACTS[name])


@pytest.mark.parametrize("name", LAYOUTS)
def test_walled_in_and_every_cell_can_be_reached_from_every_other(name: str) -> None:
    grid_map = layout(name)
    wall = grid_map.mask("#")
    assert wall[[0, -1]].all()
    assert wall[:, [0, -1]].all()
    assert nx.is_connected(walk_graph(grid_map))


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_side_is_favoured(name: str) -> None:
    """A half-turn or a mirror image is the same map; where two classes compete on equal terms, it swaps them."""
    rows = list(layout(name).text)
    swapped = name in ("matrix_arena_two", "matrix_repeated_two")
    mirrored = "repeated" in name or "stag_hunt" in name
    image = [row[::-1] for row in (rows if mirrored else reversed(rows))]
    if swapped:
        image = [row.translate(str.maketrans("12", "21")) for row in image]
    assert image == rows


@pytest.mark.parametrize("name", LAYOUTS)
def test_spawn_points_are_spread_out(name: str) -> None:
    """Each quarter of the map has a fair part of them, and no two stand side by side."""
    grid_map = layout(name)
    points = np.array(places(grid_map, "SI"))
    middle = np.array([grid_map.rows - 1, grid_map.cols - 1]) / 2
    south, east = (points >= middle).T
    quarters = [(south == s) & (east == e) for s, e in itertools.product((False, True), repeat=2)]
    assert min(quarter.sum() for quarter in quarters) >= len(points) // 6
    steps = np.abs(points[:, None] - points[None]).sum(axis=2)
    assert not (steps == 1).any()


def patches(grid_map: GridMap) -> list[set[tuple[int, int]]]:
    """Apple sites that help one another to grow, directly or through others: within a distance of 2."""
    apples = places(grid_map, "A")
    graph = nx.Graph()
    graph.add_nodes_from(apples)
    near = [
        (one, other)
        for one, other in itertools.combinations(apples, 2)
        if (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 <= 4
    ]
    graph.add_edges_from(near)
    return list(nx.connected_components(graph))


@pytest.mark.parametrize("name", COMMONS)
def test_apples_stand_in_separate_patches_that_can_grow_at_the_full_rate(name: str) -> None:
    found = patches(layout(name))
    assert len(found) >= 6
    assert min(len(patch) for patch in found) >= 4
    assert max(len(patch) for patch in found) == 16


@pytest.mark.parametrize("name", COMMONS)
def test_the_first_two_players_start_inside_two_different_patches(name: str) -> None:
    grid_map = layout(name)
    homes = []
    for row, col in places(grid_map, "I"):
        around = {(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)}
        homes += [index for index, patch in enumerate(patches(grid_map)) if len(patch & around) >= 3]
    assert len(homes) == 2
    assert homes[0] != homes[1]


@pytest.mark.parametrize(("name", "openings"), [("commons_harvest_closed", 1), ("commons_harvest_partnership", 2)])
def test_an_orchard_is_held_by_one_in_closed_and_by_two_in_partnership(name: str, openings: int) -> None:
    """The fewest cells that part all apples from all outer spawn points: one (two) for each of four walled orchards."""
    grid_map = layout(name)
    graph = walk_graph(grid_map).copy()
    graph.add_edges_from([("orchards", cell) for cell in places(grid_map, "A")])
    graph.add_edges_from([("outside", cell) for cell in places(grid_map, "S")])
    doors = nx.minimum_node_cut(graph, "orchards", "outside")
    assert len(doors) == 4 * openings
    # Without the doors: four orchards of sixteen apples each, and the open field.
    graph.remove_nodes_from([*doors, "orchards", "outside"])
    parts = list(nx.connected_components(graph))
    apples = sorted(len(part & set(places(grid_map, "A"))) for part in parts)
    assert apples == [0, 16, 16, 16, 16]
    # Every orchard needs that many to hold it: each has that many doors of its own.
    for part in parts:
        if part & set(places(grid_map, "A")):
            steps = {(row + r, col + c) for row, col in part for r, c in ((0, 1), (0, -1), (1, 0), (-1, 0))}
            assert len(steps & doors) == openings
            for one, other in itertools.combinations(steps & doors, 2):  # farther apart than the beam of 4 is long
                assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) > 4


def test_the_open_field_has_no_walls_inside() -> None:
    assert not layout("commons_harvest_open").mask("#")[1:-1, 1:-1].any()


def test_an_unknown_layout_lists_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"'commons_harvest_opne'.*commons_harvest_open"):
        load_map("commons_harvest_opne")
