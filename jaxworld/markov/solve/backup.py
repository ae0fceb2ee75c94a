"""What a sweep asks of a law: expected values of successors, state by state, choice by choice, reply by reply."""

from __future__ import annotations

import abc
import math
from collections.abc import Iterator
from typing import Protocol, Self

import numpy as np


class Chain(Protocol):
    """What is left of a law when choices and replies are fixed: one row for each of some states."""

    def __matmul__(self, values: np.ndarray, /) -> np.ndarray:
        """``float64[n]``: expectation of ``values float64[S]`` at the successor."""


class Backup(abc.ABC):
    """The law of some states as one player sees it; in which form it is held is the concern of those who are one.

    Attributes:
        states: ``int64[L]``, the states that have rows.
        num_choices, num_replies: what the player can choose, and what can be replied.
    """

    states: np.ndarray
    num_choices: int
    num_replies: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """States, choices, replies."""
        return len(self.states), self.num_choices, self.num_replies

    @property
    def blocks(self) -> list[slice]:
        """The places among ``states`` of each block of :meth:`expected`, at least one."""
        return [slice(0, len(self.states))]

    @abc.abstractmethod
    def expected(self, values: np.ndarray, *, up: bool = False) -> Iterator[np.ndarray]:
        """Block after block of states ``float64[B, choices, replies]``: expectation of ``values float64[S]``.

        Args:
            values: of each state.
            up: never below the true expectation, and exact where all successors have the same value.
        """

    @abc.abstractmethod
    def mix_replies(self, policy: np.ndarray) -> Self:
        """The same when replies are drawn: ``policy float64[S, replies]`` leaves one reply."""

    @abc.abstractmethod
    def pick(self, lanes: np.ndarray, choice: np.ndarray, reply: np.ndarray) -> Chain:
        """The rows of ``states[lanes]`` under a choice and a reply each, ``int64[n]``."""

    def expect(self, values: np.ndarray) -> np.ndarray:
        """``float64[L, choices, replies]``: expectation of ``values float64[S]`` at the successor."""
        return _whole(self.expected(values))

    def expect_up(self, values: np.ndarray) -> np.ndarray:
        """As :meth:`expect`, never below the true expectation."""
        return _whole(self.expected(values, up=True))


def _whole(blocks: Iterator[np.ndarray]) -> np.ndarray:
    made = list(blocks)
    return made[0] if len(made) == 1 else np.concatenate(made)


def split_actions(num_actions: tuple[int, ...], player: int) -> np.ndarray:
    """``int64[A_own, A_others]``: the joint action of an own action and what the others do.

    The others' actions are numbered like joint actions, with this player left out.
    """
    return split_joint(np.arange(math.prod(num_actions), dtype=np.int64)[None, :], num_actions, player)[0]


def split_joint(values: np.ndarray, num_actions: tuple[int, ...], player: int) -> np.ndarray:
    """``[n, A]``, an entry for each joint action, as ``[n, A_own, A_others]``."""
    moved = np.moveaxis(values.reshape(-1, *num_actions), player + 1, 1)
    return moved.reshape(len(moved), num_actions[player], -1)
