"""Players who draw their actions from tables over the states of a graph, so that play is as exact as its solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import key_words
from jaxworld.markov import chance as chances
from jaxworld.markov.bits import pack
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.shield.nodes import NodeIndex, find_node, make_index
from jaxworld.markov.solve.rows import check_policy


@pytree_dataclass
class TablePolicy:
    """Every player draws from a row of its own table, with bits of its own. Implements ``jaxworld.core.Policy``.

    In a state that the graph does not have, what is played means nothing.

    Attributes:
        index: finds the node of a public state.
        below: ``uint32[A, S, K - 1, 2]``, thresholds of each player's K actions, see ``chance.Choice``.
    """

    index: NodeIndex
    below: jax.Array

    def init(self, key: jax.Array, params: Any) -> tuple[()]:
        """Nothing is remembered."""
        del key, params
        return ()

    def act(self, key: jax.Array, carry: tuple[()], observation: jax.Array) -> tuple[jax.Array, tuple[()]]:
        """``int32[A]`` for the public bits everybody sees, ``bool[A, B]``."""
        node, _ = find_node(self.index, pack(observation[0]))
        players = self.below.shape[0]
        factors = tuple(chances.Choice(below=self.below[player, node]) for player in range(players))
        return jnp.stack(chances.pick(factors, *chances.draw_bits(key_words(key), range(players)))), carry


def make_table_policy(graph: Graph, policies: Sequence[np.ndarray]) -> TablePolicy:
    """A policy from each player's probabilities.

    Args:
        graph: of the game that will be played.
        policies: ``float64[S, A_i]`` of each player i.

    Raises:
        ConfigurationError: for another number of players, or a table of another shape.
    """
    fits = len(policies) == graph.num_players
    require(fits, "policies", f"{len(policies)} tables", f"give one for each of {graph.num_players} players")
    tables = np.zeros((graph.num_players, graph.num_states, max(graph.num_actions)))
    for player, policy in enumerate(policies):
        count = graph.num_actions[player]
        tables[player, :, :count] = check_policy(f"policies[{player}]", policy, (graph.num_states, count))
    below = chances.distribution_thresholds(tables)
    return TablePolicy(index=jax.tree.map(jnp.asarray, make_index(graph)), below=jnp.asarray(below))
