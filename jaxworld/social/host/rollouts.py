"""Records of a run on arrays: what a compiled rollout showed, in the words of the port."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.policy import Policy
from jaxworld.core.rollout import Trajectory, rollout_chunk, rollout_start
from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import check_turns
from jaxworld.social.host.publishing import Authored, publish_authored, publish_study
from jaxworld.social.host.world import SocialWorld
from jaxworld.social.publication import publication_order
from jaxworld.social.records.arrays import collect
from jaxworld.social.records.convert import to_records
from jaxworld.social.records.delta import WorldDelta
from jaxworld.social.records.kinds import ACTION_WORD, ActionKind
from jaxworld.social.records.stimulus import Stimulus
from jaxworld.social.state import SocialInfo, SocialObservation, TurnBatch

Writer = Callable[[str, ActionKind, Stimulus], str]
"""The text of a landed turn from its persona, its action and its subject."""


@functools.partial(jax.jit, static_argnums=0)
def _order(config: SocialConfig, turns: TurnBatch, num_stimuli: Any) -> tuple[jax.Array, jax.Array, jax.Array]:
    return publication_order(config, check_turns(config, turns, num_stimuli))


def drive_arrays(
    world: SocialWorld, policy: Policy, write: Writer, *, ticks_per_call: int = 32
) -> Iterator[WorldDelta]:
    """Run a world on arrays to its horizon, with a policy on arrays; the deltas are those of the port.

    Args:
        world: not yet reset; its header, population and configuration are used.
        policy: acts for all personas inside the compiled loop.
        write: makes the texts, which arrays do not hold.
        ticks_per_call: ticks of one compiled call; bounds what is held at once, and has no other effect.

    Raises:
        ConfigurationError: if the world ranks by vectors of texts, which only the port makes.
        CapacityError: if a buffer of the kernel was too small, which the port would have made larger.
    """
    require(world.last_tick is None and not world.ledger.stimuli, "world", world.last_tick, "use one not yet reset")
    world.build()
    kernel, params, key, reducer = world.kernel, world.params, world.key, Trajectory()
    require(not kernel.config.text_capacity, "feed_recsys_mode", kernel.config.feed_recommender, "needs the port")
    carry = rollout_start(kernel, policy, key, params, reducer)
    publish_study(world.header, world.ledger)
    yield _delta(world, carry.timestep.observation, carry.timestep.info)
    tick, horizon = 1, world.header.scenario.horizon_ticks
    while tick < horizon:
        num = min(ticks_per_call, horizon - tick)
        carry, steps = rollout_chunk(kernel, policy, key, carry, tick, num, params, reducer)
        kernel.check_flags(carry.state)
        steps, last = jax.device_get((steps, carry.timestep.observation))
        for at in range(num):
            batch, info = (jax.tree.map(lambda leaf, at=at: leaf[at], tree) for tree in (steps.action, steps.info))
            rows, valid, _ = jax.device_get(_order(kernel.config, batch, np.int32(len(world.ledger.stimuli))))
            texts = [_authored(world, batch, row, write) for row in rows[valid].tolist()]
            publish_authored(world.ledger, tick + at, texts)
            # A step's output holds the observation acted on; what it led to is acted on by the next.
            after = last if at + 1 == num else jax.tree.map(lambda leaf, at=at: leaf[at + 1], steps.observation)
            yield _delta(world, after, info)
        tick += num


def _delta(world: SocialWorld, observation: SocialObservation, info: SocialInfo) -> WorldDelta:
    observation, info = jax.device_get((observation, info))
    acts = world.header.scenario.interventions
    kinds = tuple(act.kind for act in acts if act.tick == int(observation.tick))
    return to_records(collect(observation, info, kinds), world.ledger, world.chunk)


def _authored(world: SocialWorld, batch: TurnBatch, row: int, write: Writer) -> Authored:
    persona = world.ledger.persona_ids[int(batch.persona[row])]
    action = ACTION_WORD[int(batch.action[row])]
    subject = world.ledger.stimuli[int(batch.subject[row])]
    return persona, action, subject, write(persona, action, subject)
