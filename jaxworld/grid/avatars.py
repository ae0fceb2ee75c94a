"""The players' bodies: where they are, which way they face, and the timers that hold them back."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, replace


@pytree_dataclass
class Avatars:
    """One entry a player.

    Attributes:
        cell: ``int32[A]``, ``row * cols + col``; remembered while the avatar is off the board.
        orientation: ``int32[A]``, 0 to 3: north, east, south, west.
        absence: ``int32[A]``, 0 on the board, else the number of observations missed so far; -1 for who leaves in
            this very step, before anybody moves.
        frozen: ``int32[A]``, steps until it may move again; it may while this is 0.
        cooldown: ``int32[A]``, steps until it may fire again; it may while this is 0.
    """

    cell: jax.Array
    orientation: jax.Array
    absence: jax.Array
    frozen: jax.Array
    cooldown: jax.Array

    @property
    def present(self) -> jax.Array:
        """``bool[A]``: on the board."""
        return self.absence == np.int32(0)

    @property
    def mobile(self) -> jax.Array:
        """``bool[A]``: on the board and not frozen."""
        return self.present & (self.frozen == np.int32(0))

    def standing(self) -> jax.Array:
        """``int32[A]``: the cell each avatar takes up; for absent ones a negative number of its own."""
        return jnp.where(self.present, self.cell, -np.arange(1, self.cell.shape[0] + 1, dtype=np.int32))


def newcomers(cell: jax.Array, orientation: jax.Array) -> Avatars:
    """Avatars on the board with all timers at rest."""
    rest = jnp.zeros(cell.shape, jnp.int32)
    return Avatars(cell=cell, orientation=orientation, absence=rest, frozen=rest, cooldown=rest)


def thaw(avatars: Avatars) -> Avatars:
    """The beginning of a step: freezes run down by one. Frozen for n in step t is immobile in t + 1 ... t + n - 1."""
    return replace(avatars, frozen=jnp.maximum(avatars.frozen - np.int32(1), np.int32(0)))


def fire_or_cool(avatars: Avatars, wants: jax.Array, able: jax.Array, cooldown: jax.Array) -> tuple[jax.Array, Avatars]:
    """Who fires, where a step is spent either on cooling down or on firing: once every ``cooldown + 1`` steps.

    Args:
        avatars: the avatars.
        wants: ``bool[A]``, whose action is to fire.
        able: ``bool[A]``, whose timer runs at all.
        cooldown: ``int32[]``.

    Returns:
        ``bool[A]`` and the avatars with their timers set.
    """
    hot = avatars.cooldown > np.int32(0)
    fires = able & ~hot & wants
    cooling = avatars.cooldown - (able & hot).astype(jnp.int32)
    return fires, replace(avatars, cooldown=jnp.where(fires, cooldown, cooling))


def cool_then_fire(
    avatars: Avatars, wants: jax.Array, able: jax.Array, cooldown: jax.Array
) -> tuple[jax.Array, Avatars]:
    """The other style: a step that ends the cooling down may fire as well, once every ``cooldown`` steps.

    Arguments and results are those of :func:`fire_or_cool`.
    """
    cooling = jnp.maximum(avatars.cooldown - able.astype(jnp.int32), np.int32(0))
    fires = able & wants & (cooling == np.int32(0))
    return fires, replace(avatars, cooldown=jnp.where(fires, cooldown, cooling))


def hold_fire(avatars: Avatars, held: jax.Array, cooldown: jax.Array) -> Avatars:
    """Keep the timers of ``held bool[A]`` wound up, before anybody fires.

    Who is held in the steps t + 1 ... t + n, and fires by :func:`fire_or_cool`, fires again in t + n + cooldown + 1.
    A freeze that was set to n in step t holds for these steps if it is looked at before it is thawed.
    """
    return replace(avatars, cooldown=jnp.where(held, cooldown + np.int32(1), avatars.cooldown))


def readiness(avatars: Avatars, cooldown: jax.Array) -> jax.Array:
    """``float32[A]``: how far the timer has run, 1 when ready; absence is not considered."""
    left = avatars.cooldown.astype(jnp.float32) / jnp.maximum(cooldown, np.int32(1)).astype(jnp.float32)
    return jnp.maximum(np.float32(1) - left, np.float32(0))


def remove(avatars: Avatars, who: jax.Array) -> Avatars:
    """Take ``who bool[A]`` off the board at the end of this step: the observation of this step is the first missed."""
    leaves = who & avatars.present
    return replace(avatars, absence=jnp.where(leaves, np.int32(1), avatars.absence))


def remove_first(avatars: Avatars, who: jax.Array) -> Avatars:
    """Take ``who bool[A]`` off the board before anybody moves: a removal put off by a step.

    The observation of this step is the first missed; ``respawn`` counts it.
    """
    leaves = who & avatars.present
    return replace(avatars, absence=jnp.where(leaves, np.int32(-1), avatars.absence))
