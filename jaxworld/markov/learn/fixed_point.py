"""Exactly what temporal-difference learning converges to under a hidden step limit, for right and wrong targets."""

from __future__ import annotations

import numpy as np
from scipy.sparse import diags, identity
from scipy.sparse.linalg import spsolve

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve.discounted import check_discount
from jaxworld.markov.solve.rows import Rows, check_policy, joint_matrix

BOUNDARIES = ("bootstrap", "terminal", "reset")
"""What a target uses where an episode is cut: the true successor's value (right), nothing, as if the game had ended
(wrong), or the value of the next episode's first state (wrong)."""


def td_fixed_point(
    graph: Graph, joint_policy: np.ndarray, discount: float, max_steps: int, boundary: str = "bootstrap"
) -> np.ndarray:
    """``float64[S, players]``: the fixed point of tabular TD(0) on episodes cut after ``max_steps`` steps.

    A state cannot know the step it is met at, so its targets average over when it is met: with the share of its visits
    that fall on the last step, the target is that of the boundary.

    Args:
        graph: a joint graph.
        joint_policy: ``float64[S, A]``.
        discount: in [0, 1).
        max_steps: the hidden limit.
        boundary: one of :data:`BOUNDARIES`.

    Raises:
        ConfigurationError: for arguments that do not fit.
    """
    whole("max_steps", max_steps, 1, 10**7)
    require(boundary in BOUNDARIES, "boundary", boundary, f"use one of {', '.join(BOUNDARIES)}")
    num_states, num_joint = graph.reward.shape[:2]
    policy = check_policy("joint_policy", joint_policy, (num_states, num_joint))
    everyone = Rows(np.arange(num_states), joint_matrix(graph), 1, num_joint)
    going = ~np.asarray(graph.terminal, bool)
    # Values of ended games are 0, so only moves into going ones count.
    moves = everyone.mix_replies(policy).matrix @ diags(going.astype(np.float64))
    reward = np.einsum("sa,sap->sp", policy, np.asarray(graph.reward, np.float64))
    cut = diags(last_step_share(graph, moves, max_steps))
    followed = moves
    if boundary != "bootstrap":
        followed = moves - cut @ moves
    system = identity(num_states, format="csr") - check_discount(discount) * followed
    if boundary == "reset":
        restart = np.asarray(cut @ moves.sum(axis=1)).reshape(-1, 1) * np.asarray(graph.initial)[None, :]
        return np.asarray(np.linalg.solve(system.toarray() - discount * restart, reward))
    return np.stack([np.asarray(spsolve(system.tocsc(), column)) for column in reward.T], axis=1)


def last_step_share(graph: Graph, moves: np.ndarray, max_steps: int) -> np.ndarray:
    """``float64[S]``: which share of the visits to a state falls on the last step an episode may have.

    Args:
        graph: a joint graph.
        moves: sparse ``[S, S]``, the chain of the policy without moves into ended states.
        max_steps: the limit.
    """
    there = np.asarray(graph.initial) * ~np.asarray(graph.terminal, bool)
    visits = there.copy()
    for _ in range(max_steps - 1):
        there = moves.T @ there
        visits += there
    return np.divide(there, visits, out=np.zeros_like(there), where=visits > 0)
