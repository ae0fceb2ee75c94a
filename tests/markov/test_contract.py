"""The contract of worlds, kept by every game."""

import chex
import jax
import numpy as np
import pytest

import jaxworld
from jaxworld.core.contract import check_world
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.random import world_key
from jaxworld.markov import BUILT_IN, GAMES, MatrixGame, PublicGoods, chicken, congestion, make_game
from jaxworld.markov.graph import build_graph
from tests.markov.games import SMALL

SMALLEST = {
    "chicken": chicken,  # bertrand and inspection are the same law with other tables
    "congestion": lambda: congestion(2),
    "public_goods": lambda: PublicGoods(pot_cap=50, pot_step=5),
    **{name: SMALL[name] for name in ("pursuit", "ice_duel", "gathering", "tiny_stag_hunt")},
}


@pytest.mark.parametrize("name", list(SMALLEST))
def test_every_law_keeps_the_contract(name):
    report = check_world(SMALLEST[name](), num_steps=2, batch=2, eager=False, thorough=False)
    assert {"structure", "repeat", "spaces", "flags", "retrace", "scan", "batch", "ended"} <= set(report.clauses)


@pytest.mark.parametrize("name", list(SMALL))
def test_games_give_and_take_what_their_spaces_say(name):
    """Traced only: one structure at reset and at every step, strictly typed, and a world that equals its copy."""
    game = SMALL[name]()
    assert game == SMALL[name]()
    key, params = world_key(0), game.default_params()
    action = jax.eval_shape(game.action_space(params).sample, key)
    start = jax.eval_shape(game.reset, key, params)
    later = jax.eval_shape(game.step, key, start[0], action, params)
    assert jax.tree.structure(start) == jax.tree.structure(later)
    chex.assert_trees_all_equal_shapes_and_dtypes(start, later)
    assert start[1].observation.shape == game.observation_space(params).shape == (game.num_agents, game.num_bits)
    assert jax.eval_shape(game.public_state, start[0]).shape == (game.num_bits,)


def test_every_game_is_registered_and_made_by_name():
    assert {f"markov/{name}" for name in GAMES} <= set(jaxworld.registered())
    for name in BUILT_IN:
        game, params = make_game(name)
        assert jaxworld.make(f"markov/{name}") == game
        assert game.name == name
        assert len(game.label_names) == len(set(game.label_names))
        assert game.action_space(params).num_categories == max(game.num_actions)


def test_options_find_their_place():
    game, params = make_game("pursuit", 4, {"num_pursuers": 2, "slip": 0.25})
    assert (game.config.size, game.config.num_pursuers) == (4, 2)
    assert params.slip.tolist() == [2**30, 0]
    assert make_game("congestion", 3)[0].num_agents == 3
    for name, size, options, field in (
        ("chicken", 3, {}, "size"),
        ("pursuit", None, {"slop": 1}, "slop"),
        ("checkers", None, {}, "game"),
        ("pursuit", 1, {}, "size"),
        ("pursuit", None, {"walls": (0,)}, "walls"),
        ("pursuit", None, {"slip": 1.5}, "slip"),
        ("ice_duel", None, {"slide": -0.1}, "slide"),
        ("ice_duel", 1, {}, "size"),
        ("gathering", None, {"regrowth": 2}, "regrowth"),
        ("gathering", None, {"sites": ()}, "sites"),
        ("gathering", None, {"sites": (99,)}, "sites"),
        ("gathering", None, {"regrow": "magic"}, "regrow"),
        ("gathering", 1, {}, "width"),
        ("stag_hunt", 2, {}, "height"),
        ("stag_hunt", None, {"move": float("nan")}, "move"),
        ("public_goods", None, {"payout_rate": 3}, "payout_rate"),
        ("congestion", None, {"num_players": 1}, "num_players"),
        ("table", None, {"transitions": [[[1.0]]], "payoffs": [[[0.0]], [[0.0]]]}, "transitions"),
        ("table", None, {"transitions": [[[0.5, 0.4]], [[0, 1]]], "payoffs": [[[0.0]], [[0.0]]]}, "transitions"),
        ("table", None, {"transitions": [[[-0.5, 1.5]], [[0, 1]]], "payoffs": [[[0.0]], [[0.0]]]}, "transitions"),
        ("table", None, {"transitions": [[[1, 0]], [[0]]], "payoffs": [[[0.0]], [[0.0]]]}, "transitions"),
        ("matrix", None, {"payoffs": [[(1, 1), (2, 2)], [(0, 0)]]}, "payoffs"),
        ("matrix", None, {"payoffs": [[1, 1], [2, 2]]}, "payoffs"),
        ("matrix", None, {"payoffs": [[(1, 1), (2, np.inf)]]}, "payoffs"),
        ("matrix", None, {"payoffs": [[(1, 1), (2, 2)]], "unsafe": [True]}, "unsafe"),
    ):
        with pytest.raises(ConfigurationError, match=f"^{field} = "):
            make_game(name, size, options)


def test_ones_own_table_with_unequal_players():
    payoffs = np.arange(12.0).reshape(2, 3, 2)
    graph = build_graph(MatrixGame(payoffs, unsafe=payoffs[..., 0] > 9, flag="high"))
    assert (graph.num_states, graph.num_joint_actions, graph.num_edges) == (7, 6, 42)
    np.testing.assert_array_equal(graph.reward, np.broadcast_to(payoffs.reshape(6, 2), (7, 6, 2)))
    assert graph.labels["high"].sum() == 1
