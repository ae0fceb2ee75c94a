"""What a sweep does in a family's world when it is told neither who acts nor what to measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxworld.commons import CommonsFigures, CommonsWorld, default_roster, make_roster
from jaxworld.core.policy import Policy, RandomPolicy
from jaxworld.core.rollout import Reducer
from jaxworld.core.world import World
from jaxworld.social import SocialWorld, make_policy
from jaxworld.social.config import SocialConfig
from jaxworld.social.vocabulary import ATTENTION_UNIT, SENTIMENT_UNIT, SHARE_UNIT, TIE_UNIT
from jaxworld.study.sweep.columns import MOST_ENTRIES
from jaxworld.study.sweep.exposure import ExposureFigures
from jaxworld.study.sweep.reducers import AgentReturns

Ranges = Mapping[str, tuple[float, float]]


def default_policy(world: World, params: Any) -> Policy:
    """Rule-based personas in a social world, a mix of built-in agents in a commons, uniform actions elsewhere."""
    if isinstance(world, CommonsWorld):
        return make_roster(world, default_roster(world.num_agents))
    if isinstance(world, SocialWorld):
        return make_policy(world.config, params)
    return RandomPolicy(world, params)


def default_reducer(world: World) -> Reducer:
    """Concentration of exposure in a social world with a feed or the like, use of a commons, else agents' returns."""
    if isinstance(world, CommonsWorld) and world.num_agents <= MOST_ENTRIES:
        return CommonsFigures()
    if isinstance(world, SocialWorld) and world.config.channels:
        return ExposureFigures(config=world.config)
    return AgentReturns()


def parameter_ranges(world: World) -> Ranges:
    """Lowest and highest value of parameters, by the name of the leaf; any value where there is no entry.

    A world of any family may have a method ``parameter_ranges()`` that says so itself.
    """
    own = getattr(world, "parameter_ranges", None)
    if own is not None:
        return own()
    return _social_ranges(world.config) if isinstance(world, SocialWorld) else {}


def _social_ranges(config: SocialConfig) -> Ranges:
    share = (-SHARE_UNIT, SHARE_UNIT)
    return {
        "budget": (1, config.max_budget),
        "window": (1, config.max_window),
        "peers_told": (0, config.max_peers_told),
        "launch_count": (0, config.num_personas),
        "survey_every": (1, 2**30),
        "horizon": (1, 2**30),
        "activation_rate": (0, 1),
        "epsilon": (0, 1),
        "last_slot_attention": (0, ATTENTION_UNIT),
        "attention_floor": (0, ATTENTION_UNIT),
        "sentiment_threshold": (0, SENTIMENT_UNIT),
        "tie_threshold": (0, TIE_UNIT),
        "rhythm": (0, float("inf")),
        "interventions.activation": share,
        "interventions.reach": share,
        "interventions.attention": share,
    }
