"""Several policies in one world: rosters, best responses, and populations with a payoff table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.policy import Policy
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.rollout import rollout
from jaxworld.core.world import World
from jaxworld.metrics.intervals import mean_interval
from jaxworld.study.search.codec import Codec, Identity
from jaxworld.study.search.evaluate import Evaluator, held_out_seeds
from jaxworld.study.search.run import SearchResult, search
from jaxworld.study.search.settings import SearchSettings
from jaxworld.study.search.strategies import Strategy

LEARNER = 0
"""The number of the searched policy in a seating; roster entry k has number ``k + 1``."""


@pytree_dataclass
class Fixed:
    """A hashable policy without arrays as a pytree, so that it can sit among others."""

    policy: Any = static_field()

    def init(self, key: jax.Array, params: Any) -> Any:
        return self.policy.init(key, params)

    def act(self, key: jax.Array, carry: Any, observation: Any) -> tuple[Any, Any]:
        return self.policy.act(key, carry, observation)


@pytree_dataclass
class SeatedPolicies:
    """Policies at the seats of one world. Implements ``jaxworld.core.Policy``.

    Every policy sees the whole observation and acts for all agents; of its action only the rows of its own seats
    count. Each has a key of its own.

    Attributes:
        seats: the policy's number for each agent.
        policies: pytrees; see :class:`Fixed` for others.
    """

    seats: tuple[int, ...] = static_field()
    policies: tuple[Any, ...]

    def init(self, key: jax.Array, params: Any) -> tuple[Any, ...]:
        """The memories of all policies."""
        return tuple(
            policy.init(jax.random.fold_in(key, number), params) for number, policy in enumerate(self.policies)
        )

    def act(self, key: jax.Array, carry: tuple[Any, ...], observation: Any) -> tuple[Any, tuple[Any, ...]]:
        """The rows of every policy's action that belong to its seats."""
        acted = [
            policy.act(jax.random.fold_in(key, number), memory, observation)
            for number, (policy, memory) in enumerate(zip(self.policies, carry, strict=True))
        ]
        agent, seat = np.arange(len(self.seats)), np.array(self.seats)
        action = jax.tree.map(lambda *rows: jnp.stack(rows)[seat, agent], *(action for action, _ in acted))
        return action, tuple(memory for _, memory in acted)


@pytree_dataclass
class RosterObjective:
    """Scores a candidate by what it earns among the policies of a fixed roster, averaged over seatings.

    Attributes:
        world, num_steps: where and for how long.
        seatings: for each run, the policy's number for each agent: 0 is the candidate, ``k + 1`` roster entry k.
        roster: the other policies.
        params: the world's parameters.
        codec: from candidate to policy.
    """

    world: World[Any, Any, Any] = static_field()
    num_steps: int = static_field()
    seatings: tuple[tuple[int, ...], ...] = static_field()
    roster: tuple[Any, ...]
    params: Any
    codec: Codec = Identity()

    def __call__(self, candidate: Any, key: jax.Array) -> jax.Array:
        policies = (self.codec.decode(candidate), *self.roster)
        earned = []
        for seats in self.seatings:
            played = rollout(
                self.world, SeatedPolicies(seats=seats, policies=policies), key, self.num_steps, self.params
            )
            mine = np.flatnonzero(np.array(seats) == LEARNER)
            earned.append(played.summary.total_reward[mine].mean())
        return jnp.stack(earned).mean()


def as_pytree(policy: Policy) -> Any:
    """The policy itself if it is a pytree, else wrapped in :class:`Fixed`."""
    return Fixed(policy=policy) if jax.tree_util.all_leaves([policy]) else policy


def roster_objective(
    world: World[Any, Any, Any],
    num_steps: int,
    roster: Sequence[Policy],
    *,
    seatings: Sequence[Sequence[int]] | None = None,
    params: Any = None,
    codec: Codec | None = None,
) -> RosterObjective:
    """A :class:`RosterObjective` with checked arguments.

    Args:
        world: where, with A agents.
        num_steps: for how long.
        roster: the other policies, at least one.
        seatings: see :class:`RosterObjective`; by default the candidate takes every seat in turn, with all others
            played by each roster entry in turn.
        params: the world's parameters; the default ones if None.
        codec: from candidate to policy.

    Raises:
        ConfigurationError: for an empty roster, or a seating of another length, without the candidate, or with an
            entry that is not there.
    """
    require(len(roster) >= 1, "roster", roster, "give at least one policy to play with")
    agents = world.num_agents
    if seatings is None:
        seatings = [
            _one_seat(seat, agents, LEARNER, number + 1) for number in range(len(roster)) for seat in range(agents)
        ]
    for seats in seatings:
        fits = len(seats) == agents and LEARNER in seats and all(0 <= seat <= len(roster) for seat in seats)
        remedy = f"name a policy for each of {agents} agents: 0 (the candidate, at least once) to {len(roster)}"
        require(fits, "seatings", tuple(seats), remedy)
    return RosterObjective(
        world=world,
        num_steps=num_steps,
        seatings=tuple(tuple(int(seat) for seat in seats) for seats in seatings),
        roster=tuple(as_pytree(policy) for policy in roster),
        params=world.default_params() if params is None else params,
        codec=Identity() if codec is None else codec,
    )


