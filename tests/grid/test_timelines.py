"""When things happen, to the step: timers, turns, contests, beams, regrowth and ends."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core.pytree import replace
from jaxworld.grid.avatars import cool_then_fire, fire_or_cool, hold_fire, newcomers, remove_first, thaw
from jaxworld.grid.board import Board
from jaxworld.grid.draws import ALWAYS, NEVER
from jaxworld.grid.endings import ends, interval_ending
from jaxworld.grid.movement import move
from jaxworld.grid.spawning import respawn
from tests.grid.orchard import (
    BACKWARD,
    EAST,
    FORWARD,
    LEFT,
    NORTH,
    PARAMS,
    RIGHT,
    SOUTH,
    TURN_LEFT,
    TURN_RIGHT,
    WEST,
    WORLD,
    ZAP,
    cell,
    orchard,
    play,
    quiet,
)


@pytest.mark.parametrize(
    ("action", "row", "col", "facing"),
    [
        (FORWARD, 5, 5, EAST),
        (BACKWARD, 5, 3, EAST),
        (LEFT, 4, 4, EAST),
        (RIGHT, 6, 4, EAST),
        (TURN_LEFT, 5, 4, NORTH),
        (TURN_RIGHT, 5, 4, SOUTH),
    ],
)
def test_the_basic_actions_are_relative_to_the_facing(action: int, row: int, col: int, facing: int) -> None:
    state, *_ = play(orchard([(5, 4, EAST)]), [action])
    blocked = action == LEFT  # a wall lies to the north
    assert state.avatars.cell[0] == (cell(5, 4) if blocked else cell(row, col))
    assert state.avatars.orientation[0] == facing


def test_a_contested_cell_goes_to_whoever_comes_first() -> None:
    start = orchard([(5, 5, EAST), (5, 7, WEST)])
    for words, winner in (([0, 1, 2, 3], 0), ([1, 0, 2, 3], 1)):
        state, *_ = play(start, [FORWARD, FORWARD], quiet(move=words))
        assert state.avatars.cell[winner] == cell(5, 6)
        assert state.avatars.cell[1 - winner] == start.avatars.cell[1 - winner]


def test_a_follower_moves_only_if_the_leader_went_before_and_two_who_face_never_swap() -> None:
    line = orchard([(5, 6, EAST), (5, 5, EAST)])
    followed, *_ = play(line, [FORWARD, FORWARD], quiet(move=[0, 1, 2, 3]))
    left_behind, *_ = play(line, [FORWARD, FORWARD], quiet(move=[1, 0, 2, 3]))
    assert list(followed.avatars.cell[:2]) == [cell(5, 7), cell(5, 6)]
    assert list(left_behind.avatars.cell[:2]) == [cell(5, 7), cell(5, 5)]
    facing = orchard([(5, 5, EAST), (5, 6, WEST)])
    for words in ([0, 1, 2, 3], [1, 0, 2, 3]):
        state, *_ = play(facing, [FORWARD, FORWARD], quiet(move=words))
        assert list(state.avatars.cell[:2]) == [cell(5, 5), cell(5, 6)]


def test_a_zapped_player_misses_the_observations_of_its_delay_and_one() -> None:
    state = orchard([(5, 5, EAST), (5, 7, NORTH)])
    state, reward, events, seen = play(state, [ZAP])
    assert events["zapped"][0, 1]
    assert not reward.any()
    absent = [not seen["TERRAIN"][1].any()]
    for _ in range(6):  # the delay is 4: absent after steps t ... t + 4, back after t + 5
        state, _, _, seen = play(state, [])
        absent.append(not seen["TERRAIN"][1].any())
    assert absent == [True] * 5 + [False] * 2
    assert seen["READY_TO_SHOOT"][1] == 1


def test_a_delay_of_nothing_brings_a_player_back_after_one_observation() -> None:
    params = replace(PARAMS, respawn_delay=jnp.zeros((), jnp.int32))
    state, *_ = play(orchard([(5, 5, EAST), (5, 7, NORTH)]), [ZAP], params=params)
    assert state.avatars.absence[1] == 1
    state, *_ = play(state, [], params=params)
    assert state.avatars.absence[1] == 0


def test_the_cooldown_lets_fire_every_third_step_and_is_seen() -> None:
    state, fired, ready = orchard([(5, 5, EAST)]), [], []
    for _ in range(7):
        state, _, events, seen = play(state, [ZAP])
        fired.append(bool(events["fired"][0]))
        ready.append(float(seen["READY_TO_SHOOT"][0]))
    assert fired == [True, False, False, True, False, False, True]
    assert ready == [0, 0.5, 1, 0, 0.5, 1, 0]


def test_both_of_two_who_zap_one_another_go_and_the_timer_stands_still_meanwhile() -> None:
    state, _, events, seen = play(orchard([(5, 5, EAST), (5, 7, WEST)]), [ZAP, ZAP])
    assert events["zapped"][0, 1]
    assert events["zapped"][1, 0]
    assert not seen["TERRAIN"][:2].any()
    assert list(state.avatars.cooldown[:2]) == [2, 2]
    for _ in range(4):
        state, _, _, seen = play(state, [ZAP, ZAP])
        assert list(state.avatars.cooldown[:2]) == [2, 2]
        assert list(seen["READY_TO_SHOOT"][:2]) == [0, 0]


def test_a_target_that_steps_away_is_missed_and_one_that_steps_in_is_hit() -> None:
    # The beam from (3, 6) to the west reaches columns 3 to 5 of rows 2 to 4.
    away, _, events, _ = play(orchard([(3, 6, WEST), (3, 3, WEST)]), {0: ZAP, 1: FORWARD})
    assert not events["zapped"].any()
    assert away.avatars.absence[1] == 0
    _, _, events, _ = play(orchard([(3, 6, WEST), (3, 2, EAST)]), {0: ZAP, 1: FORWARD})
    assert events["zapped"][0, 1]


def test_an_apple_pays_whoever_enters_and_cannot_be_back_before_the_second_step() -> None:
    always = quiet(sites=[ALWAYS] * WORLD.sites.size)
    state, reward, events, seen = play(orchard([(1, 3, WEST)]), [FORWARD], always)
    assert list(reward) == [1, 0, 0, 0]
    assert events["ate"][0]
    eaten = WORLD.sites.cells.index(cell(1, 2))
    state, reward, _, _ = play(state, [BACKWARD], always)  # its neighbours are counted in this step
    assert not state.own.live[eaten]
    assert state.own.density[eaten] == 3
    state, reward, _, seen = play(state, [], always)
    assert state.own.live[eaten]
    assert not reward.any()
    assert seen["APPLES"][0].any()


def test_regrowth_goes_by_the_neighbours_two_steps_before() -> None:
    alone = orchard([(5, 9, EAST)], eaten=[(6, 9)])
    counted, *_ = play(alone, [])
    site = WORLD.sites.cells.index(cell(6, 9))
    assert counted.own.density[site] == 2  # (7, 9) and (7, 10)
    between = int(PARAMS.regrowth[1]) + 1  # too much for one neighbour, not for two
    words = np.full(WORLD.sites.size, NEVER)
    words[site] = between
    stays, *_ = play(
        replace(counted, own=replace(counted.own, density=counted.own.density * 0 + 1)), [], quiet(sites=words)
    )
    assert not stays.own.live[site]
    grows, *_ = play(counted, [], quiet(sites=words))
    assert grows.own.live[site]


def test_an_apple_that_sprouts_under_a_player_is_eaten_at_once() -> None:
    state, reward, _, _ = play(orchard([(1, 3, WEST)]), [FORWARD])
    state, reward, _, _ = play(state, [])
    assert not reward.any()
    state, reward, events, _ = play(state, [], quiet(sites=[ALWAYS] * WORLD.sites.size))
    assert reward[0] == 1
    assert events["ate"][0]
    assert not state.own.live[WORLD.sites.cells.index(cell(1, 2))]


def test_ground_without_live_neighbours_is_seen_bare() -> None:
    bare, grass = (
        WORLD.object_observation_ids["TERRAIN"]["bare_grass"],
        WORLD.object_observation_ids["TERRAIN"]["grass"],
    )
    patch = [(6, 2), (7, 1), (7, 2)]
    state = orchard([(5, 1, SOUTH)], eaten=patch[:2])
    state, _, _, seen = play(state, [])
    assert bare not in seen["TERRAIN"]
    state = orchard([(5, 1, SOUTH)], eaten=patch)
    _, _, _, seen = play(state, [])
    assert (seen["TERRAIN"][0] == bare).sum() == 3
    assert grass in seen["TERRAIN"]


def test_an_apple_patch_eaten_up_never_comes_back() -> None:
    state = orchard([(5, 5, EAST)], eaten=[(6, 2), (7, 1), (7, 2)])
    for _ in range(4):  # chance 0 holds even against the smallest word
        state, *_ = play(state, [], quiet(sites=[ALWAYS] * WORLD.sites.size))
    gone = [WORLD.sites.cells.index(cell(*place)) for place in ((6, 2), (7, 1), (7, 2))]
    assert not state.own.live[gone].any()


@pytest.mark.parametrize(("minimum", "first"), [(1000, 1099), (300, 399), (0, 99)])
def test_ends_lie_on_the_lattice_of_the_interval(minimum: int, first: int) -> None:
    steps = jnp.arange(1, 1600, dtype=jnp.int32)
    made = jax.vmap(ends, in_axes=(None, 0, None))(interval_ending(minimum, 100, 0.5), steps, jnp.uint32(ALWAYS))
    assert list(np.asarray(steps)[np.asarray(made)]) == list(range(first, 1600, 100))
    assert not ends(interval_ending(minimum, 100, 0.0), jnp.int32(first), jnp.uint32(ALWAYS))


def test_an_ended_world_stands_still() -> None:
    state, _, _, seen = play(orchard([(5, 5, EAST)], steps=1098), [FORWARD], quiet(end=[ALWAYS]))
    assert state.ended
    assert state.steps == 1099
    later, reward, _, seen_later = play(state, [FORWARD, ZAP], quiet(sites=[ALWAYS] * WORLD.sites.size))
    assert not reward.any()
    jax.tree.map(np.testing.assert_array_equal, (later, seen_later), (state, seen))


def test_a_freeze_of_n_holds_for_n_minus_one_steps() -> None:
    for freeze in (0, 1, 2, 16):
        avatars = replace(
            newcomers(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32)), frozen=jnp.asarray([freeze], jnp.int32)
        )
        held = 0
        for _ in range(20):
            avatars = thaw(avatars)
            held += not bool(avatars.mobile[0])
        assert held == max(freeze - 1, 0)


def test_a_cooldown_that_may_not_run_stands_still() -> None:
    avatars = newcomers(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
    able, wants, cooldown = jnp.asarray([True]), jnp.asarray([True]), jnp.asarray(3, jnp.int32)
    fires, avatars = fire_or_cool(avatars, wants, able, cooldown)
    assert fires[0]
    for _ in range(5):
        fires, avatars = fire_or_cool(avatars, wants, ~able, cooldown)
        assert not fires[0]
    gaps = []
    for _ in range(4):
        fires, avatars = fire_or_cool(avatars, wants, able, cooldown)
        gaps.append(bool(fires[0]))
    assert gaps == [False, False, False, True]


def test_the_other_style_of_cooldown_fires_every_so_many_steps() -> None:
    avatars = newcomers(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
    able, cooldown, fired = jnp.asarray([True]), jnp.asarray(3, jnp.int32), []
    for _ in range(8):
        fires, avatars = cool_then_fire(avatars, able, able, cooldown)
        fired.append(bool(fires[0]))
    assert fired == [True, False, False, True, False, False, True, False]


@pytest.mark.parametrize(("held_for", "cooldown"), [(25, 4), (3, 0), (1, 2)])
def test_who_is_kept_from_firing_moves_at_t_plus_n_and_fires_at_t_plus_n_plus_c_plus_one(
    held_for: int, cooldown: int
) -> None:
    rest = newcomers(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
    avatars = replace(rest, frozen=jnp.asarray([held_for], jnp.int32))  # hit in step 0
    wants, limit, moved, fired = jnp.asarray([True]), jnp.asarray(cooldown, jnp.int32), [], []
    for step in range(1, held_for + cooldown + 3):
        held = avatars.frozen > 0
        avatars = hold_fire(thaw(avatars), held, limit)
        moved += [step] * bool(avatars.mobile[0])
        fires, avatars = fire_or_cool(avatars, wants, avatars.present, limit)
        fired += [step] * bool(fires[0])
    assert moved[0] == held_for
    assert fired[0] == held_for + cooldown + 1


def test_a_removal_put_off_by_a_step_comes_before_moves_and_counts_like_any_other() -> None:
    points, words = np.asarray([40]), jnp.zeros(2, jnp.uint32)
    avatars = newcomers(jnp.asarray([5, 6], jnp.int32), jnp.asarray([1, 1], jnp.int32))
    solid = np.append(np.zeros(WORLD.board.num_cells, bool), True)
    absent = []
    for step in range(6):  # marked in the step before; delay 2: absent after the steps 0 ... 2, back after 3
        if step == 0:
            avatars = remove_first(avatars, jnp.asarray([False, True]))
        avatars = move(WORLD.board, solid, avatars, jnp.asarray([FORWARD * (step == 0), 0], jnp.int32), words)
        _, avatars = respawn(WORLD.board, points, avatars, jnp.asarray(2, jnp.int32), words, words)
        absent.append(not bool(avatars.present[1]))
    assert avatars.cell[0] == 6  # its cell was free at once
    assert absent == [True, True, True, False, False, False]


def test_on_a_torus_a_step_over_the_edge_comes_in_at_the_other() -> None:
    board = Board(3, 4, torus=True)
    avatars = newcomers(jnp.asarray([0, 3, 8, 11], jnp.int32), jnp.asarray([NORTH, EAST, SOUTH, WEST], jnp.int32))
    made = move(
        board,
        np.append(np.zeros(12, bool), True),
        avatars,
        jnp.full(4, FORWARD, jnp.int32),
        jnp.arange(4, dtype=jnp.uint32),
    )
    # North of 0 is 8, which is taken; east of 3 is 0, taken as well; south of 8 is 0; west of 11 is 10.
    assert list(np.asarray(made.cell)) == [0, 3, 8, 10]
    away = replace(avatars, absence=jnp.asarray([0, 1, 1, 1], jnp.int32))
    made = move(
        board,
        np.append(np.zeros(12, bool), True),
        away,
        jnp.full(4, FORWARD, jnp.int32),
        jnp.arange(4, dtype=jnp.uint32),
    )
    assert made.cell[0] == 8


def test_nobody_comes_back_to_a_point_that_is_taken_and_all_wait_when_none_is_free() -> None:
    points = np.asarray([2, 5, 7])
    avatars = replace(
        newcomers(jnp.asarray([5, 0, 1, 0], jnp.int32), jnp.zeros(4, jnp.int32)),
        absence=jnp.asarray([0, 9, 9, 9], jnp.int32),
    )
    words = jnp.asarray([0, 2**32 - 1, 0, 5], jnp.uint32)
    back, made = respawn(WORLD.board, points, avatars, jnp.asarray(4, jnp.int32), words, words)
    assert list(np.asarray(back)) == [False, True, True, False]
    assert list(np.asarray(made.cell)) == [5, 7, 2, 0]
    assert list(np.asarray(made.absence)) == [0, 0, 0, 10]
    assert made.orientation[1] == 3
