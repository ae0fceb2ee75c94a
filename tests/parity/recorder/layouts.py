"""Layouts of ours on which the original runs, in the legend of jaxworld.grid.maps."""

CROSSING = """\
#########
#...S...#
#...S...#
#...S...#
#.......#
#.....SS#
#.IIS..A#
#########"""
"""Seven players; no spawn point beside row 4, where they meet."""
CENTRE = 4 * 9 + 4
"""The cell of the crossing where players meet; none stands there or beside it unless put there."""
CONFLICTS = {
    "two": ((-1, 1, 0), (1, 3, 0)),
    "three": ((-1, 1, 0), (1, 3, 0), (9, 0, 0)),
    "follower": ((0, 1, 1), (-1, 1, 0)),
}
"""By name, for every player: where it stands, the way it faces, and where it wants to go, both from the centre."""
HOME = """\
############
#SSS..SSS..#
#SSS..SSS..#
#II...AAA..#
############"""
ORCHARD = """\
###############
#S..A#AA.I..AS#
#..AAA#AA.#AAA#
#S.#A...A..#AA#
#..AAA.#AAA..S#
#I#.A..#.A..S.#
#S..S.....S..S#
###############"""
ARENA_2 = """\
###############
#S.1?2..1.2..S#
#.#.12.#.?21..#
#S..?1...12#.S#
#.2#..S.S..?1.#
#S.1?.#.2.#1.S#
#...2.1..?...2#
#S....S..S...S#
###############"""
MEADOW_2 = """\
###########
#S.1?2..S.#
#.#.12.#..#
#..?..1.2.#
#.2#..?.#S#
#S.1..2...#
###########"""
MEADOW_3 = """\
###########
#S.1?2..S.#
#.#.13.#3.#
#..?..1.2.#
#.2#3.?.#S#
#S.1..2.3.#
###########"""


def coins_layout(width, height, size=15):
    """The layout of Coins with an interior of this size, padded as for one of `size` x `size`."""
    inside = [["."] * width for _ in range(height)]
    inside[1][width - 2] = inside[height - 2][1] = "S"
    rows = ["#" * (width + 2), *(f"#{''.join(row)}#" for row in inside), "#" * (width + 2)]
    rows = [row.ljust(size + 2) for row in rows]
    return "\n".join(rows + [" " * (size + 2)] * (size - height))
