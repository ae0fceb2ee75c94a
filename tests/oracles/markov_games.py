"""The laws of the games in plain Python, one branch after another, written from the rules and not from the kernels.

A law maps a state (nested tuples) and a joint action to ``{next state: probability}`` and ``{next state: rewards}``.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator

MOVES = [(0, -1), (0, 1), (-1, 0), (1, 0), (0, 0)]
STAY = 4


def moved(cell: int, action: int, height: int, width: int, walls=()) -> int:
    row, column = divmod(cell, width)
    row, column = row + MOVES[action][0], column + MOVES[action][1]
    inside = 0 <= row < height and 0 <= column < width
    return row * width + column if inside and row * width + column not in walls else cell


def gathered(branches: Iterator) -> tuple[dict, dict]:
    law, rewards = defaultdict(float), {}
    for probability, state, reward in branches:
        if probability > 0:
            law[state] += probability
            assert rewards.setdefault(state, reward) == reward
    return dict(law), rewards


def pursuit(cells, actions, size, walls=(), slip=0.1, costs=(10.0, 10.0, 0.1)):
    """``cells``: evader first."""

    def branches():
        for kept in itertools.product((False, True), repeat=len(cells)):
            probability, target = 1.0, []
            for cell, action, goes in zip(cells, actions, kept, strict=True):
                wanted = moved(cell, action, size, size, walls)
                if wanted == cell:
                    probability *= 0.5  # both branches lead to the same place
                else:
                    probability *= 1 - slip if goes else slip
                target.append(wanted if goes else cell)
            for number in range(1, len(cells)):
                if cells[number] != cells[0] and target[0] == cells[number] and target[number] == cells[0]:
                    target[number] = cells[number]
            met = target[0] in target[1:]
            arrived = target[0] == size * size - 1
            gain = -costs[0] if met else costs[1] if arrived else -costs[2]
            yield probability, tuple(target), (gain, *[-gain] * (len(cells) - 1))

    return gathered(branches())


def ice_duel(cells, actions, size, slip=0.2, contest=0.5, slide=0.2):
    """Cells ``(row, column)`` from 0 to size + 1; the outermost are the ring."""

    def on_ring(place):
        return not (1 <= place[0] <= size and 1 <= place[1] <= size)

    def step(place, way):
        return place[0] + MOVES[way][0], place[1] + MOVES[way][1]

    def ways(action):
        if action == STAY:
            return [(1.0, STAY)]
        across = (2, 3) if action in (0, 1) else (0, 1)
        return [(1 - slip, action), (slip / 2, across[0]), (slip / 2, across[1])]

    def pushed(place, way, probability):
        first = step(place, way)
        if on_ring(first):
            return [(probability, first)]
        return [(probability * slide, step(first, way)), (probability * (1 - slide), first)]

    def realised(way, probability):
        target = [step(cells[0], way[0]), step(cells[1], way[1])]
        moves = [way[0] != STAY, way[1] != STAY]
        if all(moves) and target[0] == cells[1] and target[1] == cells[0]:
            for winner, share in ((0, contest), (1, 1 - contest)):
                for chance, end in pushed(cells[1 - winner], way[winner], probability * share):
                    yield chance, (target[0], end) if winner == 0 else (end, target[1])
        elif all(moves) and target[0] == target[1]:
            yield probability * contest, (target[0], cells[1])
            yield probability * (1 - contest), (cells[0], target[1])
        elif moves[0] and not moves[1] and target[0] == cells[1]:
            for chance, end in pushed(cells[1], way[0], probability):
                yield chance, (target[0], end)
        elif moves[1] and not moves[0] and target[1] == cells[0]:
            for chance, end in pushed(cells[0], way[1], probability):
                yield chance, (end, target[1])
        else:
            yield probability, (target[0], target[1])

    def branches():
        for (p0, way0), (p1, way1) in itertools.product(ways(actions[0]), ways(actions[1])):
            for probability, ends in realised((way0, way1), p0 * p1):
                fell = [float(on_ring(end)) for end in ends]
                yield probability, ends, (fell[1] - fell[0], fell[0] - fell[1])

    return gathered(branches())


def gathering(state, actions, height, width, sites, reach=2, removal=2, regrowth=0.1):
    """``state``: a triple ``(cell, facing, away)`` for each player (None where away), and the set of ripe sites."""
    players, ripe = state
    there = [player[2] == 0 for player in players]
    facing = [
        action if here and action < 4 else player[1]
        for player, action, here in zip(players, actions, there, strict=True)
    ]
    old = [player[0] for player in players]
    cells = [
        moved(cell, min(action, 4), height, width) if here else None
        for cell, action, here in zip(old, actions, there, strict=True)
    ]
    if all(there) and (cells[0] == cells[1] or (cells[0], cells[1]) == (old[1], old[0])):
        cells = list(old)
    hit = [False, False]
    for shooter in range(2):
        if all(there) and actions[shooter] == 5:
            row, column = divmod(cells[shooter], width)
            for distance in range(1, reach + 1):
                r, c = row + distance * MOVES[facing[shooter]][0], column + distance * MOVES[facing[shooter]][1]
                if 0 <= r < height and 0 <= c < width and r * width + c == cells[1 - shooter]:
                    hit[1 - shooter] = True
    rewards = tuple(1.0 if here and cell in ripe else 0.0 for cell, here in zip(cells, there, strict=True))
    left = frozenset(ripe) - {cell for cell, here in zip(cells, there, strict=True) if here}
    bare = [site for site in sites if site not in left and site not in cells]
    corners, looks = (0, height * width - 1), (1, 0)
    ends = []
    for number in range(2):
        if hit[number]:
            ends.append((None, None, removal))
        elif there[number]:
            ends.append((cells[number], facing[number], 0))
        elif players[number][2] > 1:
            ends.append((None, None, players[number][2] - 1))
        else:
            corner = corners[number] if cells[1 - number] != corners[number] else corners[1 - number]
            ends.append((corner, looks[number], 0))

    def branches():
        for grown in itertools.product((False, True), repeat=len(bare)):
            probability = 1.0
            for grows in grown:
                probability *= regrowth if grows else 1 - regrowth
            new = {site for site, grows in zip(bare, grown, strict=True) if grows}
            yield probability, (tuple(ends), left | new), rewards

    return gathered(branches())


def stag_hunt(state, actions, height, width, num_plants=2, min_hunters=2, move=0.2):
    """``state``: cells of the players, set of plants, cell of the stag."""
    cells, plants, stag = state
    cells = tuple(moved(cell, action, height, width) for cell, action in zip(cells, actions, strict=True))
    reward = [2.0 if cell in plants else 0.0 for cell in cells]
    left = plants - set(cells)
    hunters = [number for number, cell in enumerate(cells) if cell == stag]
    hunted = len(hunters) >= min_hunters
    for number in hunters:
        reward[number] += 10.0 if hunted else -2.0

    def chased():
        rows = [(cell // width - stag // width, cell % width - stag % width) for cell in cells]
        distance = [abs(row) + abs(column) for row, column in rows]
        row, column = rows[distance.index(min(distance))]
        row, column = (row > 0) - (row < 0), (column > 0) - (column < 0)
        steps = [(0.5, row, 0), (0.5, 0, column)] if row and column else [(1.0, row, column)]
        for share, down, right in steps:
            target = stag + down * width + right
            yield share, stag if target in left or target in cells else target

    def branches():
        if hunters and not hunted:
            yield 1.0, (cells, left, stag), tuple(reward)
            return
        stays = [(1.0, None)] if hunted else [(1.0, stag)] if hunters else [(1 - move, stag)]
        if not hunters:
            stays += [(move * share, end) for share, end in chased()]
        for probability, place in stays:
            free = [cell for cell in range(height * width) if cell not in cells and cell not in left and cell != place]
            lost = num_plants - len(left)
            orders = list(itertools.permutations(free, lost + (place is None)))
            for order in orders:
                end = place if place is not None else order[-1]
                yield probability / len(orders), (cells, left | set(order[:lost]), end), tuple(reward)

    return gathered(branches())
