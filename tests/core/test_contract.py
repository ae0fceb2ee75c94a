import json
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxworld
from jaxworld.core import contract
from jaxworld.core.contract import ContractError, check_world, main
from jaxworld.core.episodes import AutoReset, EpisodeCap
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.spaces import Box, Discrete
from tests.core.toy import Constant, Countdown, CountdownParams, CountdownState

CONSTANT = Constant()


def test_the_reference_world_keeps_the_contract_across_processes():
    world = jaxworld.make("core/random_walk", num_positions=4)
    report = check_world(world, across_processes=True)
    assert report.num_traces == 1 and len(report.digest) == 64
    assert report.clauses[-1] == "processes" and len(set(report.clauses)) == 12


@pytest.mark.parametrize(
    "world",
    [
        Countdown(2),
        EpisodeCap(Countdown(9), max_steps=2),
        AutoReset(EpisodeCap(Countdown(9), max_steps=2), "pool", pool_size=2),
        AutoReset(Countdown(2), "batch"),
        EpisodeCap(AutoReset(Countdown(1)), max_steps=3),
    ],
    ids=repr,
)
def test_wrapped_worlds_keep_the_contract(world):
    assert check_world(world, policy=CONSTANT, batch=2).num_traces == 1


class Broken(Countdown):
    """Lets a test replace what one step gives."""

    def step(self, key, state, action, params):
        return self.spoil(key, *super().step(key, state, action, params))

    def spoil(self, key, state, timestep):
        return state, timestep


class DriftingDtype(Broken):
    def spoil(self, key, state, timestep):
        return CountdownState(left=state.left.astype(jnp.int16)), timestep


class DriftingShape(Broken):
    def spoil(self, key, state, timestep):
        return state, replace(timestep, info={"counted": jnp.zeros(3, jnp.int32)})


class DriftingTree(Broken):
    def spoil(self, key, state, timestep):
        return state, replace(timestep, info={})


class WeakState(Countdown):
    def reset(self, key, params):
        _, timestep = super().reset(key, params)
        return CountdownState(left=jnp.asarray(3)), timestep


class KeyInState(Countdown):
    def reset(self, key, params):
        _, timestep = super().reset(key, params)
        return CountdownState(left=key), timestep

    def step(self, key, state, action, params):
        return self.reset(key, params)


class PythonBranch(Broken):
    def spoil(self, key, state, timestep):
        if state.left[0] > 0:
            return state, timestep
        return state, replace(timestep, reward=-timestep.reward)


class WideReward(Broken):
    def spoil(self, key, state, timestep):
        return state, replace(timestep, reward=timestep.reward.astype(jnp.int32))


class ScalarFlag(Broken):
    def spoil(self, key, state, timestep):
        return state, replace(timestep, terminated=timestep.terminated.all())


class OutsideSpace(Countdown):
    def observation_space(self, params):
        return Box(0, 3, (2,), np.int32)  # agent 1 starts at 4


class SpaceOfAnotherDtype(Countdown):
    def observation_space(self, params):
        return Box(0, 1000, (2,), np.float32)


class ActionOutside(Countdown):
    def action_space(self, params):
        return Discrete(1, (2,))  # the policy plays 1


class CutsItself(Broken):
    def spoil(self, key, state, timestep):
        return state, replace(timestep, truncated=(state.left == 1) & ~timestep.terminated)


class BothFlags(Broken):
    sets_truncated = True

    def spoil(self, key, state, timestep):
        return state, replace(timestep, truncated=timestep.terminated)


class Undead(Broken):
    def spoil(self, key, state, timestep):
        return state, replace(timestep, reward=timestep.reward + jnp.ones((), jnp.float32))


class HostDraw(Broken):
    """Draws from NumPy while it is traced."""

    def spoil(self, key, state, timestep):
        drawn = np.int32(np.random.default_rng().integers(1, 2**30))
        return state, replace(timestep, info={"counted": timestep.info["counted"] + drawn})


class DependsOnProgram(Broken):
    """Behaves differently in programs traced after its first call without ``jit``."""

    called = False

    def spoil(self, key, state, timestep):
        if not isinstance(state.left, jax.core.Tracer):
            self.called = True
        elif self.called:
            timestep = replace(timestep, info={"counted": -timestep.info["counted"]})
        return state, timestep


class Callback(Broken):
    """Asks the host for another number every time."""

    calls = 0

    def answer(self):
        Callback.calls += 1
        return np.int32(Callback.calls)

    def spoil(self, key, state, timestep):
        drawn = jax.pure_callback(self.answer, jax.ShapeDtypeStruct((), jnp.int32))
        return state, replace(timestep, info={"counted": timestep.info["counted"] + drawn})


class BatchDependent(Broken):
    """Numbers worlds by their lane: the k-th member of a batch is favoured."""

    def spoil(self, key, state, timestep):
        return state, replace(timestep, info={"counted": timestep.info["counted"] + _lane(state.left)})


@jax.custom_batching.custom_vmap
def _lane(left):
    return jnp.zeros_like(left)


@_lane.def_vmap
def _lane_of_batch(axis_size, in_batched, left):
    del in_batched
    return jnp.zeros_like(left) + jnp.arange(axis_size, dtype=left.dtype)[:, None], True


