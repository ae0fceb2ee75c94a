"""The generated graph, its gates, its communities and its tastes."""

import dataclasses
import json
import sys

import jax
import networkx
import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.social.population import (
    AcceptanceRule,
    Attribute,
    GateThresholds,
    GraphSettings,
    detect_communities,
    generate_population,
    generated_ties,
    measure_graph,
    planted_communities,
    planted_ties,
    rewiring,
    similarity,
    synthetic_attributes,
    taste_vectors,
    tie_strengths,
)
from jaxworld.social.population.communities import number_by_smallest_member
from jaxworld.social.population.graph import preferential_attachment, ring_lattice, two_layer_ties
from jaxworld.social.population.measures import assortativity, mean_clustering, modularity


def assert_same_arrays(first, second):
    for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def alike(num):
    """An attribute table in which all personas are the same."""
    return (Attribute("audience", "categorical", np.zeros(num)), Attribute("age", "ordinal", np.full(num, 30.0)))


def as_networkx(num, ties, strengths=None):
    graph = networkx.Graph()
    graph.add_nodes_from(range(num))
    weights = np.ones(len(ties)) if strengths is None else strengths
    graph.add_weighted_edges_from((a, b, w) for (a, b), w in zip(ties.tolist(), weights.tolist(), strict=True))
    return graph


# Similarity and tie strength


def test_similarity_weighs_by_relevance_rank():
    table = (
        Attribute("audience", "categorical", [1, 1]),
        Attribute("region", "categorical", [0, 1]),
        Attribute("age", "ordinal", [20, 60], span=50.0),
    )
    pair = np.asarray([[0, 1]])
    assert similarity(table, pair[:, 0], pair[:, 1])[0] == pytest.approx((1 + 0 + 0.2 / 3) / (1 + 1 / 2 + 1 / 3))
    assert tie_strengths(table, pair).tolist() == [582]


def test_similarity_counts_only_attributes_both_carry():
    table = (
        Attribute("a", "categorical", [0, 1, 0], missing=[False, True, False]),
        Attribute("b", "categorical", [5, 5, 6], missing=[False, False, True]),
    )
    first, second = np.asarray([0, 0, 1]), np.asarray([1, 2, 2])
    assert similarity(table, first, second).tolist() == [1.0, 1.0, 0.0]
    assert tie_strengths(table, np.stack([first, second], 1)).tolist() == [1000, 1000, 1]


def test_identical_personas_tie_at_full_strength():
    ties = generated_ties(30, alike(30), GraphSettings(), seed=3)
    assert set(tie_strengths(alike(30), ties).tolist()) == {1000}


# Layers


def test_ring_lattice_has_its_degree_and_shrinks_for_few():
    assert set(np.bincount(ring_lattice(9, 4).ravel()).tolist()) == {4}
    assert set(np.bincount(ring_lattice(5, 4).ravel()).tolist()) == {2}


def test_preferential_attachment_makes_as_many_ties_as_the_model_says():
    pairs = preferential_attachment(100, 3, np.random.default_rng(0))
    assert len({tuple(sorted(pair)) for pair in pairs.tolist()}) == 3 * 97
    assert np.bincount(pairs.ravel()).max() > 15
    assert preferential_attachment(3, 2, np.random.default_rng(0)).tolist() == [[0, 1], [0, 2]]


def test_two_layers_match_the_known_shape_at_500():
    measures = measure_graph(500, ties := two_layer_ties(500, GraphSettings(), seed=0), np.ones(len(ties)))
    assert measures["clustering"] == pytest.approx(0.17, abs=0.03)
    assert measures["mean_degree"] == pytest.approx(7.9, abs=0.1)
    assert 35 <= measures["max_degree"] <= 90


