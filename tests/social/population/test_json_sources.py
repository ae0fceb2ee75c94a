"""JSON files: user lists of OASIS's Reddit setting, and persona files."""

import copy
import json

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population import check_population, from_persona_json, from_reddit_json, load_population


def write_json(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def users(num=6):
    return [
        {
            "realname": f"Name {number}",
            "username": f"user{number}",
            "bio": f"Likes {'tea' if number % 2 else 'coffee'}.",
            "persona": "Calm.",
            "age": 20 + number,
            "gender": "female" if number % 2 else "male",
            "mbti": "INTJ",
            "country": "UK",
            "interested_topics": ["Economics"],
        }
        for number in range(num)
    ]


def persona_file():
    return {
        "format": "jaxworld.personas/1",
        "personas": [
            {"id": "c", "text": "Sails.", "attributes": {"town": "Rye", "age": [18, 24]}, "recent_post": "Wind!"},
            {"id": "a", "text": "Bakes.", "attributes": {"town": "Ely", "age": 30}, "involvement": 0.5},
            {"id": "b", "attributes": {"age": None}},
            {"id": "d"},
        ],
        "edges": [{"u": "c", "v": "a", "weight": 0.8}, {"u": "b", "v": "c"}],
        "follows": [{"follower": "a", "followee": "c"}, {"follower": "b", "followee": "b"}],
        "communities": [{"id": "late", "members": ["b"]}, {"id": "early", "members": ["c", "a"]}],
    }


# Lists of users


def test_users_become_personas_with_made_up_ties(tmp_path):
    built = from_reddit_json(write_json(tmp_path / "users.json", users()))
    check_population(built.population)
    assert built.report.persona_ids == tuple("012345")
    assert built.texts[0] == "Likes coffee. Calm."
    assert built.population.num_follows == 0 and built.population.degree.min() >= 1
    assert any("made up by likeness in country, age, gender, mbti" in note for note in built.report.notes)
    assert "fields not used: interested_topics" in built.report.notes
    json.dumps(built.report.to_dict(), allow_nan=False)


def test_ties_depend_on_the_seed_and_can_be_left_out(tmp_path):
    path = write_json(tmp_path / "users.json", users(40))
    one, same, other = (from_reddit_json(path, seed=seed).population.neighbor.tolist() for seed in (1, 1, 2))
    assert one == same != other
    assert from_reddit_json(path, missing_ties="none").population.num_ties == 0


@pytest.mark.parametrize(
    ("field", "value", "row"),
    [
        ("age", "forty", 2),
        ("age", -1, 0),
        ("age", True, 1),
        ("bio", 5, 3),
        ("mbti", ["INTJ"], 5),
        ("persona", ..., 4),
        ("country", ..., 0),
    ],
)
def test_malformed_users_are_refused_at_row_and_field(tmp_path, field, value, row):
    content = users()
    if value is ...:
        del content[row][field]
    else:
        content[row][field] = value
    with pytest.raises(ConfigurationError) as caught:
        from_reddit_json(write_json(tmp_path / "users.json", content))
    assert caught.value.field == f"users.json, row {row}, field {field}"


# Persona files


def test_a_persona_file_becomes_a_population(tmp_path):
    built = from_persona_json(write_json(tmp_path / "people.json", persona_file()))
    population = built.population
    check_population(population)
    assert built.report.persona_ids == ("a", "b", "c", "d")
    assert population.degree.tolist() == [1, 1, 2, 0]
    assert population.tie_strength.tolist() == [800, 1000, 800, 1000]
    assert population.follows.tolist() == [[0, 2]]
    assert population.followers.tolist() == [0, 0, 1, 0]
    assert population.community.tolist() == [0, 1, 0, -1]
    assert population.involvement.tolist() == [0.5, 1, 1, 1]
    assert built.texts == ("age: 30; town: Ely; Bakes.", "", "age: 18 to 24; town: Rye; Sails. # Recent post:Wind!", "")
    assert "1 self-follow ignored: entries 1" in built.report.notes
    assert built.report.measures["self_follows"] == 1


def test_the_order_of_personas_and_entries_leaves_no_trace(tmp_path):
    content = persona_file()
    del content["edges"], content["follows"]
    content["personas"] = [{"id": f"p{n:02d}", "attributes": {"town": "xyz"[n % 3]}} for n in range(20)]
    content["communities"] = [{"id": str(k), "members": [f"p{n:02d}" for n in range(k, 20, 3)]} for k in range(3)]
    turned = copy.deepcopy(content)
    turned["personas"].reverse()
    turned["communities"].reverse()
    first, second = (
        from_persona_json(write_json(tmp_path / "people.json", each)).population for each in (content, turned)
    )
    for field in ("identity", "neighbor", "tie_strength", "community"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field))
    assert first.num_ties > 20


def test_ties_follow_from_follows_where_there_are_no_edges(tmp_path):
    content = persona_file()
    del content["edges"]
    content["follows"] = [{"follower": "a", "followee": "c"}, {"follower": "c", "followee": "a"}]
    population = from_persona_json(write_json(tmp_path / "people.json", content)).population
    assert population.tie_strength.tolist() == [1000, 1000]
    content["follows"] = []
    assert from_persona_json(write_json(tmp_path / "people.json", content)).population.num_ties == 0


