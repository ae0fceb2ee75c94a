"""The loop: it finds known optima on worlds it never trained on, and goes on where it stopped with the same bits."""

import json
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import jaxworld
from jaxworld.core.errors import ConfigurationError, JaxworldError
from jaxworld.core.leaves import first_difference
from jaxworld.core.random import world_key
from jaxworld.core.rollout import rollout
from jaxworld.metrics.intervals import mean_interval
from jaxworld.study.search import OpenAIES, SearchSettings, from_evosax, make_array_policy, search, world_objective
from jaxworld.study.search.checkpoint import MANIFEST
from jaxworld.study.search.evaluate import Evaluator, fitness_of, held_out_seeds, training_seeds

STEPS = 10
CLEAR = jaxworld.make("core/bandit", lag=0)
LAGGED = jaxworld.make("core/bandit", lag=1)
STRATEGY = OpenAIES(64, 0.3, optax.adam(0.1))
SMALL = SearchSettings(generations=6, worlds=4, held_out_worlds=16, held_out_every=2, checkpoint_every=2)


@pytest.mark.parametrize(("world", "kind"), [(CLEAR, "linear"), (LAGGED, "recurrent")], ids=["linear", "recurrent"])
def test_three_seeds_reach_the_known_optimum_on_held_out_worlds(world, kind):
    shares = []
    for seed in range(3):
        settings = SearchSettings(
            generations=45, worlds=16, held_out_worlds=256, held_out_every=0, seed=seed, held_out_seed=seed
        )
        start = make_array_policy(kind, world, seed=seed, hidden=(8,))
        found = search(world_objective(world, STEPS), start, STRATEGY, settings)
        assert found.score.low < world.optimal_return(STEPS) * 1.02  # nobody beats the optimum
        shares.append(float(found.score.mean) / world.optimal_return(STEPS))
    assert mean_interval(shares).low >= 0.95, shares


def test_without_memory_the_lagged_optimum_is_out_of_reach():
    settings = SearchSettings(generations=10, worlds=16, held_out_worlds=256, held_out_every=0)
    found = search(world_objective(LAGGED, STEPS), make_array_policy("linear", LAGGED), STRATEGY, settings)
    assert found.score.mean < 1.1 * LAGGED.optimal_return(STEPS, memory=False) < LAGGED.optimal_return(STEPS)


def noisy(candidate, key):
    """Distance from 2, with noise that the world decides, the same for every candidate."""
    return -jnp.square(candidate["x"] - np.float32(2)).sum() + jax.random.normal(key, (), jnp.float32)


class Stop(Exception):
    pass


@pytest.mark.parametrize("strategy", [STRATEGY, "CMA_ES"], ids=["openai_es", "cma_es"])
def test_an_interrupted_search_ends_with_the_same_bits(tmp_path, strategy):
    if isinstance(strategy, str):
        pytest.importorskip("evosax")
        strategy = from_evosax(strategy, 8)
    template = {"x": jnp.zeros(3, jnp.float32)}
    whole = search(noisy, template, strategy, SMALL)

    def stop_at_five(event):
        if event.generation == 5:
            raise Stop

    with pytest.raises(Stop):
        search(noisy, template, strategy, SMALL, folder=tmp_path, progress=stop_at_five)
    assert json.loads((tmp_path / MANIFEST).read_text())["generation"] == 4
    (tmp_path / "generation-0000005.npz").write_bytes(b"half")  # stopped before the manifest followed
    (tmp_path / ".manifest.json.1.tmp").write_bytes(b"{")
    seen = []
    resumed = search(noisy, template, strategy, SMALL, folder=tmp_path, progress=lambda event: seen.append(str(event)))
    assert [line.split(":")[0] for line in seen] == ["generation 5/6", "generation 6/6"]
    for part in ("candidate", "held_out", "history", "curve", "score"):
        assert first_difference(getattr(whole, part), getattr(resumed, part)) is None, part
    assert list(whole.history) == list(resumed.history)  # the order of columns in a file
    again = search(noisy, template, strategy, SMALL, folder=tmp_path)  # nothing left to do
    assert first_difference(whole.history, again.history) is None


