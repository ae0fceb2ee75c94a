"""What is drawn by chance, in the original and here: each against the stated law, and one against the other.

Runs under `make parity`. All seeds are fixed. A test asks for |z| < 4 (p < 7e-5) or a chi-square below its 0.9999
quantile. What the original's samples show, as the deviation that such a test finds with a probability of 0.95 (5.7
standard deviations): a winner of conflicts favoured by .064 of .5 (2,000 conflicts); a kind of coin by .1 of .5 (900
coins); regrowth of apples wrong by .35 of its rate for one neighbour, .33 for two, .16 for three and more (100,000,
60,000 and 50,000 chances); of coins by .2 (1.9 million chances), of resources by .11 (70,000); ends of episodes by
.035 of .05 (1,300 chances) and by .14 of .2 (270); a point of return taken twice as often (1,200 returns to twelve);
apples eaten in free play by .16 of their mean and hits by .28 (40 episodes of 200 steps).
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core.pytree import replace
from jaxworld.core.random import tick_key, world_keys
from jaxworld.grid.endings import ends
from tests.parity.recorder.layouts import CENTRE, CONFLICTS, CROSSING, HOME
from tests.parity.worlds import world_of

NOOP, FORWARD, FIRE = 0, 1, 7
OPEN = "commons_harvest__open"
REPEATED = "running_with_scissors_in_the_matrix__repeated"
ARENA = "prisoners_dilemma_in_the_matrix__arena"


def assert_rate(hits, tries, chance):
    z = (hits - tries * chance) / np.sqrt(tries * chance * (1 - chance))
    assert abs(z) < 4, (hits, tries, chance, z)


def assert_same_rate(first, second):
    """Two counts, each (hits, tries), of one law."""
    (a, n), (b, m) = first, second
    pooled = (a + b) / (n + m)
    z = (a / n - b / m) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    assert abs(z) < 4, (first, second, z)


def assert_uniform(counts):
    """Chi-square of counts of equally likely things, by Wilson and Hilferty's approximation of its quantiles."""
    counts = np.asarray(counts)
    freedom = len(counts) - 1
    expected = counts.sum() / len(counts)
    spread = 2 / (9 * freedom)
    z = ((((counts - expected) ** 2).sum() / expected / freedom) ** (1 / 3) - (1 - spread)) / np.sqrt(spread)
    assert z < 3.72, counts


@pytest.fixture(scope="module")
def counts(original):
    return original("counts")


def keys(number):
    return world_keys(np.arange(number))


def begin(world, number):
    """States of so many worlds, and their keys."""
    states, _ = jax.jit(jax.vmap(world.reset, (0, None)))(keys(number), world.default_params())
    return states, keys(number)


def idle(world, state, key, steps, tally):
    """Sums over steps in which nobody acts of `tally(before, after)`; keys are those of ticks from 1 on."""
    params = world.default_params()

    def step(state, tick):
        still = jnp.zeros(world.num_agents, jnp.int32)
        made, _, _ = world.advance(state, still, world.draws(tick_key(key, tick)), params)
        return made, tally(state, made)

    _, tallies = jax.lax.scan(step, state, jnp.arange(1, steps + 1))
    return jax.tree.map(lambda values: values.sum(0), tallies)


@pytest.mark.parametrize("name", CONFLICTS)
def test_conflicts_are_won_by_whoever_is_drawn_first(counts, name):
    theirs = counts["conflicts"]
    world = world_of(OPEN, map=CROSSING)
    (state, _), number = begin(world, 1), 20_000
    places, ways, goals = np.asarray(CONFLICTS[name], np.int32).T
    here = np.arange(len(places))
    avatars = jax.tree.map(lambda values: values[0], state.avatars)
    # The others wait in the bottom row.
    avatars = replace(
        avatars,
        cell=(7 * 9 + 1 + jnp.arange(7, dtype=jnp.int32)).at[here].set(CENTRE + places),
        orientation=avatars.orientation.at[here].set(ways),
    )
    state = replace(jax.tree.map(lambda values: values[0], state), avatars=avatars)
    action = np.where(np.arange(7) < len(places), FORWARD, NOOP).astype(np.int32)

    def play(key):
        made, _, _ = world.advance(state, action, world.draws(key), world.default_params())
        return made.avatars.cell[here] == CENTRE + goals

    wins = np.asarray(jax.jit(jax.vmap(play))(keys(number))).sum(0)
    expected = {"two": [1 / 2] * 2, "three": [1 / 3] * 3, "follower": [1, 1 / 2]}[name]
    for ours, original, chance in zip(wins, theirs[name], expected, strict=True):
        if chance == 1:
            assert ours == number and original >= 0.99 * theirs["repetitions"]
            continue
        assert_rate(ours, number, chance)
        assert_rate(original, theirs["repetitions"], chance)
        assert_same_rate((ours, number), (original, theirs["repetitions"]))


