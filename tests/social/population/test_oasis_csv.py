"""CSV files as OASIS has them: lists as literals, follow lists as row numbers."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population import check_population, from_csv_folder, from_oasis_csv, load_population

DATA = Path(__file__).parents[4] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real inputs are not here")
OASIS = os.environ.get("JAXWORLD_OASIS")
HEADER = ["", "user_id", "name", "username", "following_agentid_list", "previous_tweets", "user_char", "description"]


def write_csv(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def account(number, follows, posts="[]", about="a plain\nbio, with a comma"):
    return [number, 900 + number, f"user_{number}", f"user{number}", follows, posts, f"long {about}", about]


def small(tmp_path, header=HEADER, rows=None):
    return write_csv(
        tmp_path / "people.csv",
        header,
        rows
        or [account(0, "[1, 2]"), account(1, "[0]", "['first', 'the \"last\"']", "猫"), account(2, "[]", about="")],
    )


def test_follow_lists_are_row_numbers(tmp_path):
    built = from_oasis_csv(small(tmp_path))
    population = built.population
    check_population(population)
    assert built.report.persona_ids == ("0", "1", "2")
    assert population.follows.tolist() == [[0, 1], [0, 2], [1, 0]]
    assert population.followers.tolist() == [1, 1, 1]
    assert population.tie_strength.tolist() == [1000, 500, 1000, 500]
    assert population.rhythm is None and population.involvement.tolist() == [1, 1, 1]
    assert "columns not used: (unnamed), user_id, name, username, user_char" in built.report.notes


def test_texts_end_with_the_last_post(tmp_path):
    path = small(tmp_path)
    assert from_oasis_csv(path).texts == ("a plain\nbio, with a comma", '猫 # Recent post:the "last"', "")
    assert from_oasis_csv(path, text=("user_char",)).texts[1] == 'long 猫 # Recent post:the "last"'
    assert from_oasis_csv(path, text=("motto",)).texts == ()


def test_self_follows_and_repetitions_are_said(tmp_path):
    rows = [account(0, "[0, 1, 1]", about="one line"), account(1, "7", about="x"), account(2, "[2]", about="x")]
    path = small(tmp_path, rows=rows)
    report = from_oasis_csv(path).report
    counts = {name: report.measures[name] for name in ("follows_read", "num_follows", "self_follows")}
    assert counts == {"follows_read": 4, "num_follows": 1, "self_follows": 2}
    assert "2 self-follows ignored: lines 2, 4" in report.notes
    assert "1 duplicate edge ignored: lines 2" in report.notes
    assert "1 account with a number for a list follow nobody: 1" in report.notes
    with pytest.raises(ConfigurationError, match=r"people\.csv:2, column following_agentid_list"):
        from_oasis_csv(path, on_self_follow="refuse")


def test_totals_and_hours_are_used(tmp_path):
    header = ["following_agentid_list", "follower_count", "activity_level_frequency"]
    hours = [[0] * 24, [2] * 23 + [4]]
    path = small(tmp_path, header, [["[1]", 70, hours[0]], ["[0]", 5, hours[1]]])
    population = from_oasis_csv(path).population
    assert population.followers.tolist() == [70, 5]
    np.testing.assert_allclose(population.rhythm[:, 22:], [[0.1, 0.1], [0.6, 1.0]], rtol=1e-6)
    own = from_oasis_csv(path, activity="own_peak").population
    np.testing.assert_allclose(own.involvement, [0, 1 - np.exp(-4)], rtol=1e-6)


ACTIVE = ["following_agentid_list", "activity_level_frequency", "previous_tweets", "followers_count"]


@pytest.mark.parametrize(
    ("header", "row", "where"),
    [
        (["username"], ["x"], "people.csv:1, column following_agentid_list"),
        (["persona", "followers_total"], [0, 1], "people.csv:1, column following_agentid_list"),
        (ACTIVE, ["[1]", str([0] * 24), "[]", "1"], "people.csv:2, column following_agentid_list"),
        (ACTIVE, ["", str([0] * 24), "[]", "1"], "people.csv:2, column following_agentid_list"),
        (ACTIVE, [f"[{'9' * 5000}]", str([0] * 24), "[]", "1"], "people.csv:2, column following_agentid_list"),
        (ACTIVE, ["[-1]", str([0] * 24), "[]", "1"], "people.csv:2, column following_agentid_list"),
        (ACTIVE, ["[__import__('os')]", str([0] * 24), "[]", "1"], "people.csv:2, column following_agentid_list"),
        (ACTIVE, ["[]", str([0] * 23), "[]", "1"], "people.csv:2, column activity_level_frequency"),
        (ACTIVE, ["[]", str([-1] + [0] * 23), "[]", "1"], "people.csv:2, column activity_level_frequency"),
        (ACTIVE, ["[]", "active", "[]", "1"], "people.csv:2, column activity_level_frequency"),
        (ACTIVE, ["[]", str([0] * 24), "[1]", "1"], "people.csv:2, column previous_tweets"),
        (ACTIVE, ["[]", str([0] * 24), "[", "1"], "people.csv:2, column previous_tweets"),
        (ACTIVE, ["[]", str([0] * 24), "[]", "many"], "people.csv:2, column followers_count"),
        (ACTIVE, ["[]", str([0] * 24), "[]"], "people.csv:2"),
    ],
)
def test_malformed_files_are_refused_at_line_and_column(tmp_path, header, row, where):
    with pytest.raises(ConfigurationError) as caught:
        from_oasis_csv(small(tmp_path, header, [row]))
    assert caught.value.field == where
    assert "\n" not in str(caught.value) and caught.value.remedy


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"people\.csv:2"):
        from_oasis_csv(write_csv(tmp_path / "people.csv", HEADER, []))
    with pytest.raises(ConfigurationError, match="no such file"):
        from_oasis_csv(tmp_path / "nowhere.csv")


def as_oasis_csv(folder, path):
    """The numbers of a folder in the other format, and the folder's follows as read."""
    personas = list(csv.DictReader((folder / "personas.csv").open()))
    follows = [tuple(map(int, row.values())) for row in csv.DictReader((folder / "follows.csv").open())]
    lists = [[followee for follower, followee in follows if follower == person] for person in range(len(personas))]
    rows = [[lists[person], row["followers_total"]] for person, row in enumerate(personas)]
    header = ["following_agentid_list", "followers_count"]
    if "h00" in personas[0]:
        header.append("activity_level_frequency")
        rows = [
            [*row, [int(person[f"h{hour:02d}"]) for hour in range(24)]]
            for row, person in zip(rows, personas, strict=True)
        ]
    return write_csv(path, header, rows)


