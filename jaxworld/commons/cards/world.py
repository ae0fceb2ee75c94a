"""Cedar Grove as a world."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.cards.rules import CARD_NAMES, Card, deal, exchange, fell, legal_play, regrow, shuffle
from jaxworld.core import checks
from jaxworld.core.episodes import select
from jaxworld.core.errors import require
from jaxworld.core.pytree import as_arrays, pytree_dataclass, replace
from jaxworld.core.random import purpose_keys, register_purpose
from jaxworld.core.spaces import Box, Composite, Discrete
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.observe.delivered import Delivered
from jaxworld.observe.pipeline import Pipeline, compile_pipeline
from jaxworld.observe.variable import Variable

DECK = register_purpose("cedar_grove/deck")
FOREST_COUNT = "forestCount"
DECK_COUNTS = (26, 26, 18, 10)
_MOST_TREES = 2**20


@dataclasses.dataclass(frozen=True)
class CedarGroveConfig:
    """Static configuration: N players, R rounds, H cards in a hand, cards of each kind, and who sees what."""

    num_players: int
    num_rounds: int
    hand_size: int
    deck_counts: tuple[int, ...]
    pipeline: Pipeline


@pytree_dataclass
class CedarGroveParams:
    """What a study can sweep.

    Attributes:
        forest_max: ``int32[]``, trees at the start and at most.
        regrowth_divisor: ``int32[]``, one tree regrows for each so many.
        trees_planted: ``int32[]``, trees that come of one plant card.
        observe: parameters of the observation, such as ``observe["forestCount"].noise``.
    """

    forest_max: jax.Array
    regrowth_divisor: jax.Array
    trees_planted: jax.Array
    observe: Any


@pytree_dataclass
class CedarGroveState:
    """Everything a future round depends on.

    Attributes:
        deck: ``int32[D]``, the whole deck as shuffled, drawn from the front.
        hand: ``int32[N, 4]``, cards of each kind.
        wood: ``int32[N]``, trees felled so far.
        last: ``int32[N]``, the card each player played last, -1 before the first round.
        forest: ``int32[]``, trees standing.
        round: ``int32[]``, rounds played.
        alive: ``bool[]``, whether there was a tree left after every felling.
        memory: what observers remember, empty unless they see changes.
    """

    deck: jax.Array
    hand: jax.Array
    wood: jax.Array
    last: jax.Array
    forest: jax.Array
    round: jax.Array
    alive: jax.Array
    memory: Any


@pytree_dataclass
class CedarGroveObservation:
    """What players see, one row a player.

    Attributes:
        forest: the reading of ``forestCount``; the only entry that noise can touch.
        hand: ``int32[N, 4]``, the own cards.
        last: ``int32[N, N]``, the card that everyone (column) played last, -1 before the first round.
        seat: ``int32[N]``, the observer's own column.
    """

    forest: Delivered
    hand: jax.Array
    last: jax.Array
    seat: jax.Array


@pytree_dataclass
class CedarGroveInfo:
    """The log of a round: ``played int32[N]`` (-1 in none), ``corrected bool[N]``, ``wood int32[N]`` and ``forest``."""

    played: jax.Array
    corrected: jax.Array
    wood: jax.Array
    forest: jax.Array


class CedarGrove(World[CedarGroveState, CedarGroveParams, jax.Array]):
    """Players fell, plant and guard a grove with cards; what they fell is theirs, what they leave regrows.

    Each round everybody plays one card face up at the same time and draws one. A guard makes every felling card worth
    one tree. Trees are handed out in seat order, beginning one seat further every round. Then one tree regrows for
    every four and two for each plant card, up to the size of the grove at the start. The game ends when no tree is left
    after felling, and at the latest with the deck.

    - observation: :class:`CedarGroveObservation`.
    - action: the kind of card to play, ``int32[N]``, see ``Card``. Who does not hold it plays the first kind held.
    - reward: ``float32[N]``, trees got in the round.
    - termination: for all players at once.
    - state: :class:`CedarGroveState`; the shuffle has a random stream of its own, which no noise shares.

    Args:
        num_players: N, at least 2.
        num_rounds: R, at least 1.
        hand_size: H, at least 1.
        deck_counts: cards of each kind, ``N * (H + R)`` in all, in the order of ``Card``.
        observability: who sees ``forestCount`` how, see ``jaxworld.observe``; ``{"forestCount": {"noise": 0.0}}``, a
            noise that can be swept, if None.

    Raises:
        ConfigurationError: for sizes that do not fit the deck, or an observability that cannot work.
    """

    config: CedarGroveConfig

    def __init__(
        self,
        num_players: int = 4,
        num_rounds: int = 15,
        hand_size: int = 5,
        deck_counts: Sequence[int] = DECK_COUNTS,
        observability: Mapping[str, Any] | None = None,
    ) -> None:
        size = checks.whole("num_players", num_players, 2, 256)
        rounds = checks.whole("num_rounds", num_rounds, 1, 1000)
        held = checks.whole("hand_size", hand_size, 1, 100)
        known = isinstance(deck_counts, Sequence) and len(deck_counts) == len(Card)
        require(known, "deck_counts", deck_counts, f"give one number for each of {', '.join(CARD_NAMES)}")
        counts = tuple(checks.whole("deck_counts", count, 0, 100_000) for count in deck_counts)
        needed = size * (held + rounds)
        require(
            sum(counts) == needed,
            "deck_counts",
            counts,
            f"the deck must have {needed} cards, players x (hand + rounds)",
        )
        seen = {FOREST_COUNT: {"noise": 0.0}} if observability is None else observability
        variable = Variable(FOREST_COUNT, "scalar", 0.0, 24.0, True, "trees standing")
        self.config = CedarGroveConfig(size, rounds, held, counts, compile_pipeline([variable], seen, size))

    @property
    def num_agents(self) -> int:
        return self.config.num_players

    def params(
        self, *, forest_max: int = 24, regrowth_divisor: int = 4, trees_planted: int = 2, noise: float | None = None
    ) -> CedarGroveParams:
        """Checked parameters.

        Args:
            forest_max: 1 to 1,048,576.
            regrowth_divisor: at least 1.
            trees_planted: 0 to 1,048,576.
            noise: standard deviation of the reading of the forest as a share of it; as configured if None.

        Raises:
            ConfigurationError: for a value outside its range, or noise where the configuration has none.
        """
        observe = self.config.pipeline.default_params()
        if noise is not None:
            noisy = observe[FOREST_COUNT].noise is not None
            require(noisy, "noise", noise, "write a noise into the observability of forestCount to set it here")
            level = np.float32(checks.number("noise", noise, 0.0, 1e6))
            observe[FOREST_COUNT] = replace(observe[FOREST_COUNT], noise=level)
        trees = jnp.asarray(checks.whole("forest_max", forest_max, 1, _MOST_TREES), jnp.int32)
        return CedarGroveParams(
            forest_max=trees,
            regrowth_divisor=jnp.asarray(checks.whole("regrowth_divisor", regrowth_divisor, 1, 2**30), jnp.int32),
            trees_planted=jnp.asarray(checks.whole("trees_planted", trees_planted, 0, _MOST_TREES), jnp.int32),
            observe=as_arrays(observe),
        )

    def default_params(self) -> CedarGroveParams:
        return self.params()

    def parameter_ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest value of each parameter, for sweeps."""
        own: dict[str, tuple[float, float]] = {
            "forest_max": (1, _MOST_TREES),
            "regrowth_divisor": (1, 2**30),
            "trees_planted": (0, _MOST_TREES),
        }
        return own | self.config.pipeline.parameter_ranges("observe.")

    def reset(self, key: jax.Array, params: CedarGroveParams) -> tuple[CedarGroveState, TimeStep]:
        """Shuffle and deal."""
        config, params = self.config, as_arrays(params)
        deck = shuffle(purpose_keys(key, [DECK])[0], config.deck_counts)
        nothing = jnp.zeros(config.num_players, jnp.int32)
        state = CedarGroveState(
            deck=deck,
            hand=deal(deck, config.num_players, config.hand_size),
            wood=nothing,
            last=nothing - 1,
            forest=params.forest_max,
            round=jnp.zeros((), jnp.int32),
            alive=jnp.ones((), bool),
            memory=config.pipeline.init_memory(),
        )
        state, observation = self._observe(key, state, params)
        corrected = jnp.zeros(config.num_players, bool)
        info = CedarGroveInfo(played=nothing - 1, corrected=corrected, wood=nothing, forest=state.forest)
        return state, make_timestep(observation, config.num_players, info=info)

    def step(
        self, key: jax.Array, state: CedarGroveState, action: jax.Array, params: CedarGroveParams
    ) -> tuple[CedarGroveState, TimeStep]:
        """Play one round."""
        config, params = self.config, as_arrays(params)
        live = state.alive & (state.round < config.num_rounds)
        played = legal_play(state.hand, action)
        wood = fell(played, state.forest, state.round % np.int32(config.num_players))
        felled = state.forest - wood.sum(dtype=jnp.int32)
        planted = (played == Card.PLANT).sum(dtype=jnp.int32)
        grown = regrow(felled, planted, params.forest_max, params.regrowth_divisor, params.trees_planted)
        first = np.int32(config.num_players * config.hand_size) + state.round * np.int32(config.num_players)
        drawn = state.deck[first + jnp.arange(config.num_players, dtype=jnp.int32)]
        made = replace(
            state,
            hand=exchange(state.hand, played, drawn),
            wood=state.wood + wood,
            last=played,
            forest=jnp.where(felled > 0, grown, 0),
            round=state.round + 1,
            alive=felled > 0,
        )
        observed, observation = self._observe(key, select(live, made, state), params)
        state = replace(observed, memory=select(live, observed.memory, state.memory))
        wood = jnp.where(live, wood, 0)
        info = CedarGroveInfo(
            played=jnp.where(live, played, -1),
            corrected=live & (played != action),
            wood=wood,
            forest=state.forest,
        )
        ended = jnp.broadcast_to(~state.alive | (state.round >= config.num_rounds), (config.num_players,))
        reward = wood.astype(jnp.float32)
        return state, make_timestep(observation, config.num_players, reward=reward, terminated=ended, info=info)

    def _observe(
        self, key: jax.Array, state: CedarGroveState, params: CedarGroveParams
    ) -> tuple[CedarGroveState, CedarGroveObservation]:
        # The scale of the readings follows the size of the grove, which may be swept.
        scale = replace(params.observe[FOREST_COUNT], max=params.forest_max.astype(jnp.float32))
        seen, memory = self.config.pipeline.apply(
            {FOREST_COUNT: scale},
            state.memory,
            {FOREST_COUNT: state.forest.astype(jnp.float32)},
            key=key,
            tick=state.round,
        )
        size = self.config.num_players
        observation = CedarGroveObservation(
            forest=seen[FOREST_COUNT],
            hand=state.hand,
            last=jnp.broadcast_to(state.last[None, :], (size, size)),
            seat=jnp.arange(size, dtype=jnp.int32),
        )
        return replace(state, memory=memory), observation

    def observation_space(self, params: CedarGroveParams) -> Composite:
        size = self.config.num_players
        spaces = {
            "forest": self.config.pipeline.observation_space(params.observe).spaces[FOREST_COUNT],
            "hand": Box(0, self.config.hand_size, (size, len(Card)), np.int32, unit="cards"),
            "last": Discrete(len(Card), (size, size), names=CARD_NAMES, low=-1),
            "seat": Box(0, size - 1, (size,), np.int32),
        }
        return Composite(CedarGroveObservation, spaces)

    def action_space(self, params: CedarGroveParams) -> Discrete:
        return Discrete(len(Card), (self.config.num_players,), names=CARD_NAMES)
