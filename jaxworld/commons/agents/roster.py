"""A mix of built-in agents as one policy."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import observation as names
from jaxworld.commons.agents import trend, types
from jaxworld.commons.agents.readings import AgentView, Facts, Seats, base_params, find_view, pick, read_facts
from jaxworld.commons.agents.types import AGENT_TYPES, STATELESS, TREND, AgentCoefficients, Situation
from jaxworld.commons.state import CommonsAction, CommonsObservation
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.layout import worlds_last
from jaxworld.core.pytree import pytree_dataclass, replace, static_field


class Roster(tuple[str, ...]):
    """Who sits at the table: one name of a built-in agent a player.

    ``Roster("pulse", "racer")`` names the players one by one, ``Roster.of(pulse=3, conservative=3)`` counts them.
    """

    def __new__(cls, *players: str) -> Roster:
        """Check the names.

        Raises:
            ConfigurationError: for no player, or a name that is no agent.
        """
        require(len(players) > 0, "roster", players, "name at least one player")
        for name in players:
            if name not in AGENT_TYPES:
                near = difflib.get_close_matches(str(name), AGENT_TYPES, n=1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise ConfigurationError("roster", name, f"{hint}use names from {', '.join(AGENT_TYPES)}")
        return super().__new__(cls, players)

    @classmethod
    def of(cls, counts: Mapping[str, int] | None = None, **more: int) -> Roster:
        """A roster from how many players there are of each kind, in the order given."""
        every = {**(counts or {}), **more}
        for name, count in every.items():
            require(isinstance(count, int) and count >= 0, f"roster.{name}", count, "use a whole number of players")
        return cls(*(name for name, count in every.items() for _ in range(count)))


@pytree_dataclass
class RosterMemory:
    """``facts``: the rules' numbers; ``trend``: memory of the ``trend`` agents, None without any."""

    facts: Facts
    trend: trend.TrendMemory | None


@pytree_dataclass
class RosterPolicy:
    """Plays every player by its kind. Implements ``jaxworld.core.Policy``.

    Who sits where is static, and each rule is computed for its own seats only. After :meth:`exchangeable` it is
    traced: mixes of the same kinds are then one compiled program, in which every rule is computed for every seat.
    ``coefficients`` are traced in both.

    Attributes:
        view: how the world delivers its variables (static).
        kinds: names of the kinds that can be present (static).
        players: kind of each player, None if it is traced (static).
        kind: ``int32[N]``, position in ``kinds`` of each player, None if it is static.
        coefficients: numbers of the agents' rules.
    """

    view: AgentView = static_field()
    kinds: tuple[str, ...] = static_field()
    players: tuple[str, ...] | None = static_field()
    kind: jax.Array | None
    coefficients: AgentCoefficients

    def exchangeable(self, kinds: Sequence[str] = ()) -> RosterPolicy:
        """The same players in a program that can play any mix of ``kinds`` beside their own: put it in ``kind``."""
        require(self.players is not None, "players", None, "their kinds are traced already")
        every = tuple(name for name in AGENT_TYPES if name in (*kinds, *self.kinds))
        kind = np.asarray([every.index(name) for name in self.players or ()], np.int32)
        return replace(self, kinds=every, players=None, kind=jnp.asarray(kind))

    def init(self, key: jax.Array, params: Any) -> RosterMemory:
        """What the players know of the rules, and empty memories."""
        del key
        seats = self._seats(TREND)
        memory = trend.start(self.view.num_players if seats is None else len(seats)) if TREND in self.kinds else None
        return RosterMemory(facts=read_facts(self.view, base_params(params)), trend=memory)

    def act(
        self, key: jax.Array, carry: RosterMemory, observation: CommonsObservation
    ) -> tuple[CommonsAction, RosterMemory]:
        """Requests in units of the resource, and signatures under governance."""

        def situation(seats: Seats) -> Situation:
            return types.make_situation(self.view, self.coefficients, carry.facts, observation, key, seats)

        requests = {name: STATELESS[name](situation(self._seats(name))) for name in self.kinds if name in STATELESS}
        if carry.trend is not None:
            requests[TREND], memory = trend.act(situation(self._seats(TREND)), carry.trend)
            carry = replace(carry, trend=memory)
        request = jnp.clip(self._seated(requests), np.float32(0), carry.facts.cap) * carry.facts.capacity
        return CommonsAction(request=request, governance=self._governance(situation(None))), carry

    def _seats(self, name: str) -> Seats:
        """Seats that a rule is computed for: all if the kinds are traced."""
        if self.players is None:
            return None
        return tuple(seat for seat, kind in enumerate(self.players) if kind == name)

    def _is(self, name: str) -> jax.Array:
        """``bool[N]``: who is of a kind."""
        if self.players is not None:
            return jnp.asarray(np.asarray([kind == name for kind in self.players]))
        return jnp.asarray(self.kind) == np.int32(self.kinds.index(name))

    def _seated(self, requests: Mapping[str, jax.Array]) -> jax.Array:
        """``float32[N]``: each player's request from those of its kind."""
        if self.players is None:
            request = jnp.zeros(self.view.num_players, jnp.float32)
            for name, asked in requests.items():
                request = jnp.where(self._is(name), asked, request)
            return request
        order = [seat for name in requests for seat in self._seats(name) or ()]
        together = worlds_last(jnp.concatenate(worlds_last(list(requests.values()))))
        return worlds_last(pick(together, tuple(order.index(seat) for seat in range(len(order)))))

    def _governance(self, situation: Situation) -> Any:
        silent = self.view.silence()
        if silent is None or "pact_keeper" not in self.kinds:
            return silent
        return replace(silent, accept=types.signatures(situation) & self._is("pact_keeper")[:, None])