@pytest.mark.parametrize("num", [60, 200, 500])
@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
def test_generated_graphs_cluster_have_hubs_and_leave_nobody_alone(num, strength):
    table = synthetic_attributes(num, seed=num)
    settings = GraphSettings(homophily_strength=strength)
    ties = generated_ties(num, table, settings, seed=num)
    measures = measure_graph(num, ties, tie_strengths(table, ties), table=table)
    assert measures["clustering"] > 0.05
    assert measures["hub_ratio"] > 1.8
    assert measures["min_degree"] >= 1
    assert len(ties) == len(two_layer_ties(num, settings, seed=num))
    assert (ties[:, 0] < ties[:, 1]).all()
    assert len(np.unique(ties, axis=0)) == len(ties)


def test_homophily_changes_the_graph_and_raises_assortativity():
    table = synthetic_attributes(300, seed=1)
    ties = {s: generated_ties(300, table, GraphSettings(homophily_strength=s), seed=1) for s in (0.0, 1.0)}
    assert not np.array_equal(ties[0.0], ties[1.0])
    assert abs(assortativity(ties[0.0], table[0])) < 0.1
    for column in table:
        assert assortativity(ties[1.0], column) > assortativity(ties[0.0], column)


def rewire_one_by_one(ties, num, table, strength, generator):
    """The rewiring rule, attempt by attempt, as plainly as it can be written."""
    attempts = int(np.floor(strength * len(ties) + 1e-9))
    neighbours = [set() for _ in range(num)]
    for a, b in ties.tolist():
        neighbours[a].add(b)
        neighbours[b].add(a)
    chosen = ties[generator.permutation(len(ties))[:attempts]].tolist()
    for (a, b), draws in zip(chosen, generator.integers(0, num, (attempts, 32)).tolist(), strict=True):
        kept, old = (a, b) if len(neighbours[a]) >= len(neighbours[b]) else (b, a)
        if len(neighbours[old]) <= 1:
            continue
        candidates = list(dict.fromkeys(d for d in draws if d != kept and d not in neighbours[kept]))[:16]
        score = {c: similarity(table, np.asarray([kept]), np.asarray([c]))[0] for c in [*candidates, old]}
        best = max(candidates, key=score.__getitem__, default=None)
        if best is not None and score[best] > score[old]:
            for x, y in ((kept, old), (old, kept)):
                neighbours[x].remove(y)
            neighbours[kept].add(best)
            neighbours[best].add(kept)
    return sorted([a, b] for a in range(num) for b in neighbours[a] if a < b)


@pytest.mark.parametrize(("num", "seed"), [(12, 0), (60, 1), (200, 2)])
def test_rewiring_in_blocks_equals_rewiring_one_by_one(num, seed, monkeypatch):
    table = synthetic_attributes(num, seed=seed)
    ties = two_layer_ties(num, GraphSettings(), seed=seed)
    expected = rewire_one_by_one(ties, num, table, 0.8, np.random.default_rng(seed))
    assert expected != ties.tolist()
    for block in (7, 2048):
        monkeypatch.setattr(rewiring, "BLOCK", block)
        moved = rewiring.rewire_by_similarity(ties, num, table, 0.8, np.random.default_rng(seed))
        assert moved.tolist() == expected


