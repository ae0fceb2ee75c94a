"""Models of the world and of opponents from one replay of public states, judged against the exact law."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.core.networks import Perceptron
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.markov.bits import unpack_host
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.graph.keys import unique_words
from jaxworld.markov.learn.fitting import apply_network, fit, make_perceptron
from jaxworld.markov.learn.replay import Replay
from jaxworld.markov.solve.rows import check_policy

FEATURES = 32
"""Features of a successor that its bits alone do not show."""
BINS = 20


@pytree_dataclass
class WorldModel:
    """A distribution over the public states that were seen, given public bits and a joint action.

    The score of a successor is a product of what state and action ask for and what the successor's bits offer, so its
    size does not depend on how many states there are.

    Attributes:
        asks: network from bits and actions to ``B + FEATURES`` numbers.
        offers: network from a successor's bits to ``FEATURES`` numbers.
        support: ``float32[U, B]``, bits of the states that were seen as successors.
        num_actions: static.
    """

    asks: Perceptron
    offers: Perceptron
    support: Any
    num_actions: tuple[int, ...] = static_field()

    def log_probability(self, bits: Any, actions: Any) -> np.ndarray:
        """``float64[N, U]``: for public bits ``bool[N, B]`` and actions ``int[N, A]``."""
        inputs = _inputs(jnp.asarray(bits, jnp.float32), jnp.asarray(actions, jnp.int32), self.num_actions)
        return np.asarray(_log_probability((self.asks, self.offers), inputs, self.support), np.float64)


@pytree_dataclass
class OpponentModel:
    """``network``: from public bits to the scores of one player's actions."""

    network: Perceptron

    def log_probability(self, bits: Any) -> np.ndarray:
        """``float64[N, A_i]``: for public bits ``bool[N, B]``."""
        scores = apply_network(self.network, jnp.asarray(bits, jnp.float32))
        return np.asarray(jax.nn.log_softmax(scores), np.float64)


@dataclasses.dataclass(frozen=True)
class ModelReport:
    """How far a model is from the exact law.

    Attributes:
        kl: ``float64[rows]``, Kullback-Leibler divergence of the model from the law, in nats: one a state and joint
            action for a world model, one a state for an opponent model. Infinite where the law leads to a state that
            was never seen; NaN for rows that were left out.
        mean_kl: mean over the rows that were judged and are finite.
        covered: share of judged rows that are finite.
        calibration: expected calibration error against exact probabilities: predictions are sorted into bins, and the
            mean distance of predicted and true probability in a bin is weighed by what was predicted there.
    """

    kl: np.ndarray
    mean_kl: float
    covered: float
    calibration: float


def fit_world_model(
    replay: Replay,
    graph_or_game: Any,
    *,
    hidden: int = 128,
    steps: int = 3000,
    batch: int = 256,
    learning_rate: float = 3e-3,
    seed: int = 0,
) -> WorldModel:
    """Maximum likelihood on the transitions of a replay.

    Args:
        replay: transitions; nothing else is looked at.
        graph_or_game: anything with ``num_bits`` and ``num_actions``.
        hidden, steps, batch, learning_rate, seed: of the network and its fit.

    Raises:
        ConfigurationError: for numbers out of range.
    """
    num_bits, num_actions = int(graph_or_game.num_bits), tuple(graph_or_game.num_actions)
    seen, place = unique_words(np.asarray(replay.successor))
    support = jnp.asarray(unpack_host(seen, num_bits), jnp.float32)
    width = num_bits + sum(num_actions)
    asks = make_perceptron(seed, width, hidden, num_bits + FEATURES)
    offers = make_perceptron(seed + 1, num_bits, hidden, FEATURES)
    start = asks, offers
    states, _ = replay.bits(num_bits)
    data = {"bits": states, "action": replay.action, "place": place.reshape(-1).astype(np.int32)}

    def loss(networks: Any, rows: Any) -> jax.Array:
        inputs = _inputs(rows["bits"].astype(jnp.float32), rows["action"], num_actions)
        scores = _log_probability(networks, inputs, support)
        return -jnp.take_along_axis(scores, rows["place"][:, None], axis=1).mean()

    (asks, offers), _ = fit(loss, start, data, steps=steps, batch=batch, learning_rate=learning_rate, seed=seed)
    return WorldModel(asks=asks, offers=offers, support=support, num_actions=num_actions)


