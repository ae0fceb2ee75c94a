"""Who passed a stimulus on, and whom they had it from: share trees, kept by a reducer beside the world.

The world counts shares and keeps no tree, so whoever does not ask for one pays nothing. This reducer reads the turns as
the world does and keeps, for each stimulus it follows and each persona, the *share parent*.

* A landed repost or quote shares. A persona joins a tree once, with its first share.
* What was shared had an author: who shares a quote has it from the quoting persona, and the quote belongs to the tree
  of what it quotes. Who shares the followed stimulus itself has it from its author.
* A feed does not show who reposted. With ``edges`` (who pays attention to whom) a persona that shares the followed
  stimulus itself has it from the neighbour who shared last before it, the first on equal ticks, and from the author if
  no neighbour had; reposts then make trees as well. This is the usual inference where sources are not on record.
* If a persona shares several stimuli of one tree at one tick, it has it from the author of the earliest published.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.timestep import TimeStep
from jaxworld.metrics.cascades import Cascades, measure_cascades
from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import CheckedTurns, check_turns
from jaxworld.social.publication import publication_order
from jaxworld.social.state import TurnBatch
from jaxworld.social.vocabulary import Action

_NEVER = np.int32(-1)


@pytree_dataclass
class ShareTrees:
    """Share trees of R followed stimuli; node N stands for the study, the other nodes are personas.

    Attributes:
        parent: ``int32[R, N + 1]``, whom each has it from, -1 for the author and for those who have not shared.
        tick: ``int32[R, N + 1]``, tick of the persona's share as the world counts it, -1 for those who have not; the
            author's is that of publication.
        tree_of: ``int32[S]``, which tree each stimulus belongs to, -1 for none.
        author: ``int32[S]``, node of its author.
        last_tick: ``int32[]``, tick of the last time step; it stands still once the world has ended.
        overflow: ``int32[]``, flags of the world.
    """

    parent: jax.Array
    tick: jax.Array
    tree_of: jax.Array
    author: jax.Array
    last_tick: jax.Array
    overflow: jax.Array

    @property
    def joined(self) -> jax.Array:
        """``bool[R, N + 1]``."""
        return self.tick >= 0

    def cascades(self) -> Cascades:
        """Cascades ``[R, N + 1]`` as they stand, each in the entry of its author."""
        return measure_cascades(self.parent, self.joined)

    def whole_cascades(self) -> Cascades:
        """The same without the axis of nodes, ``[R]`` (digits ``[R, D]``): every tree has but one root."""
        made = self.cascades()
        digits = made.distance_digits.sum(axis=1, dtype=jnp.int32)
        tops = {name: getattr(made, name).max(axis=1) for name in ("scale", "depth", "max_breadth")}
        return Cascades(**tops, distance_digits=digits)


@pytree_dataclass
class ShareReducer:
    """Follows some stimuli; its summary is :class:`ShareTrees`, and it outputs the cascades ``[R]`` of each tick.

    Attributes:
        config: the world's configuration.
        roots: ``int32[R]``, stimuli to follow, by number; they may be published later.
        edges: ``int32[F, 2]``, (persona, whom it pays attention to), for reposts; None to go by authors alone.
    """

    config: SocialConfig = static_field()
    roots: Any
    edges: Any = None

    def init(self, timestep: TimeStep) -> ShareTrees:
        """The study's stimuli are there from tick 0 on."""
        config, roots = self.config, jnp.asarray(self.roots)
        people, size = config.num_personas, config.stimulus_capacity
        number = jnp.arange(roots.shape[0], dtype=jnp.int32)
        tree = jnp.full(size, -1, jnp.int32).at[roots].set(number, mode="drop")
        nobody = jnp.full((roots.shape[0], people + 1), -1, jnp.int32)
        by_study = jnp.where(roots < config.num_study, timestep.observation.tick, _NEVER)
        return ShareTrees(
            parent=nobody,
            tick=nobody.at[:, people].set(by_study),
            tree_of=tree,
            author=jnp.full(size, people, jnp.int32),
            last_tick=timestep.observation.tick,
            overflow=timestep.info.overflow,
        )

    def update(self, carry: ShareTrees, timestep: TimeStep, action: TurnBatch) -> tuple[ShareTrees, Cascades]:
        """Take in the turns that led to this time step."""
        now = timestep.observation.tick
        live = now > carry.last_tick
        turns = replace(action, valid=action.valid & live)
        checked = check_turns(self.config, turns, timestep.info.published_start)
        made = self._join(carry, checked, now)
        made = self._publish(made, checked, timestep.info.published_start, now)
        made = replace(made, last_tick=now, overflow=carry.overflow | timestep.info.overflow)
        return made, made.whole_cascades()

    def final(self, carry: ShareTrees) -> ShareTrees:
        return carry

    def _join(self, carry: ShareTrees, checked: CheckedTurns, now: jax.Array) -> ShareTrees:
        """Everybody's earliest published subject of each tree, and whom they have that from."""
        size, people = self.config.stimulus_capacity, self.config.num_personas
        turns = checked.turns
        tree = carry.tree_of[turns.subject]
        shares = (turns.action == Action.REPOST) | (turns.action == Action.QUOTE)
        counted = checked.landed & shares & (tree >= 0)
        row = jnp.where(counted, tree, carry.parent.shape[0])
        subject = jnp.full(carry.parent.shape, size, jnp.int32).at[row, turns.persona].min(turns.subject, mode="drop")
        new = (subject < size) & ~carry.joined
        source = carry.author[jnp.minimum(subject, size - 1)]
        if self.edges is not None and self.edges.shape[0]:
            heard = self._last_neighbour(carry)
            itself = subject == jnp.broadcast_to(jnp.asarray(self.roots)[:, None], subject.shape)
            source = jnp.where(itself & (heard <= people), heard, source)
        return replace(carry, parent=jnp.where(new, source, carry.parent), tick=jnp.where(new, now, carry.tick))

    def _last_neighbour(self, carry: ShareTrees) -> jax.Array:
        """``int32[R, N + 1]``: the neighbour who shared last, the lowest number on ties; N + 1 where none has."""
        assert self.edges is not None
        nobody = jnp.int32(self.config.num_personas + 1)
        viewer, neighbour = jnp.asarray(self.edges)[:, 0], jnp.asarray(self.edges)[:, 1]
        shared = carry.tick[:, neighbour]
        latest = jnp.full(carry.tick.shape, -1, jnp.int32).at[:, viewer].max(shared)
        tied = (shared >= 0) & (shared == latest[:, viewer])
        candidate = jnp.where(tied, jnp.broadcast_to(neighbour[None, :], tied.shape), nobody)
        return jnp.full(carry.tick.shape, nobody, jnp.int32).at[:, viewer].min(candidate)

    def _publish(self, carry: ShareTrees, checked: CheckedTurns, first: jax.Array, now: jax.Array) -> ShareTrees:
        """Quotes join the tree of what they quote; a followed stimulus that is published starts its own."""
        size, turns = self.config.stimulus_capacity, checked.turns
        rows, valid, _ = publication_order(self.config, checked)
        slot = jnp.where(valid, first + jnp.arange(rows.shape[0], dtype=jnp.int32), size)
        persona, quotes = turns.persona[rows], turns.action[rows] == Action.QUOTE
        own = carry.tree_of[jnp.minimum(slot, size - 1)]
        own = jnp.where(slot < size, own, -1)
        inherited = jnp.where(quotes, carry.tree_of[turns.subject[rows]], -1)
        starts = jnp.where(own >= 0, own, carry.tick.shape[0])
        return replace(
            carry,
            tree_of=carry.tree_of.at[slot].set(jnp.where(own >= 0, own, inherited), mode="drop"),
            author=carry.author.at[slot].set(persona, mode="drop"),
            tick=carry.tick.at[starts, persona].set(now, mode="drop"),
        )
