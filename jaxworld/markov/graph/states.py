"""What graphs of every form say about their states and actions."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.markov.bits import pack_host, unpack_host
from jaxworld.markov.graph.keys import KeyTable


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class States:
    """Numbered states S, joint actions J and players A.

    States are numbered by the step in which they are first reached, and within one by their words.

    Attributes:
        name: the game's name.
        config: its static configuration, JSON values.
        num_actions: actions of each player; player 0 moves slowest in the number of a joint action.
        num_bits: public bits of a state.
        state_words: ``uint32[S, W]``, the public bits packed; bit b is bit ``b % 32`` of word ``b // 32``.
        reward: ``[S, J, A]``, expected reward of the transition: float64, or float32 where that is exact in a graph in
            stages.
        labels: ``bool[S]`` by name.
        terminal: ``bool[S]``; a terminal state has one edge a row, to itself, without reward.
        initial: ``float64[S]``, chance to start there.
        level: ``int32[S]``, steps in which it can first be reached.
        reward_varies: whether some transition's reward depends on its outcome, so that ``reward`` is a mean.
    """

    name: str
    config: dict[str, Any]
    num_actions: tuple[int, ...]
    num_bits: int
    state_words: np.ndarray
    reward: np.ndarray
    labels: dict[str, np.ndarray]
    terminal: np.ndarray
    initial: np.ndarray
    level: np.ndarray
    reward_varies: bool

    @property
    def num_states(self) -> int:
        """S."""
        return int(self.state_words.shape[0])

    @property
    def num_players(self) -> int:
        """A."""
        return len(self.num_actions)

    @property
    def num_joint_actions(self) -> int:
        """J."""
        return math.prod(self.num_actions)

    @property
    def num_terminals(self) -> int:
        """Number of terminal states."""
        return int(self.terminal.sum())

    def actions_of(self, joint: Any) -> np.ndarray:
        """``int32[..., A]``: each player's action in joint actions ``int[...]``."""
        return np.stack(np.unravel_index(np.asarray(joint), self.num_actions), axis=-1).astype(np.int32)

    def joint_of(self, actions: Any) -> np.ndarray:
        """``int32[...]``: number of the joint action of ``actions int[..., A]``."""
        parts = np.moveaxis(np.asarray(actions), -1, 0)
        return np.asarray(np.ravel_multi_index(tuple(parts), self.num_actions)).astype(np.int32)

    def reward_of(self, player: int) -> np.ndarray:
        """``float64[S, J]``: a player's expected reward of each row."""
        return np.asarray(self.reward[:, :, player], np.float64)

    def bits(self) -> np.ndarray:
        """``bool[S, B]``: the public bits of every state."""
        return unpack_host(self.state_words, self.num_bits)

    def find(self, bits: Any) -> np.ndarray:
        """``int32[...]``: the states with public bits ``bool[..., B]``, -1 for one that is not in the graph."""
        words = pack_host(np.asarray(bits, bool))
        flat = words.reshape(-1, words.shape[-1])
        require(
            flat.shape[1] == self.state_words.shape[1], "bits", np.shape(bits), f"give {self.num_bits} bits a state"
        )
        return self._table.find(flat).reshape(words.shape[:-1]).astype(np.int32)

    @functools.cached_property
    def _table(self) -> KeyTable:
        table = KeyTable(self.state_words.shape[1])
        table.add(self.state_words)
        return table

    def state_facts(self) -> dict[str, Any]:
        """What the graph is and how many states it has, as JSON values."""
        return {
            "game": self.name,
            "config": self.config,
            "players": self.num_players,
            "num_actions": list(self.num_actions),
            "bits": self.num_bits,
            "joint_actions": self.num_joint_actions,
            "states": self.num_states,
            "terminals": self.num_terminals,
            "rows": self.num_states * self.num_joint_actions,
            "levels": int(self.level.max()) + 1,
            "labels": {name: int(held.sum()) for name, held in self.labels.items()},
            "reward_varies": self.reward_varies,
        }
