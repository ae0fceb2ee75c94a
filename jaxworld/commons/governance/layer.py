"""The governance of a commons as one state and the calls a world makes in a turn.

A world calls, in this order: :func:`begin_turn` before anything is observed, :func:`observe` for what players see,
:func:`permitted` where it limits requests, :func:`enforce` once the harvest is in, and :func:`receive` at the end with
what players said, offered and signed. All of it is pure and works on one world; batches come from ``vmap``.

Values that name a player are row numbers. ``identity`` only breaks ties, so that reordering the rows of everything
reorders the rows of every result.
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.governance.messages import (
    Inbox,
    Letters,
    Mail,
    empty_mail,
    inbox_space,
    letters_space,
    no_letters,
    post,
    read_inbox,
)
from jaxworld.commons.governance.pacts import (
    Offers,
    Pacts,
    PactView,
    accept,
    begin,
    breaches,
    empty_pacts,
    no_offers,
    offer,
    offers_space,
    pact_view_space,
    record,
    signed,
    view_for,
)
from jaxworld.commons.governance.reputation import (
    Reputation,
    ReputationView,
    new_reputation,
    reputation_space,
    update,
    view_of_others,
)
from jaxworld.commons.governance.sanctions import Sanction, bar, fines, is_barred
from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.spaces import Boolean, Composite

DENSE_LIMIT = 64
"""Up to this many players everyone may write to everyone else each turn; beyond it, one letter a player."""


@dataclasses.dataclass(frozen=True)
class GovernanceConfig:
    """Static configuration of governance.

    Attributes:
        num_players: N, at least 2.
        max_pacts: P, pact slots.
        inbox_length: L, letters a player can receive in a turn, where there are more than 64 players.

    Raises:
        ConfigurationError: for a size outside its range.
    """

    num_players: int
    max_pacts: int = 4
    inbox_length: int = 16

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_players", checks.whole("num_players", self.num_players, 2, 100_000))
        object.__setattr__(self, "max_pacts", checks.whole("max_pacts", self.max_pacts, 1, 64))
        object.__setattr__(self, "inbox_length", checks.whole("inbox_length", self.inbox_length, 1, 1024))

    @property
    def dense(self) -> bool:
        """Whether messages are a table from everyone to everyone."""
        return self.num_players <= DENSE_LIMIT


@pytree_dataclass
class GovernanceParams:
    """What a study can sweep; :func:`governance_params` checks the ranges.

    Attributes:
        sanction: ``int32[]``, a ``Sanction``.
        barred_turns: ``int32[]``, turns that exclusion lasts.
        tolerance: ``float32[]``, harvest above a cap that is no breach yet.
        memory: ``float32[]``, share of past exposure and breaches that a turn keeps in the reputation, 0 to 1.
        prior: ``float32[]``, imagined kept and imagined broken promises behind an honour rate: 0 for the plain rate,
            1 for the rule of succession.
    """

    sanction: jax.Array
    barred_turns: jax.Array
    tolerance: jax.Array
    memory: jax.Array
    prior: jax.Array


@pytree_dataclass
class GovernanceState:
    """What the players have said, agreed and done.

    Attributes:
        mail, pacts, reputation: see there.
        barred_until: ``int32[N]``, the last turn each player is barred for, -1 if it never was.
        bound, broken: ``int32[N]``, pacts that bound each player and those it broke, summed over all turns so far. They
            outlive the slots, which forget a pact when another takes its place.
    """

    mail: Mail
    pacts: Pacts
    reputation: Reputation
    barred_until: jax.Array
    bound: jax.Array
    broken: jax.Array


@pytree_dataclass
class GovernanceActions:
    """What players do besides harvesting: ``letters``, ``offers``, and ``accept bool[N, P]``, the slots they sign."""

    letters: Letters
    offers: Offers
    accept: jax.Array


@pytree_dataclass
class GovernanceView:
    """What players see, one row a player: ``inbox``, ``pacts`` and ``reputation``."""

    inbox: Inbox
    pacts: PactView
    reputation: ReputationView


def governance_params(
    sanction: str | Sanction = "none",
    *,
    barred_turns: int = 1,
    tolerance: float = 0.01,
    memory: float = 1.0,
    prior: float = 0.0,
) -> GovernanceParams:
    """Checked parameters; see :class:`GovernanceParams`. The default tolerance is 1e-4 of a capacity of 100.

    Args:
        sanction: ``"none"``, ``"fine"``, ``"graduated"`` or ``"exclusion"``.
        barred_turns: 0 to 1,000,000.
        tolerance: at least 0.
        memory: 0 to 1.
        prior: 0 to 1,000.

    Raises:
        ConfigurationError: for a value outside its range.
    """
    return GovernanceParams(
        sanction=jnp.asarray(Sanction.parse(sanction), jnp.int32),
        barred_turns=jnp.asarray(checks.whole("barred_turns", barred_turns, 0, 1_000_000), jnp.int32),
        tolerance=jnp.asarray(checks.number("tolerance", tolerance, 0.0, 1e9), jnp.float32),
        memory=jnp.asarray(checks.number("memory", memory, 0.0, 1.0), jnp.float32),
        prior=jnp.asarray(checks.number("prior", prior, 0.0, 1000.0), jnp.float32),
    )


def parameter_ranges() -> dict[str, tuple[float, float]]:
    """Lowest and highest value of each parameter, both included, for sweeps."""
    return {
        "sanction": (0, len(Sanction) - 1),
        "barred_turns": (0, 1_000_000),
        "tolerance": (0.0, 1e9),
        "memory": (0.0, 1.0),
        "prior": (0.0, 1000.0),
    }


def init(config: GovernanceConfig) -> GovernanceState:
    """Nothing said, nothing agreed, nobody known."""
    return GovernanceState(
        mail=empty_mail(config.num_players, None if config.dense else config.inbox_length),
        pacts=empty_pacts(config.num_players, config.max_pacts),
        reputation=new_reputation(config.num_players),
        barred_until=jnp.full(config.num_players, -1, jnp.int32),
        bound=jnp.zeros(config.num_players, jnp.int32),
        broken=jnp.zeros(config.num_players, jnp.int32),
    )


def no_actions(config: GovernanceConfig) -> GovernanceActions:
    """Silence: no letter, no offer, no signature."""
    return GovernanceActions(
        letters=no_letters(config.num_players, config.dense),
        offers=no_offers(config.num_players),
        accept=jnp.zeros((config.num_players, config.max_pacts), bool),
    )


def begin_turn(
    state: GovernanceState, params: GovernanceParams, turn: jax.Array, present: jax.Array | None = None
) -> GovernanceState:
    """Expire and start pacts; the first thing in a turn.

    Args:
        state: as the last turn left it.
        params: the parameters.
        turn: ``int32[]``, the turn that begins, counted from 0.
        present: ``bool[N]``, players still in the game; everyone if None.
    """
    del params
    present = _everyone(state) if present is None else present
    return replace(state, pacts=begin(state.pacts, jnp.asarray(turn, jnp.int32), present))


def permitted(state: GovernanceState, turn: jax.Array) -> jax.Array:
    """``bool[N]``: players who may harvest this turn; the request of any other counts as 0."""
    return ~is_barred(state.barred_until, turn)


def enforce(
    state: GovernanceState,
    params: GovernanceParams,
    turn: jax.Array,
    harvest: jax.Array,
    wealth: jax.Array,
    alive: jax.Array,
    present: jax.Array | None = None,
) -> tuple[GovernanceState, jax.Array]:
    """Judge the harvest: breaches, sanctions, reputation.

    Args:
        state: after :func:`begin_turn`.
        params: the parameters.
        turn: ``int32[]``.
        harvest: ``float32[N]``, what each player really got this turn.
        wealth: ``float32[N]``, the harvest included.
        alive: ``bool[]``, whether the commons lived when it was harvested. A dead commons breaks and keeps nothing.
        present: ``bool[N]``; everyone if None.

    Returns:
        ``(state, wealth)``. What fines moved is the difference in wealth, and who was bound and broke what this turn
        is the difference in ``bound`` and ``broken``.
    """
    turn = jnp.asarray(turn, jnp.int32)
    present = _everyone(state) if present is None else present
    bound = signed(state.pacts) & (present & permitted(state, turn) & alive)[None, :]
    broken = breaches(state.pacts, bound, harvest, params.tolerance)
    paid = fines(params.sanction, state.pacts, bound, broken, harvest, wealth)
    barred = bar(params.sanction, params.barred_turns, state.barred_until, broken.any(axis=0), turn)
    state = GovernanceState(
        mail=state.mail,
        pacts=record(state.pacts, bound, broken),
        reputation=update(state.reputation, bound, broken, params.memory, alive),
        barred_until=barred,
        bound=state.bound + bound.sum(axis=0, dtype=jnp.int32),
        broken=state.broken + broken.sum(axis=0, dtype=jnp.int32),
    )
    return state, wealth + paid


def receive(
    state: GovernanceState,
    params: GovernanceParams,
    actions: GovernanceActions,
    turn: jax.Array,
    present: jax.Array | None = None,
    identity: jax.Array | None = None,
) -> GovernanceState:
    """Take in what was said, signed and offered this turn; the last thing in a turn.

    Signatures are taken before offers, so nobody signs what they have not seen.

    Args:
        state: after :func:`enforce`.
        params: the parameters.
        actions: of all players.
        turn: ``int32[]``, the turn that ends.
        present: ``bool[N]``; everyone if None. Nobody else writes, offers or signs.
        identity: ``int32[N]`` of at least 0, all different: who comes first among equals. Row numbers if None.
    """
    del params
    turn = jnp.asarray(turn, jnp.int32)
    present = _everyone(state) if present is None else present
    if identity is None:
        identity = jnp.arange(present.shape[0], dtype=jnp.int32)
    pacts = accept(state.pacts, actions.accept & present[:, None], turn)
    pacts = offer(pacts, actions.offers, present, identity, turn)
    return replace(state, mail=post(state.mail, actions.letters, present, identity, turn), pacts=pacts)


def observe(state: GovernanceState, params: GovernanceParams) -> GovernanceView:
    """What each player sees of letters, pacts and reputations."""
    return GovernanceView(
        inbox=read_inbox(state.mail),
        pacts=view_for(state.pacts),
        reputation=view_of_others(state.reputation, params.prior),
    )


def view_space(config: GovernanceConfig) -> Composite:
    """Space of :class:`GovernanceView`."""
    length = None if config.dense else config.inbox_length
    spaces = {
        "inbox": inbox_space(config.num_players, length),
        "pacts": pact_view_space(config.num_players, config.max_pacts),
        "reputation": reputation_space(config.num_players),
    }
    return Composite(GovernanceView, spaces)


def actions_space(config: GovernanceConfig) -> Composite:
    """Space of :class:`GovernanceActions`."""
    spaces = {
        "letters": letters_space(config.num_players, config.dense),
        "offers": offers_space(config.num_players),
        "accept": Boolean((config.num_players, config.max_pacts)),
    }
    return Composite(GovernanceActions, spaces)


def _everyone(state: GovernanceState) -> jax.Array:
    return jnp.ones(np.shape(state.barred_until), bool)
