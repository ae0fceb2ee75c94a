"""Compiled turns of a small governance, and its actions from plain Python."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.governance import GovernanceActions, GovernanceConfig, Letters, Offers, layer
from tests.oracles.governance import Offer

N, P = 5, 2
CONFIG = GovernanceConfig(N, P)
SANCTIONS = ("none", "fine", "graduated", "exclusion")


def _turn(state, params, turn, harvest, wealth, alive, present, identity, actions):
    """One whole turn as a world makes it: ``(state, wealth, permitted, view at its start, state it was judged in)``."""
    state = layer.begin_turn(state, params, turn, present)
    seen, permitted = layer.observe(state, params), layer.permitted(state, turn)
    state, wealth = layer.enforce(state, params, turn, harvest, wealth, alive, present)
    return layer.receive(state, params, actions, turn, present, identity), wealth, permitted, seen, state


play = jax.jit(_turn)


class Game:
    """A governance played turn by turn; everything not given is the dullest possible."""

    def __init__(self, sanction="none", **numbers):
        self.params, self.state = layer.governance_params(sanction, **numbers), layer.init(CONFIG)
        self.turn = 0

    def play(self, harvest=(0,) * N, wealth=(100,) * N, alive=True, present=range(N), identity=range(N), **actions):
        """One turn; returns the wealth after it. ``self.seen`` is what players saw at its start."""
        here = np.isin(np.arange(N), list(present))
        self.state, wealth, self.permitted, self.seen, self.judged = play(
            self.state,
            self.params,
            np.int32(self.turn),
            np.asarray(harvest, np.float32),
            np.asarray(wealth, np.float32),
            np.bool_(alive),
            here,
            np.asarray(identity, np.int32),
            actions_of(**actions),
        )
        self.turn += 1
        return np.asarray(wealth)


def actions_of(offers=(), accepts=(), letters=None):
    """Actions from :class:`Offer` objects, pairs of player and slot, and (code, argument) tables."""
    columns = {name: np.zeros(N, np.int32) for name in ("delay", "duration", "open_turns", "min_signatures")}
    columns |= {"make": np.zeros(N, bool), "cap": np.zeros(N, np.float32), "fine": np.zeros(N, np.float32)}
    columns["invited"] = np.zeros((N, N), bool)
    for offer in offers:
        columns["make"][offer.proposer] = True
        columns["invited"][offer.proposer, list(offer.invited)] = True
        for name in ("cap", "fine", "delay", "duration", "open_turns", "min_signatures"):
            columns[name][offer.proposer] = getattr(offer, name)
    signs = np.zeros((N, P), bool)
    for player, slot in accepts:
        signs[player, slot] = True
    code, argument = letters or (np.zeros((N, N), np.int32), np.zeros((N, N), np.float32))
    made = GovernanceActions(
        letters=Letters(code=code, argument=argument, to=None), offers=Offers(**columns), accept=signs
    )
    return jax.tree.map(jnp.asarray, made)


def pact(proposer=0, cap=2.0, delay=2, duration=100, open_turns=9, min_signatures=1, fine=1.0, invited=range(N)):
    """An offer with usual terms."""
    return Offer(proposer, cap, delay, duration, open_turns, min_signatures, fine, frozenset(invited))
