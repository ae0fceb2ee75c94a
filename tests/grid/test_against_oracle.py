"""Random play, step by step, against a plain Python engine that shares no code with the kernel."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.random import tick_key, world_key
from jaxworld.grid import parse_map
from tests.grid.orchard import MAP, PARAMS, PLAYERS, WORLD
from tests.oracles.grid_harvest import Apple, Harvest, Player

STEPS = 1500
RETURN_DELAY = 2


def _played() -> Any:
    """Random play in which much happens, with every choice that was made: leaves ``[STEPS, ...]``."""
    params = WORLD.params(regrowth=(0.0, 0.1, 0.2, 0.4), respawn_delay=RETURN_DELAY, ending_probability=0.0)
    wants = jnp.asarray([0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 7], jnp.int32)
    actions = wants[jax.random.randint(jax.random.key(3), (STEPS, PLAYERS), 0, len(wants))]

    def step(state: Any, at: Any) -> Any:
        tick, action = at
        draws = WORLD.draws(tick_key(world_key(7), tick))
        made, reward, events = WORLD.advance(state, action, draws, params)
        return made, {
            "state": made, "reward": reward, "hits": events["zapped"], "draws": draws, "action": action,
            "seen": WORLD.picture(made, params)["BEAMS"], "ground": WORLD.picture(made, params)["TERRAIN"],
        }  # fmt: skip

    start, _ = WORLD.reset(tick_key(world_key(7), 0), params)
    _, record = jax.jit(lambda: jax.lax.scan(step, start, (jnp.arange(1, STEPS + 1, dtype=jnp.uint32), actions)))()
    return jax.device_get((start, record))


def _oracle(start: Any) -> Harvest:
    grid_map, cols = parse_map(MAP, "#.SA"), WORLD.board.cols
    places = {symbol: [divmod(int(cell), cols) for cell in grid_map.cells(symbol)] for symbol in "#SA"}
    poses = zip(start.avatars.cell, start.avatars.orientation, strict=True)
    return Harvest(
        walls=set(places["#"]),
        size=(WORLD.board.rows, cols),
        outer=places["S"],
        players=[Player(divmod(int(cell), cols), int(facing)) for cell, facing in poses],
        apples={place: Apple() for place in places["A"]},
        length=3,
        radius=1,
        cooldown=2,
        delay=RETURN_DELAY,
    )


def test_every_step_of_random_play_is_that_of_a_plain_engine() -> None:
    start, record = _played()
    oracle = _oracle(start)
    cols, sites = WORLD.board.cols, list(oracle.apples)
    thresholds = np.append(np.asarray(PARAMS.regrowth), 0)
    happened = {"eaten": 0.0, "hits": 0, "returns": 0, "sprouts": 0}
    for tick in range(STEPS):
        at = jax.tree.map(lambda leaf: leaf[tick], record)  # noqa: B023
        draws, before = at["draws"], [player.absence for player in oracle.players]
        live_before = [apple.live for apple in oracle.apples.values()]
        sprouting = {
            (place, counted)
            for place, word in zip(sites, draws["sites"], strict=True)
            for counted in range(4)
            if word < thresholds[counted]
        }
        reward, seen, hits = oracle.play(
            at["action"],
            np.argsort(draws["move"], kind="stable"),
            sprouting,
            draws["respawn"] / 2.0**32,
            (draws["turn"] >> 30).astype(int),
        )
        state, where = at["state"], f"step {tick + 1}"
        assert list(at["reward"]) == reward, where
        assert [set(np.flatnonzero(row)) for row in at["hits"]] == hits, where
        assert {divmod(int(cell), cols) for cell in np.flatnonzero(at["seen"])} == seen, where
        for index, player in enumerate(oracle.players):
            avatars = state.avatars
            assert (avatars.absence[index], avatars.cooldown[index]) == (player.absence, player.cooldown), where
            if not player.absence:
                assert divmod(int(avatars.cell[index]), cols) == player.cell, where
                assert avatars.orientation[index] == player.facing, where
        assert list(state.own.live) == [apple.live for apple in oracle.apples.values()], where
        counted = [4 if apple.counted is None else apple.counted for apple in oracle.apples.values()]
        assert list(np.minimum(state.own.density, 4)) == counted, where
        bare = {place for place, apple in oracle.apples.items() if apple.bare}
        assert {divmod(int(cell), cols) for cell in np.flatnonzero(at["ground"] == 4)} == bare, where
        happened["eaten"] += sum(reward)
        happened["hits"] += sum(map(len, hits))
        happened["returns"] += sum(
            1 for old, new in zip(before, oracle.players, strict=True) if old and not new.absence
        )
        happened["sprouts"] += sum(
            not old and new.live for old, new in zip(live_before, oracle.apples.values(), strict=True)
        )
    assert min(happened.values()) > 50, happened  # all of it was seen often enough to mean something