def test_apples_grow_by_the_number_of_neighbours(counts):
    theirs = counts["regrowth"]
    world = world_of(OPEN)
    states, own_keys = begin(world, 1024)
    share = jnp.asarray([0.05, 0.15, 0.3])[jnp.arange(1024) % 3]
    live = jax.random.uniform(jax.random.key(0), (1024, world.sites.size)) < share[:, None]
    states = replace(states, own=replace(states.own, live=live))

    def tally(before, after):
        waits = ~before.own.live[None] & (before.own.density[None] == jnp.arange(4, dtype=jnp.uint8)[:, None])
        return waits.sum(1), (waits & after.own.live[None]).sum(1)

    could, grew = jax.jit(jax.vmap(lambda state, key: idle(world, state, key, 30, tally)))(states, own_keys)
    could, grew = np.asarray(could).sum(0), np.asarray(grew).sum(0)
    assert grew[0] == theirs["grew"][0] == 0
    for kind, chance in enumerate((0.0025, 0.005, 0.025), start=1):
        assert_rate(grew[kind], could[kind], chance)
        assert_rate(theirs["grew"][kind], theirs["could"][kind], chance)
        assert_same_rate((grew[kind], could[kind]), (theirs["grew"][kind], theirs["could"][kind]))


def test_coins_appear_of_both_kinds_alike(counts):
    theirs = counts["coins"]
    world = world_of("coins")

    def tally(before, after):
        row, col = np.asarray(world.sites.cells) // 17, np.asarray(world.sites.cells) % 17
        in_play = (row <= before.own.size[0]) & (col <= before.own.size[1])
        empty = in_play & (before.own.coins == 0)
        # Where players start, and stand here, no coin appears.
        could = empty.sum() - 2
        return could, jnp.stack([(empty & (after.own.coins == kind)).sum() for kind in (1, 2)])

    states, own_keys = begin(world, 64)
    could, grew = jax.jit(jax.vmap(lambda state, key: idle(world, state, key, 500, tally)))(states, own_keys)
    could, grew = np.asarray(could).sum(), np.asarray(grew).sum(0)
    for tries, kinds in ((could, grew), (theirs["could"], theirs["grew"])):
        assert_rate(kinds.sum(), tries, 0.0005)
        assert_rate(kinds[0], kinds.sum(), 0.5)
    assert_same_rate((grew.sum(), could), (theirs["grew"].sum(), theirs["could"]))


def test_removed_players_return_anywhere_and_face_anyhow(counts):
    theirs = counts["returns"]
    world = world_of(OPEN, map=HOME)
    states, _ = begin(world, 1)
    state = jax.tree.map(lambda values: values[0], states)
    points = np.flatnonzero([symbol == "S" for symbol in HOME.replace("\n", "")])
    floor = np.flatnonzero([symbol in ".A" for symbol in HOME.replace("\n", "")])[:7].astype(np.int32)
    due = jnp.zeros(7, jnp.int32).at[0].set(world.default_params().respawn_delay + 1)
    state = replace(state, avatars=replace(state.avatars, cell=jnp.asarray(floor), absence=due))

    def play(key):
        made, _, _ = world.advance(state, jnp.zeros(7, jnp.int32), world.draws(key), world.default_params())
        return made.avatars.cell[0], made.avatars.orientation[0], made.avatars.absence[0]

    cells, orientations, absence = map(np.asarray, jax.jit(jax.vmap(play))(keys(12_000)))
    assert not absence.any()
    for found, facing in ((cells, orientations), (theirs["cells"], theirs["orientations"])):
        assert set(found.tolist()) == set(points.tolist())
        assert_uniform([(found == point).sum() for point in points])
        assert_uniform(np.bincount(facing, minlength=4))


