"""The social world: turns in, presentations out, one tick at a time."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import as_arrays, replace
from jaxworld.core.spaces import Space
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.social import word_of_mouth
from jaxworld.social.activation import draw_active
from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import add_follows, check_turns, count_engagement, count_replies
from jaxworld.social.exposure import boost_study_attention, promote_concept, show
from jaxworld.social.hot_score import beyond_table
from jaxworld.social.interventions import starting
from jaxworld.social.params import SocialParams
from jaxworld.social.publication import publish, study_stimuli
from jaxworld.social.ranking import rank
from jaxworld.social.recommenders.context import make_context
from jaxworld.social.spaces import social_action_space, social_observation_space
from jaxworld.social.state import (
    OVERFLOW_BIT,
    ChannelView,
    Drops,
    SocialInfo,
    SocialObservation,
    SocialState,
    TurnBatch,
    raise_on_overflow,
)
from jaxworld.social.streams import PlatformStreams, Streams, open_streams
from jaxworld.social.views import make_view
from jaxworld.social.vocabulary import Platform
from jaxworld.social.word_of_mouth import Deliveries


class SocialWorld(World[SocialState, SocialParams, TurnBatch]):
    """Personas meet stimuli in a survey room, a feed, a forum and by word of mouth.

    Order inside a step: replies of the last tick become countable; turns are checked, engagement and follows take
    effect; authored texts are published (candidates from the next tick on); word of mouth is sparked by the same
    turns; feed, forum, word of mouth and survey are presented.

    Observation: ``SocialObservation``. Action: ``TurnBatch`` of any fixed number of rows. Reward: ``float32[N]``,
    noticed exposures that a persona's own stimuli got from others at this tick. Termination: after ``horizon``
    ticks, for all personas at once.
    """

    def __init__(self, config: SocialConfig, default_params: SocialParams | None = None) -> None:
        self.config = config
        self._default_params = default_params

    @property
    def num_agents(self) -> int:
        """N personas."""
        return self.config.num_personas

    def default_params(self) -> SocialParams:
        """The parameters the world was built with."""
        if self._default_params is None:
            from jaxworld.core.errors import ConfigurationError

            raise ConfigurationError(
                "default_params", None, "build the world with make_social, or pass params yourself"
            )
        return self._default_params

    def observation_space(self, params: SocialParams) -> Space:
        """Space of ``SocialObservation``."""
        del params
        return social_observation_space(self.config)

    def action_space(self, params: SocialParams) -> Space:
        """Space of a ``TurnBatch`` with one row per persona and channel."""
        del params
        return social_action_space(self.config)

    def check_flags(self, state: SocialState) -> None:
        """Host: raise ``CapacityError`` if any buffer of any world overflowed."""
        raise_on_overflow(state.overflow, self.config)

    def reset(self, key: jax.Array, params: SocialParams) -> tuple[SocialState, TimeStep]:
        """Tick 0: the study publishes, and shows a survey wave or launches word of mouth."""
        config, streams, params = self.config, open_streams(key), as_arrays(params)
        state = initial_state(config, params)
        nobody = jnp.zeros(config.num_personas, bool)
        launched = word_of_mouth.launch(config, params, streams.launch) if config.launches else nobody
        told = word_of_mouth.launch_view(config, params, state, launched) if config.has_word_of_mouth else None
        nothing = _nothing_shown(config, params, state)
        observation = SocialObservation(
            tick=state.tick,
            active=nobody,
            survey=_survey_wave(config, params, state.tick, ~nobody & (not config.survey_gated)),
            feed=nothing if config.has_feed else None,
            forum=nothing if config.has_forum else None,
            word_of_mouth=told,
        )
        rows = social_action_space(config).rows
        info = SocialInfo(
            feed=_no_drops(config, config.max_window) if config.has_feed else None,
            forum=_no_drops(config, config.max_window) if config.has_forum else None,
            word_of_mouth=_no_told_drops(config, rows) if config.has_word_of_mouth else None,
            rejected=jnp.zeros(rows, bool),
            published_start=jnp.zeros((), jnp.int32),
            published_count=state.num_stimuli,
            interventions=starting(params.interventions, state.tick),
            launched=launched,
            overflow=state.overflow,
        )
        return _remember(config, state, observation), make_timestep(observation, config.num_personas, info=info)

    def step(
        self, key: jax.Array, state: SocialState, action: TurnBatch, params: SocialParams
    ) -> tuple[SocialState, TimeStep]:
        """Take the turns of the last tick and present the next one."""
        config, streams, params = self.config, open_streams(key), as_arrays(params)
        live = state.tick < params.horizon - 1
        state = replace(state, counts=jnp.where(live, count_replies(config, state), state.counts))
        checked = check_turns(config, replace(action, valid=action.valid & live), state.num_stimuli)
        num_visible = state.num_stimuli
        state = _ingest(config, state, checked.malformed, live)
        counts, engaged = count_engagement(config, state.counts, state.engaged, checked)
        state = add_follows(config, replace(state, counts=counts, engaged=engaged), checked)
        state, published = publish(config, state, checked, state.tick)
        active = draw_active(config, params, state.tick, streams.activation) & live
        deliveries = word_of_mouth.spark(config, params, checked, streams.peers) if config.has_word_of_mouth else None
        state, observation, drops = self._present(params, state, streams, active, live, deliveries, num_visible)
        info = SocialInfo(
            **drops,
            rejected=checked.rejected,
            published_start=num_visible,
            published_count=published,
            interventions=starting(params.interventions, state.tick) & live,
            launched=jnp.zeros(config.num_personas, bool),
            overflow=state.overflow,
        )
        ended = jnp.broadcast_to(state.tick >= params.horizon - 1, (config.num_personas,))
        reward = author_exposures(config, observation)
        return state, make_timestep(observation, config.num_personas, reward=reward, terminated=ended, info=info)

    def _present(
        self,
        params: SocialParams,
        state: SocialState,
        streams: Streams,
        active: jax.Array,
        live: jax.Array,
        deliveries: Deliveries | None,
        num_visible: jax.Array,
    ) -> tuple[SocialState, SocialObservation, dict[str, Any]]:
        config = self.config
        views: dict[str, ChannelView | None] = {"feed": None, "forum": None, "word_of_mouth": None}
        drops: dict[str, Drops | None] = dict(views)  # type: ignore[arg-type]
        for name, platform, on, stream in (
            ("feed", Platform.FEED, config.has_feed, streams.feed),
            ("forum", Platform.FORUM, config.has_forum, streams.forum),
        ):
            if on:
                state, views[name], drops[name] = self._present_platform(
                    params, state, platform, stream, active, num_visible
                )
        if deliveries is not None:
            views["word_of_mouth"], drops["word_of_mouth"] = word_of_mouth.tell(
                config, params, state, deliveries, active
            )
            lost = jnp.where(jnp.any(deliveries.lost), OVERFLOW_BIT["deliveries"], 0)
            state = replace(state, overflow=state.overflow | lost)
        everyone = active if config.survey_gated else jnp.ones(config.num_personas, bool)
        observation = SocialObservation(
            tick=state.tick,
            active=active,
            survey=_survey_wave(config, params, state.tick, everyone) & live,
            **views,
        )
        return _remember(config, state, observation), observation, drops

    def _present_platform(
        self,
        params: SocialParams,
        state: SocialState,
        platform: Platform,
        streams: PlatformStreams,
        active: jax.Array,
        num_visible: jax.Array,
    ) -> tuple[SocialState, ChannelView, Drops]:
        config = self.config
        context = make_context(config, platform, params, state, active, num_visible)
        seen = None if state.seen is None else state.seen[int(platform) - 1, :, 0]
        window = promote_concept(config, params, rank(context, state, streams), state.tick, streams.reach, seen)
        shown, drops = show(config, params, window, active)
        shown = boost_study_attention(config, params, shown, state.stimuli, state.tick)
        view = make_view(config, params, state, state.counts, shown)
        too_many = beyond_table(context.net_votes, params.vote_table)
        state = replace(state, overflow=state.overflow | jnp.where(too_many, OVERFLOW_BIT["votes"], 0))
        return state, view, drops


def initial_state(config: SocialConfig, params: SocialParams) -> SocialState:
    """The state at tick 0, before anything is shown."""
    size, people = config.stimulus_capacity, config.num_personas
    return SocialState(
        tick=jnp.zeros((), jnp.int32),
        stimuli=study_stimuli(config),
        num_stimuli=jnp.full((), config.num_study, jnp.int32),
        counts=jnp.zeros((size, 5), jnp.int32),
        followees=_initial_followees(config, params),
        followers_gained=jnp.zeros(people, jnp.int32),
        engaged=jnp.zeros((5, people, size), bool) if config.idempotent_engagement else None,
        seen=jnp.zeros((2, people, size), bool) if config.hide_seen else None,
        overflow=jnp.zeros((), jnp.int32),
    )


def _initial_followees(config: SocialConfig, params: SocialParams) -> jax.Array:
    """The population's own follows; the builder made sure that they fit."""
    table = jnp.full((config.num_personas, config.max_followees), -1, jnp.int32)
    follows = jnp.asarray(params.population.follows)
    if config.num_follows == 0:
        return table
    follower = follows[:, 0]
    start = jnp.concatenate([jnp.ones(1, bool), follower[1:] != follower[:-1]])
    index = jnp.arange(config.num_follows, dtype=jnp.int32)
    rank = index - jax.lax.cummax(jnp.where(start, index, 0))
    return table.at[follower, rank].set(follows[:, 1], mode="drop")