def _one_seat(seat: int, num_agents: int, mine: int, others: int) -> tuple[int, ...]:
    return tuple(mine if agent == seat else others for agent in range(num_agents))


def best_response(
    world: World[Any, Any, Any],
    num_steps: int,
    roster: Sequence[Policy],
    template: Any,
    strategy: Strategy,
    settings: SearchSettings | None = None,
    *,
    folder: str | Path | None = None,
    **options: Any,
) -> SearchResult:
    """Search for the policy that earns most among a roster whose policies stay as they are.

    Args:
        world, num_steps, roster: see :func:`roster_objective`, which also takes the ``options``.
        template, strategy, settings, folder: see :func:`~jaxworld.study.search.run.search`.
    """
    objective = roster_objective(world, num_steps, roster, **options)
    return search(objective, template, strategy, settings, folder=folder)


@dataclasses.dataclass(frozen=True)
class PayoffTable:
    """What each policy earns among copies of each other, on the same worlds.

    Attributes:
        mean, low, high: ``float64[K, K]``: return of an agent of row i where all others are of column j, averaged
            over the row's seats, with its 95 % interval over worlds.
        scores: ``float64[K, K, W]``, of every world.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scores: np.ndarray

    def exploitability(self, column: int) -> float:
        """How much more the best row earns against ``column`` than ``column`` earns against itself."""
        return float(self.mean[:, column].max() - self.mean[column, column])


def payoff_table(
    world: World[Any, Any, Any],
    num_steps: int,
    policies: Sequence[Policy],
    *,
    params: Any = None,
    worlds: int = 128,
    held_out_seed: int = 0,
    block: int = 64,
) -> PayoffTable:
    """Play every policy against every other on the same held-out worlds.

    Args:
        world: with at least two agents.
        num_steps: length of a run.
        policies: K policies of any kind.
        params: the world's parameters; the default ones if None.
        worlds: number of worlds W.
        held_out_seed: of the worlds.
        block: runs at once on a device.

    Raises:
        ConfigurationError: for no policy, or a world of one agent.
    """
    require(len(policies) >= 1, "policies", policies, "give at least one")
    require(world.num_agents >= 2, "world", world, "a payoff table needs at least two agents")
    seats = [_one_seat(seat, world.num_agents, LEARNER, 1) for seat in range(world.num_agents)]
    seeds, nobody = held_out_seeds(held_out_seed, worlds), {"nothing": jnp.zeros((1, 1), jnp.float32)}
    given = world.default_params() if params is None else params
    scores = np.zeros((len(policies), len(policies), worlds))
    for row, mine in enumerate(policies):
        for column, others in enumerate(policies):
            objective = RosterObjective(
                world=world,
                num_steps=num_steps,
                seatings=tuple(seats),
                roster=(as_pytree(others),),
                params=given,
                codec=_Given(policy=as_pytree(mine)),
            )
            scores[row, column] = Evaluator(objective, block=block).scores(nobody, seeds)[0]
    band = mean_interval(scores, axis=2)
    return PayoffTable(np.asarray(band.mean), np.asarray(band.low), np.asarray(band.high), scores)


@pytree_dataclass
class _Given:
    """A codec that ignores the candidate."""

    policy: Any

    def decode(self, candidate: Any) -> Any:
        del candidate
        return self.policy


@dataclasses.dataclass(frozen=True)
class GrownPopulation:
    """Policies in the order they joined, what each search found, and how they fare against each other."""

    policies: tuple[Any, ...]
    searches: tuple[SearchResult, ...]
    table: PayoffTable


def grow_population(
    world: World[Any, Any, Any],
    num_steps: int,
    first: Sequence[Policy],
    template: Any,
    strategy: Strategy,
    settings: SearchSettings | None = None,
    *,
    rounds: int = 2,
    params: Any = None,
) -> GrownPopulation:
    """Self-play with a memory: each round adds a best response to an even mixture of all policies so far.

    This is fictitious play over policies (Brown 1951; Heinrich, Lanctot, Silver 2015), with a search as the response.

    Args:
        world: with at least two agents.
        num_steps: length of a run.
        first: the policies to begin with, at least one.
        template, strategy, settings: of each search; its seed grows by one a round.
        rounds: how many policies to add.
        params: the world's parameters; the default ones if None.
    """
    require(isinstance(rounds, int) and rounds >= 1, "rounds", rounds, "use at least 1")
    settings = SearchSettings() if settings is None else settings
    policies, searches = [as_pytree(policy) for policy in first], []
    for number in range(rounds):
        this = dataclasses.replace(settings, seed=settings.seed + number)
        found = best_response(world, num_steps, policies, template, strategy, this, params=params)
        searches.append(found)
        policies.append(found.policy)
    table = payoff_table(
        world,
        num_steps,
        policies,
        params=params,
        worlds=settings.held_out_worlds,
        held_out_seed=settings.held_out_seed,
        block=settings.block,
    )
    return GrownPopulation(tuple(policies), tuple(searches), table)