class PythonParams(Countdown):
    def default_params(self):
        return CountdownParams(pace=1)


class WeakParams(Countdown):
    def default_params(self):
        return CountdownParams(pace=jnp.asarray(1))


@pytree_dataclass
class LawParams:
    pace: jax.Array
    law: object = static_field()


class FreshLaw(Countdown):
    """Its parameters hold a new function, as structure, each time they are built."""

    def default_params(self):
        return LawParams(pace=jnp.ones((), jnp.int32), law=lambda left: left)


class Forgetful(Broken):
    """Has another hash each time it is asked."""

    asked = 0

    def __hash__(self):
        Forgetful.asked += 1
        return Forgetful.asked


class Unhashable(Countdown):
    def __init__(self):
        super().__init__()
        self.config = {"start": 3, "num_agents": 2}


class Unequal(Countdown):
    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


@pytest.mark.parametrize(
    ("world", "clause", "leaf", "words"),
    [
        (Unhashable(), "configuration", "config", "not hashable"),
        (Unequal(), "configuration", "config", "not equal"),
        (Forgetful(), "configuration", "config", "different hashes"),
        (PythonParams(), "parameters", "params.pace", "a int"),
        (WeakParams(), "parameters", "params.pace", "weakly typed"),
        (DriftingDtype(), "structure", "state.left", "reset gives int32[2] and step int16[2]"),
        (DriftingShape(), "structure", "timestep.info['counted']", "int32[3]"),
        (DriftingTree(), "structure", "timestep", "reset gives"),
        (WeakState(), "structure", "state.left", "weakly typed int32[] after reset"),
        (KeyInState(), "structure", "state.left", "a random key"),
        (PythonBranch(), "structure", "step", "TracerBoolConversionError"),
        (WideReward(), "structure", "timestep.reward", "must be float32[2]"),
        (ScalarFlag(), "structure", "timestep.terminated", "must be bool[2]"),
        (OutsideSpace(), "spaces", "observation", "outside int32[2] in [0, 3] in tick 0"),
        (SpaceOfAnotherDtype(), "spaces", "observation", "outside float32[2]"),
        (ActionOutside(), "spaces", "action", "outside int32[2] of 1 categories"),
        (CutsItself(2), "flags", "timestep.truncated", "base world"),
        (BothFlags(2), "flags", "timestep.truncated", "together with terminated"),
        (Undead(1), "ended", "timestep.reward", "all agents were done in tick 2"),
        (Callback(), "repeat", "timesteps.info['counted']", "two calls with one key"),
        (HostDraw(), "eager", "timestep.info['counted']", "without and with jit"),
        (FreshLaw(), "retrace", "params", "two structures"),
        (DependsOnProgram(), "scan", "timesteps.info['counted']", "the Python loop and lax.scan"),
        (BatchDependent(), "batch", "timesteps.info['counted']", "lane 1 of a batch of 2"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Countdown) else "",
)
def test_a_broken_clause_is_named(world, clause, leaf, words):
    with pytest.raises(ContractError) as caught:
        check_world(world, policy=CONSTANT, batch=2)
    message = str(caught.value)
    assert (caught.value.clause, caught.value.leaf) == (clause, leaf)
    assert words in message and "\n" not in message


@pytest.mark.parametrize(
    ("world", "clause"), [(Callback(), "repeat"), (BatchDependent(), "scan"), (Undead(1), "ended")], ids=lambda each: ""
)
def test_the_quick_check_looks_at_the_last_world_of_a_batch(world, clause):
    with pytest.raises(ContractError) as caught:
        check_world(world, policy=CONSTANT, batch=2, thorough=False, eager=False)
    assert caught.value.clause == clause


def test_another_process_that_disagrees_or_fails_is_reported(monkeypatch):
    world = jaxworld.make("core/random_walk", num_positions=4)
    monkeypatch.setattr(contract, "rollout_digest", lambda *args, **keywords: "0" * 64)
    answer = subprocess.CompletedProcess([], 0, stdout="1" * 64 + "\n", stderr="")
    monkeypatch.setattr(contract.subprocess, "run", lambda *args, **keywords: answer)
    with pytest.raises(ContractError, match="digests differ"):
        contract._check_processes(world, 0, 4)
    answer.returncode, answer.stderr = 1, "ImportError: no such thing"
    with pytest.raises(ContractError, match="no such thing"):
        contract._check_processes(world, 0, 4)


def test_processes_need_a_world_that_can_be_made_again():
    with pytest.raises(ConfigurationError, match="across_processes"):
        check_world(Countdown(2), policy=CONSTANT, batch=2, across_processes=True)


def test_the_command_prints_a_digest_that_depends_on_the_seed(capsys):
    config = json.dumps({"num_positions": 4})
    main(["core/random_walk", config])
    main(["core/random_walk", config, "--seed", "1"])
    one, other = capsys.readouterr().out.split()
    assert len(one) == len(other) == 64 and one != other


@pytest.mark.parametrize("argument", ["num_steps", "batch"])
def test_runs_too_short_to_show_anything_are_refused(argument):
    with pytest.raises(ConfigurationError, match=argument):
        check_world(Countdown(2), **{argument: 1})
