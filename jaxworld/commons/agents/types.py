"""The thirteen built-in agents: what each of them asks for, as pure functions of what it is shown.

Amounts are shares of capacity. ``fair`` is an equal share of the largest sustainable yield, ``r0 / (4 n)``, where r0 is
the rate of regrowth a player is shown, or 0.3 if it is shown none. No constant here knows how noisy a reading is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import observation as names
from jaxworld.commons.agents.quadratic import NO_THRESHOLD, Row, quadratic_request
from jaxworld.commons.agents.readings import (
    AgentView,
    Facts,
    Reading,
    Seats,
    read_number,
    rows,
    show,
    stock_share,
)
from jaxworld.commons.state import CommonsObservation
from jaxworld.commons.streams import AGENTS
from jaxworld.core.layout import sum_over_few
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import entity_bits, index_identity, purpose_keys, unit_interval
from jaxworld.observe.normal import unfused


@pytree_dataclass
class AgentCoefficients:
    """Numbers of the agents' rules, ``float32[]`` each unless said otherwise; the same at every level of noise.

    Attributes:
        pulse_threshold: stock, as a share of capacity, from which ``pulse`` takes all it may.
        racer_reserve: stock that ``racer`` leaves, as a share of capacity.
        conservative_reserve: stock that ``conservative`` leaves.
        constant_share: what ``constant`` takes, in fair shares; also what an agent without its input takes.
        first_share: what ``tit_for_tat`` takes in the first turn, in fair shares.
        rider_factor, rider_extra: what ``free_rider`` makes of it, and adds in fair shares.
        level_shares: ``float32[3]``, what ``bucket`` takes at a low, medium and high stock, in fair shares.
        trend_up, trend_down, trend_floor: factors of ``trend`` after a rise and a fall, and its least, in fair shares.
        honour_threshold: mean honour rate of the others from which ``rep_conditional`` keeps its word.
        assumed_regrowth: r0 where none is shown.
    """

    pulse_threshold: jax.Array
    racer_reserve: jax.Array
    conservative_reserve: jax.Array
    constant_share: jax.Array
    first_share: jax.Array
    rider_factor: jax.Array
    rider_extra: jax.Array
    level_shares: jax.Array
    trend_up: jax.Array
    trend_down: jax.Array
    trend_floor: jax.Array
    honour_threshold: jax.Array
    assumed_regrowth: jax.Array


_DEFAULTS: dict[str, Any] = {
    "pulse_threshold": 0.5,
    "racer_reserve": 0.25,
    "conservative_reserve": 0.5,
    "constant_share": 0.8,
    "first_share": 0.5,
    "rider_factor": 1.2,
    "rider_extra": 0.1,
    "level_shares": (0.0, 0.8, 1.5),
    "trend_up": 1.1,
    "trend_down": 0.8,
    "trend_floor": 0.01,
    "honour_threshold": 0.8,
    "assumed_regrowth": 0.3,
}


def default_coefficients() -> AgentCoefficients:
    """The numbers the agents are known by."""
    return AgentCoefficients(**{name: jnp.asarray(value, jnp.float32) for name, value in _DEFAULTS.items()})


@dataclasses.dataclass(frozen=True)
class Situation:
    """What the players of one turn have before them; amounts are shares of capacity.

    Attributes:
        view: how variables arrive (static).
        coefficients: numbers of the rules.
        facts: what everybody knows.
        observation: everything delivered.
        key: of this turn's actions.
        seats: whose situation it is (static); N below is their number.
        stock: the stock as each player reads it.
        players: ``float32[N]``, n as each player reads it.
        regrowth: ``float32[N]``, r0 as each player reads it.
    """

    view: AgentView
    coefficients: AgentCoefficients
    facts: Facts
    observation: CommonsObservation
    key: jax.Array
    seats: Seats
    stock: Reading
    players: jax.Array
    regrowth: jax.Array

    @property
    def fair(self) -> jax.Array:
        """``float32[N]``: an equal share of the largest sustainable yield."""
        return self.regrowth / (np.float32(4) * self.players)

    @property
    def fallback(self) -> jax.Array:
        """``float32[N]``: what an agent takes that lacks its input."""
        return self.coefficients.constant_share * self.fair


def make_situation(
    view: AgentView,
    coefficients: AgentCoefficients,
    facts: Facts,
    observation: CommonsObservation,
    key: jax.Array,
    seats: Seats = None,
) -> Situation:
    """Read what every agent reads."""
    size = view.num_players if seats is None else len(seats)
    players = read_number(view, observation, facts, names.PLAYERS, seats)
    everyone = jnp.full(size, view.num_players, jnp.float32)
    number = everyone if players is None else jnp.where(players.known, players.value, everyone)
    rate = read_number(view, observation, facts, names.REGROWTH, seats)
    assumed = jnp.broadcast_to(coefficients.assumed_regrowth, (size,))
    regrowth = assumed if rate is None else jnp.where(rate.known, rate.value, assumed)
    return Situation(
        view=view,
        coefficients=coefficients,
        facts=facts,
        observation=observation,
        key=key,
        seats=seats,
        stock=stock_share(view, observation, facts, seats),
        players=jnp.maximum(number, np.float32(1)),
        regrowth=regrowth,
    )


def pulse_row(situation: Situation) -> Row:
    """All it may while there is plenty, nothing below."""
    return situation.facts.cap, 0.0, 0.0, situation.coefficients.pulse_threshold


def racer_row(situation: Situation) -> Row:
    """Everything above a small reserve."""
    return -situation.coefficients.racer_reserve, 1.0, 0.0, NO_THRESHOLD


def conservative_row(situation: Situation) -> Row:
    """An equal part of what exceeds half the capacity."""
    share = np.float32(1) / situation.players
    return -unfused(situation.coefficients.conservative_reserve * share), share, 0.0, NO_THRESHOLD


def msy_row(situation: Situation) -> Row:
    """An equal part of what the stock would grow by."""
    share = situation.regrowth / situation.players
    return 0.0, share, -share, NO_THRESHOLD


def constant_row(situation: Situation) -> Row:
    """A little less than a fair share, whatever it sees."""
    return situation.fallback, 0.0, 0.0, NO_THRESHOLD


ROWS: dict[str, Callable[[Situation], Row]] = {
    "pulse": pulse_row,
    "racer": racer_row,
    "conservative": conservative_row,
    "msy": msy_row,
    "constant": constant_row,
}
"""The quadratic family."""


def greedy(situation: Situation) -> jax.Array:
    """All it may, always."""
    return jnp.broadcast_to(situation.facts.cap, situation.fair.shape)


def tit_for_tat(situation: Situation) -> jax.Array:
    """What the others took on average in the turn before; half a fair share in the first turn."""
    first = situation.coefficients.first_share * situation.fair
    reading = read_number(situation.view, situation.observation, situation.facts, names.HARVEST, situation.seats)
    if reading is None:
        return situation.fallback
    seen = reading.known.sum(axis=1, dtype=jnp.int32).astype(jnp.float32)
    mean = sum_over_few(reading.value.T) / (jnp.maximum(seen, np.float32(1)) * situation.facts.capacity)
    copied = jnp.where(seen > 0, mean, situation.fallback)
    return jnp.where(situation.observation.turn == np.int32(0), first, copied)


def free_rider(situation: Situation) -> jax.Array:
    """A fifth more than ``tit_for_tat``, and a little on top."""
    coefficients = situation.coefficients
    more = unfused(coefficients.rider_factor * tit_for_tat(situation))
    return more + unfused(coefficients.rider_extra * situation.fair)


def bucket(situation: Situation) -> jax.Array:
    """Nothing at a low stock, less than a fair share at a medium one, more at a high one.

    A number is read by thirds of capacity, a level among more or fewer than three by the third its centre lies in.
    """
    how = situation.view.of(names.STOCK)
    if not how.numeric:
        return situation.fallback
    thirds = situation.stock.value * np.float32(3)
    if how.levels:
        code = show(situation.observation, names.STOCK, situation.seats).code
        centre = (code.astype(jnp.float32) + np.float32(0.5)) * np.float32(3.0 / how.levels)
        thirds = jnp.where(code >= 0, centre, thirds)
    shares = situation.coefficients.level_shares
    share = jnp.where(thirds >= np.float32(2), shares[2], jnp.where(thirds >= np.float32(1), shares[1], shares[0]))
    return jnp.where(situation.stock.known, share * situation.fair, situation.fallback)


def random(situation: Situation) -> jax.Array:
    """Anything up to what it may, drawn by the player's seat from a stream of its own."""
    identity = index_identity(rows(situation.facts.seat, situation.seats))
    words = entity_bits(purpose_keys(situation.key, [AGENTS])[0], identity, 1)[0]
    return situation.facts.cap * unit_interval(words)


