"""Ice duel: two players push one another off a sheet of ice."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Choice, Factors, Picks, coin, only_if, scaled, threshold, thresholds
from jaxworld.markov.game import GameConfig, MarkovGame
from jaxworld.markov.moves import ACTION_NAMES, DOWN, LEFT, OFFSETS, RIGHT, STAY, UP

TURNS = np.asarray(
    [(LEFT, UP, DOWN), (RIGHT, UP, DOWN), (UP, LEFT, RIGHT), (DOWN, LEFT, RIGHT), (STAY, STAY, STAY)], np.int32
)
"""``int32[5, 3]``: what becomes of each action: itself, or one of the two directions across."""


@dataclasses.dataclass(frozen=True)
class IceDuelConfig(GameConfig):
    """Static configuration; ``size``: rows and columns n of the ice, the ring around it not counted."""

    size: int


@pytree_dataclass
class IceDuelParams:
    """Numbers of the law.

    Attributes:
        direction: ``uint32[2, 2]``, cumulative thresholds of going the chosen way and one of the ways across.
        contest: ``uint32[2]``, threshold of the chance that player 0 wins a contest.
        slide: ``uint32[2]``, threshold of the chance that a pushed player slides a further cell.
        prize: ``float32[]``, what a player gains when the other falls, and loses when it falls itself.
    """

    direction: jax.Array
    contest: jax.Array
    slide: jax.Array
    prize: jax.Array


@pytree_dataclass
class IceDuelPublic:
    """``cell``: ``int32[2]``, where the players are on the board of (n + 2) x (n + 2) cells."""

    cell: jax.Array


class IceDuel(MarkovGame[IceDuelPublic, IceDuelParams]):
    """Two players on n x n cells of ice inside a ring one cell wide; who is on the ring has fallen.

    They start at the two ends of the middle row. A chosen direction may turn to one of the two across it. Then:

    - if each heads for the other's cell, or both for one cell, a coin names the winner. It enters; head-on, the loser
      is pushed one cell along the winner's way, otherwise it stays;
    - a player that heads for the cell of one that does not move pushes it one cell and takes its place;
    - otherwise both move; following into a cell that is being left is allowed.

    A pushed player may slide one cell further, unless the first is the ring already.

    - labels: ``fell_i`` and ``unsafe_i`` of each player, ``unsafe`` if any fell.
    - reward: a prize for the player that stands when the other falls, its loss for the other; none for a draw.
    - termination: as soon as anybody has fallen; the last state shows where.
    - bits: one plane of (n + 2) x (n + 2) cells a player.

    Args:
        size: n, at least 2.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for a size or flag that cannot work.
    """

    name = "ice_duel"
    action_names = ACTION_NAMES
    label_names = ("fell_0", "fell_1", "unsafe", "unsafe_0", "unsafe_1")
    num_actions = (5, 5)
    config: IceDuelConfig

    def __init__(self, size: int = 5, bookkeeping: bool = True) -> None:
        self.config = IceDuelConfig(checks.flag("bookkeeping", bookkeeping), checks.whole("size", size, 2, 64))
        side = self.config.size + 2
        self.num_bits = 2 * side * side
        rows, columns = np.divmod(np.arange(side * side), side)
        self._ring = (rows % (side - 1) == 0) | (columns % (side - 1) == 0)
        self._steps = (OFFSETS[:, 0] * side + OFFSETS[:, 1]).astype(np.int32)
        middle = (self.config.size // 2 + 1) * side
        self._start = np.asarray([middle + 1, middle + self.config.size], np.int32)

    def params(self, slip: float = 0.2, contest: float = 0.5, slide: float = 0.2, prize: float = 1.0) -> IceDuelParams:
        """Parameters with these numbers.

        Args:
            slip: chance that a direction turns, either way alike.
            contest: chance that player 0 wins a contest.
            slide: chance that a pushed player slides further.
            prize: reward of the player that stands.

        Raises:
            ConfigurationError: for a chance outside 0 to 1, or a prize that is no finite number.
        """
        across = scaled("slip", slip) // 2
        return IceDuelParams(
            direction=jnp.asarray(thresholds([2**64 - 2 * across, 2**64 - across])),
            contest=jnp.asarray(threshold("contest", contest)),
            slide=jnp.asarray(threshold("slide", slide)),
            prize=jnp.asarray(checks.number("prize", prize, -1e6, 1e6), jnp.float32),
        )

    def default_params(self) -> IceDuelParams:
        return self.params()

    def state_bound(self) -> int:
        ice, ring = self.config.size**2, 4 * self.config.size
        return ice * (ice - 1) + 2 * ice * ring + ring * ring

    def start_chance(self, params: IceDuelParams) -> Factors:
        del params
        return ()

    def start(self, picks: Picks, params: IceDuelParams) -> IceDuelPublic:
        del picks, params
        return IceDuelPublic(cell=jnp.asarray(self._start))

    def chance(self, public: IceDuelPublic, action: jax.Array, params: IceDuelParams) -> Factors:
        """The two directions, the winner of a contest, and whether a pushed player slides (0) or stops (1)."""
        del public
        ways = [only_if(action[player] != np.int32(STAY), Choice(below=params.direction)) for player in range(2)]
        return (*ways, coin(params.contest), coin(params.slide))

    def advance(
        self, public: IceDuelPublic, action: jax.Array, picks: Picks, params: IceDuelParams
    ) -> tuple[IceDuelPublic, jax.Array]:
        way = jnp.asarray(TURNS)[action, jnp.stack(picks[:2])]
        step = jnp.asarray(self._steps)[way]
        cell, target = public.cell, public.cell + step
        moves = way != np.int32(STAY)
        wins = jnp.stack([picks[2] == 0, picks[2] == 1])
        blocked = target == cell[::-1]
        head_on = blocked.all() & moves.all()
        same = (target[0] == target[1]) & moves.all()
        shoves = blocked & moves & ~moves[::-1]
        pushes = jnp.where(head_on, wins, shoves)
        enters = jnp.where(head_on | same, wins, moves)
        made = jnp.where(enters, target, cell)
        made = jnp.where(pushes[::-1], self._pushed(cell, step[::-1], picks[3] == 0), made)
        fallen = jnp.asarray(self._ring)[made].astype(jnp.float32)
        reward = (fallen[::-1] - fallen) * params.prize
        return IceDuelPublic(cell=made), reward

    def terminal(self, public: IceDuelPublic) -> jax.Array:
        return jnp.asarray(self._ring)[public.cell].any()

    def labels(self, public: IceDuelPublic) -> jax.Array:
        fell = jnp.asarray(self._ring)[public.cell]
        return jnp.concatenate([fell, fell.any()[None], fell])

    def encode(self, public: IceDuelPublic) -> jax.Array:
        return one_hot(public.cell, self.num_bits // 2).reshape(-1)

    def decode(self, bits: jax.Array) -> IceDuelPublic:
        return IceDuelPublic(cell=hot_index(bits.reshape(2, -1)))

    def _pushed(self, cell: jax.Array, step: jax.Array, slides: jax.Array) -> jax.Array:
        """Where each player ends when the other pushes it: one cell on, or two if it slides on ice."""
        first = cell + step
        further = slides & ~jnp.asarray(self._ring)[first]
        return jnp.where(further, first + step, first)
