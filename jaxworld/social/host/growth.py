"""Room for a tick's turns: buffers grow before they would overflow, and results do not depend on their sizes."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import replace
from jaxworld.social.config import SocialConfig
from jaxworld.social.host.turns import EnteredTurns, follows_per_persona
from jaxworld.social.hot_score import vote_table
from jaxworld.social.params import SocialParams
from jaxworld.social.state import SocialState


def grown(
    config: SocialConfig, params: SocialParams, state: SocialState, entered: EnteredTurns
) -> tuple[SocialConfig, SocialParams, SocialState]:
    """Configuration, parameters and state in which all turns fit; the same ones where they fit already."""
    published = len(entered.authored)
    follows, of_one = follows_per_persona(entered)
    held = int((np.asarray(state.followees) >= 0).sum(axis=1).max()) if follows else 0
    sizes: dict[str, Any] = {
        "stimulus_capacity": _doubled(config.stimulus_capacity, int(state.num_stimuli) + published),
        "max_publications": _doubled(config.max_publications, published),
        "max_follows": _doubled(config.max_follows, follows),
        "max_followees": _doubled(config.max_followees, held + of_one),
    }
    if config.text_capacity:
        sizes["text_capacity"] = sizes["stimulus_capacity"]
    params = _with_votes(params, state, len(entered.turns))
    if all(getattr(config, name) == size for name, size in sizes.items()):
        return config, params, state
    wider = dataclasses.replace(config, **sizes)
    return wider, params, _padded(wider, state)


def _doubled(size: int, needed: int) -> int:
    while size < needed:
        size *= 2
    return size


def _with_votes(params: SocialParams, state: SocialState, num_turns: int) -> SocialParams:
    """A longer vote table, if this tick's votes could reach beyond it."""
    most = int(np.asarray(state.counts).max(initial=0)) + num_turns
    size = int(params.vote_table.shape[0]) - 1
    if most < size:
        return params
    return replace(params, vote_table=jnp.asarray(vote_table(_doubled(size, most + 1))))


def _padded(config: SocialConfig, state: SocialState) -> SocialState:
    def longer(values: Any, size: int, fill: int, axis: int = 0) -> jax.Array:
        widths = [(0, 0)] * values.ndim
        widths[axis] = (0, size - values.shape[axis])
        return jnp.asarray(np.pad(np.asarray(values), widths, constant_values=fill))

    size = config.stimulus_capacity
    return replace(
        state,
        stimuli=jax.tree.map(lambda column: longer(column, size, -1), state.stimuli),
        counts=longer(state.counts, size, 0),
        followees=longer(state.followees, config.max_followees, -1, axis=1),
    )
