"""Rule-based personas on arrays: one turn per persona and channel, decided in integers.

A persona reacts to one of the stimuli it is shown, picked in proportion to attention, and posts, replies, follows,
shares, approves, dissents or lets it pass. A handful of traits make a persona; each archetype is a choice of traits,
and a population may mix archetypes. Probabilities are integers in 1/65,536, so a policy decides alike everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.materialize import materialize
from jaxworld.core.pytree import as_arrays, pytree_dataclass, static_field
from jaxworld.core.random import entity_bits, multiply_high, purpose_keys, register_purpose
from jaxworld.social.config import SocialConfig
from jaxworld.social.params import SocialParams
from jaxworld.social.spaces import turn_channels
from jaxworld.social.state import ChannelView, SocialObservation, TurnBatch
from jaxworld.social.vectors import lookup_vectors
from jaxworld.social.vocabulary import SENTIMENT_UNIT, Action, Channel, Count

PROBABILITY_UNIT = 65_536
_PURPOSES = {channel: register_purpose(f"social/policy/{channel.name.lower()}") for channel in Channel}
AFFINITY_LIMIT = 2**23
"""Entries up to which the policy tabulates cosines."""
_COSINE_TO_256 = np.float32(256.0 / 4_000.0**2)

_IGNORE = Action.IGNORE
_STEPS = {
    Channel.SOCIAL_FEED: (
        Action.POST, Action.COMMENT, Action.FOLLOW, Action.REPOST, Action.LIKE, _IGNORE, Action.QUOTE, _IGNORE,
    ),
    Channel.FORUM: (Action.POST, Action.REPLY, _IGNORE, _IGNORE, Action.UPVOTE, Action.DOWNVOTE, _IGNORE, _IGNORE),
    Channel.WORD_OF_MOUTH: (
        _IGNORE, Action.COMMENT, _IGNORE, Action.BUY, Action.ASK_PEER, Action.COMPLAIN, _IGNORE, Action.REJECT,
    ),
}  # fmt: skip
"""What posting, replying, following, sharing, approving, dissenting, quoting and rejecting are on each channel."""


@pytree_dataclass
class Traits:
    """What a persona tends to do, ``int32[N]`` each, in 1/65,536 unless said otherwise.

    Attributes:
        post: chance to write something of its own.
        reply: chance to answer what it reacts to.
        follow: chance to follow the author.
        share: chance to pass it on.
        approve: chance to approve of it, before what follows.
        dissent: chance to dissent.
        quote: chance to pass it on with a text of its own.
        reject: chance to turn down what it was told.
        conformity: added to ``approve``, taken from ``dissent``, per doubling of visible net approval; negative
            for contrarians.
        interest: added to ``approve`` per unit of cosine between profile and content.
        sentiment: how strongly a reaction moves it, in 1e-6; reactions vary by up to ``sentiment_spread``.
        sentiment_spread: in 1e-6.
    """

    post: jax.Array
    reply: jax.Array
    follow: jax.Array
    share: jax.Array
    approve: jax.Array
    dissent: jax.Array
    quote: jax.Array
    reject: jax.Array
    conformity: jax.Array
    interest: jax.Array
    sentiment: jax.Array
    sentiment_spread: jax.Array


_BASE = {
    "post": 0.004, "reply": 0.01, "follow": 0.005, "share": 0.02, "approve": 0.10, "dissent": 0.02,
    "quote": 0.0, "reject": 0.0,
    "conformity": 0.0, "interest": 0.0, "sentiment": 0.2, "sentiment_spread": 0.5,
}  # fmt: skip

ARCHETYPES: dict[str, dict[str, float]] = {
    "indifferent": {**_BASE, "approve": 0.02, "post": 0.001, "reply": 0.002, "share": 0.002, "sentiment_spread": 0.3},
    "conformist": {**_BASE, "conformity": 0.08},
    "interest_driven": {**_BASE, "interest": 0.5, "follow": 0.01},
    "contrarian": {**_BASE, "conformity": -0.06, "dissent": 0.05, "reply": 0.03},
    "talkative": {**_BASE, "post": 0.04, "reply": 0.04, "share": 0.05, "sentiment": 0.4},
}
"""Built-in personas: chances as fractions, see :class:`Traits`."""

DEFAULT_MIX = {"indifferent": 0.3, "conformist": 0.3, "interest_driven": 0.2, "contrarian": 0.1, "talkative": 0.1}


@pytree_dataclass
class RuleBasedPolicy:
    """Personas with traits. Implements ``jaxworld.core.Policy``; its carry is empty.

    Attributes:
        config: the world's static configuration.
        identity: ``uint32[N, 2]``.
        traits: see :class:`Traits`; every leaf can be swept.
        profile: ``float32[N, D]``, and ``study_vectors``: ``float32[1 + C, D]``, what interest is measured with.
        affinity: ``int16[N, 1 + C + N]``, all cosines in 1/256 where that table is small, else None.
    """

    config: SocialConfig = static_field()
    identity: jax.Array
    traits: Traits
    profile: jax.Array
    study_vectors: jax.Array
    affinity: jax.Array | None

    def init(self, key: jax.Array, params: SocialParams) -> tuple[()]:
        """No memory."""
        del key, params
        return ()

    def act(self, key: jax.Array, carry: tuple[()], observation: SocialObservation) -> tuple[TurnBatch, tuple[()]]:
        """One turn for each persona on each channel that shows it something it notices."""
        self = as_arrays(self)
        channels = turn_channels(self.config)
        keys = purpose_keys(key, [_PURPOSES[channel] for channel in channels])
        views = {
            Channel.SOCIAL_FEED: observation.feed,
            Channel.FORUM: observation.forum,
            Channel.WORD_OF_MOUTH: observation.word_of_mouth,
        }
        batches = []
        for channel, words in zip(channels, keys, strict=True):
            if channel == Channel.SURVEY_ROOM:
                batches.append(self._answer(observation))
                continue
            view = views[channel]
            assert view is not None
            batches.append(self._react(channel, view, entity_bits(words, self.identity, 3)))
        return jax.tree.map(lambda *rows: jnp.concatenate(rows), *batches), carry

    def _rows(self, channel: Channel, **columns: jax.Array) -> TurnBatch:
        persona = jnp.arange(self.config.num_personas, dtype=jnp.int32)
        nothing = jnp.full(persona.shape, -1, jnp.int32)
        return TurnBatch(
            persona=persona,
            channel=jnp.full(persona.shape, int(channel), jnp.int32),
            vector=nothing,
            text=nothing,
            **columns,
        )

    def _answer(self, observation: SocialObservation) -> TurnBatch:
        zero = jnp.zeros(self.config.num_personas, jnp.int32)
        return self._rows(
            Channel.SURVEY_ROOM,
            valid=observation.survey,
            subject=zero,
            action=zero + int(Action.ANSWER),
            sentiment=zero,
        )

    def _react(self, channel: Channel, view: ChannelView, bits: list[jax.Array]) -> TurnBatch:
        slot, noticed = pick_by_attention(view.attention, bits[0])
        slot = materialize(slot)
        subject = _at(view.stimulus, slot)
        mark = (bits[1] >> np.uint32(16)).astype(jnp.int32)
        step = materialize(pick_by_chance(self._chances(channel, view, slot), mark))
        action = jnp.asarray([*_STEPS[channel], Action.IGNORE], jnp.int32)[step]
        spread = multiply_high(bits[2], self.traits.sentiment_spread.astype(jnp.uint32)).astype(jnp.int32)
        sentiment = jnp.minimum(self.traits.sentiment + spread, SENTIMENT_UNIT)
        return self._rows(
            channel,
            valid=noticed,
            subject=jnp.maximum(subject, 0),
            action=action,
            sentiment=jnp.where(action == Action.IGNORE, 0, sentiment),
        )

    def _chances(self, channel: Channel, view: ChannelView, slot: jax.Array) -> list[jax.Array]:
        """Chances of each step in ``_STEPS``, ``int32[N]`` each, in 1/65,536."""
        traits = self.traits
        counts = view.counts
        approval = counts[..., Count.LIKES] + counts[..., Count.REPOSTS] + counts[..., Count.UPVOTES]
        herd = traits.conformity * signed_doublings(_at(approval - counts[..., Count.DOWNVOTES], slot))
        approve = traits.approve + herd + self._interest(view, slot)
        dissent = traits.dissent - herd
        first = [traits.post, traits.reply, traits.follow, traits.share]
        chances = [*first, approve, dissent, traits.quote, traits.reject]
        return [jnp.clip(chance, 0, PROBABILITY_UNIT) for chance in chances]

    def _interest(self, view: ChannelView, slot: jax.Array) -> jax.Array:
        if self.config.vector_dimensions == 0:
            return jnp.zeros(self.config.num_personas, jnp.int32)
        handle = _at(view.vector, slot)
        if self.affinity is None:
            vectors = lookup_vectors(handle, self.study_vectors, self.profile)
            cosine = cosine_256((self.profile * vectors).sum(axis=-1))
        else:
            persona = jnp.arange(self.config.num_personas, dtype=jnp.int32)
            entry = persona * self.affinity.shape[1] + jnp.maximum(handle, 0)
            cosine = jnp.where(handle >= 0, self.affinity.reshape(-1)[entry].astype(jnp.int32), 0)
        return (self.traits.interest * cosine) >> 8


def cosine_256(product: jax.Array) -> jax.Array:
    """A cosine in 1/256, ``int32``, from an exact product of grid vectors: one multiplication and one rounding."""
    return jnp.round(product * _COSINE_TO_256).astype(jnp.int32)


def _at(values: jax.Array, slot: jax.Array) -> jax.Array:
    """``values[i, slot[i]]`` as a sum over the few slots, which vectorises where a gather does not."""
    slots = jnp.arange(values.shape[1], dtype=jnp.int32)[None, :]
    return jnp.where(slots == slot[:, None], values, 0).sum(axis=1, dtype=values.dtype)


def pick_by_chance(chances: list[jax.Array], mark: jax.Array) -> jax.Array:
    """The first step whose cumulative chance exceeds ``mark``, ``int32[N]``; their number if none does."""
    step, total = jnp.zeros_like(mark), jnp.zeros_like(mark)
    for chance in chances:
        total = total + chance
        step = step + (mark >= total).astype(jnp.int32)
    return step


def pick_by_attention(attention: jax.Array, bits: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Pick a slot in proportion to attention: ``(slot int32[N], noticed bool[N])``, nothing noticed if all is 0."""
    total = attention.sum(axis=1, dtype=jnp.int32)
    mark = multiply_high(bits, total.astype(jnp.uint32)).astype(jnp.int32)
    slot = pick_by_chance([attention[:, index] for index in range(attention.shape[1])], mark)
    return jnp.minimum(slot, attention.shape[1] - 1), total > 0