def test_similarity_is_evaluated_for_few_pairs(monkeypatch):
    evaluated = []

    def counting(table, first, second):
        evaluated.append(len(np.ravel(second)))
        return similarity(table, first, second)

    monkeypatch.setattr(rewiring, "similarity", counting)
    num = 1000
    ties = generated_ties(num, synthetic_attributes(num), GraphSettings(homophily_strength=1.0), seed=0)
    assert 17 * len(ties) <= sum(evaluated) <= 2 * 17 * len(ties) < num * num / 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"hub_attachment": 60}, "hub_attachment"),
        ({"hub_attachment": 0}, "hub_attachment"),
        ({"ring_degree": 3}, "ring_degree"),
        ({"homophily_strength": 1.1}, "homophily_strength"),
        ({"homophily_strength": float("nan")}, "homophily_strength"),
        ({"num_personas": 2}, "num_personas"),
        ({"communities": "leiden"}, "communities"),
        ({"involvement": "busy"}, "involvement"),
        ({"involvement": ("beta", 0.0, 1.0)}, "involvement"),
        ({"taste_dimensions": -1}, "taste_dimensions"),
        ({"taste_clusters": "audience"}, "taste_clusters"),
        ({"mixing": 1.5, "communities": "planted"}, "mixing"),
        ({"persona_ids": ["a"]}, "persona_ids"),
        ({"seed": -1}, "seed"),
    ],
)
def test_unusable_parameters_are_refused_by_name(changes, field):
    with pytest.raises(ConfigurationError) as caught:
        generate_population(**({"num_personas": 60, "communities": "none"} | changes))
    assert caught.value.field == field


# Measures and gates


def test_measures_agree_with_networkx():
    table = synthetic_attributes(80, seed=4, missing_share=0.0)
    ties = generated_ties(80, table, GraphSettings(), seed=4)
    strengths, community = tie_strengths(table, ties), planted_communities(80, seed=4)
    graph = as_networkx(80, ties, strengths)
    assert mean_clustering(80, ties) == pytest.approx(networkx.average_clustering(graph))
    parts = [set(np.flatnonzero(community == c).tolist()) for c in range(5)]
    assert modularity(80, ties, strengths, community) == pytest.approx(networkx.community.modularity(graph, parts))
    for column, measure in (
        (table[0], networkx.attribute_assortativity_coefficient),
        (table[2], networkx.numeric_assortativity_coefficient),
    ):
        networkx.set_node_attributes(graph, dict(enumerate(column.values.tolist())), column.name)
        assert assortativity(ties, column) == pytest.approx(measure(graph, column.name))


def test_clustering_of_a_large_graph_is_estimated_from_a_sample(monkeypatch):
    ties = two_layer_ties(4000, GraphSettings(), seed=0)
    exact = mean_clustering(4000, ties)
    monkeypatch.setattr("jaxworld.social.population.measures.CLUSTERING_EXACT_UP_TO", 3000)
    monkeypatch.setattr("jaxworld.social.population.measures.CLUSTERING_SAMPLE", 2000)
    estimate = mean_clustering(4000, ties)
    assert estimate != exact
    assert estimate == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"min_clustering": 0.9}, "clustering"),
        ({"min_hub_ratio": 30.0}, "hub_ratio"),
        ({"min_largest_component": 1.01}, "largest_component_share"),
        ({"max_audience_assortativity": 0.05}, "audience assortativity"),
    ],
)
def test_gates_can_be_tuned_and_refuse_with_measure_limit_and_remedy(limits, field):
    with pytest.raises(ConfigurationError) as caught:
        generate_population(100, communities="none", thresholds=GateThresholds(**limits))
    assert caught.value.field == field
    assert isinstance(caught.value.value, float)
    assert str(next(iter(limits.values()))) in caught.value.remedy
    assert "check_gates=False" in caught.value.remedy
    generate_population(100, communities="none", thresholds=GateThresholds(**limits), check_gates=False)


# Whole populations


def test_same_seed_same_population_other_seed_another():
    first, again, other = (generate_population(100, seed=seed) for seed in (5, 5, 6))
    assert_same_arrays(first.population, again.population)
    assert first.report.to_dict() == again.report.to_dict()
    assert not np.array_equal(first.population.neighbor, other.population.neighbor)
    assert first.report.persona_ids[:2] == ("p-000001", "p-000002")


