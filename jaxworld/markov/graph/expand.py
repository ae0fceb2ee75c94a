"""The successors of many states at once: the compiled part of building a graph."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxworld.core.random import tick_key, world_key
from jaxworld.markov.bits import num_words, pack, unpack
from jaxworld.markov.chance import Factors, host_weights
from jaxworld.markov.game import MarkovGame, over_picks
from jaxworld.markov.graph.keys import unique_words

SLOTS_PER_CALL = (2**18, 2**15)
"""Outcomes computed in one call, of much and of little work, unless a chunk size is given."""
DESCRIBED_AS = 64
"""Outcomes that describing a state counts as."""


class Edges:
    """Probabilities from rows to keys, sorted by row, then key, each pair once.

    Attributes:
        row: ``int64[E]``.
        column: ``int64[E]``, place among ``keys``.
        probability: ``float64[E]``.
        keys: ``uint32[U, W]``, in lexicographic order.
    """

    def __init__(self, row: np.ndarray, words: np.ndarray, probability: np.ndarray) -> None:
        """From outcomes in any order; those of one row and key add up in the order given."""
        self.keys, column = unique_words(words)
        self.row, self.column, self.probability = merge(row, column, probability, len(self.keys))


def merge(
    row: np.ndarray, column: np.ndarray, probability: np.ndarray, num_columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort entries by row and column and add up those of equal places, in the order given."""
    place = row * np.int64(num_columns) + column
    if not (np.diff(place) > 0).all():
        order = np.argsort(place, kind="stable")
        place, probability = place[order], probability[order]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(place) != 0]))
        place, probability = place[starts], np.add.reduceat(probability, starts)
    return place // num_columns, place % num_columns, probability


@functools.partial(jax.jit, static_argnums=0)
def _start(game: MarkovGame[Any, Any], params: Any) -> tuple[jax.Array, Factors]:
    factors = game.start_chance(params)
    return over_picks(lambda picks: pack(game.encode(game.start(picks, params))), factors), factors


@functools.partial(jax.jit, static_argnums=0)
def _advance(
    game: MarkovGame[Any, Any], words: jax.Array, actions: jax.Array, params: Any
) -> tuple[jax.Array, jax.Array, Factors]:
    """Words ``uint32[N, J, K, W]`` and rewards ``float32[N, J, K, A]`` of every outcome, and the factors ``[N, J]``."""

    def one(word: jax.Array, action: jax.Array) -> tuple[jax.Array, jax.Array, Factors]:
        public = game.decode(unpack(word, game.num_bits))
        factors = game.chance(public, action, params)

        def branch(picks: Any) -> tuple[jax.Array, jax.Array]:
            after, reward = game.advance(public, action, picks, params)
            return pack(game.encode(after)), reward

        after, reward = over_picks(branch, factors)
        return after, reward, factors

    made: tuple[jax.Array, jax.Array, Factors] = jax.vmap(jax.vmap(one, (None, 0)), (0, None))(words, actions)
    return made


@functools.partial(jax.jit, static_argnums=(0, 1))
def _settle(game: MarkovGame[Any, Any], stage: int, words: jax.Array, params: Any) -> tuple[jax.Array, Factors]:
    """Words ``uint32[N, K, W]`` of every outcome of a settling stage, and the factors ``[N]``."""

    def one(word: jax.Array) -> tuple[jax.Array, Factors]:
        public = game.decode(unpack(word, game.num_bits))
        factors = game.settling_factors(stage, public, params)
        return over_picks(
            lambda picks: pack(game.encode(game.settling(stage, public, picks, params))), factors
        ), factors

    made: tuple[jax.Array, Factors] = jax.vmap(one)(words)
    return made