def make_roster(
    world: Any, players: Sequence[str] | Roster, coefficients: AgentCoefficients | None = None
) -> RosterPolicy:
    """A policy that plays these agents in a world. Warns of every agent that lacks what it reads.

    Args:
        world: a commons, wrapped or not.
        players: one name of a built-in agent a player.
        coefficients: numbers of their rules, the usual ones if None.

    Raises:
        ConfigurationError: for an unknown agent or another number of players than the world has.
    """
    view, roster = find_view(world), Roster(*players)
    require(len(roster) == view.num_players, "roster", tuple(roster), f"name {view.num_players} players")
    kinds = tuple(name for name in AGENT_TYPES if name in roster)
    for name in kinds:
        problem = missing_input(view, name)
        if problem:
            warnings.warn(f"{name}: {problem}", stacklevel=2)
    made = types.default_coefficients() if coefficients is None else coefficients
    return RosterPolicy(view=view, kinds=kinds, players=tuple(roster), kind=None, coefficients=made)


_NUMBERS = {"pulse": names.STOCK, "racer": names.STOCK, "conservative": names.STOCK, "msy": names.STOCK,
            "rep_conditional": names.STOCK, "tit_for_tat": names.HARVEST, "free_rider": names.HARVEST,
            "pact_keeper": names.HARVEST}  # fmt: skip


def missing_input(view: AgentView, agent: str) -> str:
    """What ``agent`` lacks in this view and does instead; empty if it lacks nothing."""
    fallback = "takes 0.8 of a fair share instead"
    name = _NUMBERS.get(agent, names.STOCK if agent in ("bucket", TREND) else "")
    how = view.of(name)
    if agent in ("rep_conditional", "pact_keeper") and view.config.governance is None:
        kept = "a fair share" if agent == "rep_conditional" else "what tit_for_tat takes"
        return f"there are no pacts and reputations, so it always asks for {kept}"
    if not name or (agent == TREND and how.direction):
        return ""
    if not (how.numeric or how.direction):
        return f"{name} is hidden, so it {fallback}"
    if how.direction:
        return f"{name} can be a direction, so it then {fallback}"
    if how.levels and agent in _NUMBERS:
        return f"{name} is one of {how.levels} levels, so it takes the centre of the level for the number"
    return ""
