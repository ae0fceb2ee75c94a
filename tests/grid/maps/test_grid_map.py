"""Reading a map: what it says about its cells, and one clear error for each way it can be malformed."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.grid.maps import parse_map

COMMONS = "#.SIA"
NEEDS = {"S": 2, "A": 1}
GOOD = """
#####
#SA.#
#.IS#
#####
"""


def test_cells_are_counted_row_by_row_from_the_north() -> None:
    grid_map = parse_map(GOOD, COMMONS, NEEDS)
    assert (grid_map.rows, grid_map.cols) == (4, 5)
    np.testing.assert_array_equal(grid_map.cells("S"), [6, 13])
    np.testing.assert_array_equal(grid_map.cells("AI"), [7, 12])
    assert grid_map.cells("S").dtype == np.int32
    assert grid_map.cells("1").shape == (0,)
    np.testing.assert_array_equal(np.flatnonzero(grid_map.mask("S.")), [6, 8, 11, 13])
    assert grid_map.mask("#").dtype == np.bool_
    assert grid_map.count("SI") == 3
    assert str(grid_map) == GOOD.strip()


def test_rows_and_lines_of_any_ending_make_the_same_map() -> None:
    maps = {parse_map(form, COMMONS) for form in (GOOD, GOOD.replace("\n", "\r\n"), GOOD.split(), tuple(GOOD.split()))}
    assert len(maps) == 1  # equal and equally hashed: a static configuration


def test_a_space_is_a_cell_and_a_requirement_may_be_met_by_several_symbols() -> None:
    assert parse_map(" S\nI ", "SI ", {"SI": 2}).count(" ") == 2


@given(st.lists(st.text(COMMONS, min_size=7, max_size=7), min_size=1, max_size=6))
def test_every_cell_is_found_under_its_symbol(rows: list[str]) -> None:
    grid_map = parse_map(rows, COMMONS)
    found = {int(cell): symbol for symbol in COMMONS for cell in grid_map.cells(symbol)}
    assert [found[cell] for cell in range(len(rows) * 7)] == list("".join(rows))


MALFORMED = {
    "nothing": ("", "map", "", "use at least one row of at least one symbol"),
    "only line ends": ("\n\n", "map", "\n\n", "use at least one row of at least one symbol"),
    "no rows": ([], "map", [], "use at least one row of at least one symbol"),
    "no text": (7, "map", 7, "use one text of lines, or a sequence of rows of text"),
    "rows of numbers": ([[0, 1]], "map", [[0, 1]], "use one text of lines, or a sequence of rows of text"),
    "short row": (
        "####\n#S#\n####",
        "map row 1",
        "#S#",
        "make all rows equally long: this one has 3 symbols, row 0 has 4",
    ),
    "long row": ("###\n###\n#SA.#", "map row 2", "#SA.#", "make all rows equally long: this one has 5 symbols"),
    "hole": ("###\n\n###", "map row 1", "", "make all rows equally long: this one has 0 symbols, row 0 has 3"),
    "unknown character": (
        "####\n#Sx#\n####",
        "map row 1, column 2",
        "x",
        "use one of '#' (wall), '.' (open floor), 'S' (spawn point), 'I' (inside spawn point), 'A' (apple site)",
    ),
    "symbol of another substrate": ("####\n#1S#\n####", "map row 1, column 1", "1", "use one of '#' (wall)"),
    "indented": ("  ###\n  #S#", "map row 0, column 0", " ", "use one of '#' (wall)"),
    "missing spawns": (
        "####\n#SA#\n####",
        "number of 'S' in map",
        1,
        "the map needs at least 2 cells of 'S' (spawn point)",
    ),
    "missing sites": (
        "####\n#SS#\n####",
        "number of 'A' in map",
        0,
        "the map needs at least 1 cells of 'A' (apple site)",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_map_gives_one_clear_error(case: str) -> None:
    text, field, value, remedy = MALFORMED[case]
    with pytest.raises(ConfigurationError, match=re.escape(remedy)) as raised:
        parse_map(text, COMMONS, NEEDS)  # type: ignore[arg-type]
    assert raised.value.field == field
    assert raised.value.value == value
    assert "\n" not in str(raised.value)
