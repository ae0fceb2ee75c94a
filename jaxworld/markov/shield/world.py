"""The budgeted shield as a world around a game."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import flag, number, whole
from jaxworld.core.errors import CapacityError, ConfigurationError, require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.spaces import Boolean, Box, Composite
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper
from jaxworld.markov.bits import pack
from jaxworld.markov.shield.model import ShieldModel
from jaxworld.markov.shield.nodes import find_node
from jaxworld.markov.shield.tables import (
    ShieldTables,
    make_tables,
    next_level,
    shield_mask,
    shown_budget,
)
from jaxworld.markov.solve.certificate import UNITS


@dataclasses.dataclass(frozen=True)
class TransitionShieldConfig:
    """Static configuration of :class:`TransitionShield`."""

    world: World[Any, Any, Any]
    model: ShieldModel


@pytree_dataclass
class TransitionShieldParams:
    """Parameters of :class:`TransitionShield`.

    Attributes:
        world: those of the game.
        tables: the shield's numbers.
        budget: ``int32[]``, the first budget in whole units of 1 / UNITS.
        level_floor: ``int32[]``, the lowest level the others are taken to play at.
        clamp: ``bool[]``, whether an infeasible budget is raised to the bound of the starting state.
    """

    world: Any
    tables: ShieldTables
    budget: jax.Array
    level_floor: jax.Array
    clamp: jax.Array


@pytree_dataclass
class TransitionShieldState:
    """State of :class:`TransitionShield`.

    Attributes:
        world: the game's own, untouched.
        node: ``int32[]``, its node in the graph.
        level: ``int32[]``, the budget's place on the grid.
        level_floor: ``int32[]``, fixed at reset.
        clamped: ``bool[]``, the budget was infeasible at the start and has been raised to the state's bound.
        refused: ``bool[]``, it was infeasible and might not be raised; ``check_flags`` raises on it.
        unknown: ``bool[]``, the game has left the graph; ``check_flags`` raises on it.
    """

    world: Any
    node: jax.Array
    level: jax.Array
    level_floor: jax.Array
    clamped: jax.Array
    refused: jax.Array
    unknown: jax.Array


@pytree_dataclass
class ShieldObservation:
    """What the players see.

    Attributes:
        inner: the game's own observation.
        training: ``float32[B + 2]``: the public bits, the current safety bound, the level floor.
        mask: ``bool[A_own]``, the shielded player's allowed actions.
    """

    inner: Any
    training: jax.Array
    mask: jax.Array


@pytree_dataclass
class ShieldInfo:
    """For observers.

    Attributes:
        inner: the game's own.
        least: ``float32[]``, the bound of the current state under safest play, rounded up.
        replaced: ``bool[]``, the player's action was not allowed and the safest one was taken instead; not told of
            the step that ends the game.
        clamped: ``bool[]``, as in the state.
    """

    inner: Any
    least: jax.Array
    replaced: jax.Array
    clamped: jax.Array


class TransitionShield(Wrapper):
    """Keeps the chance that a label is ever reached within a budget, whatever the shielded player wants to do.

    The current safety bound q starts at the budget, rounded down to the grid but not below the bound of the state. In
    each step the actions whose worst expected bound is at most q are allowed; any other is replaced by the safest. What
    is left over is dealt out over the successors (``shield.allocate``), so that E[q] never rises and q = 1 where the
    label holds. Hence P(label is ever reached) <= budget for every policy of the player, for all play of the others
    that the model's scenarios cover, and for every limit on the length of an episode.

    The game is not touched: its state, its keys and what a model of it sees are the same with and without the shield.
    It is safe and, for its grid, only weakly permissive: no shield for probabilistic safety can be safe and allow all
    that is safe.

    Args:
        world: a game, see ``jaxworld.markov.game``.
        model: of a graph of that very game and parameters.
        budget: the default of the parameter; the least that every starting state allows if None.
        level_floor: the default of the parameter.
        clamp: the default of the parameter.

    Raises:
        ConfigurationError: if the model is of another game, or for a budget outside [bound, 1] that is not to be
            clamped, or for a floor that the model does not have.
    """

    config: TransitionShieldConfig

    def __init__(
        self,
        world: World[Any, Any, Any],
        model: ShieldModel,
        budget: float | None = None,
        level_floor: int = 0,
        clamp: bool = False,
    ) -> None:
        check_same_game(world, model)
        self.config = TransitionShieldConfig(world=world, model=model)
        self._defaults = {"budget": budget, "level_floor": level_floor, "clamp": clamp}
        check_budget(model, budget, level_floor, clamp)

    @property
    def model(self) -> ShieldModel:
        """The shield's numbers on the host."""
        return self.config.model

    def params(
        self, world: Any = None, budget: float | None = None, level_floor: int = 0, clamp: bool = False
    ) -> TransitionShieldParams:
        """Parameters.

        Args:
            world: the game's; its default ones if None. The model must be of a graph made with them.
            budget: the first budget; the least that every starting state allows if None.
            level_floor: the lowest level the others are taken to play at.
            clamp: raise an infeasible budget to the bound of the starting state, and flag it.

        Raises:
            ConfigurationError: for a budget outside [bound, 1] that is not to be clamped, or an unknown floor.
        """
        units = check_budget(self.model, budget, level_floor, clamp)
        return TransitionShieldParams(
            world=self.world.default_params() if world is None else world,
            tables=make_tables(self.model),
            budget=jnp.asarray(units, jnp.int32),
            level_floor=jnp.asarray(level_floor, jnp.int32),
            clamp=jnp.asarray(bool(clamp)),
        )

    def default_params(self) -> TransitionShieldParams:
        return self.params(**self._defaults)  # type: ignore[arg-type]

    def reset(self, key: jax.Array, params: TransitionShieldParams) -> tuple[TransitionShieldState, TimeStep]:
        state, timestep = self.world.reset(key, params.world)
        tables, floor = params.tables, params.level_floor
        node, known = find_node(tables.index, pack(self.world.public_state(state)))
        infeasible = params.budget < tables.bound[floor, node]
        made = TransitionShieldState(
            world=state,
            node=node,
            level=params.budget // np.int32(UNITS // tables.grid),
            level_floor=floor,
            clamped=infeasible & params.clamp,
            refused=infeasible & ~params.clamp,
            unknown=~known,
        )
        return made, self._moment(made, timestep, jnp.zeros((), bool), params)

    def step(
        self, key: jax.Array, state: TransitionShieldState, action: jax.Array, params: TransitionShieldParams
    ) -> tuple[TransitionShieldState, TimeStep]:
        tables, floor, player = params.tables, state.level_floor, self.model.player
        mask = shield_mask(tables, floor, state.node, state.level)
        chosen = jnp.minimum(action[player], np.int32(mask.shape[0] - 1))
        taken = jnp.where(mask[chosen], chosen, jnp.argmin(tables.risk[floor, state.node]).astype(jnp.int32))
        world_state, timestep = self.world.step(key, state.world, action.at[player].set(taken), params.world)
        node, known = find_node(tables.index, pack(self.world.public_state(world_state)))
        level = next_level(tables, floor, state.node, state.level, taken, node)
        made = replace(
            state,
            world=world_state,
            node=node,
            level=level,
            unknown=state.unknown | ~known,
        )
        return made, self._moment(made, timestep, taken != chosen, params)

    def training_state(self, state: TransitionShieldState, params: TransitionShieldParams) -> jax.Array:
        """``float32[B + 2]``: public bits, current safety bound, level floor: all that play depends on from here."""
        bits = self.world.public_state(state.world).reshape(-1).astype(jnp.float32)
        bound = shown_budget(params.tables, state.level_floor, state.node, state.level)
        return jnp.concatenate([bits, jnp.stack([bound, state.level_floor.astype(jnp.float32)])])

    def observation_space(self, params: TransitionShieldParams) -> Composite:
        inner: Any = self.world.observation_space(params.world)
        width = inner.shape[-1] + 2
        highest = max(1, self.model.num_floors - 1)
        own = self.model.risk.shape[2]
        return Composite(
            ShieldObservation, {"inner": inner, "training": Box(0.0, highest, (width,)), "mask": Boolean((own,))}
        )

    def check_flags(self, state: TransitionShieldState) -> None:
        """Host: raise if a budget was refused or the game has left the graph.

        Raises:
            ConfigurationError: for an infeasible budget.
            CapacityError: for a state that the graph does not have.
        """
        if np.asarray(state.refused).any():
            count = int(np.asarray(state.refused).sum())
            raise ConfigurationError("budget", f"{count} worlds", "below the bound of their start: raise it, or clamp")
        if np.asarray(state.unknown).any():
            raise CapacityError("a state is not in the shield's graph: build it with the parameters that are simulated")
        self.world.check_flags(state.world)

    def _moment(
        self, state: TransitionShieldState, timestep: TimeStep, replaced: jax.Array, params: TransitionShieldParams
    ) -> TimeStep:
        tables, floor = params.tables, state.level_floor
        observation = ShieldObservation(
            inner=timestep.observation,
            training=self.training_state(state, params),
            mask=shield_mask(tables, floor, state.node, state.level),
        )
        info = ShieldInfo(
            inner=timestep.info,
            least=tables.shown_bound[floor, state.node],
            replaced=replaced & ~timestep.done.all(),
            clamped=state.clamped,
        )
        return replace(timestep, observation=observation, info=info)