def promised(situation: Situation) -> tuple[jax.Array, jax.Array]:
    """``(cap float32[N], bound bool[N])``: the lowest cap of the active pacts each player has signed."""
    from jaxworld.commons.governance.pacts import PactStatus

    pacts = rows(situation.observation.governance.pacts, situation.seats)
    binding = pacts.signed & (pacts.status == np.int32(PactStatus.ACTIVE))
    lowest = jnp.where(binding, pacts.cap, np.float32(np.inf)).min(axis=1)
    return lowest / situation.facts.capacity, binding.any(axis=1)


def rep_conditional(situation: Situation) -> jax.Array:
    """Keeps its pact, or to a fair share without one, while the others keep theirs; else it is ``pulse``."""
    if situation.observation.governance is None:
        return situation.fair
    cap, bound = promised(situation)
    reputation = rows(situation.observation.governance.reputation, situation.seats)
    rates = jnp.where(reputation.known, reputation.honour_rate, np.float32(0))
    known = reputation.known.sum(axis=1, dtype=jnp.int32).astype(jnp.float32)
    mean = rates.sum(axis=1) / jnp.maximum(known, np.float32(1))
    trusting = (known == 0) | (mean >= situation.coefficients.honour_threshold)
    threshold = situation.coefficients.pulse_threshold
    plenty = jnp.where(situation.stock.value >= threshold, situation.facts.cap, np.float32(0))
    taken = jnp.where(situation.stock.known, plenty, situation.fallback)
    return jnp.where(trusting, jnp.where(bound, cap, situation.fair), taken)


