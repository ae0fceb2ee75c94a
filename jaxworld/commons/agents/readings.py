"""What an agent makes of what it is shown: numbers, levels and directions, and what stands in for them.

Where an agent needs a number and gets a level, it takes the centre of the level; where it needs a level or a direction
and gets a number, it forms it from the number. What is hidden, or is a direction where a number is needed, it cannot
use: it falls back on a fixed share of a fair yield. All of this is decided when the agents are built, except for
players that are shown nothing in a turn.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.commons import observation as names
from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.params import CommonsParams
from jaxworld.commons.state import CommonsObservation
from jaxworld.core.errors import require
from jaxworld.core.layout import worlds_last
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.observe.delivered import Delivered
from jaxworld.observe.kinds.resolution import MODES
from jaxworld.observe.plan import VariablePlan


@dataclasses.dataclass(frozen=True)
class Presentation:
    """How one variable arrives; static.

    Attributes:
        number: it can be a number.
        levels: how many levels it can have, 0 if it never is a level.
        direction: it can be a direction.
    """

    number: bool = False
    levels: int = 0
    direction: bool = False

    @property
    def numeric(self) -> bool:
        """Whether a number can be made of it."""
        return self.number or self.levels > 0

    @property
    def mixed(self) -> bool:
        """Whether a parameter decides between a direction and something numeric."""
        return self.direction and self.numeric


HIDDEN = Presentation()


@dataclasses.dataclass(frozen=True)
class AgentView:
    """What agents are built on; static.

    Attributes:
        config: of the commons.
        presentations: by variable that is delivered.
    """

    config: CommonsConfig
    presentations: tuple[tuple[str, Presentation], ...]

    @property
    def num_players(self) -> int:
        """N."""
        return self.config.num_players

    def of(self, name: str) -> Presentation:
        """How a variable arrives; :data:`HIDDEN` if it does not."""
        return dict(self.presentations).get(name, HIDDEN)

    def silence(self) -> Any:
        """Saying, offering and signing nothing; None without governance."""
        if self.config.governance is None:
            return None
        from jaxworld.commons.governance import layer

        return layer.no_actions(self.config.governance)


@pytree_dataclass
class Facts:
    """The rules' numbers that every player knows.

    Attributes:
        capacity: ``float32[]``, K.
        cap: ``float32[]``, most a player may ask for, as a share of capacity, at most 1.
        seat: ``int32[N]``, who the players are.
        resolutions: ``int32[]`` by variable, how it arrives where a parameter decides that.
    """

    capacity: jax.Array
    cap: jax.Array
    seat: jax.Array
    resolutions: dict[str, jax.Array]


@dataclasses.dataclass(frozen=True)
class Reading:
    """``value``: ``float32``, 0 where nothing can be read; ``known``: ``bool`` of the same shape."""

    value: jax.Array
    known: jax.Array


def find_view(world: Any) -> AgentView:
    """The view of the commons inside ``world``, wrapped or not.

    Raises:
        ConfigurationError: if there is none.
    """
    inner = world
    while hasattr(inner, "world"):
        inner = inner.world
    config: Any = getattr(inner, "config", None)
    require(isinstance(config, CommonsConfig), "world", world, "these agents play in a commons")
    plans = [plan for plan in config.pipeline.plans if plan.visible]
    return AgentView(config, tuple((plan.variable.name, _present(plan)) for plan in plans))


def _present(plan: VariablePlan) -> Presentation:
    if plan.content == "number":
        return Presentation(number=True)
    last = plan.stages[-1]
    specification = dict(last.specification)
    modes = specification.get("mode")
    if last.kind.name != "resolution" or modes is None:
        return Presentation(levels=len(last.labels))
    levels = specification["buckets"] if "bucket" in modes else 0
    return Presentation(number="exact" in modes, levels=levels, direction="sign" in modes)


def base_params(params: Any) -> CommonsParams:
    """The parameters of the commons inside those of wrappers."""
    while not isinstance(params, CommonsParams):
        params = params.world
    return params


def read_facts(view: AgentView, params: CommonsParams) -> Facts:
    """What every player knows of the rules."""
    mixed = [name for name, how in view.presentations if how.mixed]
    return Facts(
        capacity=jnp.asarray(params.capacity),
        cap=jnp.minimum(jnp.asarray(params.harvest_cap), np.float32(1)),
        seat=jnp.asarray(params.seat),
        resolutions={name: jnp.asarray(params.observe[name].resolution) for name in mixed},
    )


def is_direction(view: AgentView, facts: Facts, name: str) -> jax.Array:
    """``bool[]``: whether a variable arrives as a direction."""
    how = view.of(name)
    if how.mixed:
        return facts.resolutions[name] == np.int32(MODES.index("sign"))
    return jnp.asarray(how.direction)


Seats = tuple[int, ...] | None
"""Some players by position, fixed when the program is compiled; None for all."""


def pick(array: jax.Array, seats: Seats) -> jax.Array:
    """Rows ``[len(seats), ...]`` of ``array [N, ...]`` as slices, of which only what is used is ever computed."""
    if seats is None or seats == tuple(range(array.shape[0])):
        return array
    runs = [lax.slice_in_dim(array, first, last + 1) for first, last in _runs(seats)]
    return runs[0] if len(runs) == 1 else lax.concatenate(runs, 0)


def _runs(seats: tuple[int, ...]) -> list[tuple[int, int]]:
    """First and last of each run of neighbouring positions, in the order given."""
    runs: list[tuple[int, int]] = []
    for seat in seats:
        if runs and seat == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], seat)
        else:
            runs.append((seat, seat))
    return runs


def rows(tree: Any, seats: Seats) -> Any:
    """Rows of some players from every array of ``tree``."""
    return worlds_last(jax.tree.map(lambda leaf: pick(leaf, seats), tree))


def show(observation: CommonsObservation, name: str, seats: Seats) -> Delivered:
    """What some players were delivered of a variable."""
    return rows(observation.delivered[name], seats)  # type: ignore[no-any-return]


def read_number(
    view: AgentView, observation: CommonsObservation, facts: Facts, name: str, seats: Seats = None
) -> Reading | None:
    """A variable as a number, the centre of its level if it is one; None if no number can be made of it."""
    how = view.of(name)
    if not how.numeric:
        return None
    shown = show(observation, name, seats)
    known = shown.mask & ~is_direction(view, facts, name) if how.mixed else shown.mask
    value = shown.value
    if how.levels:
        low, high = (jnp.expand_dims(bound, tuple(range(1, value.ndim))) for bound in (shown.low, shown.high))
        share = (shown.code.astype(jnp.float32) + np.float32(0.5)) * np.float32(1.0 / how.levels)
        value = jnp.where(shown.code >= 0, low + (high - low) * share, value)
        value = jnp.where(known, value, np.float32(0))
    return Reading(value, known)


def stock_share(view: AgentView, observation: CommonsObservation, facts: Facts, seats: Seats = None) -> Reading:
    """The stock each player reads as a share of capacity, ``float32[N]``; nobody knows it if it cannot be read."""
    reading = read_number(view, observation, facts, names.STOCK, seats)
    if reading is None:
        nothing = jnp.zeros(view.num_players if seats is None else len(seats), jnp.float32)
        return Reading(nothing, nothing > 0)
    return Reading(reading.value * (np.float32(1) / facts.capacity), reading.known)
