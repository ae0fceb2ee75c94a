"""The successors of many states at once: the compiled part of building a graph."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxworld.core.random import tick_key, world_key
from jaxworld.markov.bits import num_words, pack, unpack
from jaxworld.markov.chance import Factors, host_weights
from jaxworld.markov.game import MarkovGame, over_picks
from jaxworld.markov.graph.keys import stable_order, unique_rows, unique_words

SLOTS_PER_CALL = (2**18, 2**16)
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

    def __init__(self, row: np.ndarray, keys: np.ndarray, column: np.ndarray, probability: np.ndarray) -> None:
        """From entries in any order; those of one row and key add up in the order given."""
        self.keys = keys
        self.row, self.column, self.probability = merge(row, column, probability, len(keys))


def merge(
    row: np.ndarray, column: np.ndarray, probability: np.ndarray, num_columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort entries by row and column and add up those of equal places, in the order given."""
    place = row * np.int64(num_columns) + column
    if not (np.diff(place) > 0).all():
        order = stable_order(place)
        place, probability = place[order], probability[order]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(place) != 0]))
        place, probability = place[starts], np.add.reduceat(probability, starts)
    row = place // num_columns
    return row, place - row * num_columns, probability


@functools.partial(jax.jit, static_argnums=0)
def _start(game: MarkovGame[Any, Any], params: Any) -> tuple[Any, Factors]:
    """Public states with a leading axis K, and the factors."""
    factors = game.start_chance(params)
    return over_picks(lambda picks: game.start(picks, params), factors), factors


@functools.partial(jax.jit, static_argnums=0)
def _advance(
    game: MarkovGame[Any, Any], words: jax.Array, actions: jax.Array, params: Any
) -> tuple[Any, jax.Array, Factors]:
    """Public states ``[K, N, J, ...]`` and rewards ``float32[K, N, J, A]`` of every outcome, the factors ``[N, J]``."""

    def one(public: Any, action: jax.Array) -> tuple[Any, jax.Array, Factors]:
        factors = game.chance(public, action, params)
        after, reward = over_picks(lambda picks: game.advance(public, action, picks, params), factors)
        return after, reward, factors

    each = jax.vmap(one, (None, 0), (1, 1, 0))  # the outcomes stay in front, where the host runs through them
    made: tuple[Any, jax.Array, Factors] = jax.vmap(each, (0, None), (1, 1, 0))(_decoded(game, words), actions)
    return made


@functools.partial(jax.jit, static_argnums=(0, 1))
def _settle(game: MarkovGame[Any, Any], stage: int, words: jax.Array, params: Any) -> tuple[Any, Factors]:
    """Public states ``[K, N, ...]`` of every outcome of a settling stage, and the factors ``[N]``."""

    def one(public: Any) -> tuple[Any, Factors]:
        factors = game.settling_factors(stage, public, params)
        return over_picks(lambda picks: game.settling(stage, public, picks, params), factors), factors

    made: tuple[Any, Factors] = jax.vmap(one, 0, (1, 0))(_decoded(game, words))
    return made


@functools.partial(jax.jit, static_argnums=0)
def _packed(game: MarkovGame[Any, Any], publics: Any) -> jax.Array:
    """Words ``uint32[N, W]`` of public states."""
    return jax.vmap(lambda public: pack(game.encode(public)))(publics)


def _decoded(game: MarkovGame[Any, Any], words: jax.Array) -> Any:
    return jax.vmap(lambda word: game.decode(unpack(word, game.num_bits)))(words)


