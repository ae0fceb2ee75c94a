"""The commons: a shared resource that grows, players who take from it, and what they are shown of it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import describe, resource, seneca
from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.observation import deliver, observation_space
from jaxworld.commons.params import CommonsParams, parameter_ranges
from jaxworld.commons.rationing import serve, serve_units
from jaxworld.commons.state import CommonsAction, CommonsInfo, CommonsObservation, CommonsState, PublicState
from jaxworld.core.episodes import select
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.layout import worlds_last
from jaxworld.core.pytree import as_arrays, pytree_dataclass, replace
from jaxworld.core.spaces import Box, Composite
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.observe.normal import unfused


@pytree_dataclass
class _Harvest:
    """What came of one turn's requests.

    Attributes:
        request: ``float32[N]``, as it counts.
        harvest: ``float32[N]``.
        invalid: ``bool[N]``, the request was no number.
        left: ``float32[]``, stock after the harvest.
    """

    request: jax.Array
    harvest: jax.Array
    invalid: jax.Array
    left: jax.Array


class CommonsWorld(World[CommonsState, CommonsParams, CommonsAction]):
    """N players harvest one resource, all at once, turn by turn.

    A turn: pacts begin and end; players see the start of the turn and ask for an amount; requests are cut to what is
    permitted; capital amplifies them; the resource is rationed; wealth grows by the harvest and shrinks by the cost of
    living; breaches are judged; the resource grows; capital and pollution move; collapse and bankruptcy are judged;
    letters are delivered. In whole units collapse is judged before growth.

    - observation: ``CommonsObservation``. action: ``CommonsAction``, absolute amounts.
    - reward: ``float32[N]``, change in wealth.
    - termination: of all players when the commons collapses (if that is absorbing), of a player when it is bankrupt.
      The ended commons keeps its stock, harvests nothing and shows nothing. A limit of turns is ``EpisodeCap``'s.
    - info: ``CommonsInfo``.

    Build it with ``make_commons`` or ``jaxworld.make("commons/...")``.
    """

    config: CommonsConfig

    def __init__(self, config: CommonsConfig, default_params: CommonsParams | None = None) -> None:
        self.config = config
        self._default_params = default_params

    @property
    def num_agents(self) -> int:
        """N players."""
        return self.config.num_players

    def default_params(self) -> CommonsParams:
        """The parameters the world was built with."""
        if self._default_params is None:
            raise ConfigurationError("default_params", None, "build the world with make_commons, or pass params")
        return self._default_params

    def parameter_ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest value of each parameter, for sweeps."""
        return parameter_ranges(self.config)

    def observation_space(self, params: CommonsParams) -> Composite:
        """Space of ``CommonsObservation``."""
        return observation_space(self.config, params)

    def action_space(self, params: CommonsParams) -> Composite:
        """Space of ``CommonsAction``; any number is accepted, those outside are cut."""
        del params
        governance = None
        if self.config.governance is not None:
            from jaxworld.commons.governance import layer

            governance = layer.actions_space(self.config.governance)
        request = Box(0.0, np.inf, (self.num_agents,), np.float32, unit="resource")
        return Composite(CommonsAction, {"request": request, "governance": governance})

    def public_state(self, state: CommonsState) -> PublicState:
        """What the next turn depends on, without what the pipeline remembers and what runs are measured by."""
        return PublicState(**{name: getattr(state, name) for name in PublicState.__dataclass_fields__})

    def describe(self, params: CommonsParams | None = None) -> dict[str, Any]:
        """What an agent may know of the rules, as plain JSON values; see :func:`jaxworld.commons.describe.text`."""
        return describe.rules(self.config, self.default_params() if params is None else params)

    def reset(self, key: jax.Array, params: CommonsParams) -> tuple[CommonsState, TimeStep]:
        """The first turn begins."""
        params = as_arrays(params)
        size = self.num_agents
        zeros, counts = jnp.zeros(size, jnp.float32), jnp.zeros(size, jnp.int32)
        capital = None if params.seneca is None else params.seneca.initial_capital
        pollution = None if params.seneca is None else params.seneca.initial_pollution
        state = CommonsState(
            stock=resource.initial_stock(key, params, self.config.whole_units),
            turn=jnp.zeros((), jnp.int32),
            alive=jnp.ones((), bool),
            wealth=jnp.broadcast_to(params.initial_wealth, (size,)),
            last_harvest=zeros,
            total_harvest=zeros,
            active=params.active,
            capital=capital,
            pollution=pollution,
            governance=self._no_governance(),
            memory=self.config.pipeline.init_memory(),
            weighted_time=zeros,
            collapse_turn=jnp.full((), -1, jnp.int32),
            over_usage=counts,
            invalid=counts,
        )
        state, observation = self._begin_turn(key, state, params)
        nothing = CommonsInfo(
            stock=state.stock,
            request=zeros,
            harvest=zeros,
            regrowth=jnp.zeros((), jnp.float32),
            sustainable=self._sustainable(state, params),
            maximum_yield=self._maximum_yield(params),
            alive=state.alive,
            over=jnp.zeros(size, bool),
            invalid=jnp.zeros(size, bool),
            bound=None if state.governance is None else counts,
            broken=None if state.governance is None else counts,
        )
        return state, make_timestep(observation, size, terminated=~state.active, info=nothing)

    def step(
        self, key: jax.Array, state: CommonsState, action: CommonsAction, params: CommonsParams
    ) -> tuple[CommonsState, TimeStep]:
        """Play one turn and begin the next."""
        params = as_arrays(params)
        state, action = worlds_last((state, action))
        live = state.alive & state.active.any()
        taken = self._take(key, state, action, params)
        moved, gain = self._account(state, taken, params)
        moved = self._grow(key, state, moved, taken, params)
        moved = self._judge(state, moved, action, params)
        moved = self._measure(state, moved, taken, params)
        state, before = select(live, moved, state), state
        state, observation = self._begin_turn(key, worlds_last(state), params)
        info = CommonsInfo(
            stock=state.stock,
            request=jnp.where(live, taken.request, np.float32(0)),
            harvest=jnp.where(live, taken.harvest, np.float32(0)),
            regrowth=jnp.where(live, moved.stock - taken.left, np.float32(0)),
            sustainable=self._sustainable(before, params),
            maximum_yield=self._maximum_yield(params),
            alive=live,
            over=(moved.over_usage > before.over_usage) & live,
            invalid=taken.invalid & live,
            bound=_new_counts(before, moved, "bound", live),
            broken=_new_counts(before, moved, "broken", live),
        )
        reward = jnp.where(live & before.active, gain, np.float32(0))
        terminated = ~(state.alive & state.active)
        return state, make_timestep(observation, self.num_agents, reward=reward, terminated=terminated, info=info)

    def _begin_turn(
        self, key: jax.Array, state: CommonsState, params: CommonsParams
    ) -> tuple[CommonsState, CommonsObservation]:
        """Pacts begin and end, then everybody looks."""
        if state.governance is not None:
            from jaxworld.commons.governance import layer

            begun = layer.begin_turn(state.governance, params.governance, state.turn, state.active)
            state = replace(state, governance=select(state.alive & state.active.any(), begun, state.governance))
        return deliver(key, self.config, state, params)

    def _take(self, key: jax.Array, state: CommonsState, action: CommonsAction, params: CommonsParams) -> _Harvest:
        """Requests cut to what is permitted, amplified, and rationed."""
        invalid = jnp.isnan(action.request) & state.active
        limit = unfused(jnp.minimum(params.harvest_cap, np.float32(1)) * params.capacity)
        request = jnp.clip(jnp.where(jnp.isnan(action.request), np.float32(0), action.request), np.float32(0), limit)
        allowed = state.active & state.alive
        if state.governance is not None:
            from jaxworld.commons.governance import layer

            allowed = allowed & layer.permitted(state.governance, state.turn)
        request = jnp.where(allowed, request, np.float32(0))
        if self.config.whole_units:
            units, stock = jnp.floor(request).astype(jnp.int32), state.stock.astype(jnp.int32)
            harvest = serve_units(key, units, stock, params.ration, params.seat).astype(jnp.float32)
        else:
            demand = request
            if params.seneca is not None:
                assert state.capital is not None
                demand = seneca.amplified(request, state.capital, state.stock, params.capacity, params.seneca)
            harvest = serve(key, demand, state.stock, params.ration, params.seat)
        left = resource.left_over(state.stock, harvest, params.capacity)
        return _Harvest(request=request, harvest=harvest, invalid=invalid, left=left)

    def _account(self, state: CommonsState, taken: _Harvest, params: CommonsParams) -> tuple[CommonsState, jax.Array]:
        """Harvests and costs of living, then breaches and what they cost; returns each player's gain as well."""
        gain = taken.harvest - jnp.where(state.active, params.living_cost, np.float32(0))
        wealth, governance = state.wealth + gain, state.governance
        if governance is not None:
            from jaxworld.commons.governance import layer

            governance, after = layer.enforce(
                governance, params.governance, state.turn, taken.harvest, wealth, state.alive, state.active
            )
            gain, wealth = gain + (after - wealth), after
        return replace(state, governance=governance, wealth=wealth), gain

    def _grow(
        self, key: jax.Array, state: CommonsState, moved: CommonsState, taken: _Harvest, params: CommonsParams
    ) -> CommonsState:
        """Resource, capital and pollution after the turn, and whether the commons has collapsed."""
        factor = resource.shock(key, params.environment_noise)
        capital, pollution = state.capital, state.pollution
        if self.config.whole_units:
            stock = resource.multiply(taken.left, params, factor)
        else:
            stock = resource.logistic_growth(state.stock, taken.left, self._rate(state, params), params, factor)
        if params.seneca is not None:
            assert capital is not None and pollution is not None
            capital, pollution = seneca.advance(capital, pollution, taken.harvest.sum(), params.seneca)
        judged = taken.left if self.config.whole_units else stock
        collapsed = judged < params.collapse_share * params.capacity
        first = collapsed & (state.collapse_turn < 0)
        return replace(
            moved,
            stock=stock,
            capital=capital,
            pollution=pollution,
            alive=state.alive & ~(collapsed & params.absorbing),
            collapse_turn=jnp.where(first, state.turn, state.collapse_turn),
        )

    def _judge(
        self, state: CommonsState, moved: CommonsState, action: CommonsAction, params: CommonsParams
    ) -> CommonsState:
        """Bankruptcy, and letters, offers and signatures on their way."""
        bankrupt = (moved.wealth < 0) & (params.living_cost > 0)
        governance = moved.governance
        if governance is not None:
            from jaxworld.commons.governance import layer

            governance = layer.receive(
                governance, params.governance, action.governance, state.turn, state.active, params.seat
            )
        turn = state.turn + np.int32(1)
        return replace(moved, active=state.active & ~bankrupt, governance=governance, turn=turn)

    def _measure(
        self, state: CommonsState, moved: CommonsState, taken: _Harvest, params: CommonsParams
    ) -> CommonsState:
        """Sums a run is measured by."""
        players = jnp.maximum(state.active.sum(dtype=jnp.int32), np.int32(1)).astype(jnp.float32)
        threshold = self._sustainable(state, params) / players
        if self.config.whole_units:
            threshold = jnp.floor(threshold)
        return replace(
            moved,
            last_harvest=taken.harvest,
            total_harvest=state.total_harvest + taken.harvest,
            weighted_time=state.weighted_time + unfused(state.turn.astype(jnp.float32) * taken.harvest),
            over_usage=state.over_usage + (taken.harvest > threshold).astype(jnp.int32),
            invalid=state.invalid + taken.invalid.astype(jnp.int32),
        )

    def _rate(self, state: CommonsState, params: CommonsParams) -> jax.Array:
        """``float32[]``: r as pollution leaves it."""
        if params.seneca is None:
            return params.regrowth
        assert state.pollution is not None
        lost = unfused(params.seneca.regrowth_damage * seneca.damage(state.pollution, params.seneca))
        return params.regrowth * (np.float32(1) - lost)

    def _sustainable(self, state: CommonsState, params: CommonsParams) -> jax.Array:
        if self.config.whole_units:
            return resource.whole_sustainable(state.stock, params)
        return resource.logistic_sustainable(state.stock, self._rate(state, params), params)

    def _maximum_yield(self, params: CommonsParams) -> jax.Array:
        if self.config.whole_units:
            return resource.whole_sustainable(params.capacity, params)
        return params.regrowth * params.capacity * np.float32(0.25)

    def _no_governance(self) -> Any:
        if self.config.governance is None:
            return None
        from jaxworld.commons.governance import layer

        return layer.init(self.config.governance)


def _new_counts(before: CommonsState, after: CommonsState, name: str, live: jax.Array) -> jax.Array | None:
    """``int32[N]``: what a turn added to a count of governance; None without it."""
    if after.governance is None:
        return None
    added = getattr(after.governance, name) - getattr(before.governance, name)
    return jnp.where(live, added, np.int32(0))
