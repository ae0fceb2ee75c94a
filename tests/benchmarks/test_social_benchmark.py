"""The social benchmark writes its results, and its references compute what the kernel computes."""

import asyncio
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import kernel, oasis, references, social
from benchmarks.floors import Rates, Work
from benchmarks.rule import Case
from jaxworld.core.ordering import tie_limb
from jaxworld.core.random import entity_bits, index_identity, tick_key, world_keys
from jaxworld.social.streams import open_streams
from jaxworld.social.vocabulary import Action

SEED = 3
ACTIONS = {
    int(Action.POST): references.POST,
    int(Action.LIKE): references.UP,
    int(Action.UPVOTE): references.UP,
    int(Action.DOWNVOTE): references.DOWN,
}
FAKE_RECSYS = """
import torch
from transformers import AutoModel

def rec_sys_reddit(post_table, rec_matrix, max_rec_post_len):
    ranked = sorted(post_table, key=lambda post: post["num_dislikes"] - post["num_likes"])
    return [[post["post_id"] for post in ranked[:max_rec_post_len]]] * len(rec_matrix)
"""


@pytest.fixture
def fake_tree(tmp_path):
    folder = tmp_path / "tree" / "oasis" / "social_platform"
    folder.mkdir(parents=True)
    (folder / "recsys.py").write_text(FAKE_RECSYS)
    return tmp_path / "tree"


def timed_once(time_batched):
    """The headline is the case of the table here, so its program need not be compiled again."""
    known = {}

    def timed(built, *options):
        if (built.case, options) not in known:
            known[built.case, options] = time_batched(built, *options)
        return known[built.case, options]

    return timed