def fit_opponent_model(
    replay: Replay,
    graph_or_game: Any,
    player: int,
    *,
    hidden: int = 64,
    steps: int = 2000,
    batch: int = 256,
    learning_rate: float = 3e-3,
    seed: int = 0,
) -> OpponentModel:
    """Maximum likelihood on one player's actions in a replay. Arguments and errors as :func:`fit_world_model`."""
    num_bits, num_actions = int(graph_or_game.num_bits), tuple(graph_or_game.num_actions)
    whole("player", player, 0, len(num_actions) - 1)
    start = make_perceptron(seed, num_bits, hidden, num_actions[player])
    data = {"bits": replay.bits(num_bits)[0], "action": np.asarray(replay.action)[:, player]}

    def loss(network: Perceptron, rows: Any) -> jax.Array:
        scores = jax.nn.log_softmax(apply_network(network, rows["bits"].astype(jnp.float32)))
        return -jnp.take_along_axis(scores, rows["action"][:, None], axis=1).mean()

    made, _ = fit(loss, start, data, steps=steps, batch=batch, learning_rate=learning_rate, seed=seed)
    return OpponentModel(network=made)


def judge_world_model(model: WorldModel, graph: Graph) -> ModelReport:
    """Against every row of the graph whose state has not ended."""
    states = np.flatnonzero(~np.asarray(graph.terminal, bool))
    num_joint, bits = graph.num_joint_actions, graph.bits()
    place = _support_places(model, graph)
    kl, gaps = np.full(graph.num_states * num_joint, np.nan), np.zeros((3, BINS))
    actions = graph.actions_of(np.arange(num_joint))
    for state in states:
        logs = model.log_probability(np.repeat(bits[state : state + 1], num_joint, axis=0), actions)
        first, last = graph.row_offsets[state * num_joint], graph.row_offsets[(state + 1) * num_joint]
        counts = np.diff(graph.row_offsets[state * num_joint : (state + 1) * num_joint + 1])
        row = np.repeat(np.arange(num_joint), counts)
        law = np.zeros((num_joint, logs.shape[1] + 1))
        np.add.at(law, (row, place[graph.target[first:last]]), graph.probability[first:last])
        kl[state * num_joint : (state + 1) * num_joint] = _divergence(law[:, :-1], logs, law[:, -1] > 0)
        _add_gaps(gaps, law[:, :-1], np.exp(logs))
    return _report(kl, gaps)


def judge_opponent_model(model: OpponentModel, graph: Graph, policy: np.ndarray) -> ModelReport:
    """Against a policy ``float64[S, A_i]``, in every state that has not ended.

    Raises:
        ConfigurationError: for a policy of another shape.
    """
    logs = model.log_probability(graph.bits())
    law = check_policy("policy", policy, logs.shape)
    live, kl, gaps = ~np.asarray(graph.terminal, bool), np.full(len(law), np.nan), np.zeros((3, BINS))
    kl[live] = _divergence(law[live], logs[live], np.zeros(int(live.sum()), bool))
    _add_gaps(gaps, law[live], np.exp(logs[live]))
    return _report(kl, gaps)


def _inputs(bits: jax.Array, actions: jax.Array, num_actions: tuple[int, ...]) -> jax.Array:
    planes = [jax.nn.one_hot(actions[:, player], count) for player, count in enumerate(num_actions)]
    return jnp.concatenate([bits, *(plane.astype(jnp.float32) for plane in planes)], axis=1)


@jax.jit
def _log_probability(networks: Any, inputs: jax.Array, support: jax.Array) -> jax.Array:
    asks, offers = networks
    offered = jnp.concatenate([support, apply_network(offers, support)], axis=1)
    return jax.nn.log_softmax(apply_network(asks, inputs) @ offered.T)


def _support_places(model: WorldModel, graph: Graph) -> np.ndarray:
    """``int64[S]``: place of each state among those the model knows, one past the last for the others."""
    known = graph.find(np.asarray(model.support) > 0.5)
    require(bool((known >= 0).all()), "graph", graph.name, "the model has seen states that this graph does not have")
    place = np.full(graph.num_states, len(known), np.int64)
    place[known] = np.arange(len(known))
    return place


def _divergence(law: np.ndarray, logs: np.ndarray, outside: np.ndarray) -> np.ndarray:
    positive = law > 0
    terms = np.where(positive, law * (np.log(np.where(positive, law, 1.0)) - logs), 0.0)
    return np.where(outside, np.inf, terms.sum(axis=1))


def _add_gaps(gaps: np.ndarray, law: np.ndarray, predicted: np.ndarray) -> None:
    bins = np.minimum((predicted * BINS).astype(np.int64), BINS - 1).ravel()
    for entry, values in enumerate((predicted, law, np.ones_like(law))):
        gaps[entry] += np.bincount(bins, values.ravel(), BINS)


def _report(kl: np.ndarray, gaps: np.ndarray) -> ModelReport:
    judged = ~np.isnan(kl)
    finite = judged & np.isfinite(kl)
    return ModelReport(
        kl=kl,
        mean_kl=float(kl[finite].mean()) if finite.any() else np.inf,
        covered=float(finite.sum() / max(judged.sum(), 1)),
        calibration=float(np.abs(gaps[0] - gaps[1]).sum() / max(gaps[0].sum(), 1e-12)),
    )
