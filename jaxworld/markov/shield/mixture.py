"""An ablation: a shield that averages over what it believes about the others' level. It is not sound.

The bound of a state is taken to be the belief's average of the bounds against *known* levels. Nobody knows the level,
though, so that average promises more than can be kept: in some states every action exceeds it. Use it to measure what
the robust shield's guarantee is worth, not to keep anybody safe. What remains true is an average over the prior, and
that only while no mask has been empty.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import number, numeric_array
from jaxworld.core.errors import CapacityError, require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.spaces import Boolean, Box, Composite
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper
from jaxworld.markov.bits import pack
from jaxworld.markov.shield.model import ShieldModel
from jaxworld.markov.shield.nodes import NodeIndex, find_node, make_index
from jaxworld.markov.shield.tables import round_up
from jaxworld.markov.shield.world import ShieldObservation, check_same_game
from jaxworld.markov.solve.certificate import UNITS
from jaxworld.markov.solve.reachability import solve

LEAST_BELIEF = 1e-6
"""No level is ever given up for good."""


@dataclasses.dataclass(frozen=True, eq=False)
class MixtureModel:
    """Risks against each level, if it were known.

    Attributes:
        model: the shield whose levels these are.
        bound: ``float64[K, S]``, certified bound on the risk against level k.
        risk: ``float64[K, S, A_own]``, expected bound after each action.
    """

    model: ShieldModel
    bound: np.ndarray
    risk: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MixtureModel) and other.model == self.model

    def __hash__(self) -> int:
        return hash(("mixture", self.model))


def build_mixture(model: ShieldModel) -> MixtureModel:
    """Solve against each level alone.

    Raises:
        ConfigurationError: for a model without levels.
    """
    require(len(model.opponents) > 0, "model", model, "build it with opponents, one policy for each level")
    bounds, risks = [], []
    for rows in model.floors[0]:
        bound = solve(model.target, [rows], units=UNITS).upper
        risk = np.repeat(bound[:, None], rows.num_choices, axis=1)
        risk[rows.states] = rows.expect(bound)[:, :, 0]
        bounds.append(bound)
        risks.append(risk)
    return MixtureModel(model=model, bound=np.stack(bounds), risk=np.stack(risks))


def dead_ends(mixture: MixtureModel, belief: Any) -> np.ndarray:
    """``bool[S]``: states in which every action exceeds the mixture's own bound.

    Args:
        mixture: the ablation's numbers.
        belief: probabilities ``[K]`` of the levels.

    Raises:
        ConfigurationError: for a belief that is no distribution over the levels.
    """
    weights = check_belief(mixture, belief)
    bound = np.einsum("k,ks->s", weights, mixture.bound)
    least = np.einsum("k,ksa->sa", weights, mixture.risk).min(axis=1)
    return np.asarray(least > bound + 1.0 / UNITS)


def check_belief(mixture: MixtureModel, belief: Any) -> np.ndarray:
    """A distribution over the levels, ``float64[K]``.

    Raises:
        ConfigurationError: for anything else.
    """
    weights, count = numeric_array("belief", belief), len(mixture.bound)
    fits = weights.shape == (count,) and bool((weights > 0).all()) and abs(weights.sum() - 1) < 1e-6
    require(fits, "belief", belief, f"use {count} positive probabilities that sum to 1")
    return weights


@dataclasses.dataclass(frozen=True)
class MixtureShieldConfig:
    """Static configuration of :class:`MixtureShield`."""

    world: World[Any, Any, Any]
    mixture: MixtureModel


@pytree_dataclass
class MixtureShieldParams:
    """Parameters of :class:`MixtureShield`.

    Attributes:
        world: those of the game.
        index: finds the node of a public state.
        bound: ``float32[K, S]``; risk: ``float32[K, S, A_own]``; log_policy: ``float32[K, S, A_others]``.
        budget: ``float32[]``, the first budget, raised to the start's bound where that is higher.
        log_belief: ``float32[K]``, of the prior.
    """

    world: Any
    index: NodeIndex
    bound: jax.Array
    risk: jax.Array
    log_policy: jax.Array
    budget: jax.Array
    log_belief: jax.Array


@pytree_dataclass
class MixtureShieldState:
    """``world``: the game's own; ``node int32[]``, ``budget float32[]``, ``log_belief float32[K]``; ``unknown``."""

    world: Any
    node: jax.Array
    budget: jax.Array
    log_belief: jax.Array
    unknown: jax.Array


