"""The variants of the commons keep the contract, with and without governance."""

import contextlib
import functools

import jax
import numpy as np
import pytest

import jaxworld
from jaxworld.commons import CommonsFigures, Roster, make_commons, make_roster
from jaxworld.core import check_world, rollout
from jaxworld.core.random import world_key

OBSERVED = {"commonsStock": {"noise": 0.2, "resolution": ["exact", "sign"], "reference": "observed"}}


def test_a_commons_with_capital_and_noise_keeps_the_contract() -> None:
    world = jaxworld.make("commons/seneca", num_players=3, observability=OBSERVED)
    check_world(world, batch=2, num_steps=2, eager=False, thorough=False)


def test_whole_units_under_governance_keep_the_contract() -> None:
    """Acted in by agents: random letters are floats without bounds, which compilers round differently."""
    world = jaxworld.make("commons/govsim", num_players=3, governance={"sanction": "graduated"})
    policy = make_roster(world, ("pact_keeper", "rep_conditional", "greedy"))
    check_world(world, policy=policy, batch=2, num_steps=2, eager=False, thorough=False)


def test_the_registry_knows_the_variants() -> None:
    known = jaxworld.registered()
    assert {"commons/harvest", "commons/seneca", "commons/govsim", "commons/pacts"} <= set(known)
    assert jaxworld.make("commons/pacts").config.governance.num_players == 6


@functools.cache
def run(governed: bool):
    world = make_commons(4, governance=governed, harvest_cap=0.1)
    with contextlib.nullcontext() if governed else pytest.warns(UserWarning):
        policy = make_roster(world, Roster("tit_for_tat", "pulse", "pact_keeper", "msy"))
    return rollout(world, policy, world_key(3), 25, reducer=CommonsFigures())


def test_governance_nobody_uses_changes_nothing_and_its_absence_has_no_fields() -> None:
    without, with_it = run(False), run(True)
    assert without.carry.state.governance is None
    assert without.carry.timestep.observation.governance is None
    assert without.carry.timestep.info.bound is None
    assert with_it.carry.timestep.observation.governance.reputation.known.shape == (4, 4)
    for name in ("stock", "wealth", "total_harvest", "last_harvest", "collapse_turn"):
        np.testing.assert_array_equal(getattr(without.carry.state, name), getattr(with_it.carry.state, name))
    columns = {
        f"{name}[{index}]": np.asarray(value)[None, index]
        for name, value in vars(jax.device_get(with_it.summary)).items()
        if np.ndim(value)
        for index in range(4)
    }
    columns |= {n: np.asarray(v)[None] for n, v in vars(jax.device_get(with_it.summary)).items() if np.ndim(v) == 0}
    figures = CommonsFigures().host_columns(columns)
    assert np.isnan(figures["honour_rate"]).all()
    assert "honour_rate" not in CommonsFigures().summary(without.summary)
    assert figures["welfare"][0] == pytest.approx(float(without.summary.harvest.sum()) / (25 * 10), rel=1e-6)
