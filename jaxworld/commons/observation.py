"""What the players of a commons may observe, and how it reaches them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.params import CommonsParams
from jaxworld.commons.state import CommonsObservation, CommonsState
from jaxworld.core.pytree import replace
from jaxworld.core.spaces import Boolean, Box, Composite
from jaxworld.observe.variable import Variable

STOCK, RATIO, REGROWTH, PLAYERS = "commonsStock", "commonsRatio", "regenRate", "nPlayers"
WEALTH, HARVEST, CAPITAL, POLLUTION = "othersWealth", "othersHarvest", "capitalStock", "pollutionLevel"


def commons_variables(num_players: int, *, capacity: float, harvest_cap: float, seneca: bool) -> tuple[Variable, ...]:
    """Everything a configuration of observation may name.

    Args:
        num_players: N.
        capacity: K, the upper bound of the stock.
        harvest_cap: most a player can get in a turn, in units of the resource.
        seneca: whether there are capital and pollution.
    """
    needs = "" if seneca else "build the commons with seneca=True"
    return (
        Variable(STOCK, "scalar", 0.0, capacity, True, "the stock at the start of the turn"),
        Variable(RATIO, "scalar", 0.0, 1.0, True, "the stock as a share of capacity"),
        Variable(REGROWTH, "scalar", 0.0, 1.0, False, "the rate at which a small stock grows in a turn"),
        Variable(PLAYERS, "scalar", 0.0, float(num_players), True, "how many players are still in the game"),
        Variable(WEALTH, "pair", None, None, True, "what every other player owns"),
        Variable(HARVEST, "pair", 0.0, harvest_cap, True, "what every other player harvested in the turn before"),
        Variable(CAPITAL, "scalar", 0.0, None, False, "capital, which speeds up harvests", needs),
        Variable(POLLUTION, "scalar", 0.0, None, False, "pollution, which slows regrowth", needs),
    )


def true_values(state: CommonsState, params: CommonsParams) -> dict[str, jax.Array]:
    """The variables as they are: ``float32[]`` each, ``float32[N]`` for those about players."""
    values: dict[str, Any] = {
        STOCK: state.stock,
        RATIO: state.stock * (np.float32(1) / params.capacity),
        REGROWTH: params.regrowth,
        PLAYERS: state.active.sum(dtype=jnp.int32).astype(jnp.float32),
        WEALTH: state.wealth,
        HARVEST: state.last_harvest,
    }
    if state.capital is not None:
        values |= {CAPITAL: state.capital, POLLUTION: state.pollution}
    return values


def deliver(
    key: jax.Array, config: CommonsConfig, state: CommonsState, params: CommonsParams
) -> tuple[CommonsState, CommonsObservation]:
    """What everybody sees at the start of a turn, and the state with what the pipeline remembers of it."""
    looking = state.active & state.alive
    delivered, memory = config.pipeline.apply(
        params.observe,
        state.memory,
        true_values(state, params),
        key=key,
        active=looking,
        identity=params.seat.astype(jnp.uint32),
        tick=state.turn,
    )
    governance = None
    if state.governance is not None:
        from jaxworld.commons.governance import layer

        governance = layer.observe(state.governance, params.governance)
    observation = CommonsObservation(
        turn=state.turn,
        active=state.active,
        delivered=delivered,
        wealth=state.wealth,
        last_harvest=state.last_harvest,
        governance=governance,
    )
    return replace(state, memory=memory), observation


def observation_space(config: CommonsConfig, params: CommonsParams) -> Composite:
    """Space of ``CommonsObservation``."""
    size = config.num_players
    governance = None
    if config.governance is not None:
        from jaxworld.commons.governance import layer

        governance = layer.view_space(config.governance)
    spaces = {
        "turn": Box(0, 2**31 - 1, (), np.int32, unit="turn"),
        "active": Boolean((size,)),
        "delivered": config.pipeline.observation_space(params.observe),
        "wealth": Box(-np.inf, np.inf, (size,), np.float32, unit="resource"),
        "last_harvest": Box(0.0, np.inf, (size,), np.float32, unit="resource"),
        "governance": governance,
    }
    return Composite(CommonsObservation, spaces)
