"""Graphs that several tests solve, built once, and graphs from dense tables."""

import functools

import numpy as np

from jaxworld.markov import build_graph, make_game
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.shield import build_shield
from jaxworld.markov.solve import (
    best_response,
    joint_optimum,
    level_policies,
    opponent_levels,
    policy_value,
    reachability,
    stage_game,
)


@functools.cache
def game(name, size=None):
    return make_game(name, size)[0]


@functools.cache
def graph(name, size=None):
    return build_graph(game(name, size))


@functools.cache
def opponents(name, size=None):
    made = graph(name, size)
    return tuple(opponent_levels(made, 0, level_policies(made)))


@functools.cache
def shield(name, size=None, *, levels=False, grid=10, allocator="proportional"):
    policies = opponents(name, size) if levels else None
    return build_shield(graph(name, size), opponents=policies, grid=grid, allocator=allocator)


def dense_graph(transition, reward=None, unsafe=(), terminal=(), initial=None):
    """A graph from ``transition [S, A_0, A_1, S]`` and ``reward [S, A_0, A_1, 2]``."""
    size, *counts = transition.shape[:-1]
    rows = np.array(transition, np.float64).reshape(size, -1, size)
    ended = np.isin(np.arange(size), list(terminal))
    rows[ended] = np.eye(size)[ended][:, None, :]
    flat = rows.reshape(-1, size)
    offsets = np.concatenate([[0], np.cumsum((flat > 0).sum(1))]).astype(np.int64)
    paid = np.zeros((*rows.shape[:2], 2)) if reward is None else np.reshape(reward, (*rows.shape[:2], 2)).copy()
    paid[ended] = 0
    held = np.isin(np.arange(size), list(unsafe))
    words = np.arange(size, dtype=np.uint32)[:, None]
    made = Graph(
        name="dense", config={}, num_actions=tuple(counts), num_bits=8, state_words=words, row_offsets=offsets,
        target=np.nonzero(flat)[1].astype(np.int32), probability=flat[flat > 0], reward=paid,
        labels={"unsafe": held}, terminal=ended,
        initial=np.eye(size)[0] if initial is None else np.asarray(initial, np.float64),
        level=np.zeros(size, np.int32), reward_varies=False,
    )  # fmt: skip
    made.check()
    return made


def random_graph(seed, size=5, actions=(2, 2), leave=0.1):
    """Live states but for the last two, unsafe and safe terminal; every row leaves for one of them now and then."""
    generator = np.random.default_rng(seed)
    transition = generator.dirichlet(np.full(size, 0.4), (size, *actions))
    exits = generator.dirichlet([1.0, 1.0], (size, *actions)) * leave
    transition *= 1 - leave
    transition[..., -2:] += exits
    transition /= transition.sum(-1, keepdims=True)
    reward = generator.normal(size=(size, *actions, 2))
    return dense_graph(transition, reward, unsafe=[size - 2], terminal=[size - 2, size - 1])


def disagreement(one, other, label="unsafe_0"):
    """By how much the solvers' answers on two forms of one graph differ at most, by question."""
    uniform = np.full((one.num_states, one.num_joint_actions), 1 / one.num_joint_actions)
    levels = [opponent_levels(made, 0, level_policies(made, 1)) for made in (one, other)]
    ahead = np.random.default_rng(0).normal(size=(one.num_states, 2))
    asked = {
        **{(mode, who): lambda made, mode=mode, who=who: reachability(made, label, mode, player=who).value
           for mode, who in (("min", 0), ("max", 0), ("robust", 0), ("robust", 1))},
        "level": lambda made: reachability(made, label, "level", policies=levels[0]).value,
        "levels": lambda made: np.stack(levels[made is other]),
        "response": lambda made: best_response(made, 1, levels[0][0], 0.9, tolerance=1e-12).value,
        "together": lambda made: joint_optimum(made, 0, 0.9, tolerance=1e-12).action_value,
        "stage": lambda made: stage_game(made, 0, ahead, 0.9),
    }  # fmt: skip
    if one.num_states < 5_000:  # solving the equations of a larger graph directly takes half a minute
        asked["play"] = lambda made: policy_value(made, uniform, 0.9, tolerance=1e-12)
    return {str(name): float(np.abs(ask(one) - ask(other)).max()) for name, ask in asked.items()}