def _ingest(config: SocialConfig, state: SocialState, malformed: jax.Array, live: jax.Array) -> SocialState:
    return replace(
        state,
        tick=state.tick + live.astype(jnp.int32),
        overflow=state.overflow | jnp.where(malformed, OVERFLOW_BIT["turns"], 0),
    )


def _survey_wave(config: SocialConfig, params: SocialParams, tick: jax.Array, reached: jax.Array) -> jax.Array:
    """``bool[N]``: wave ticks are the multiples of ``survey_every`` and the last tick of the study."""
    if not config.survey:
        return jnp.zeros(config.num_personas, bool)
    wave = (jnp.mod(tick, params.survey_every) == 0) | (tick == params.horizon - 1)
    return wave & reached & params.population.present


def _remember(config: SocialConfig, state: SocialState, observation: SocialObservation) -> SocialState:
    """Mark what was shown, where that hides it from now on."""
    if state.seen is None:
        return state
    seen = state.seen
    rows = jnp.broadcast_to(
        jnp.arange(config.num_personas, dtype=jnp.int32)[:, None], (config.num_personas, config.max_budget)
    )
    for index, view in ((0, observation.feed), (1, observation.forum)):
        if view is not None:
            target = jnp.where(view.stimulus >= 0, view.stimulus, config.stimulus_capacity)
            seen = seen.at[index, rows, target].set(True, mode="drop")
    return replace(state, seen=seen)


