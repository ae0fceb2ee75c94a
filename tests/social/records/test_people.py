"""Populations as arrays become records of the same people, and back to the same arrays."""

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.host import population_records
from jaxworld.social.host.kernel import population_arrays
from jaxworld.social.population import (
    BuiltPopulation,
    PopulationReport,
    load_population,
    make_population,
)
from jaxworld.social.records import WorldConfig


def built(**options):
    ids = tuple(str(number) for number in range(8, 12))
    given = {"ties": [(0, 1), (1, 2), (2, 3)], "strengths": [800, 200, 600], "involvement": [1, 0.5, 0, 2.0], **options}
    return BuiltPopulation(make_population(ids, **given), PopulationReport(ids, {}, {}), ("Bakes.", "", "", "Sails."))


def test_the_same_people_come_back():
    vectors = np.eye(4, 3)
    source = built(community=[0, 0, 1, 1], vectors=vectors)
    people, settings = population_records(source)
    assert people.persona_ids == ("p-08", "p-09", "p-10", "p-11")
    assert people.personas[3].attributes == {"about": "Sails."} and people.personas[1].attributes == {}
    config = WorldConfig(**settings)
    profiles = np.asarray([vector for _, vector in config.profile_vectors])
    made = population_arrays(people, config, profiles)
    for name in ("involvement", "community", "degree", "row_offsets", "neighbor", "tie_strength", "profile"):
        np.testing.assert_array_equal(getattr(made, name), getattr(source.population, name), err_msg=name)


def test_a_generated_population_has_records():
    source = load_population("communities", num_personas=120, seed=3)
    people, settings = population_records(source)
    assert len(people.graph.edges) == source.population.num_ties
    assert sum(len(group.member_ids) for group in people.communities) == 120
    assert len(settings["profile_vectors"]) == 120


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"community": [0, 0, -1, 1]}, "population.community"),
        ({"follows": [(0, 1)]}, "population.follows"),
        ({"rhythm": np.ones((4, 24))}, "population.rhythm"),
    ],
)
def test_what_records_cannot_carry_is_refused(options, named):
    with pytest.raises(ConfigurationError, match=named):
        population_records(built(**options))
    if named == "population.community":
        assert population_records(built(**options), communities=False)[0].communities == ()