def test_a_finished_search_can_be_lengthened(tmp_path):
    template, longer = {"x": jnp.zeros(3, jnp.float32)}, SearchSettings(**{**vars(SMALL), "generations": 7})
    search(noisy, template, STRATEGY, SearchSettings(**{**vars(SMALL), "generations": 3}), folder=tmp_path)
    resumed = search(noisy, template, STRATEGY, longer, folder=tmp_path)
    whole = search(noisy, template, STRATEGY, longer)
    for part in ("candidate", "held_out", "history", "curve"):
        assert first_difference(getattr(whole, part), getattr(resumed, part)) is None, part
    with pytest.raises(ConfigurationError, match="generations = 5: the search in this folder has done 7"):
        search(noisy, template, STRATEGY, SearchSettings(**{**vars(SMALL), "generations": 5}), folder=tmp_path)


def test_foreign_changed_and_damaged_folders_are_refused_and_left_alone(tmp_path):
    template, folder = {"x": jnp.zeros(3, jnp.float32)}, tmp_path / "search"
    search(noisy, template, STRATEGY, SMALL, folder=folder)

    def refused(match, *, template=template, strategy=STRATEGY, settings=SMALL, folder=folder):
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        with pytest.raises(ConfigurationError, match=match) as error:
            search(noisy, template, strategy, settings, folder=folder)
        assert "\n" not in str(error.value)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    refused("another configuration", settings=SearchSettings(**{**vars(SMALL), "seed": 1}))
    refused("another configuration", template={"x": jnp.ones(3, jnp.float32)})
    refused("another configuration", strategy=OpenAIES(64, 0.3, optax.adam(0.2)))
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    [arrays] = damaged.glob("*.npz")
    arrays.write_bytes(arrays.read_bytes()[:-7])
    refused("damaged", folder=damaged)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("mine")
    refused("holds thesis.txt and no search", folder=foreign)
    (foreign / MANIFEST).write_text("{}")
    refused("no manifest of a search", folder=foreign)
    with pytest.raises(ConfigurationError, match=r"folder = .*cannot use it"):
        search(noisy, template, STRATEGY, SMALL, folder=foreign / "thesis.txt")


def test_an_equal_configuration_made_anew_is_the_same_search(tmp_path):
    template = {"x": jnp.zeros(3, jnp.float32)}
    search(noisy, template, OpenAIES(64, 0.3, optax.adam(0.1)), SMALL, folder=tmp_path)
    search(noisy, template, OpenAIES(64, 0.3, optax.adam(0.1)), SMALL, folder=tmp_path)


def test_candidates_share_worlds_and_held_out_worlds_are_nobodys():
    training = np.concatenate([training_seeds(seed, generation, 50) for seed in range(3) for generation in range(20)])
    held_out = np.concatenate([held_out_seeds(seed, 200) for seed in range(3)])
    assert len(np.unique(training)) == 3000 and len(np.unique(held_out)) == 600
    assert (training < 2**63).all() and (held_out >= 2**63).all()  # by construction, not by luck
    same = {"x": jnp.ones((5, 3), jnp.float32)}
    scores = Evaluator(noisy).scores(same, training_seeds(0, 0, 7))
    assert scores.shape == (5, 7) and len(np.unique(scores)) == 7
    np.testing.assert_array_equal(scores, np.broadcast_to(scores[:1], scores.shape))


def test_a_score_is_the_rollout_and_has_the_same_bits_whatever_is_evaluated_beside_it():
    objective = world_objective(LAGGED, STEPS)
    policy = make_array_policy("recurrent", LAGGED, hidden=(4,))
    several = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf + np.float32(1), leaf - np.float32(1)]), policy)
    seeds = held_out_seeds(0, 5)
    together = Evaluator(objective, block=4).scores(several, seeds)
    alone = Evaluator(objective, block=4, devices=jax.devices()[:1]).scores(
        jax.tree.map(lambda leaf: leaf[1:2], several), seeds[2:3]
    )
    assert together[1, 2] == alone[0, 0]
    played = rollout(LAGGED, policy, world_key(int(seeds[3])), STEPS)
    assert float(played.summary.total_reward.mean()) == together[0, 3]


def partly_void(candidate, key):
    """NaN on one side of the optimum."""
    x = candidate["x"][0]
    return jnp.where(x > np.float32(0.5), np.float32(np.nan), x)