@functools.partial(jax.jit, static_argnums=0)
def _describe(game: MarkovGame[Any, Any], words: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Terminal ``bool[N]`` and labels ``bool[N, L]``."""
    publics = _decoded(game, words)
    return jax.vmap(game.terminal)(publics), jax.vmap(game.labels)(publics)


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
        self.slots = int(shapes[1].shape[0]) * len(self.actions)

    def blocks(self, rows: Any, slots: int | None = None) -> Iterator[tuple[Any, int]]:
        """Rows in blocks of a few fixed sizes, so that few programs serve, and how many of a block are real.

        Args:
            rows: keys ``uint32[N, W]`` or public states with a leading axis N, at least one.
            slots: outcomes of each, those of one step of a state by default.
        """
        count = len(jax.tree.leaves(rows)[0])
        large, small = (max(1, most // (self.slots if slots is None else slots)) for most in SLOTS_PER_CALL)
        sizes = (large, small) if self.chunk is None else (self.chunk, self.chunk)
        # A program for large blocks pays only if it runs a few times.
        size = sizes[0] if count >= 4 * sizes[0] else sizes[1]
        for begin in range(0, count, size):
            real = min(size, count - begin)
            yield jax.tree.map(lambda leaf: _padded(leaf[begin : begin + size], size), rows), real  # noqa: B023

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Keys an episode can begin with, in lexicographic order, and their probabilities."""
        publics, factors = jax.device_get(_start(self.game, self.params))
        probability = host_weights(factors) if factors else np.ones(1)
        possible = np.flatnonzero(probability)
        keys, column = self.keyed(publics, possible, 1)
        edges = self.settled(Edges(np.zeros(len(possible), np.int64), keys, column, probability[possible]))
        return edges.keys[edges.column], edges.probability

    def keyed(self, publics: Any, possible: np.ndarray, axes: int) -> tuple[np.ndarray, np.ndarray]:
        """The keys of public states.

        Bits are made of different public states only, which are far fewer than the outcomes that lead to them.

        Args:
            publics: public states on the host, with so many leading ``axes``.
            possible: ``int64[M]``, the ones to look at, by their places when the leading axes are one.
            axes: how many axes lead.

        Returns:
            Different keys ``uint32[U, W]`` in lexicographic order, and the place ``int64[M]`` of each public state.
        """
        flat = jax.tree.map(lambda leaf: leaf.reshape(math.prod(leaf.shape[:axes]), *leaf.shape[axes:]), publics)
        first, place = unique_rows(jax.tree.leaves(flat), possible)
        parts = self.blocks(jax.tree.map(lambda leaf: leaf[first], flat), DESCRIBED_AS)
        words = [np.asarray(_packed(self.game, block))[:count] for block, count in parts]
        keys, number = unique_words(np.concatenate(words))
        return keys, number[place]

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
        after, reward = jax.tree.map(lambda leaf: leaf[:, :count], (after, reward))
        if factors:
            probability = host_weights(jax.tree.map(lambda leaf: leaf[:count], factors))
        else:
            probability = np.ones((count, joint, 1))
        probability = np.moveaxis(probability, -1, 0)
        expected, varies = mean_reward(probability, reward)
        possible = np.flatnonzero(probability)
        keys, column = self.keyed(after, possible, 3)
        edges = Edges(possible % (count * joint), keys, column, probability.reshape(-1)[possible])
        return edges, expected, varies

    def settled(self, edges: Edges) -> Edges:
        """The same edges after every settling stage; keys are settled once, however many rows lead to them."""
        for stage in range(self.game.num_settling):
            edges = _chained(edges, self.settle(stage, edges.keys))
        return edges

    def settle(self, stage: int, words: np.ndarray) -> Edges:
        """Edges from keys ``uint32[N, W]``, as rows, through one settling stage."""
        rows, words_of, columns, shares, done, known = [], [], [], [], 0, 0
        shapes = jax.eval_shape(functools.partial(_settle, self.game, stage), words[:1], self.params)
        for block, count in self.blocks(words, len(jax.tree.leaves(shapes[0])[0])):
            after, factors = jax.device_get(_settle(self.game, stage, block, self.params))
            probability = host_weights(jax.tree.map(lambda leaf: leaf[:count], factors)).T  # noqa: B023
            possible = np.flatnonzero(probability)
            keys, column = self.keyed(jax.tree.map(lambda leaf: leaf[:, :count], after), possible, 2)  # noqa: B023
            rows.append(done + possible % count)
            words_of.append(keys)
            columns.append(known + column)
            shares.append(probability.reshape(-1)[possible])
            done, known = done + count, known + len(keys)
        keys, number = unique_words(np.concatenate(words_of))
        return Edges(np.concatenate(rows), keys, number[np.concatenate(columns)], np.concatenate(shares))


def mean_reward(probability: np.ndarray, reward: np.ndarray) -> tuple[np.ndarray, bool]:
    """Expected rewards ``float64[N, J, A]``, and whether some reward depends on the outcome.

    Args:
        probability: ``float64[K, N, J]``, of each outcome.
        reward: ``float32[K, N, J, A]``.
    """
    expected, single = np.zeros(reward.shape[1:]), np.zeros(reward.shape[1:], np.float32)
    varies, found = np.zeros(reward.shape[1:], bool), np.zeros((*probability.shape[1:], 1), bool)
    for share, paid in zip(probability[..., None], reward, strict=True):
        possible = share > 0
        expected += share * paid
        varies |= found & possible & (paid != single)
        np.copyto(single, paid, where=possible & ~found)
        found |= possible
    # A sum of shares of one number is that number up to rounding only.
    return np.where(varies, expected, single.astype(np.float64)), bool(varies.any())


def _chained(first: Edges, second: Edges) -> Edges:
    """Edges through the keys of ``first``, which are the rows of ``second``, to the keys of ``second``."""
    counts = np.bincount(second.row, minlength=len(first.keys))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    repeats = counts[first.column]
    entry = np.repeat(offsets[first.column] - np.concatenate([[0], np.cumsum(repeats)[:-1]]), repeats)
    entry = entry + np.arange(len(entry))
    probability = np.repeat(first.probability, repeats) * second.probability[entry]
    return Edges(np.repeat(first.row, repeats), second.keys, second.column[entry], probability)


def _padded(rows: np.ndarray, size: int) -> np.ndarray:
    """Rows repeated up to a fixed number, so that one compiled program serves."""
    missing = size - len(rows)
    return np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)]) if missing else rows
