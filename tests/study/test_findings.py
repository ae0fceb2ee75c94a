"""Findings at a tiny size through the command line, and the arithmetic behind what they say."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy import stats

from jaxworld.cli.main import main
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.random import tick_key, world_keys
from jaxworld.study.experiments import communities, concentration, herding, spread
from jaxworld.study.experiments.finding import FINDINGS
from jaxworld.study.sweep import SweepResult
from jaxworld.study.tables import read_table

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "cascade"


def run_tiny(name, out, capsys, *options):
    """A finding through the command line: its JSON and its table."""
    command = ["finding", name, "--out", str(out), "--json", "--quiet"]
    for option in options:
        command += ["--set", option]
    assert main(command) == 0
    captured = capsys.readouterr()
    assert captured.err == "" and {path.name for path in out.iterdir()} == {
        "finding.parquet", "finding.png", "finding.txt",
    }  # fmt: skip
    content = json.loads(captured.out)
    assert content["finding"] == name and any("does not show" in text for text in content["text"])
    return content, read_table(out / "finding.parquet")[0]


def test_concentration(tmp_path, capsys):
    options = ["recommenders=random", "personas=12", "budgets=1,2", "ticks=3", "worlds=3"]
    content, rows = run_tiny("concentration", tmp_path, capsys, *options)
    assert [row["budget"] for row in content["table"]] == [1, 2] and len(rows["gini"]) == 6
    assert content["table"][0]["gini"]["mean"] == pytest.approx(rows["gini"][rows["budget"] == 1].mean())
    assert "6 worlds, 3 in each of 2 cells" in content["text"][0]


def test_herding_without_influence_leaves_the_given_votes_alone(tmp_path, capsys):
    options = ["rankings=random", "conformity=0", "personas=12", "items=6", "ticks=4", "worlds=8"]
    content, rows = run_tiny("herding", tmp_path, capsys, *options)
    for name in herding.TREATMENTS:
        assert (rows[f"items_{name}"] == 2).all()
    last = rows["tick"] == 4
    assert rows["tick"].max() == 4
    # Nobody has voted before tick 2, and the given vote is there from tick 1 on.
    assert (rows["up_up"] >= 1).all() and (rows["down_down"] >= 1).all()
    difference = rows["score_up"][last] - rows["score_none"][last]
    assert content["table"][0]["surplus_up"]["mean"] == pytest.approx(difference.mean() - 1)
    assert "Muchnik" in " ".join(content["text"]) and "oasis" in " ".join(content["text"])


def test_communities(tmp_path, capsys):
    options = ["forums=scoped", "personas=12", "communities=2", "ticks=3", "worlds=3"]
    content, rows = run_tiny("communities", tmp_path, capsys, *options)
    assert len(rows["divergence"]) == 3 and ((rows["divergence"] >= 0) & (rows["divergence"] <= 1)).all()
    assert content["table"][0]["divergence"]["mean"] == pytest.approx(rows["divergence"].mean())


@pytest.fixture(scope="module")
def small_cascade(tmp_path_factory):
    """Eight accounts: 1 to 5 follow 0, 6 follows 5, 7 follows nobody."""
    folder = tmp_path_factory.mktemp("cascade")
    (folder / "personas.csv").write_text(
        "persona,followers_total\n" + "".join(f"{node},{100 - node}\n" for node in range(8))
    )
    (folder / "follows.csv").write_text("follower,followee\n" + "".join(f"{a},0\n" for a in range(1, 6)) + "6,5\n")
    scale = [1, 2, 4, 5, 6, 6, 7, 7]
    lines = [f"{minute},{many},{min(many - 1, 1)},{many - 1}" for minute, many in enumerate(scale)]
    (folder / "observed.csv").write_text("minute,scale,depth,max_breadth\n" + "\n".join(lines) + "\n")
    return folder


def test_spread_without_a_recommender_is_capped_by_the_follows(small_cascade, tmp_path, capsys):
    options = [f"data={small_cascade}", "feeds=follows", "train=3", "predict=8", "points=2", "rounds=1", "fit_worlds=2"]
    content, rows = run_tiny("spread", tmp_path, capsys, *options, "worlds=4")
    assert "can reach 7 personas" in " ".join(content["text"]) and rows["scale"].max() <= 7
    curves = rows["scale"].reshape(4, 8)
    assert (curves[:, 0] == 1).all() and (np.diff(curves, axis=1) >= 0).all() and curves[:, -1].max() > 1
    assert (rows["max_breadth"] <= 5).all() and rows["depth"].max() <= 2
    model, *trivial = content["table"]
    real = spread.read_observed(small_cascade / "observed.csv", 7)
    assert model["scale"] == pytest.approx(np.sqrt(np.mean((curves.mean(axis=0) - real[0]) ** 2)) / 7)
    assert len(trivial) == 5 and model["recommended"] is None and 0.01 <= model["pace"] <= 0.6


def test_a_fit_reads_the_minutes_of_training_alone(small_cascade, monkeypatch):
    given = spread.SpreadSettings(data=str(small_cascade), train=3, predict=8, points=4, rounds=2)
    asked = []

    def run(arm, design, settings, what, last, folder, progress):
        asked.append(last)
        pace = np.asarray(design.columns["pace"])[:, None, None, None]
        return np.broadcast_to(10 * pace * np.arange(last + 1.0), (design.num_points, 2, 3, last + 1))

    monkeypatch.setattr(spread, "_run", run)
    real = np.tile(2.0 * np.arange(8), (3, 1))
    other = np.where(np.arange(8) <= 3, real, 1e6)
    found = [spread.fit(given, None, curves, "follows+large") for curves in (real, other)]
    assert found[0] == found[1] and set(asked) == {3} and set(found[0]) == set(spread.RANGES)
    assert found[0]["pace"] == pytest.approx(0.2, abs=0.1)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real cascade is not here")
def test_trivial_predictors_of_the_real_cascade_have_their_known_errors():
    real = spread.read_observed(REAL / "observed.csv", 149)
    found = {name: spread.nrmse(curve, real) for name, curve in spread.baselines(real, 30).items()}
    known = {
        "mean of the real curve": (0.186, 0.137, 0.185),
        "final value at once": (0.232, 0.141, 0.230),
        "straight line": (0.399, 0.538, 0.409),
        "never spreads": (0.870, 0.976, 0.883),
    }
    for name, errors in known.items():
        np.testing.assert_allclose(found[name], errors, atol=0.0006, err_msg=name)
    people, source = spread.read_people(str(REAL))
    assert source == 32 and spread.reachable(np.asarray(people.follows), source) == 77


def test_the_rule_of_herding_by_hand():
    scores = {"none": np.asarray([1.0, 3.0]), "up": np.asarray([3.0, 6.0]), "down": np.asarray([-1.0, 2.0])}
    found = herding.effects(scores)
    assert found["score_none"]["mean"] == 2
    # Up gained 2 and 3, of which 1 was given; down lost 2 and 1, of which 1 was given.
    assert found["surplus_up"]["mean"] == 1.5 and found["surplus_down"]["mean"] == -0.5
    reach = stats.t.ppf(0.975, 1) * np.std([1, 2], ddof=1) / np.sqrt(2)
    assert found["surplus_up"]["high"] == pytest.approx(1.5 + reach)
    assert found["relative_up"]["mean"] == pytest.approx(2.5 / 2) and found["relative_down"]["mean"] == -0.75
    residual = (np.asarray([2.0, 3.0]) - 1.25 * scores["none"]) / 2
    assert found["relative_up"]["high"] - 1.25 == pytest.approx(
        stats.t.ppf(0.975, 1) * residual.std(ddof=1) / np.sqrt(2)
    )
    assert np.isnan(herding.ratio_interval(np.ones(3), np.zeros(3)).mean)
    same = herding.effects({"none": scores["none"], "up": scores["none"] + 1, "down": scores["none"] - 1})
    assert same["surplus_up"]["mean"] == same["surplus_down"]["mean"] == 0  # a vote that moves nobody


def test_a_third_of_the_items_gets_each_treatment_and_worlds_differ():
    voters = herding.TreatedVoters(voters=None, items=12)
    drawn = np.asarray(jax.jit(jax.vmap(lambda key: voters.assign(tick_key(key, 0))))(world_keys(range(6))))
    assert (np.sort(drawn, axis=1) == np.repeat([0, 1, 2], 4)).all() and len(np.unique(drawn, axis=0)) == 6


def test_divergence_and_own_share_against_their_definitions():
    rng = np.random.default_rng(0)
    community = np.asarray([0, 0, 1, 2, 2, 2], np.int32)
    reducer = communities.CommunityFigures(
        config=SimpleNamespace(stimulus_capacity=8), num_communities=3, community=community
    )
    carry, shown, own, peer = None, np.zeros((3, 8), int), 0, 0
    for tick in range(4):
        stimulus = rng.integers(-1, 5, (6, 2)).astype(np.int32)
        author = np.where(stimulus < 1, -1, stimulus % 6).astype(np.int32)
        view = SimpleNamespace(stimulus=stimulus, author=author)
        observation = SimpleNamespace(feed=None, forum=view, word_of_mouth=None, active=np.ones(6, bool))
        info = SimpleNamespace(feed=None, forum=None, word_of_mouth=None, published_start=np.int32(5))
        timestep = SimpleNamespace(observation=observation, info=info)
        if tick == 0:
            carry = reducer.init(timestep)
            continue
        carry, figures = reducer.update(carry, timestep, None)
        for viewer, slot in zip(*np.nonzero(author >= 0), strict=True):
            shown[community[viewer], stimulus[viewer, slot]] += 1
            peer += 1
            own += community[author[viewer, slot]] == community[viewer]
    np.testing.assert_array_equal(carry.shown, shown)
    columns = reducer.host_columns({name: np.asarray(value)[None] for name, value in figures.items()})
    pairs = [(0, 1), (0, 2), (1, 2)]
    apart = sum(np.abs(shown[a] - shown[b]).sum() for a, b in pairs)
    both = sum((shown[a] + shown[b]).sum() for a, b in pairs)
    assert columns["divergence"][0] == pytest.approx(apart / both)
    assert columns["own_share"][0] == pytest.approx(own / peer)


def test_concentration_is_compared_with_random_in_the_same_worlds():
    names, size = ("random", "reddit_hot"), 10
    rows = {
        "arm": np.repeat([f"{name}, {size} personas" for name in names], 3), "recommender": np.repeat(names, 3),
        "personas": np.full(6, size), "point": np.zeros(6, np.int32), "budget": np.ones(6, np.int32),
        "window": np.full(6, 3), "world": np.tile(np.arange(3, dtype=np.int32), 2), "seed": np.tile([5, 6, 7], 2),
        "gini": np.asarray([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), "top_1_share": np.zeros(6), "coverage": np.ones(6),
    }  # fmt: skip
    given = concentration.ConcentrationSettings(recommenders=names, personas=(size,), budgets=(1,), worlds=3)
    result = SweepResult(configuration="", figures=concentration.FIGURES, design=("budget",), labels=(), kept=rows)
    found = concentration._found(given, result)
    above = found.table[1]["gini_above_random"]
    assert found.table[1]["recommender"] == "reddit_hot" and above["mean"] == pytest.approx(0.3)
    assert above["low"] == pytest.approx(0.3)  # the same in each pair, so there is no doubt
    assert "more than random in 1 of 1 cells" in " ".join(found.text)


def test_the_list_names_every_finding_and_runs_none(capsys):
    assert main(["finding", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out and entry.summary in out for name, entry in FINDINGS.items())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a finding"),
        (["herd"], "did you mean 'herding'"),
        (["herding", "--data", "x"], "herding takes none"),
        (["herding", "--set", "item=3"], "did you mean 'items'"),
        (["herding", "--set", "items=4"], "multiple of 3"),
        (["herding", "--worlds", "1"], "worlds = 1"),
        (["spread", "--data", ".", "--seed", "-1"], "seed = -1"),
        (["spread"], "--data"),
        (["spread", "--data", "nowhere/at/all"], "no such folder"),
        (["concentration", "--set", "recommenders=twhin"], "random among them"),
        (["communities", "--set", "forums=none"], "use some of random, hot, scoped"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(arguments, message, tmp_path, capsys):
    out = tmp_path / "none"
    assert main(["finding", *arguments, "--out", str(out)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.count("\n") == 1 and not out.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [("minute,scale\n0,1\n", "whole numbers"), ("minute,scale,depth,max_breadth\n0,1,0,0\n2,1,0,0\n", "every minute")],
)
def test_curves_that_are_not_as_described_are_refused(content, message, tmp_path):
    (tmp_path / "observed.csv").write_text(content)
    with pytest.raises(ConfigurationError, match=message):
        spread.read_observed(tmp_path / "observed.csv", 1)
