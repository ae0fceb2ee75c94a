"""What people read and write: configuration files, records, the public description, spaces and ranges."""

import dataclasses
import json

import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import ConfigurationError
from jaxworld.observe import describe, describe_data, load_configuration, to_records
from jaxworld.study.sweep.paths import find_target
from tests.observe.family import KEY, make, observe, same_bits, values

TOML = """
[observability.commonsStock]
visible = true
noise = 0.25

[observability.othersHarvest]
visible = true
resolution = "bucket"
buckets = 3

[observability.othersWealth]
max = 500
transforms = [{ kind = "gaussian_noise", stdFraction = 0.1 }, { kind = "clamp", min = 0 }]

[observability.ownWealth]
resolution = "sign"
reference = "true"
"""
DOCUMENT = {
    "observability": {
        "commonsStock": {"visible": True, "noise": 0.25},
        "othersHarvest": {"visible": True, "resolution": "bucket", "buckets": 3},
        "othersWealth": {
            "max": 500,
            "transforms": [{"kind": "gaussian_noise", "stdFraction": 0.1}, {"kind": "clamp", "min": 0}],
        },
        "ownWealth": {"resolution": "sign", "reference": "true"},
    }
}


@pytest.fixture(scope="module")
def pipeline():
    return make(DOCUMENT["observability"])


@pytest.fixture(scope="module")
def delivered(pipeline):
    return observe(pipeline)


def test_json_and_toml_files_load_as_they_are(tmp_path, pipeline):
    for name, text in (("world.toml", TOML), ("world.json", json.dumps(DOCUMENT))):
        (tmp_path / name).write_text(text)
        assert make(load_configuration(tmp_path / name)) == pipeline
    (tmp_path / "bare.json").write_text(json.dumps(DOCUMENT["observability"]))
    assert make(load_configuration(tmp_path / "bare.json")) == pipeline


@pytest.mark.parametrize(("name", "text"), [
    ("a.yaml", "{}"), ("a.json", "{"), ("a.json", '{"a": 1, "a": 2}'), ("a.json", "[1]"), ("a.toml", "a = "),
])  # fmt: skip
def test_files_that_cannot_be_read_are_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError):
        load_configuration(tmp_path / name)
    with pytest.raises(ConfigurationError):
        load_configuration(tmp_path / "missing.json")


def test_records_show_null_labels_and_three_decimals(pipeline, delivered):
    records = json.loads(json.dumps(to_records(pipeline, delivered)))
    assert len(records) == 4
    first = records[0]
    assert first["regenRate"] is None and first["ownWealth"] == 0 and "capitalStock" not in first
    assert first["othersHarvest"] == [None, "low", "medium", "medium"]
    assert first["othersWealth"][0] is None
    numbers = [record["commonsStock"] for record in records] + first["othersWealth"][1:]
    assert all(number == round(number, 3) for number in numbers)
    assert np.float32(numbers[0]) == delivered["commonsStock"].value[0]


def test_records_of_infinity_are_refused_and_a_swept_mode_is_labelled_as_it_was():
    pipeline = make({"commonsStock": {"resolution": ["exact", "bucket"]}})
    params = pipeline.default_params()
    coarse = dict(params, commonsStock=dataclasses.replace(params["commonsStock"], resolution=np.int32(1)))
    seen = observe(pipeline, coarse)
    assert to_records(pipeline, seen, coarse)[2]["commonsStock"] == "high"
    assert to_records(pipeline, observe(pipeline))[2]["commonsStock"] == 70
    assert describe_data(pipeline, coarse)["variables"]["commonsStock"]["labels"] == ["low", "medium", "high"]
    with pytest.raises(ConfigurationError, match=r"delivered\.commonsStock"):
        to_records(pipeline, observe(pipeline, true=values(stock=np.inf)))


def test_the_description_tells_what_is_done_and_the_numbers_in_force(pipeline):
    text = describe(pipeline)
    assert "standard deviation 0.25 of the value's size" in text
    assert "one of 3 equal parts of the range" in text and "cut off below 0" in text
    assert "against the true value of last time" in text
    hidden = text[text.index("- regenRate") :].splitlines()[1]
    assert hidden.strip() == "hidden"
    params = pipeline.default_params()
    louder = dict(params, commonsStock=dataclasses.replace(params["commonsStock"], noise=np.float32(0.4)))
    assert "standard deviation 0.4 of" in describe(pipeline, louder)
    data = json.loads(json.dumps(describe_data(pipeline, louder)))
    stock = data["variables"]["commonsStock"]
    assert stock["steps"][0] == {"kind": "gaussian_noise", "place": "noise", "std_fraction": 0.4,
                                 "summary": "Gaussian noise, standard deviation 0.4 of the value's size"}  # fmt: skip
    assert (stock["min"], stock["max"], stock["delivered"]) == (0, 100, "number")
    assert data["variables"]["regenRate"]["steps"] == [] and data["variables"]["regenRate"]["delivered"] is None


def test_legacy_fields_come_first_and_transforms_follow():
    written = {"transforms": [{"kind": "clamp", "max": 60}], "resolution": "exact", "noise": 0.1}
    steps = describe_data(make({"commonsStock": written}))["variables"]["commonsStock"]["steps"]
    assert [step["place"] for step in steps] == ["noise", "resolution", "transforms[0]"]
    true = values(stock=60.00049)
    clamped = make({"commonsStock": {"resolution": "exact", "transforms": [{"kind": "clamp", "max": 60.0004}]}})
    assert observe(clamped, true=true)["commonsStock"].value[0] == 60  # the clamp saw 60.00049, rounding came last


def test_deliveries_are_in_their_space_and_samples_have_their_structure(pipeline, delivered):
    space = pipeline.observation_space(pipeline.default_params())
    assert space.contains(delivered)
    sample = space.sample(KEY)
    assert space.contains(sample) and same_bits(observe(pipeline), delivered)
    assert not space.contains(delivered | {"commonsStock": delivered["regenRate"].value})
    json.dumps(space.to_dict())
    assert delivered["othersWealth"].high.tolist() == [500] * 4 and delivered["ownWealth"].low[0] == -np.inf
    assert not np.diag(delivered["othersWealth"].mask).any()
    assert delivered["commonsStock"].code.dtype == jnp.int32


def test_every_parameter_has_a_name_like_the_configuration_and_a_range(pipeline):
    params = pipeline.default_params()
    ranges = pipeline.parameter_ranges()
    for path in ("commonsStock.noise", "commonsStock.visible", "othersWealth.transforms[1].min", "othersWealth.max"):
        assert find_target(params, path).shape == () and path in ranges
    with pytest.raises(ConfigurationError):
        find_target(params, "regenRate.visible")  # nothing was compiled for it
