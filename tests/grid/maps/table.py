"""Sizes and object counts of the original variants (Melting Pot 2.4.1): our layouts and the imported maps have them."""

from typing import NamedTuple


class Facts(NamedTuple):
    """Size, and how many cells hold a symbol; what is not listed is open floor."""

    rows: int
    cols: int
    walkable: int
    counts: dict[str, int]


FACTS = {
    "commons_harvest_open": Facts(18, 24, 352, {"#": 80, "S": 60, "I": 2, "A": 64}),
    "commons_harvest_closed": Facts(18, 24, 284, {"#": 148, "S": 60, "I": 2, "A": 64}),
    "commons_harvest_partnership": Facts(18, 24, 298, {"#": 134, "S": 60, "I": 2, "A": 64}),
    "matrix_arena_two": Facts(24, 25, 480, {"#": 120, "S": 64, "1": 13, "2": 13, "?": 10}),
    "matrix_arena_stag_hunt": Facts(24, 25, 480, {"#": 120, "S": 88, "1": 23, "2": 40, "?": 12}),
    "matrix_arena_three": Facts(24, 25, 480, {"#": 120, "S": 64, "1": 12, "2": 12, "3": 12, "?": 8}),
    "matrix_repeated_two": Facts(15, 23, 230, {"#": 115, "S": 13, "1": 12, "2": 12, "?": 12}),
    "matrix_repeated_stag_hunt": Facts(15, 23, 231, {"#": 114, "S": 13, "1": 10, "2": 25, "?": 12}),
    "matrix_repeated_three": Facts(15, 23, 236, {"#": 109, "S": 13, "1": 6, "2": 6, "3": 6, "?": 15}),
    "matrix_one_shot": Facts(15, 23, 273, {"#": 72, "S": 15, "1": 6, "2": 6, "3": 6, "?": 18}),
}
SYMBOLS = "#.SIA123?"


def check_facts(rows: list[str], facts: Facts) -> None:
    assert len(rows) == facts.rows
    assert {len(row) for row in rows} == {facts.cols}
    text = "".join(rows)
    floor = facts.rows * facts.cols - sum(facts.counts.values())
    expected = {symbol: facts.counts.get(symbol, 0) for symbol in SYMBOLS} | {".": floor}
    assert {symbol: text.count(symbol) for symbol in SYMBOLS} == expected
    assert len(text) - text.count("#") == facts.walkable