@pytree_dataclass
class MixtureInfo:
    """For observers.

    Attributes:
        inner: the game's own.
        mask_empty: ``bool[]``, no action was within the budget in the state just left; the one of least risk was taken.
        replaced: ``bool[]``, the action was not allowed.
        belief: ``float32[K]``.
    """

    inner: Any
    mask_empty: jax.Array
    replaced: jax.Array
    belief: jax.Array


class MixtureShield(Wrapper):
    """The ablation as a world; its training state is public bits, budget and belief, ``float32[B + 1 + K]``.

    The belief follows Bayes' rule on the others' observed actions, in logarithms, with a least probability of
    ``LEAST_BELIEF`` for every level. Slack is dealt out proportionally. Where no action is within the budget, all are
    masked, the action of least risk is taken and ``mask_empty`` is set.

    Args:
        world: a game.
        mixture: see :func:`build_mixture`.

    Raises:
        ConfigurationError: if the model is of another game.
    """

    config: MixtureShieldConfig

    def __init__(self, world: World[Any, Any, Any], mixture: MixtureModel) -> None:
        check_same_game(world, mixture.model)
        self.config = MixtureShieldConfig(world=world, mixture=mixture)

    @property
    def mixture(self) -> MixtureModel:
        """The ablation's numbers on the host."""
        return self.config.mixture

    def params(self, world: Any = None, budget: float = 0.5, belief: Any = None) -> MixtureShieldParams:
        """Parameters; a uniform belief if None.

        Raises:
            ConfigurationError: for a budget outside [0, 1] or a belief that is no distribution over the levels.
        """
        mixture = self.mixture
        count = len(mixture.bound)
        weights = check_belief(mixture, np.full(count, 1.0 / count) if belief is None else belief)
        with np.errstate(divide="ignore"):
            log_policy = np.maximum(np.log(np.stack(mixture.model.opponents)), -80.0)
        return MixtureShieldParams(
            world=self.world.default_params() if world is None else world,
            index=jax.tree.map(jnp.asarray, make_index(mixture.model.graph)),
            bound=jnp.asarray(round_up(mixture.bound)),
            risk=jnp.asarray(round_up(mixture.risk)),
            log_policy=jnp.asarray(log_policy, jnp.float32),
            budget=jnp.asarray(number("budget", budget, 0.0, 1.0), jnp.float32),
            log_belief=jnp.asarray(np.log(weights), jnp.float32),
        )

    def default_params(self) -> MixtureShieldParams:
        return self.params()

    def reset(self, key: jax.Array, params: MixtureShieldParams) -> tuple[MixtureShieldState, TimeStep]:
        state, timestep = self.world.reset(key, params.world)
        node, known = find_node(params.index, pack(self.world.public_state(state)))
        made = MixtureShieldState(
            world=state,
            node=node,
            budget=jnp.maximum(params.budget, _average(params.log_belief, params.bound[:, node])),
            log_belief=params.log_belief,
            unknown=~known,
        )
        never = jnp.zeros((), bool)
        return made, self._moment(made, timestep, never, never, params)

    def step(
        self, key: jax.Array, state: MixtureShieldState, action: jax.Array, params: MixtureShieldParams
    ) -> tuple[MixtureShieldState, TimeStep]:
        player, num_actions = self.mixture.model.player, self.mixture.model.graph.num_actions
        limited = jnp.minimum(action, np.asarray(num_actions, np.int32) - np.int32(1))
        risk, mask = self._mask(state, params)
        chosen = limited[player]
        taken = jnp.where(mask[chosen], chosen, jnp.argmin(risk).astype(jnp.int32))
        world_state, timestep = self.world.step(key, state.world, limited.at[player].set(taken), params.world)
        node, known = find_node(params.index, pack(self.world.public_state(world_state)))
        ended = timestep.done.all() & (node == state.node)
        belief = _updated(state.log_belief, params.log_policy[:, state.node, self._others(limited)])
        belief = jnp.where(jnp.broadcast_to(ended, belief.shape), state.log_belief, belief)
        bound = _average(belief, params.bound[:, node])
        keep = np.float32(1) - risk[taken]
        share = jnp.where(
            keep > 0, (np.float32(1) - state.budget) / jnp.maximum(keep, np.float32(1e-12)), np.float32(0)
        )
        budget = np.float32(1) - jnp.clip(share, np.float32(0), np.float32(1)) * (np.float32(1) - bound)
        made = replace(
            state, world=world_state, node=node, budget=jnp.where(ended, state.budget, budget), log_belief=belief,
            unknown=state.unknown | ~known,
        )  # fmt: skip
        return made, self._moment(made, timestep, ~mask.any(), taken != chosen, params)

    def training_state(self, state: MixtureShieldState) -> jax.Array:
        """``float32[B + 1 + K]``: public bits, budget, belief."""
        bits = self.world.public_state(state.world).reshape(-1).astype(jnp.float32)
        return jnp.concatenate([bits, state.budget[None], jnp.exp(state.log_belief)])

    def observation_space(self, params: MixtureShieldParams) -> Composite:
        inner: Any = self.world.observation_space(params.world)
        width = inner.shape[-1] + 1 + len(self.mixture.bound)
        own = self.mixture.risk.shape[2]
        return Composite(
            ShieldObservation, {"inner": inner, "training": Box(0.0, 1.0 + 1e-6, (width,)), "mask": Boolean((own,))}
        )

    def check_flags(self, state: MixtureShieldState) -> None:
        if np.asarray(state.unknown).any():
            raise CapacityError("a state is not in the shield's graph: build it with the parameters that are simulated")
        self.world.check_flags(state.world)

    def _mask(self, state: MixtureShieldState, params: MixtureShieldParams) -> tuple[jax.Array, jax.Array]:
        """Average risk ``float32[A_own]`` of each action, and which are within the budget."""
        risk = jax.vmap(lambda column: _average(state.log_belief, column), 1)(params.risk[:, state.node])
        return risk, risk <= jnp.broadcast_to(state.budget, risk.shape)

    def _others(self, action: jax.Array) -> jax.Array:
        """Number of what the others do."""
        number_, player = jnp.zeros((), jnp.int32), self.mixture.model.player
        for other, count in enumerate(self.mixture.model.graph.num_actions):
            if other != player:
                number_ = number_ * np.int32(count) + action[other]
        return number_

    def _moment(
        self, state: MixtureShieldState, timestep: TimeStep, empty: jax.Array, replaced: jax.Array, params: Any
    ) -> TimeStep:
        observation = ShieldObservation(
            inner=timestep.observation, training=self.training_state(state), mask=self._mask(state, params)[1]
        )
        belief = jnp.exp(state.log_belief)
        info = MixtureInfo(inner=timestep.info, mask_empty=empty, replaced=replaced, belief=belief)
        return replace(timestep, observation=observation, info=info)


def _average(log_belief: jax.Array, values: jax.Array) -> jax.Array:
    return (jnp.exp(log_belief) * values).sum()


def _updated(log_belief: jax.Array, log_likelihood: jax.Array) -> jax.Array:
    """Bayes' rule, then the least probability for every level."""
    made = jnp.exp(jax.nn.log_softmax(log_belief + log_likelihood))
    kept = jnp.maximum(made, np.float32(LEAST_BELIEF))
    return jnp.log(kept) - jnp.log(kept.sum())