def test_activity_multiplies_involvement(tmp_path):
    content = persona_file()
    for number, persona in enumerate(content["personas"]):
        persona |= {"activity": [number] * 24, "followers": 10 * number}
    population = from_persona_json(write_json(tmp_path / "people.json", content)).population
    np.testing.assert_allclose(population.involvement, [0.5 * (1 - np.exp(-1)), 1 - np.exp(-2), 0, 1 - np.exp(-3)])
    assert population.followers.tolist() == [10, 20, 0, 30]
    assert population.rhythm[:, 0].tolist() == [1, 1, 0, 1]


def changed(*path, value=...):
    """A persona file with one place changed, or removed."""
    content = persona_file()
    *parents, last = path
    place = content
    for step in parents:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return content


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ({"personas": []}, "people.json, format"),
        (changed("format", value="jaxworld.personas/2"), "people.json, format"),
        (changed("friends", value=[]), "people.json, friends"),
        (changed("personas"), "people.json, personas"),
        (changed("personas", value=[]), "people.json, personas"),
        (changed("personas", 1, value="a"), "people.json, personas[1]"),
        (changed("personas", 1, "id"), "people.json, personas[1], field id"),
        (changed("personas", 1, "id", value=7), "people.json, personas[1], field id"),
        (changed("personas", 1, "id", value="c"), "people.json, personas[1], field id"),
        (changed("personas", 1, "mood", value="good"), "people.json, personas[1], field mood"),
        (changed("personas", 1, "text", value=["x"]), "people.json, personas[1], field text"),
        (changed("personas", 1, "involvement", value=-0.1), "people.json, personas[1], field involvement"),
        (changed("personas", 1, "involvement", value=10**400), "people.json, personas[1], field involvement"),
        (changed("personas", 0, "followers", value=3), "people.json, personas[1], field followers"),
        (changed("personas", 0, "attributes", value=[1]), "people.json, personas[0], field attributes"),
        (changed("personas", 1, "attributes", "age", value="30"), "people.json, personas[1], field attributes.age"),
        (changed("personas", 0, "attributes", "age", value=[9, 3]), "people.json, personas[0], field attributes.age"),
        (changed("edges", 1, "v", value="z"), "people.json, edges[1], field v"),
        (changed("edges", 1, "v", value="b"), "people.json, edges[1], field v"),
        (changed("edges", 1, value={"u": "a", "v": "c"}), "people.json, edges[1], field v"),
        (changed("edges", 0, "weight", value=1.2), "people.json, edges[0], field weight"),
        (changed("edges", 0, "weight", value=0), "people.json, edges[0], field weight"),
        (changed("follows", 0, "followee"), "people.json, follows[0], field followee"),
        (changed("communities", 0, "members", value=["c"]), "people.json, communities[1], field members"),
        (changed("communities", 0, "members", value=[]), "people.json, communities[0], field members"),
        (changed("communities", 0, "members", value=[["c"]]), "people.json, communities[0], field members"),
        (changed("communities", 1, "id", value="late"), "people.json, communities[1], field id"),
        ('{"format": "jaxworld.personas/1",\n "personas": [}', "people.json:2"),
        ('{"format": "jaxworld.personas/1", "personas": [{"id": "a", "involvement": NaN}]}', "people.json"),
        ('{"format": "jaxworld.personas/1", "format": "x", "personas": []}', "people.json"),
        ("3", "people.json"),
        ('{"format": "jaxworld.personas/1", "personas": [{"id": "\\ud800"}]}', "people.json"),
        (
            '{"format": "jaxworld.personas/1", "personas": [{"id": "a", "followers": ' + "9" * 5000 + "}]}",
            "people.json",
        ),
        ("[" * 100_000, "people.json"),
    ],
)
def test_malformed_files_are_refused_at_row_and_field(tmp_path, content, where):
    with pytest.raises(ConfigurationError) as caught:
        from_persona_json(write_json(tmp_path / "people.json", content))
    assert caught.value.field == where
    assert "\n" not in str(caught.value) and caught.value.remedy


def test_self_follows_can_be_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"people\.json, follows\[1\], field followee"):
        from_persona_json(write_json(tmp_path / "people.json", persona_file()), on_self_follow="refuse")


# By path


def test_load_population_tells_the_formats_apart(tmp_path):
    listed = load_population(write_json(tmp_path / "users.json", users()), num_personas=9)
    people = load_population(str(write_json(tmp_path / "people.JSON", persona_file())), embed=None, taste_dimensions=5)
    assert listed.report.parameters["source"] == "reddit json"
    assert listed.population.num_dimensions == 256
    assert any("num_personas = 9 not used" in note for note in listed.report.notes)
    assert any("2 users" not in note and "hashing-1/256" in note for note in listed.report.notes)
    assert people.report.parameters["source"] == "persona json"
    assert people.population.num_dimensions == 5
    assert any("made up" in note for note in people.report.notes)


def test_other_paths_are_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no such folder or file"):
        load_population("people.json")
    (tmp_path / "people.xlsx").write_text("")
    with pytest.raises(ConfigurationError, match=r"a \.csv file or a \.json file"):
        load_population(tmp_path / "people.xlsx")