def author_exposures(config: SocialConfig, observation: SocialObservation) -> jax.Array:
    """``float32[N]``: noticed exposures of each persona's stimuli to others at this tick."""
    total = jnp.zeros(config.num_personas, jnp.int32)
    viewer = jnp.arange(config.num_personas, dtype=jnp.int32)[:, None]
    for view in (observation.feed, observation.forum, observation.word_of_mouth):
        if view is not None:
            counted = (view.author >= 0) & (view.author != viewer) & (view.attention > 0)
            total = total.at[jnp.where(counted, view.author, config.num_personas)].add(1, mode="drop")
    return total.astype(jnp.float32)


def _nothing_shown(config: SocialConfig, params: SocialParams, state: SocialState) -> ChannelView:
    from jaxworld.social.exposure import Shown

    empty = jnp.full((config.num_personas, config.max_budget), -1, jnp.int32)
    shown = Shown(stimulus=empty, attention=jnp.zeros_like(empty), reason=empty)
    return make_view(config, params, state, state.counts, shown)


def _no_drops(config: SocialConfig, width: int) -> Drops:
    empty = jnp.full((config.num_personas, width), -1, jnp.int32)
    return Drops(stimulus=empty, persona=None, reason=empty, count=jnp.zeros(config.num_personas, jnp.int32))


def _no_told_drops(config: SocialConfig, rows: int) -> Drops:
    empty = jnp.full(word_of_mouth.drop_rows(config, rows), -1, jnp.int32)
    return Drops(stimulus=empty, persona=empty, reason=empty, count=jnp.zeros(config.num_personas, jnp.int32))
