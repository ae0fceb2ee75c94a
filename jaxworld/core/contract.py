"""One call that checks a world against the whole contract, clause by clause.

``python -m jaxworld.core.contract NAME CONFIG`` prints the digest of a short rollout; ``check_world`` runs it in a
fresh process to compare.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.episodes import AutoResetInfo
from jaxworld.core.errors import ConfigurationError, JaxworldError, require
from jaxworld.core.leaves import digest, first_difference, named_leaves
from jaxworld.core.policy import Policy, RandomPolicy
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import tick_key, world_key, world_keys
from jaxworld.core.registry import make
from jaxworld.core.rollout import RolloutCarry, Trajectory, advance, rollout, rollout_start
from jaxworld.core.spaces import Space
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World

EAGER_TOLERANCE = 1e-5
"""Compiled and un-compiled floats may differ this much (fused multiply-adds); integers and booleans may not."""


class ContractError(JaxworldError):
    """A world breaks the contract.

    Attributes:
        clause: name of the broken clause.
        leaf: path of the offending leaf, empty if there is none.
    """

    def __init__(self, clause: str, leaf: str, detail: str) -> None:
        place = f" at {leaf}" if leaf else ""
        super().__init__(f"contract clause '{clause}' broken{place}: {detail}")
        self.clause = clause
        self.leaf = leaf


@dataclasses.dataclass(frozen=True)
class ContractReport:
    """What :func:`check_world` looked at.

    Attributes:
        world: representation of the world.
        clauses: names of the clauses that hold, in the order they were checked.
        num_traces: how often a step was traced over several steps and changed parameters (1).
        digest: digest of the short rollout that two processes agreed on, None if that was not asked for.
    """

    world: str
    clauses: tuple[str, ...]
    num_traces: int
    digest: str | None


@pytree_dataclass
class _Record:
    """A short run: entry t of ``states`` and ``timesteps`` is tick t, entry t of ``actions`` led to tick t + 1."""

    states: Any
    timesteps: TimeStep
    actions: Any


@pytree_dataclass
class _Moment:
    """One tick of a run."""

    state: Any
    timestep: TimeStep


def check_world(
    world: World[Any, Any, Any],
    *,
    params: Any = None,
    key_seed: int = 0,
    num_steps: int = 4,
    batch: int = 3,
    policy: Policy | None = None,
    eager: bool = True,
    thorough: bool = True,
    across_processes: bool = False,
    float_tolerance: float = 0.0,
) -> ContractReport:
    """Check that a world keeps the contract; a handful of compilations.

    Args:
        world: the world.
        params: its parameters; the default ones if None.
        key_seed: seed of the first world key; the batch uses the next ``batch - 1`` as well.
        num_steps: steps of the short run, at least 2.
        batch: width of the batch, at least 2.
        policy: who acts; a :class:`~jaxworld.core.policy.RandomPolicy` if None.
        eager: also compare with un-compiled calls of reset and step, which are slow for large worlds.
        thorough: also run single worlds in a scan, and a batch of width 1. Without it the last world of the batch is
            compared with the Python loop only, at half the compilations.
        across_processes: also compare with a fresh process; needs a world from ``jaxworld.make`` and a configuration
            of JSON values. Default parameters and a random policy are used for it.
        float_tolerance: how much floats may differ between loop, scan and batch. Integers and booleans, and with 0
            floats too, must be equal bit for bit.

    Returns:
        The report.

    Raises:
        ContractError: naming the first broken clause and the leaf.
        ConfigurationError: for arguments that cannot work.
    """
    require(num_steps >= 2, "num_steps", num_steps, "use at least 2")
    require(batch >= 2, "batch", batch, "use at least 2")
    _check_configuration(world)
    params = world.default_params() if params is None else params
    _check_parameters(params)
    _check_structure(world, world_key(key_seed), params)
    run = _Runs(world, RandomPolicy(world, params) if policy is None else policy, num_steps)
    keys = world_keys(range(key_seed, key_seed + batch))
    single, batched = jax.jit(run.scan), jax.jit(jax.vmap(run.scan))

    def played() -> list[_Record]:
        if thorough:
            return [jax.device_get(single(keys[index], params)) for index in range(batch)]
        return _lanes(batched, keys, params)

    records, place = played(), 0 if thorough else batch - 1
    key, first = keys[place], records[place]
    _compare("repeat", first, played()[place], "two calls with one key")
    _check_values(world, params, first)
    clauses = ["configuration", "parameters", "structure", "repeat", "spaces", "flags", "ended"]
    if eager:
        _check_eager(world, key, params, first)
        clauses.append("eager")
    looped, num_traces = run.loop(key, params)
    _compare("scan", looped, first, "the Python loop and lax.scan", float_tolerance)
    if thorough:
        _check_batch(batched, keys, params, records, float_tolerance)
    clauses += ["retrace", "scan", "batch"]
    agreed = None
    if across_processes:
        agreed = _check_processes(world, key_seed, num_steps)
        clauses.append("processes")
    return ContractReport(world=repr(world), clauses=tuple(clauses), num_traces=num_traces, digest=agreed)


def rollout_digest(
    world: World[Any, Any, Any],
    params: Any = None,
    policy: Policy | None = None,
    seed: int = 0,
    num_steps: int = 4,
) -> str:
    """SHA-256 (hex) over the trajectory and the last state of a rollout, with paths, dtypes and shapes."""
    params = world.default_params() if params is None else params
    policy = RandomPolicy(world, params) if policy is None else policy
    result = rollout(world, policy, world_key(seed), num_steps, params, reducer=Trajectory())
    return digest(jax.device_get((result.outputs, result.carry.state, result.carry.timestep)))


class _Runs:
    """The same short run in its several forms."""

    def __init__(self, world: World[Any, Any, Any], policy: Policy, num_steps: int) -> None:
        self.world, self.policy, self.num_steps = world, policy, num_steps

    def scan(self, key: jax.Array, params: Any) -> _Record:
        """One world in one ``lax.scan``."""
        start = rollout_start(self.world, self.policy, key, params)

        def body(carry: RolloutCarry, tick: jax.Array) -> tuple[RolloutCarry, Any]:
            carry, action = advance(self.world, self.policy, key, carry, tick, params)
            return carry, (carry.state, carry.timestep, action)

        _, (states, timesteps, actions) = lax.scan(body, start, jnp.arange(1, self.num_steps + 1, dtype=jnp.int32))
        states, timesteps = jax.tree.map(
            lambda first, later: jnp.concatenate([first[None], later]),
            (start.state, start.timestep),
            (states, timesteps),
        )
        return _Record(states=states, timesteps=timesteps, actions=actions)

    def loop(self, key: jax.Array, params: Any) -> tuple[_Record, int]:
        """One world in a Python loop over a jitted step, and how often that step was traced."""
        traces = 0

        @jax.jit
        def step(carry: RolloutCarry, tick: jax.Array, params: Any) -> tuple[RolloutCarry, Any]:
            nonlocal traces
            traces += 1
            return advance(self.world, self.policy, key, carry, tick, params)

        carry = rollout_start(self.world, self.policy, key, params)
        passed, actions = [(carry.state, carry.timestep)], []
        for tick in range(1, self.num_steps + 1):
            carry, action = step(carry, np.int32(tick), params)
            passed.append((carry.state, carry.timestep))
            actions.append(action)
        _expect(traces == 1, "retrace", "", f"{self.num_steps} steps were traced {traces} times")
        fresh: Any = jax.tree.structure(self.world.default_params())
        same = fresh == jax.tree.structure(params)
        _expect(
            same, "retrace", "params", f"default_params() built two structures: {jax.tree.structure(params)}, {fresh}"
        )
        step(carry, np.int32(self.num_steps + 1), jax.tree.map(_changed, params))
        _expect(traces == 1, "retrace", "params", "changed parameter values made the step trace again")
        states, timesteps = _stack(passed)
        return _Record(states=states, timesteps=timesteps, actions=_stack(actions)), traces


def _check_configuration(world: World[Any, Any, Any]) -> None:
    clause = "configuration"
    try:
        hash(world)
    except TypeError as error:
        raise ContractError(clause, "config", f"the world is not hashable ({error})") from None
    twin = copy.deepcopy(world)
    _expect(twin == world, clause, "config", "a copy of the world with the same configuration is not equal to it")
    _expect(hash(twin) == hash(world), clause, "config", "equal worlds have different hashes")
    _expect(world.num_agents >= 1, clause, "num_agents", f"{world.num_agents}, must be at least 1")


def _check_parameters(params: Any) -> None:
    for path, leaf in named_leaves(params, "params"):
        array = isinstance(leaf, jax.Array | np.ndarray | np.generic)
        _expect(array, "parameters", path, f"a {type(leaf).__name__}, must be an array to be swept under vmap")
        _check_leaf("parameters", path, leaf)


def _check_structure(world: World[Any, Any, Any], key: jax.Array, params: Any) -> None:
    """Abstract evaluation only: structure, shapes and dtypes of reset and step, without compiling anything."""
    clause = "structure"
    space = world.action_space(params)
    action = _traced(clause, "action_space.sample", space.sample, key)
    reset = _traced(clause, "reset", world.reset, key, params)
    step = _traced(clause, "step", world.step, key, reset[0], action, params)
    for name, (state, timestep) in (("reset", reset), ("step", step)):
        _expect(isinstance(timestep, TimeStep), clause, name, "must return (state, TimeStep)")
        _check_agents(timestep, world.num_agents, name)
        for path, leaf in [*named_leaves(state, "state"), *named_leaves(timestep, "timestep")]:
            _check_leaf(clause, path, leaf, f" after {name}")
    for root, before, after in zip(("state", "timestep"), reset, step, strict=True):
        structures: tuple[Any, Any] = (jax.tree.structure(before), jax.tree.structure(after))
        _expect(structures[0] == structures[1], clause, root, "reset gives {} and step {}".format(*structures))
        for (path, one), (_, other) in zip(named_leaves(before, root), named_leaves(after, root), strict=True):
            same = (one.shape, one.dtype) == (other.shape, other.dtype)
            _expect(same, clause, path, f"reset gives {_signature(one)} and step {_signature(other)}")


def _check_agents(timestep: TimeStep, num_agents: int, name: str) -> None:
    for field, dtype in (("reward", np.float32), ("terminated", np.bool_), ("truncated", np.bool_)):
        leaf = getattr(timestep, field)
        good = leaf.shape == (num_agents,) and leaf.dtype == dtype
        wanted = f"{np.dtype(dtype).name}[{num_agents}]"
        _expect(good, "structure", f"timestep.{field}", f"{_signature(leaf)} after {name}, must be {wanted}")


def _check_leaf(clause: str, path: str, leaf: Any, when: str = "") -> None:
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    _expect(not is_key, clause, path, f"a random key{when}; keys are arguments, never part of a tree")
    weak = bool(getattr(leaf, "weak_type", False))
    _expect(not weak, clause, path, f"weakly typed {_signature(leaf)}{when}; give it an explicit dtype")


def _check_values(world: World[Any, Any, Any], params: Any, record: _Record) -> None:
    """Everything about the values of a run: spaces, flags, and that ended worlds stand still."""
    num_ticks = record.timesteps.reward.shape[0]
    action_space, observation_space = world.action_space(params), world.observation_space(params)
    for tick in range(num_ticks):
        moment = _moment(record, tick)
        state, timestep = moment.state, moment.timestep
        _check_member(observation_space, timestep.observation, "observation", tick)
        if isinstance(timestep.info, AutoResetInfo):
            _check_member(observation_space, timestep.info.final_observation, "info.final_observation", tick)
        both = timestep.terminated & timestep.truncated
        _expect(not both.any(), "flags", "timestep.truncated", f"set together with terminated in tick {tick}")
        cut = timestep.truncated.any() and not getattr(world, "sets_truncated", False)
        _expect(not cut, "flags", "timestep.truncated", f"set by a base world in tick {tick}; wrap it in EpisodeCap")
        if tick == num_ticks - 1:
            return
        _check_member(action_space, jax.tree.map(lambda leaf: leaf[tick], record.actions), "action", tick)  # noqa: B023
        if timestep.done.all() and not getattr(world, "restarts", False):
            later = _moment(record, tick + 1)
            still = replace(later.timestep, reward=np.zeros_like(timestep.reward))
            detail = f"all agents were done in tick {tick}, yet tick {tick + 1} differs"
            _compare("ended", _Moment(state=state, timestep=still), later, detail)


def _check_member(space: Space, value: Any, root: str, tick: int) -> None:
    for path, leaf_space, holds in space.membership(value, root):
        _expect(bool(holds), "spaces", path, f"outside {leaf_space.describe()} in tick {tick}")


def _check_eager(world: World[Any, Any, Any], key: jax.Array, params: Any, record: _Record) -> None:
    """Un-compiled reset and first step against the compiled run."""
    reset = world.reset(tick_key(key, 0), params)
    action = jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), record.actions)
    step = world.step(tick_key(key, 1), reset[0], action, params)
    for tick, (name, (state, timestep)) in enumerate((("reset", reset), ("step", step))):
        made = jax.device_get(_Moment(state=state, timestep=timestep))
        _compare("eager", made, _moment(record, tick), f"{name} without and with jit", EAGER_TOLERANCE)


def _check_batch(batched: Any, keys: jax.Array, params: Any, records: Sequence[_Record], tolerance: float) -> None:
    """Widths 1 and ``batch``, over keys and parameters together, against single worlds."""
    for width in sorted({1, len(records)}):
        for lane, actual in enumerate(_lanes(batched, keys[:width], params)):
            _compare("batch", records[lane], actual, f"one world and lane {lane} of a batch of {width}", tolerance)


def _lanes(batched: Any, keys: jax.Array, params: Any) -> list[_Record]:
    """The records of a batch of worlds, all with the same parameters."""
    width = keys.shape[0]
    stacked = jax.tree.map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * width), params)
    made = jax.device_get(batched(keys, stacked))
    return [jax.tree.map(lambda leaf: leaf[lane], made) for lane in range(width)]  # noqa: B023


def _check_processes(world: World[Any, Any, Any], seed: int, num_steps: int) -> str:
    made_as = getattr(world, "made_as", None)
    require(made_as is not None, "across_processes", True, "needs a world from jaxworld.make(...)")
    name, config = made_as  # type: ignore[misc]
    try:
        written = json.dumps(config)
    except TypeError as error:
        raise ConfigurationError("across_processes", True, f"the configuration is not JSON: {error}") from None
    arguments = [name, written, "--seed", str(seed), "--steps", str(num_steps), "--import", type(world).__module__]
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-m", "jaxworld.core.contract", *arguments]
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    # Another hash seed exposes a world whose arrays depend on the order of a set.
    environment = {**os.environ, "PYTHONPATH": paths, "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "20231"}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    _expect(child.returncode == 0, "processes", "", f"the other process failed: {child.stderr.strip()[-500:]}")
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        here = rollout_digest(world, seed=seed, num_steps=num_steps)
    there = child.stdout.strip().splitlines()[-1]
    _expect(here == there, "processes", "", f"rollout digests differ: {here[:16]} here, {there[:16]} elsewhere")
    return here


def _moment(record: _Record, tick: int) -> _Moment:
    state, timestep = jax.tree.map(lambda leaf: leaf[tick], (record.states, record.timesteps))
    return _Moment(state=state, timestep=timestep)


def _expect(holds: Any, clause: str, leaf: str, detail: str) -> None:
    if not holds:
        raise ContractError(clause, leaf, detail)


def _compare(clause: str, expected: Any, actual: Any, what: str, tolerance: float = 0.0) -> None:
    difference = first_difference(expected, actual, tolerance)
    if difference is not None:
        raise ContractError(clause, difference[0].lstrip("."), f"{what}: {difference[1]}")


def _traced(clause: str, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return jax.eval_shape(function, *arguments)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else ""
        raise ContractError(clause, name, f"cannot be traced: {type(error).__name__}: {reason}") from error


def _signature(leaf: Any) -> str:
    return f"{leaf.dtype.name}{list(leaf.shape)}"


def _changed(leaf: Any) -> jax.Array:
    """Another value of the same shape and dtype."""
    array = jnp.asarray(leaf)
    return ~array if array.dtype == np.bool_ else array + jnp.ones((), array.dtype)


def _stack(trees: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *[jax.device_get(tree) for tree in trees])


def _frozen(value: Any) -> Any:
    """JSON lists become tuples, so that configurations stay hashable."""
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the digest of a short rollout of a registered world."""
    parser = argparse.ArgumentParser(prog="python -m jaxworld.core.contract", description=main.__doc__)
    parser.add_argument("name", help="registered name, family/variant")
    parser.add_argument("config", nargs="?", default="{}", help="its configuration as a JSON object")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--import", dest="module", default=None, help="module to import first (it registers the world)")
    given = parser.parse_args(arguments)
    if given.module not in (None, "__main__"):
        importlib.import_module(given.module)
    config = {keyword: _frozen(value) for keyword, value in json.loads(given.config).items()}
    print(rollout_digest(make(given.name, **config), seed=given.seed, num_steps=given.steps))


if __name__ == "__main__":
    main()