@needs_data
@pytest.mark.parametrize("name", ["cascade", "follow_graph"])
def test_both_formats_of_the_real_inputs_agree(tmp_path, name):
    folder = from_csv_folder(DATA / name)
    file = from_oasis_csv(as_oasis_csv(DATA / name, tmp_path / "people.csv"), activity="own_peak")
    for field in ("identity", "follows", "neighbor", "tie_strength", "followers", "involvement"):
        np.testing.assert_array_equal(getattr(folder.population, field), getattr(file.population, field))
    if folder.population.rhythm is not None:
        np.testing.assert_array_equal(folder.population.rhythm, file.population.rhythm)
    for measure in ("follows_read", "num_follows", "self_follows", "duplicate_follows"):
        assert folder.report.measures[measure] == file.report.measures[measure]


@needs_data
def test_both_formulas_on_the_real_cascade():
    code, paper = (from_csv_folder(DATA / "cascade", activity=name) for name in ("global_peak", "hourly_peak"))
    rhythm = code.population.rhythm
    assert round(float(rhythm.mean()), 3) == 0.133
    assert [round(float(value), 3) for value in (rhythm.mean(axis=0).min(), rhythm.mean(axis=0).max())] == [
        0.108,
        0.155,
    ]
    hourly = paper.population.rhythm
    assert round(float(hourly.mean()), 3) == 0.056
    assert (hourly.max(axis=0) == 1).all() and int(hourly.mean(axis=0).argmax()) == 1
    assert code.report.parameters["activity"] == "global_peak"


@pytest.mark.skipif(not OASIS, reason="JAXWORLD_OASIS names no checkout")
def test_files_of_a_checkout_load():
    files = [*Path(OASIS).rglob("data/twitter_dataset/*/*.csv"), *Path(OASIS).rglob("user_all_id_time.csv")]
    for path in files:
        check_population(load_population(str(path)).population)
    for path in Path(OASIS).rglob("data/reddit/user_data_*.json"):
        check_population(load_population(str(path)).population)
    assert files