@functools.partial(jax.jit, static_argnums=0)
def _describe(game: MarkovGame[Any, Any], words: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Terminal ``bool[N]`` and labels ``bool[N, L]``."""

    def one(word: jax.Array) -> tuple[jax.Array, jax.Array]:
        public = game.decode(unpack(word, game.num_bits))
        return game.terminal(public), game.labels(public)

    made: tuple[jax.Array, jax.Array] = jax.vmap(one)(words)
    return made


class Expander:
    """The law of one game with one set of parameters, for keys on the host.

    Args:
        game: the game.
        params: its parameters.
        chunk: states computed in one call; by default as many as give :data:`SLOTS_PER_CALL` outcomes.
    """

    def __init__(self, game: MarkovGame[Any, Any], params: Any, chunk: int | None = None) -> None:
        self.game, self.params, self.chunk = game, params, chunk
        self.actions = game.joint_actions()
        self.num_words = num_words(game.num_bits)
        word = jax.ShapeDtypeStruct((1, self.num_words), np.uint32)
        shapes = jax.eval_shape(functools.partial(_advance, game), word, self.actions, params)
        self.slots = int(shapes[0].shape[2]) * len(self.actions)

    def blocks(self, words: np.ndarray, slots: int | None = None) -> Iterator[tuple[np.ndarray, int]]:
        """Keys in blocks of a few fixed sizes, so that few programs serve, and how many of a block are real.

        Args:
            words: ``uint32[N, W]``, at least one.
            slots: outcomes of each, those of one step of a state by default.
        """
        large, small = (max(1, most // (self.slots if slots is None else slots)) for most in SLOTS_PER_CALL)
        sizes = (large, small) if self.chunk is None else (self.chunk, self.chunk)
        # A program for large blocks pays only if it runs a few times.
        size = sizes[0] if len(words) >= 4 * sizes[0] else sizes[1]
        for begin in range(0, len(words), size):
            yield _padded(words[begin : begin + size], size)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Keys an episode can begin with, in lexicographic order, and their probabilities."""
        words, factors = jax.device_get(_start(self.game, self.params))
        probability = host_weights(factors) if factors else np.ones(1)
        possible = probability > 0
        rows = np.zeros(int(possible.sum()), np.int64)
        edges = self.settled(Edges(rows, words[possible], probability[possible]))
        return edges.keys[edges.column], edges.probability

    def sample_starts(self, count: int) -> np.ndarray:
        """Keys of some resets, ``uint32[N, W]``, N at most ``count``; always the same."""
        game, params, key = self.game, self.params, world_key(0)

        def reset(tick: jax.Array) -> jax.Array:
            return pack(game.public_state(game.reset(tick_key(key, tick), params)[0]))

        return unique_words(np.asarray(jax.jit(jax.vmap(reset))(np.arange(count, dtype=np.uint32))))[0]

    def describe(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Terminal ``bool[N]`` and labels ``bool[N, L]``."""
        made = [(*_describe(self.game, block), count) for block, count in self.blocks(words, DESCRIBED_AS)]
        terminal, labels = ([np.asarray(part[entry])[: part[2]] for part in made] for entry in range(2))
        return np.concatenate(terminal), np.concatenate(labels)

    def advance(self, block: np.ndarray, count: int) -> tuple[Edges, np.ndarray, bool]:
        """The rows of the states of one block, none of them terminal, before they settle.

        Returns:
            Edges with row ``state * J + joint``, expected rewards ``float64[N, J, A]``, and whether some reward
            depends on the outcome.
        """
        joint = len(self.actions)
        after, reward, factors = jax.device_get(_advance(self.game, block, self.actions, self.params))
        after, reward = after[:count], reward[:count].astype(np.float64)
        if factors:
            probability = host_weights(jax.tree.map(lambda leaf: leaf[:count], factors))
        else:
            probability = np.ones((count, joint, 1))
        possible = probability > 0
        expected = np.einsum("njk,njka->nja", probability, reward)
        same = reward == np.take_along_axis(reward, possible.argmax(axis=2)[:, :, None, None], axis=2)
        varies = bool((~same & possible[..., None]).any())
        if not varies:  # a sum of shares of one number is that number up to rounding only
            expected = np.take_along_axis(reward, possible.argmax(axis=2)[:, :, None, None], axis=2)[:, :, 0]
        rows = np.broadcast_to(np.arange(count * joint).reshape(count, joint, 1), possible.shape)
        return Edges(rows[possible], after[possible], probability[possible]), expected, varies

    def settled(self, edges: Edges) -> Edges:
        """The same edges after every settling stage; keys are settled once, however many rows lead to them."""
        for stage in range(self.game.num_settling):
            edges = _chained(edges, self._settle(stage, edges.keys))
        return edges

    def _settle(self, stage: int, words: np.ndarray) -> Edges:
        parts, done = [], 0
        shapes = jax.eval_shape(functools.partial(_settle, self.game, stage), words[:1], self.params)
        for block, count in self.blocks(words, int(shapes[0].shape[1])):
            after, factors = jax.device_get(_settle(self.game, stage, block, self.params))
            probability = host_weights(jax.tree.map(lambda leaf: leaf[:count], factors))  # noqa: B023
            possible = probability > 0
            rows = np.broadcast_to(np.arange(done, done + count)[:, None], possible.shape)
            parts.append((rows[possible], after[:count][possible], probability[possible]))
            done += count
        return Edges(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _chained(first: Edges, second: Edges) -> Edges:
    """Edges through the keys of ``first``, which are the rows of ``second``, to the keys of ``second``."""
    counts = np.bincount(second.row, minlength=len(first.keys))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    repeats = counts[first.column]
    entry = np.repeat(offsets[first.column] - np.concatenate([[0], np.cumsum(repeats)[:-1]]), repeats)
    entry = entry + np.arange(len(entry))
    made = Edges.__new__(Edges)
    made.keys = second.keys
    probability = np.repeat(first.probability, repeats) * second.probability[entry]
    row = np.repeat(first.row, repeats)
    made.row, made.column, made.probability = merge(row, second.column[entry], probability, len(second.keys))
    return made


def _padded(words: np.ndarray, size: int) -> tuple[np.ndarray, int]:
    """Words repeated up to a fixed number of rows, so that one compiled program serves, and how many are real."""
    missing = size - len(words)
    if missing:
        words = np.concatenate([words, np.repeat(words[-1:], missing, axis=0)])
    return words, size - missing