def test_players_start_anywhere_and_the_first_two_inside(counts):
    theirs = counts["starts"]
    world = world_of(OPEN, map=HOME)
    symbols = np.asarray(list(HOME.replace("\n", "")))
    states, _ = begin(world, 4000)
    for cells, orientations in (
        (np.asarray(states.avatars.cell), np.asarray(states.avatars.orientation)),
        (theirs["cell"], theirs["orientation"]),
    ):
        assert (symbols[cells[:, :2]] == "I").all() and (symbols[cells[:, 2:]] == "S").all()
        assert all(len(set(row)) == 7 for row in cells.tolist())
        assert_rate((cells[:, 0] < cells[:, 1]).sum(), len(cells), 0.5)
        # One player at a time: the points of one start exclude one another.
        for player in (2, 6):
            assert_uniform([(cells[:, player] == point).sum() for point in np.flatnonzero(symbols == "S")])
        assert_uniform(np.bincount(orientations.ravel(), minlength=4))


@pytest.mark.parametrize(("variant", "minimum", "chance"), [("coins", 300, 0.05), (REPEATED, 1000, 0.2)])
def test_episodes_end_every_hundred_steps_by_chance(counts, variant, minimum, chance):
    theirs = counts["lengths"][variant]
    world = world_of(variant)
    longest = world.max_steps

    def play(key):
        steps = jnp.arange(1, longest + 1)
        words = jax.vmap(lambda step: world.draws(tick_key(key, step))["end"][0])(steps)
        over = ends(world.default_params().ending, steps, words)
        return jnp.where(over.any(), jnp.argmax(over) + 1, longest)

    ours = np.asarray(jax.jit(jax.vmap(play))(keys(400)))
    chances = []
    for lengths in (ours, theirs):
        # Who reaches the longest episode was stopped there, at no chance of its own.
        ended = lengths[lengths < longest]
        assert (ended % 100 == 99).all() and ended.min() >= minimum + 99
        chances.append((len(ended), ((np.minimum(lengths, longest - 1) - minimum + 1) // 100).sum()))
        assert_rate(*chances[-1], chance)
    assert_same_rate(*chances)


def test_resources_come_back_after_their_delay(counts):
    theirs = counts["regeneration"]
    world = world_of(ARENA)
    states, own_keys = begin(world, 256)
    gone = jax.random.uniform(jax.random.key(0), states.own.waiting.shape) < 0.4
    states = replace(states, own=replace(states.own, waiting=gone.astype(jnp.int32)))

    def tally(before, after):
        waits = before.own.waiting > 0
        due = waits & (before.own.waiting > 10)
        back = waits & (after.own.waiting == 0)
        return due.sum(), (back & due).sum(), (back & ~due).sum()

    could, grew, early = (
        int(np.asarray(total).sum())
        for total in jax.jit(jax.vmap(lambda state, key: idle(world, state, key, 40, tally)))(states, own_keys)
    )
    assert early == theirs["early"] == 0
    assert_rate(grew, could, 0.04)
    assert_rate(theirs["grew"], theirs["could"], 0.04)
    assert_same_rate((grew, could), (theirs["grew"], theirs["could"]))


def test_random_players_eat_and_zap_as_much(counts):
    """Whole stretches of free play on one layout: means of apples eaten and players hit, by Welch's test."""
    theirs = counts["free_play"]
    world = world_of(OPEN)
    steps = int(theirs["steps"])

    def play(state, key):
        def step(state, tick):
            here = tick_key(key, tick)
            action = jax.random.randint(jax.random.fold_in(here, 7), (7,), 0, FIRE + 1)
            made, _, events = world.advance(state, action, world.draws(here), world.default_params())
            return made, (events["ate"].sum(), events["zapped"].sum())

        _, totals = jax.lax.scan(step, state, jnp.arange(1, steps + 1))
        return totals[0].sum(), totals[1].sum()

    states, own_keys = begin(world, 256)
    ours = map(np.asarray, jax.jit(jax.vmap(play))(states, own_keys))
    for mine, original in zip(ours, (theirs["apples"], theirs["zaps"]), strict=True):
        error = np.sqrt(mine.var(ddof=1) / len(mine) + original.var(ddof=1) / len(original))
        assert abs(mine.mean() - original.mean()) < 4 * error, (mine.mean(), original.mean(), error)