def signed_doublings(net: jax.Array) -> jax.Array:
    """``sign(net)`` times the bit length of ``|net|``: 0, 1, 2, 2, 3, 3, 3, 3, 4, ... an integer logarithm."""
    return jnp.sign(net) * (32 - lax.clz(jnp.abs(net)))


def make_traits(num_personas: int, values: Mapping[str, Any]) -> Traits:
    """Traits from fractions, one number or one array ``[N]`` each; traits not named are those of the base persona.

    Raises:
        ConfigurationError: for an unknown trait or a value outside its range.
    """
    columns: dict[str, Any] = {}
    for name in values:
        require(name in _BASE, "trait", name, f"use one of {', '.join(_BASE)}")
    for name, default in _BASE.items():
        value = np.asarray(values.get(name, default), dtype=np.float64)
        low = -1.0 if name in ("conformity", "interest") else 0.0
        require(
            bool(np.isfinite(value).all() and (value >= low).all() and (value <= 1).all()),
            f"traits.{name}",
            values.get(name, default),
            f"use numbers from {low:g} to 1",
        )
        unit = SENTIMENT_UNIT if name.startswith("sentiment") else PROBABILITY_UNIT
        columns[name] = np.broadcast_to(np.round(value * unit).astype(np.int32), (num_personas,)).copy()
    return Traits(**columns)


