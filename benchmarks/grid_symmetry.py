"""The same step with its players in another order: everything that has players is permuted, and nothing else may be."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.grid_step import Step
from jaxworld.core.pytree import replace
from jaxworld.grid.draws import order_of_play

WORLD_DRAWS = ("sites", "end")
"""Random words that belong to no player."""
BY_PLAYER = ("colours", "mismatched", "inventory", "ready", "capped", "countdown", "pair", "as_row")
"""Own things of the substrates that have a leading axis of players."""


def breaks_symmetry(step: Step, words: jax.Array) -> dict[str, jax.Array]:
    """``bool[]``: whether the step, done once more with its players in a random order, gives anything else.

    Args:
        step: the step.
        words: ``uint32[A]``, which order.
    """
    world = step.world
    order = random_order(step, words)
    before, draws = permute_state(step.before, order), _permute_draws(step, order)
    made, reward, events = world.advance(before, step.action[order], draws, step.params)
    expected = (permute_state(step.made, order), step.reward[order], _permute_events(step.events, order))
    differs = jax.tree.map(lambda one, other: (one != other).any(), expected, (made, reward, events))
    return {"permuting players permutes what happens": jnp.stack(jax.tree.leaves(differs)).any()}


def random_order(step: Step, words: jax.Array) -> jax.Array:
    """``int32[A]``: which player takes each place.

    Players with a role of their own change places with their like only, and those who may come back in one step keep
    their order: who comes back first is who is counted first.
    """
    players = np.arange(words.shape[0], dtype=np.int32)
    roles = getattr(step.world.config, "row_players", ())
    if roles:
        assert roles == tuple(sorted(roles, reverse=True)), "row players come first"
        words = (words >> 1) | jnp.where(np.array(roles), np.uint32(0), np.uint32(2**31))
    order = order_of_play(words)
    due = together(step)
    place = jnp.cumsum(due[order], dtype=jnp.int32)
    number = jnp.cumsum(due, dtype=jnp.int32)
    in_turn = due[None, :] & (number[None, :] == place[:, None])
    return jnp.where(due[order], jnp.where(in_turn, players[None, :], 0).sum(axis=1, dtype=jnp.int32), order)


def together(step: Step) -> jax.Array:
    """``bool[A]``: whose absence is over as the step begins."""
    return step.before.avatars.absence > step.delay


def permute_state(state: Any, order: jax.Array) -> Any:
    """The same world with player ``order[k]`` in place k."""
    own = replace(
        state.own, **{name: getattr(state.own, name)[order] for name in BY_PLAYER if hasattr(state.own, name)}
    )
    if hasattr(own, "coins"):
        whose = jnp.concatenate([jnp.zeros(1, jnp.int32), _places(order) + 1])
        own = replace(own, coins=whose[own.coins.astype(jnp.int32)].astype(jnp.uint8))
    avatars = jax.tree.map(lambda leaf: leaf[order], state.avatars)
    return replace(state, avatars=avatars, own=own, lit=state.lit[:, order])


def _permute_draws(step: Step, order: jax.Array) -> dict[str, jax.Array]:
    made = {name: words if name in WORLD_DRAWS else words[order] for name, words in step.draws.items()}
    if hasattr(step.before.own, "coins"):  # the lowest bit says whose coin it is
        made["sites"] = made["sites"] ^ (order[0] == 1).astype(jnp.uint32)
    return made


def _permute_events(events: dict[str, jax.Array], order: jax.Array) -> dict[str, jax.Array]:
    made = {name: value[order] for name, value in events.items()}
    if "zapped" in made:
        made["zapped"] = made["zapped"][:, order]
    if "partner" in made:
        who = made["partner"]
        made["partner"] = jnp.where(who >= 0, _places(order)[jnp.maximum(who, 0)], who)
    return made


def _places(order: jax.Array) -> jax.Array:
    """``int32[A]``: the place of each player."""
    players = np.arange(order.shape[0], dtype=np.int32)
    return jnp.where(order[None, :] == players[:, None], players[None, :], 0).sum(axis=1, dtype=jnp.int32)