@pytest.mark.parametrize("communities", ["none", "planted"])
def test_order_of_arrival_does_not_matter(communities):
    num = 60
    table = synthetic_attributes(num, seed=9)
    ids = [f"p-{i:03d}" for i in range(num)]
    involvement = np.linspace(0, 1, num)
    order = np.random.default_rng(0).permutation(num)
    expected, shuffled = (
        generate_population(
            num,
            persona_ids=[ids[i] for i in rows],
            attributes=[column.take(rows) for column in table],
            involvement=involvement[rows],
            communities=communities,
            check_gates=False,
        )
        for rows in (np.arange(num), order)
    )
    assert_same_arrays(expected.population, shuffled.population)
    assert expected.report.persona_ids == shuffled.report.persona_ids


def test_report_is_json_able_and_says_what_was_skipped(monkeypatch):
    built = generate_population(60, communities="none", involvement=np.ones(60), thresholds=GateThresholds())
    assert json.loads(json.dumps(built.report.to_dict(), allow_nan=False))["measures"]["num_personas"] == 60
    monkeypatch.setattr("jaxworld.social.population.generate.DETECT_UP_TO", 50)
    skipped = generate_population(60)
    assert (skipped.population.community == -1).all()
    assert "not looked for" in skipped.report.notes[0]


def test_involvement_spreads_around_one_half_or_is_what_was_asked():
    spread = generate_population(500, communities="none").population.involvement
    assert spread.mean() == pytest.approx(0.5, abs=0.04)
    assert spread.std() == pytest.approx(0.22, abs=0.03)
    assert spread.min() >= 0
    constant = generate_population(60, communities="none", involvement=0.25).population.involvement
    assert set(constant.tolist()) == {0.25}


def test_streams_of_one_seed_do_not_disturb_each_other():
    plain = generate_population(60, communities="none").population
    other = generate_population(60, communities="none", taste_dimensions=3, involvement=1.0).population
    np.testing.assert_array_equal(plain.neighbor, other.neighbor)
    np.testing.assert_array_equal(plain.tie_strength, other.tie_strength)


# Communities


def test_planted_communities_partition_and_are_found_again():
    built = generate_population(200, seed=2, communities="planted", num_communities=5)
    community = built.population.community
    assert np.bincount(community).tolist() == [40] * 5
    assert built.report.measures["modularity"] > 0.5
    assert built.report.measures["min_degree"] >= 1
    first_members = [int(np.argmax(community == c)) for c in range(5)]
    assert first_members == sorted(first_members)
    ties = planted_ties(community, synthetic_attributes(200, seed=2), GraphSettings(), seed=2)
    found = detect_communities(200, ties, np.full(len(ties), 1000), seed=0).community
    agreement = np.mean((found[:, None] == found) == (community[:, None] == community))
    assert agreement > 0.95


def test_best_qualifying_partition_is_kept_and_seeded():
    community = planted_communities(150, num_communities=6, seed=1)
    table = synthetic_attributes(150, seed=1)
    ties = planted_ties(community, table, GraphSettings(), seed=1)
    strengths = tie_strengths(table, ties)
    found, again = (detect_communities(150, ties, strengths, seed=3) for _ in range(2))
    np.testing.assert_array_equal(found.community, again.community)
    qualifying = [entry["modularity"] for entry in found.sweep if entry["qualifies"]]
    assert modularity(150, ties, strengths, found.community) == pytest.approx(max(qualifying))
    sizes = np.bincount(found.community)
    assert found.community.min() == 0
    assert 4 <= len(sizes) <= 8
    assert sizes.min() >= 0.05 * 150
    assert detect_communities(150, ties, strengths, resolutions=()).community.tolist() == [-1] * 150


def test_unsubstantial_partitions_give_no_communities():
    ties = two_layer_ties(60, GraphSettings(), seed=0)
    rule = AcceptanceRule(min_modularity=0.95)
    found = detect_communities(60, ties, np.ones(len(ties)), rule=rule)
    assert set(found.community.tolist()) == {-1}
    assert "no partition" in found.note
    assert not any(entry["qualifies"] for entry in found.sweep)


