"""Commons Harvest step by step and cell by cell, in plain Python, from the published rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

STEPS = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}
BEARING = {1: 0, 2: 2, 3: 3, 4: 1}
Cell = tuple[int, int]


@dataclasses.dataclass
class Player:
    """A player: cell, facing (0 to 3 clockwise from north), observations missed so far, steps until it may fire."""

    cell: Cell
    facing: int
    absence: int = 0
    cooldown: int = 0


@dataclasses.dataclass
class Apple:
    """An apple: there or not, the number of neighbours it has counted (None before it has), the look of the ground."""

    live: bool = True
    counted: int | None = None
    bare: bool = False


@dataclasses.dataclass
class Harvest:
    """The board and its numbers; ``play`` is one step."""

    walls: set[Cell]
    size: tuple[int, int]
    outer: list[Cell]
    players: list[Player]
    apples: dict[Cell, Apple]
    length: int
    radius: int
    cooldown: int
    delay: int

    def standing(self) -> dict[Cell, int]:
        return {player.cell: index for index, player in enumerate(self.players) if player.absence == 0}

    def play(
        self,
        actions: Sequence[int],
        move_order: Sequence[int],
        sprouting: set[tuple[Cell, int]],
        returns: Sequence[float],
        turns: Sequence[int],
    ) -> tuple[list[float], set[Cell], list[set[int]]]:
        """One step.

        Args:
            actions: of each player.
            move_order: players in the order in which they move.
            sprouting: cells of apples that would sprout, with each number of counted neighbours they would do so for.
            returns: for each player a number in [0, 1) that picks a free outer point.
            turns: for each player the way it would face on return.

        Returns:
            Rewards, cells in which a beam is seen, and for each player whom its beam hit.
        """
        counted = {cell: self._neighbours(cell) for cell, apple in self.apples.items() if not apple.live}
        self._move(actions, move_order)
        seen, hits = self._shoot(actions)
        self._return(returns, turns)
        before = {cell for cell, apple in self.apples.items() if apple.live}
        sprouts = {cell for cell in counted if (cell, self.apples[cell].counted) in sprouting}
        rewards = [0.0] * len(self.players)
        eaten = set()
        for cell, index in self.standing().items():
            if cell in before | sprouts:
                rewards[index] += 1.0
                eaten.add(cell)
        for cell, apple in self.apples.items():
            waits = cell in counted and cell not in sprouts
            apple.live = cell in (before | sprouts) - eaten
            apple.counted = counted[cell] if waits else None
            if cell in counted:
                apple.bare = counted[cell] == 0
        for victim in set().union(*hits):
            self.players[victim].absence = 1
        return rewards, seen, hits

    def _neighbours(self, cell: Cell) -> int:
        near = [
            other
            for other, apple in self.apples.items()
            if apple.live and other != cell and (other[0] - cell[0]) ** 2 + (other[1] - cell[1]) ** 2 <= 4
        ]
        return min(len(near), 3)

    def _inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.size[0] and 0 <= cell[1] < self.size[1]

    def _move(self, actions: Sequence[int], order: Sequence[int]) -> None:
        for index in order:
            player, action = self.players[index], actions[index]
            if player.absence:
                continue
            if action in (5, 6):
                player.facing = (player.facing + (1 if action == 6 else -1)) % 4
            elif action in BEARING:
                step = STEPS[(player.facing + BEARING[action]) % 4]
                goal = (player.cell[0] + step[0], player.cell[1] + step[1])
                if self._inside(goal) and goal not in self.walls and goal not in self.standing():
                    player.cell = goal

    def _shoot(self, actions: Sequence[int]) -> tuple[set[Cell], list[set[int]]]:
        seen: set[Cell] = set()
        hits: list[set[int]] = [set() for _ in self.players]
        for index, player in enumerate(self.players):
            if player.absence:
                continue
            if player.cooldown:
                player.cooldown -= 1
            elif actions[index] == 7:
                player.cooldown = self.cooldown
                self._fire(player, seen, hits[index])
        return seen, hits

    def _fire(self, player: Player, seen: set[Cell], hits: set[int]) -> None:
        ahead = STEPS[player.facing]
        for side in (3, 1):
            beside = STEPS[(player.facing + side) % 4]
            for lane in range(1, self.radius + 1):
                start = (player.cell[0] + lane * beside[0], player.cell[1] + lane * beside[1])
                if self._ray(start, ahead, self.length - lane + 1, seen, hits):
                    break
        self._ray((player.cell[0] + ahead[0], player.cell[1] + ahead[1]), ahead, self.length, seen, hits)

    def _ray(self, cell: Cell, ahead: Cell, length: int, seen: set[Cell], hits: set[int]) -> bool:
        """Whether the very first cell stopped it."""
        for place in range(length):
            there = self.standing().get(cell)
            if there is not None:
                hits.add(there)
            if there is not None or cell in self.walls or not self._inside(cell):
                return place == 0
            seen.add(cell)
            cell = (cell[0] + ahead[0], cell[1] + ahead[1])
        return False

    def _return(self, returns: Sequence[float], turns: Sequence[int]) -> None:
        for index, player in enumerate(self.players):
            if not player.absence:
                continue
            free = [cell for cell in self.outer if cell not in self.standing()]
            if player.absence > self.delay and free:
                player.cell = free[int(returns[index] * len(free))]
                player.facing, player.absence = turns[index], 0
            else:
                player.absence += 1
