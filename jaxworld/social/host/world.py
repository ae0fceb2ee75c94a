"""The port of a social world: turns as records in, deltas as records out."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import number
from jaxworld.core.errors import require
from jaxworld.core.pytree import replace
from jaxworld.core.random import tick_key, world_key
from jaxworld.social.config import SocialConfig
from jaxworld.social.host.growth import grown
from jaxworld.social.host.issued import check_issued
from jaxworld.social.host.kernel import build_kernel, ranks_by_vectors
from jaxworld.social.host.publishing import Authored, publish_authored, publish_study, study_stimuli
from jaxworld.social.host.texts import TextVectors
from jaxworld.social.host.turns import EnteredTurns, enter_turns, rows_for
from jaxworld.social.hot_score import vote_table
from jaxworld.social.params import SocialParams
from jaxworld.social.records.arrays import DeltaArrays, collect
from jaxworld.social.records.config import WorldConfig
from jaxworld.social.records.convert import CHUNK, to_records
from jaxworld.social.records.delta import WorldDelta
from jaxworld.social.records.header import PartitionHeader
from jaxworld.social.records.kinds import ActionKind
from jaxworld.social.records.ledger import Ledger
from jaxworld.social.records.population import Population
from jaxworld.social.records.turn import Rejection, Turn
from jaxworld.social.state import SocialState
from jaxworld.social.vocabulary import Channel, Platform
from jaxworld.social.world import SocialWorld as ArrayWorld


@functools.partial(jax.jit, static_argnums=0)
def _reset(world: ArrayWorld, key: jax.Array, params: SocialParams) -> Any:
    return world.reset(tick_key(key, 0), params)


@functools.partial(jax.jit, static_argnums=0)
def _step(world: ArrayWorld, key: jax.Array, tick: Any, state: SocialState, turns: Any, params: SocialParams) -> Any:
    return world.step(tick_key(key, tick), state, turns, params)


class SocialWorld:
    """One world of a study, driven by records.

    A delta depends on the header, the population, the configuration and the turns of earlier ticks, and on nothing
    else. The order in which turns are given has no effect. Reading a delta makes its records; none are kept.

    Args:
        header: what identifies the world.
        population: who takes part; default: the header's personas as strangers without attributes, ties and
            communities.
        config: settings of the run.
        chunk: personas a slice while records are made; it has no effect on them.

    Attributes:
        last_tick: last tick presented, None before ``reset``.
        rejected: attempted actions that did not land, in the order of ticks; beside the deltas, not in them.

    Raises:
        ConfigurationError: if the population is not the header's.
    """

    def __init__(
        self,
        header: PartitionHeader,
        population: Population | None = None,
        config: WorldConfig | None = None,
        *,
        chunk: int = CHUNK,
    ) -> None:
        self.header = header
        self.population = Population.of_strangers(header.population.persona_ids) if population is None else population
        self.config = WorldConfig() if config is None else config
        self.chunk = chunk
        given, named = self.population.manifest.population_hash, header.population.population_hash
        require(given == named, "population", given, f"the header names the population {named}")
        self.last_tick: int | None = None
        self.rejected: list[Rejection] = []
        self.ledger = Ledger(header.world_seed, self.population.persona_ids)
        self.vectors = TextVectors(self.population, self.config)
        self._num_rows = 0
        self._uploaded: tuple[int, int] | None = None
        self._issued: DeltaArrays | None = None
        self._kernel: ArrayWorld | None = None
        self._params: SocialParams | None = None
        self._state: SocialState | None = None

    @property
    def kernel(self) -> ArrayWorld:
        """The world of arrays behind this one; built by ``reset``."""
        return self._built(self._kernel)

    @property
    def params(self) -> SocialParams:
        """Its parameters."""
        return self._built(self._params)

    @property
    def state(self) -> SocialState:
        """Its state at ``last_tick``."""
        return self._built(self._state)

    @property
    def key(self) -> jax.Array:
        """Its world key, from both words of the world seed."""
        return world_key(self.header.world_seed)

    @property
    def issued(self) -> DeltaArrays:
        """What was presented at ``last_tick``, as arrays."""
        return self._built(self._issued)

    def reset(self) -> WorldDelta:
        """Tick 0: the study publishes.

        Raises:
            ConfigurationError: if the world was reset before, or a recommender lacks the signal it ranks by.
        """
        require(self.last_tick is None, "reset", self.last_tick, "the world has begun: make another one")
        self.build()
        publish_study(self.header, self.ledger)
        state, timestep = _reset(self.kernel, self.key, self.params)
        return self._take(0, state, timestep)

    def step(self, tick: int, turns: Iterable[Turn], *, activation_rate: float | None = None) -> WorldDelta:
        """Take the turns of the last tick and present the next one.

        Args:
            tick: the tick to present, one after the last.
            turns: of personas, about impressions of the last tick, in any order.
            activation_rate: share of activations kept at this tick; default that of the configuration.

        Raises:
            ConfigurationError: for a tick out of order or beyond the horizon, and for turns of another tick, by an
                unknown persona, or about an impression that was never issued. The world is as it was then.
        """
        given = list(turns)
        self._check_tick(tick)
        check_issued(given, self.issued, self.ledger)
        rate = self.config.activation_rate if activation_rate is None else activation_rate
        rate = number("activation_rate", rate, 0, 1)
        entered = enter_turns(self.kernel.config, given, self.ledger)
        config, params, state = grown(self.kernel.config, self.params, self.state, entered)
        kernel = self.kernel if config == self.kernel.config else ArrayWorld(config)
        handles = self._embed(config, entered)
        params = replace(self._with_vectors(config, params), activation_rate=jnp.float32(rate))
        num_rows = rows_for(len(given), self._num_rows)
        batch = entered.batch(num_rows, *handles)
        state, timestep = _step(kernel, self.key, np.int32(tick), state, batch, params)
        kernel.check_flags(state)
        self._kernel, self._params, self._num_rows = kernel, params, num_rows
        self._uploaded = (config.text_capacity, len(self.vectors.rows))
        publish_authored(self.ledger, tick, self._authored(entered))
        self.rejected += self._rejections(entered, np.asarray(timestep.info.rejected))
        return self._take(tick, state, timestep)

    def presented(self) -> WorldDelta:
        """The delta of ``last_tick`` once more."""
        return to_records(self.issued, self.ledger, self.chunk)

    def build(self) -> None:
        """Make the kernel; embed the profiles and what the study publishes, if anything is ranked by vectors.

        Raises:
            ConfigurationError: if a recommender lacks the signal it ranks by.
        """
        vectors, ranked = self.vectors, ranks_by_vectors(self.header.scenario, self.config)
        if ranked and not vectors.rows:
            vectors.start([stimulus.text for stimulus in study_stimuli(self.header)])
        config, params = build_kernel(
            self.header,
            self.population,
            self.config,
            vectors.profile if ranked else None,
            vectors.study if ranked else None,
        )
        self._kernel = ArrayWorld(config)
        self._num_rows = rows_for(config.num_personas, 0)
        self._params = self._with_vectors(config, jax.device_put(params))

    def _take(self, tick: int, state: SocialState, timestep: Any) -> WorldDelta:
        self._state, self.last_tick = state, tick
        observation, info = jax.device_get((timestep.observation, timestep.info))
        acts = self.header.scenario.interventions
        self._issued = collect(observation, info, tuple(act.kind for act in acts if act.tick == tick))
        return to_records(self._issued, self.ledger, self.chunk)

    def _check_tick(self, tick: int) -> None:
        require(self.last_tick is not None, "tick", tick, "reset the world first")
        last, horizon = int(self.last_tick or 0), self.header.scenario.horizon_ticks
        require(tick == last + 1, "tick", tick, f"ticks come one at a time: the next is {last + 1}")
        require(tick < horizon, "tick", tick, f"the horizon is {horizon} ticks")

    def _embed(self, config: SocialConfig, entered: EnteredTurns) -> tuple[np.ndarray, np.ndarray]:
        """Handles of vectors and of texts for all turns; texts that will be feed candidates are embedded now."""
        rows = entered.authored
        vector = np.full(len(entered.turns), -1, np.int32)
        text = vector.copy()
        # The slot each text will fill: handles in the order of publication.
        text[rows] = int(self.state.num_stimuli) + np.arange(len(rows))
        if not config.text_capacity or not rows:
            return vector, text
        platform = np.asarray(self.state.stimuli.platform)[entered.subject[rows]]
        channel = entered.channel[rows]
        told = channel == Channel.WORD_OF_MOUTH
        on_feed = (channel == Channel.SOCIAL_FEED) | (told & (platform != Platform.FORUM))
        first = config.num_study + config.num_personas
        vector[rows] = first
        chosen = [row for row, wanted in zip(rows, on_feed.tolist(), strict=True) if wanted]
        vector[chosen] = first + np.asarray(
            self.vectors.publish(
                [str(entered.turns[row].reaction.verbatim) for row in chosen],
                entered.persona[chosen].tolist(),
                (entered.channel[chosen] == Channel.SOCIAL_FEED).tolist(),
            ),
            np.int32,
        )
        return vector, text

    def _with_vectors(self, config: SocialConfig, params: SocialParams) -> SocialParams:
        """Parameters with the current profiles and text vectors; the same ones where nothing changed."""
        capacity = config.text_capacity
        if not capacity or self._uploaded == (capacity, len(self.vectors.rows)):
            return params
        population = replace(params.population, profile=jnp.asarray(self.vectors.profile))
        return replace(params, population=population, text_vectors=jnp.asarray(self.vectors.table(capacity)))

    def restore(
        self,
        sizes: Mapping[str, int],
        max_net_votes: int,
        issued: DeltaArrays,
        fill: Callable[[SocialState], SocialState],
    ) -> None:
        """Go on from a saved state; ``fill`` puts its leaves into a state of these sizes."""
        config = dataclasses.replace(self.kernel.config, **sizes)
        self._kernel = ArrayWorld(config)
        table = jnp.asarray(vote_table(max_net_votes))
        self._params = self._with_vectors(config, replace(self.params, vote_table=table))
        template = jax.eval_shape(lambda params: self.kernel.reset(self.key, params)[0], self.params)
        self._state, self._issued, self.last_tick = fill(template), issued, issued.tick

    def _authored(self, entered: EnteredTurns) -> list[Authored]:
        turns = [entered.turns[row] for row in entered.authored]
        subjects = [self.ledger.stimuli[slot] for slot in entered.subject[entered.authored].tolist()]
        return [
            (turn.impression.persona_id, turn.reaction.action, subject, str(turn.reaction.verbatim))
            for turn, subject in zip(turns, subjects, strict=True)
        ]

    def _rejections(self, entered: EnteredTurns, rejected: np.ndarray) -> list[Rejection]:
        return [
            Rejection(
                persona_id=turn.impression.persona_id,
                action=ActionKind(turn.reaction.action),
                channel=turn.impression.channel,
                tick=turn.impression.tick,
            )
            for turn, refused in zip(entered.turns, rejected.tolist(), strict=False)
            if refused
        ]

    @staticmethod
    def _built(part: Any) -> Any:
        require(part is not None, "reset", None, "reset the world first")
        return part