def test_void_runs_count_as_worst_and_are_reported():
    assert np.isnan(fitness_of(np.array([[1.0, np.nan], [np.inf, 2.0]]))).all()
    found = search(partly_void, {"x": jnp.zeros(1, jnp.float32)}, OpenAIES(16, 0.3, optax.adam(0.05)), SMALL)
    assert found.history["num_invalid"].sum() > 0
    assert np.isfinite(found.history["raw_best"]).all() and found.history["raw_best"].max() <= 0.5
    assert np.isfinite(found.candidate["x"]).all()


def test_a_solution_without_a_finite_score_is_an_error_and_not_a_number():
    def void(candidate, key):
        return candidate["x"][0] * np.float32(np.nan)

    with pytest.raises(ConfigurationError, match="no finite score in 16 of 16 held-out worlds"):
        search(void, {"x": jnp.zeros(1, jnp.float32)}, OpenAIES(4), SMALL)


def test_raw_fitness_is_what_the_objective_said():
    found = search(noisy, {"x": jnp.zeros(3, jnp.float32)}, OpenAIES(4, 0.3, optax.sgd(0.0)), SMALL)
    assert (found.history["raw_best"] < -3).all()  # around -12, where ranks would be at most a half
    assert set(found.history) >= {"raw_best", "raw_mean", "raw_spread", "num_invalid", "strategy.gradient_norm"}
    np.testing.assert_array_equal(found.curve["generation"], [0, 2, 4, 6])
    assert len(set(found.curve["mean"])) == 1  # a mean that never moves scores alike on the same worlds


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"generations": 0}, "generations = 0"),
        ({"worlds": 0}, "worlds = 0"),
        ({"held_out_worlds": 2.5}, "held_out_worlds = 2.5"),
        ({"seed": -1}, "seed = -1"),
        ({"block": 0}, "block = 0"),
    ],
)
def test_bad_settings(change, match):
    with pytest.raises(ConfigurationError, match=match):
        SearchSettings(**change)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: OpenAIES(7), "population_size = 7"),
        (lambda: OpenAIES(8, -1.0), "sigma = -1.0"),
        (lambda: OpenAIES(8, sigma_decay=1.5), "sigma_decay = 1.5"),
        (lambda: search(noisy, {"x": jnp.zeros(2, jnp.int32)}, OpenAIES(8)), "template.* = 'int32': .*codec"),
        (lambda: search(noisy, {"x": jnp.full(2, np.nan, jnp.float32)}, OpenAIES(8)), "finite numbers"),
        (lambda: search(noisy, {}, OpenAIES(8)), "no arrays"),
        (lambda: world_objective(CLEAR, 0), "num_steps = 0"),
        (lambda: make_array_policy("transformer", CLEAR), "policy = 'transformer': use one of linear"),
        (lambda: make_array_policy("recurrent", CLEAR, hidden=(4, 4)), "one hidden width"),
        (lambda: make_array_policy("mlp", CLEAR, hidden=(0,)), "widths of at least 1"),
        (lambda: make_array_policy("linear", jaxworld.make("social/feed", num_personas=40)), "action space"),
    ],
)
def test_bad_input_is_one_line(call, match):
    with pytest.raises(JaxworldError, match=match) as error:
        call()
    assert "\n" not in str(error.value)


def test_bad_evosax_input_is_one_line(monkeypatch):
    pytest.importorskip("evosax")
    for call, match in (
        (lambda: from_evosax("CMAES2"), "nearest are CMA_ES"),
        (lambda: from_evosax("CMA_ES", 1), "population_size = 1"),
        (lambda: from_evosax("PGPE", 7), "refuses them: Population size must be even"),
        (lambda: from_evosax("CMA_ES", 8, colour=1), "refuses them"),
        (lambda: from_evosax("CMA_ES", 8, params={"sigma": 1.0}), r"params.sigma = 1.0: CMA_ES has the parameters"),
        (lambda: from_evosax("CMA_ES").init(jax.random.key(0), jnp.zeros(3000, jnp.float32)), "full covariance"),
    ):
        with pytest.raises(ConfigurationError, match=match) as error:
            call()
        assert "\n" not in str(error.value)
    monkeypatch.setitem(__import__("sys").modules, "evosax.algorithms", None)
    with pytest.raises(JaxworldError, match=r"jaxworld\[search\]"):
        from_evosax("CMA_ES")
