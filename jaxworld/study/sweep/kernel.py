"""What a sweep compiles for an arm: a block of worlds from reset to last tick, each at its point of the design."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.rollout import Reducer, rollout_chunk, rollout_start
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.study.sweep.paths import Target, set_targets

WINDOWS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "last": lambda values: values[-1],
    "mean": lambda values: values.astype(jnp.float32).mean(axis=0),
    "sum": lambda values: values.sum(axis=0, dtype=jnp.int32 if values.dtype == jnp.bool_ else values.dtype),
    "min": lambda values: values.min(axis=0),
    "max": lambda values: values.max(axis=0),
}
"""How the ticks of a window become one entry of a time series."""


@pytree_dataclass
class WorldInputs:
    """What differs between worlds.

    Attributes:
        words: ``uint32[W, 2]``, high and low word of the world seed.
        point: ``int32[W]``, point of the design.
    """

    words: Any
    point: Any


@pytree_dataclass
class SharedInputs:
    """What all worlds share.

    Attributes:
        params: parameters before the design's values are put in.
        policy: the policy, or () where it is no pytree.
        reducer: the reducer, or () where it is no pytree.
        values: per path of the design ``[P, *shape]``.
    """

    params: Any
    policy: Any
    reducer: Any
    values: Any


@pytree_dataclass
class WorldOutputs:
    """What a call returns.

    Attributes:
        result: the reducer's summary ``[W, ...]``, or its outputs ``[W, T, ...]`` in a time series.
        flags: the scalar leaves of the last state, ``[W]`` each, for ``World.check_flags``.
    """

    result: Any
    flags: Any


@dataclasses.dataclass(frozen=True, eq=False)
class Kernel:
    """One arm's law under a sweep; :meth:`run` is pure and takes one world.

    Attributes:
        world: the arm's world.
        policy, reducer: who acts, what is measured.
        ticks: ticks a world runs.
        every: ticks from one entry of the time series to the next; 0 for a summary only.
        window: how the ticks in between are combined, see :data:`WINDOWS`.
        targets: where the design's values go.
        traces: one entry for each time the law was traced.
    """

    world: World
    policy: Any
    reducer: Any
    ticks: int
    every: int
    window: str
    targets: Mapping[str, Target]
    traces: list[int] = dataclasses.field(default_factory=list)

    def shared(self, params: Any, values: Mapping[str, np.ndarray]) -> SharedInputs:
        """Inputs on the host that every world shares."""
        return SharedInputs(
            params=params, policy=_arrays(self.policy), reducer=_arrays(self.reducer), values=dict(values)
        )

    def run(self, per_world: WorldInputs, shared: SharedInputs) -> WorldOutputs:
        """One world: tick 0, then all ticks."""
        self.traces.append(1)
        key = jax.random.wrap_key_data(per_world.words, impl="threefry2x32")
        chosen = {path: (self.targets[path], values[per_world.point]) for path, values in shared.values.items()}
        params = set_targets(shared.params, chosen)
        policy = self.policy if _is_leaf(self.policy) else shared.policy
        reducer = self.reducer if _is_leaf(self.reducer) else shared.reducer
        measured: Any = reducer if self.every else SummaryOnly(reducer=reducer)
        carry = rollout_start(self.world, policy, key, params, measured)
        if not self.every:
            carry, _ = rollout_chunk(self.world, policy, key, carry, 1, self.ticks, params, measured)
            return WorldOutputs(result=reducer.final(carry.reduced), flags=scalar_leaves(carry.state))

        def window(carry: Any, first_tick: jax.Array) -> tuple[Any, Any]:
            carry, outputs = rollout_chunk(self.world, policy, key, carry, first_tick, self.every, params, measured)
            return carry, jax.tree.map(WINDOWS[self.window], outputs)

        firsts = np.arange(1, self.ticks + 1, self.every, dtype=np.int32)
        carry, series = lax.scan(window, carry, jnp.asarray(firsts))
        return WorldOutputs(result=series, flags=scalar_leaves(carry.state))


class SummaryOnly:
    """A reducer without its outputs, so that nothing is stacked over ticks."""

    def __new__(cls, *, reducer: Reducer) -> Any:
        """A traced reducer stays traced, a hashable one stays hashable."""
        return _HashableSummary(reducer) if _is_leaf(reducer) else _TracedSummary(reducer=reducer)


class _Summary:
    reducer: Any

    def init(self, timestep: TimeStep) -> Any:
        return self.reducer.init(timestep)

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, None]:
        return self.reducer.update(carry, timestep, action)[0], None

    def final(self, carry: Any) -> Any:
        return self.reducer.final(carry)


@dataclasses.dataclass(frozen=True)
class _HashableSummary(_Summary):
    reducer: Any


@pytree_dataclass
class _TracedSummary(_Summary):
    reducer: Any


def scalar_leaves(state: Any) -> list[jax.Array]:
    """The leaves without axes, in the order of the tree: flags of a world are among them."""
    return [leaf for leaf in jax.tree.leaves(state) if jnp.ndim(leaf) == 0 and _is_plain(leaf)]


def flagged_state(state_shape: Any, flags: list[np.ndarray]) -> Any:
    """A state ``[W, ...]`` on the host with the given scalar leaves; all other leaves are zeros that take no memory."""
    waiting = iter(flags)
    worlds = flags[0].shape[0] if flags else 1

    def leaf(shape: Any) -> np.ndarray:
        if shape.shape == () and _is_plain(shape):
            return next(waiting)
        dtype = shape.dtype if _is_plain(shape) else np.uint32
        return np.broadcast_to(np.zeros((), dtype), (worlds, *shape.shape))

    return jax.tree.map(leaf, state_shape)


def state_shape(world: World, params: Any) -> Any:
    """Shapes and dtypes of a world's state."""
    key = jax.eval_shape(lambda: jax.random.key(0, impl="threefry2x32"))
    return jax.eval_shape(lambda key: world.reset(key, params)[0], key)


def _is_plain(leaf: Any) -> bool:
    return not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _is_leaf(thing: Any) -> bool:
    return bool(jax.tree_util.all_leaves([thing]))


def _arrays(thing: Any) -> Any:
    return () if _is_leaf(thing) else thing