def assign_archetypes(identity: np.ndarray, mix: Mapping[str, float]) -> np.ndarray:
    """Archetype number ``int32[N]`` of each persona, drawn by its identity so that order and padding change nothing.

    Raises:
        ConfigurationError: for an unknown archetype, a negative share or shares that do not sum to 1.
    """
    for name, share in mix.items():
        if name not in ARCHETYPES:
            raise ConfigurationError("policy mix", name, f"use archetypes from {', '.join(ARCHETYPES)}")
        require(bool(np.isfinite(share)) and share >= 0, f"policy mix.{name}", share, "use a share of 0 or more")
    total = sum(mix.values())
    require(abs(total - 1) < 1e-6, "policy mix", dict(mix), f"shares must sum to 1, not {total:g}")
    mark = np.asarray(identity[:, 1], dtype=np.float64) / 2.0**32
    edges = np.cumsum(list(mix.values()))[:-1]
    return np.searchsorted(edges, mark, side="right").astype(np.int32)


def make_policy(
    config: SocialConfig,
    params: SocialParams,
    mix: Mapping[str, float] | str | None = None,
    *,
    traits: Traits | None = None,
) -> RuleBasedPolicy:
    """Rule-based personas for a world.

    Args:
        config: the world's configuration.
        params: its parameters, for identities and vectors.
        mix: an archetype, or shares of archetypes; default :data:`DEFAULT_MIX`.
        traits: explicit traits instead of a mix.

    Raises:
        ConfigurationError: naming the archetype, share or trait.
    """
    require(config.text_capacity == 0, "text_capacity", config.text_capacity, "rule-based personas know profiles only")
    identity = np.asarray(params.population.identity)
    if traits is None:
        shares = DEFAULT_MIX if mix is None else {mix: 1.0} if isinstance(mix, str) else dict(mix)
        number = assign_archetypes(identity, shares)
        rows = [ARCHETYPES[name] for name in shares]
        columns = {trait: np.asarray([row[trait] for row in rows])[number] for trait in _BASE}
        traits = make_traits(config.num_personas, columns)
    profile, study_vectors = np.asarray(params.population.profile), np.asarray(params.study_vectors)
    arrays: dict[str, Any] = {
        "identity": identity,
        "profile": profile,
        "study_vectors": study_vectors,
        "affinity": _affinity(profile, study_vectors),
    }
    return RuleBasedPolicy(config=config, traits=traits, **arrays)


def _affinity(profile: np.ndarray, study_vectors: np.ndarray) -> np.ndarray | None:
    """Cosines of every profile with every content vector, if that is a small table: a load in place of a product."""
    content = np.concatenate([study_vectors, profile])
    if profile.shape[1] == 0 or profile.shape[0] * content.shape[0] > AFFINITY_LIMIT:
        return None
    # Grid products are integers below 2**24, exact in float32; the rest is what cosine_256 computes.
    return np.rint((profile @ content.T) * _COSINE_TO_256).astype(np.int16)