@pytest.mark.parametrize(
    ("sizes", "score", "accepted"),
    [
        ([25, 25, 25, 25], 0.4, True),
        ([25, 25, 25, 25], 0.39, False),
        ([34, 33, 33], 0.6, False),
        ([12] * 7 + [16], 0.5, True),
        ([11] * 9 + [1], 0.5, False),
        ([32, 32, 32, 4], 0.5, False),
        ([32, 32, 31, 5], 0.5, True),
    ],
)
def test_acceptance_rule(sizes, score, accepted):
    assert AcceptanceRule().accepts(np.asarray(sizes), score) == accepted


def test_communities_are_numbered_by_smallest_member():
    assert number_by_smallest_member(np.asarray([7, -1, 2, 7, 0])).tolist() == [0, -1, 1, 0, 2]
    assert number_by_smallest_member(np.asarray([-1, -1])).tolist() == [-1, -1]


def test_planted_singletons_and_pairs_get_ties():
    community = planted_communities(20, sizes=[1, 1, 2, 16], seed=0)
    for mixing in (0.0, 0.5):
        ties = planted_ties(community, synthetic_attributes(20), GraphSettings(), seed=0, mixing=mixing)
        assert np.bincount(ties.ravel(), minlength=20).min() >= 1
        assert len(np.unique(ties, axis=0)) == len(ties)
    with pytest.raises(ConfigurationError, match="sizes"):
        planted_communities(20, sizes=[5, 5])
    with pytest.raises(ConfigurationError, match="num_communities"):
        planted_communities(20, num_communities=21)


def test_mixing_leads_ties_across_without_losing_any():
    community, table = planted_communities(60, num_communities=4), synthetic_attributes(60)
    inside, mixed = (planted_ties(community, table, GraphSettings(), seed=0, mixing=mixing) for mixing in (0.0, 1.0))
    assert (community[inside[:, 0]] == community[inside[:, 1]]).all()
    assert (community[mixed[:, 0]] == community[mixed[:, 1]]).mean() < 0.1
    assert len(mixed) == len(inside)
    assert np.bincount(mixed.ravel(), minlength=60).min() >= 1


def test_missing_networkx_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match="networkx"):
        generate_population(60)
    assert generate_population(60, communities="none").population.num_personas == 60


# Tastes


def test_tastes_are_unit_vectors_and_gather_by_community():
    community = np.asarray([0, 1] * 20 + [-1] * 4)
    vectors = taste_vectors(44, 16, spread=0.3, community=community)
    np.testing.assert_allclose((vectors**2).sum(axis=1), 1.0)
    products = vectors @ vectors.T
    same = (community[:, None] == community) & (community >= 0) & ~np.eye(44, dtype=bool)
    assert products[same].min() > 0.6
    assert np.abs(products[40:, :40]).max() < 0.9
    isotropic = taste_vectors(400, 16)
    assert np.linalg.norm(isotropic.mean(axis=0)) < 0.15
    clustered = taste_vectors(400, 16, clusters=3, spread=0.0)
    assert len(np.unique(clustered.round(6), axis=0)) == 3
    assert taste_vectors(5, 0).shape == (5, 0)


def test_taste_clusters_can_follow_the_communities():
    built = generate_population(100, communities="planted", taste_clusters="community", taste_spread=0.2)
    profile, community = built.population.profile, built.population.community
    cosine = profile @ profile.T / 4000.0**2
    same = community[:, None] == community
    assert cosine[same].min() > cosine[~same].mean() + 0.3


def test_attributes_keep_their_span_when_reordered():
    column = Attribute("age", "ordinal", [20.0, 40.0, 70.0])
    part = column.take(np.asarray([1, 0]))
    assert part.span == 50.0
    assert part.match(np.asarray([0]), np.asarray([1]))[0] == pytest.approx(0.6)
    flat = dataclasses.replace(column, values=np.full(3, 5.0), span=None)
    assert flat.match(np.asarray([0]), np.asarray([1]))[0] == 1.0