def test_it_writes_a_table_a_json_file_and_a_figure(tmp_path, monkeypatch, fake_tree, capsys):
    monkeypatch.setattr(social, "HEADLINE_RECOMMENDERS", ("reddit_hot",))
    monkeypatch.setattr(social, "HEADLINE_PERSONAS", 50)
    monkeypatch.setattr(social, "HEADLINE_POSTS", 60)
    monkeypatch.setattr(kernel, "PARTS", {"ranking": kernel.PARTS["ranking"]})
    monkeypatch.setattr(kernel, "time_batched", timed_once(kernel.time_batched))
    options = ["--sizes", "50x60", "--recommenders", "reddit_hot", "--repeats", "1", "--ticks", "2"]
    options += ["--worlds", "2", "--headline-worlds", "2", "--oasis", str(fake_tree)]
    assert social.main([*options, "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out.split()
    assert printed == [str(tmp_path / "out" / f"social.{ending}") for ending in ("md", "json", "png")]

    results = json.loads((tmp_path / "out" / "social.json").read_text())
    (case,), (head,) = results["cases"], results["headline"]
    assert set(case["timings"]) == {"ours, batched", "ours, one world", "NumPy", "event loop", "OASIS recommender"}
    assert case["ratios"]["ours, batched"] == {"cpu": 1.0, "wall": 1.0}
    assert set(head["parts_cpu_s"]) == {"ranking"}
    assert head["floor_cpu_s"]["awake only"] <= head["floor_cpu_s"]["fixed shapes"]
    assert any("platform not loaded" in note for note in results["oasis"]["notes"])

    table = (tmp_path / "out" / "social.md").read_text()
    assert "| reddit_hot | 50 | 60 | 2 |" in table
    assert "OASIS's rule-based tick: reddit_hot" in table
    assert (tmp_path / "out" / "social.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("recommender", ["random", "twitter"])
def test_every_part_of_a_tick_can_be_timed_alone(recommender):
    built = kernel.build(Case(recommender, personas=50, posts=60, ticks=2))
    key, shared = world_keys([SEED])[0], (built.params, built.policy)
    moment = jax.eval_shape(lambda key, shared: kernel._moment(built, key, shared), key, shared)
    for part in kernel.PARTS.values():
        total = jax.eval_shape(kernel._repeated(built, part), (key, moment), shared)
        assert (total.shape, total.dtype) == ((), jnp.int32)


def test_bad_input_ends_with_one_line(tmp_path, capsys):
    for wrong in (["--sizes", "50"], ["--sizes", "10x10"], ["--repeats", "0"]):
        with pytest.raises(SystemExit) as stop:
            social.main(wrong)
        assert stop.value.code == 2
    assert social.main(["--oasis", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "no working tree of OASIS" in capsys.readouterr().err


def test_loading_oasis_leaves_nothing_behind(fake_tree):
    import sys
    from pathlib import Path

    before, folder = set(sys.modules), Path.cwd()
    with oasis.load(fake_tree) as loaded:
        assert loaded.recsys.rec_sys_reddit([], [[], []], 5) == [[], []]
    assert Path.cwd() == folder
    assert not {name for name in set(sys.modules) - before if name.startswith(("oasis", "transformers", "torch"))}


def test_a_floor_is_the_larger_of_moving_and_computing():
    rates = Rates(cached_bytes=10.0, memory_bytes=5.0, entity_words=4.0, jax_words=2.0, flops=100.0)
    assert Work(bytes=10, words=4, flops=50).floor(rates) == 1.5
    assert Work(bytes=100, words=4, flops=50).floor(rates) == 10.0


@pytest.mark.parametrize("recommender", ["reddit_hot", "twhin", "twitter"])
def test_references_show_what_the_kernel_shows(recommender):
    """Driven by the kernel's decisions, both references present the same posts and count the same exposures."""
    case = Case(recommender, personas=50, posts=60, ticks=5, activation=0.5, window=20)
    built = kernel.build(case)
    steps, last = kernel.trajectory(built, SEED)
    views = jax.tree.map(lambda early, end: np.append(early, end[None], axis=0), steps.observation, last)
    view = views.forum if case.on_forum else views.feed
    numpy_world = references.NumpyWorld(case, built.people, built.posts)
    loop_world = references.EventLoopWorld(case, built.people, built.posts)
    for tick in range(1, case.ticks + 1):
        turns = _turns(jax.tree.map(lambda column, row=tick - 1: np.asarray(column[row]), steps.action))
        awake = np.flatnonzero(views.active[tick])
        expected = view.stimulus[tick][awake]
        tie = _tie_words(case, tick)
        numpy_world.apply(*np.asarray(turns, np.int64).reshape(-1, 3).T)
        shown = numpy_world.present(awake, tie)
        asyncio.run(loop_world.apply(turns))
        listed = asyncio.run(loop_world.present(awake.tolist(), tie.tolist()))
        if recommender == "twitter":  # ties are broken by persona, so compare the scores of what is shown
            scores = numpy_world.personal_scores(int((numpy_world.posts["tick"][: numpy_world.count] < tick).sum()))
            for other in (shown, np.asarray(listed)):
                np.testing.assert_allclose(_taken(scores, other), _taken(scores, expected), rtol=1e-6)
        else:
            np.testing.assert_array_equal(shown, expected)
            np.testing.assert_array_equal(listed, expected)
    assert numpy_world.count == len(loop_world.posts) > case.posts + 1
    total = int((view.stimulus >= 0).sum())
    assert numpy_world.exposures.sum() == sum(loop_world.exposures) == total > 0
    if recommender != "twitter":
        counted = np.bincount(view.stimulus[view.stimulus >= 0], minlength=case.capacity)
        np.testing.assert_array_equal(numpy_world.exposures, counted)
        assert loop_world.exposures == counted[: numpy_world.count].tolist()


def _turns(action):
    rows = [row for row in np.flatnonzero(action.valid) if int(action.action[row]) in ACTIONS]
    return [(int(action.persona[row]), int(action.subject[row]), ACTIONS[int(action.action[row])]) for row in rows]


def _taken(scores, columns):
    return np.take_along_axis(scores, np.asarray(columns), axis=1)


def _tie_words(case, tick):
    streams = open_streams(tick_key(world_keys([SEED])[0], jnp.int32(tick)))
    words = (streams.forum if case.on_forum else streams.feed).tie
    slots = index_identity(jnp.arange(case.capacity, dtype=jnp.int32))
    return np.asarray(tie_limb(entity_bits(words, slots, 1)[0])).astype(np.int64)


def test_numpy_samples_without_replacement_and_evenly():
    case = Case("random", personas=50, posts=50)
    built_people, posts = kernel.make_people(case), kernel.make_posts(case)
    world = references.NumpyWorld(case, built_people, posts)
    picks = world._sample(20_000, 7)
    assert all(len(set(row)) == case.budget for row in picks[:500].tolist())
    frequency = np.stack([np.bincount(picks[:, slot], minlength=7) for slot in range(case.budget)]) / 20_000
    assert np.abs(frequency - 1 / 7).max() < 0.015