def pact_keeper(situation: Situation) -> jax.Array:
    """What ``tit_for_tat`` takes, but never more than it has promised."""
    wanted = tit_for_tat(situation)
    if situation.observation.governance is None:
        return wanted
    cap, bound = promised(situation)
    return jnp.where(bound, jnp.minimum(wanted, cap), wanted)


def signatures(situation: Situation) -> jax.Array:
    """``bool[N, P]``: the offers ``pact_keeper`` signs: those that leave it no more than a fair share."""
    from jaxworld.commons.governance.pacts import PactStatus

    pacts = rows(situation.observation.governance.pacts, situation.seats)
    modest = pacts.cap <= (situation.fair * situation.facts.capacity)[:, None]
    return (pacts.status == np.int32(PactStatus.OFFERED)) & modest & ~pacts.signed


def quadratic(name: str, situation: Situation) -> jax.Array:
    """What an agent of the quadratic family asks for; its fallback if it reads the stock and cannot."""
    row = [jnp.broadcast_to(jnp.asarray(entry, jnp.float32), situation.fair.shape) for entry in ROWS[name](situation)]
    request = quadratic_request(row, situation.stock.value, situation.facts.cap)
    return request if name == "constant" else jnp.where(situation.stock.known, request, situation.fallback)


STATELESS: dict[str, Callable[[Situation], jax.Array]] = {
    **{name: partial(quadratic, name) for name in ROWS},
    "greedy": greedy,
    "tit_for_tat": tit_for_tat,
    "free_rider": free_rider,
    "bucket": bucket,
    "random": random,
    "rep_conditional": rep_conditional,
    "pact_keeper": pact_keeper,
}
"""Agents that remember nothing."""

TREND = "trend"

AGENT_TYPES = (
    "greedy",
    "pulse",
    "racer",
    "conservative",
    "msy",
    "constant",
    "tit_for_tat",
    "free_rider",
    "bucket",
    "trend",
    "random",
    "rep_conditional",
    "pact_keeper",
)
"""All built-in agents."""
