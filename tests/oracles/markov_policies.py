"""Two-player games solved by trying every pure stationary policy, with dense float64 linear algebra."""

import itertools

import numpy as np


def rows_of(graph):
    """``[S, A_0, A_1, S]``."""
    size, joint = len(graph.terminal), int(np.prod(graph.num_actions))
    dense = np.zeros((size * joint, size))
    for row in range(size * joint):
        part = slice(graph.row_offsets[row], graph.row_offsets[row + 1])
        np.add.at(dense[row], graph.target[part], graph.probability[part])
    return dense.reshape(size, *graph.num_actions, size)


def reach(chain, target, stay):
    """Probability that a chain ``[S, S]`` that leaves every live state in the end reaches ``target``."""
    live = ~target & ~stay
    value = target.astype(float)
    system = np.eye(int(live.sum())) - chain[np.ix_(live, live)]
    value[live] = np.linalg.solve(system, chain[live][:, target].sum(1))
    return value


def every_reach(graph, label):
    """``[own policies, replies, S]``: a reply knows the state and the own action."""
    rows, target, ended = rows_of(graph), graph.labels[label], graph.terminal
    size, own, other = rows.shape[:3]
    live = np.flatnonzero(~target & ~ended)
    made = []
    for choice in itertools.product(range(own), repeat=len(live)):
        made.append([])
        for reply in itertools.product(range(other), repeat=len(live)):
            chain = np.eye(size)
            chain[live] = rows[live, choice, reply]
            made[-1].append(reach(chain, target, ended))
    return np.asarray(made)


def every_discounted(rows, reward, discount):
    """``[policies, S]``: value of every pure policy in ``rows [S, A, S]`` with ``reward [S, A]``."""
    size, actions = reward.shape
    made = []
    for choice in itertools.product(range(actions), repeat=size):
        lanes = np.arange(size)
        made.append(np.linalg.solve(np.eye(size) - discount * rows[lanes, choice], reward[lanes, choice]))
    return np.asarray(made)