def check_same_game(world: Any, model: ShieldModel) -> None:
    """Host: whether a model can be of this game.

    Raises:
        ConfigurationError: for a world without public bits, or another number of actions or bits than the graph's.
    """
    require(hasattr(world, "num_bits"), "world", world, "use a game of the markov family")
    theirs, ours = tuple(model.graph.num_actions), tuple(world.num_actions)
    require(theirs == ours, "model", model, f"its graph has actions {theirs}, this game has {ours}: use its own graph")
    words = model.graph.state_words.shape[1]
    fits = words == -(-world.num_bits // 32)
    require(fits, "model", model, f"its graph has {words} words a state, this game another number: use its own graph")


def check_budget(model: ShieldModel, budget: float | None, level_floor: int, clamp: bool) -> int:
    """Host: a first budget in units.

    Raises:
        ConfigurationError: for a budget outside [0, 1], one below a starting state's bound that is not to be clamped,
            or a floor that the model does not have.
    """
    floor = whole("level_floor", level_floor, 0, model.num_floors - 1)
    flag("clamp", clamp)
    bounds = model.bound[floor][np.asarray(model.graph.initial) > 0]
    if budget is None:
        return int(bounds.max())
    units = int(np.floor(number("budget", budget, 0.0, 1.0) * UNITS + 1e-6))
    low = int((bounds > units).sum())
    least = np.ceil(bounds.max() / UNITS * 1e6) / 1e6
    where = f"{low:,} of {len(bounds):,} starting states"
    remedy = f"safest play already risks more in {where}: use at least {least:.6f}, or clamp it"
    require(clamp or low == 0, "budget", budget, remedy)
    return units
