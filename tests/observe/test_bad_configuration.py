"""Configurations that cannot work are refused when the pipeline is built, and the error says where."""

import pytest

from jaxworld.core import ConfigurationError
from jaxworld.observe import Number, Variable, compile_pipeline, register
from tests.observe.family import VARIABLES, make, values

BAD = [
    ({"othersWealth": {"transforms": [{"kind": "clamp", "min": 0}, {"kind": "blur"}]}},
     "othersWealth.transforms[1].kind"),
    ({"othersWealth": {"transforms": [{"min": 0}]}}, "othersWealth.transforms[0].kind"),
    ({"othersWealth": {"resolution": "bucket", "max": 9, "transforms": [{"kind": "clamp", "min": 0}]}},
     "othersWealth.transforms[0].kind"),
    ({"commonsStock": {"transforms": [{"kind": "resolution", "mode": "sign", "reference": "true"},
                                      {"kind": "gaussian_noise", "std_fraction": 0.1}]}},
     "commonsStock.transforms[1].kind"),
    ({"commonsStock": {"resolution": ["exact", "bucket"], "transforms": [{"kind": "clamp", "max": 1}]}},
     "commonsStock.transforms[0].kind"),
    ({"othersWealth": {"resolution": "bucket"}}, "othersWealth.max"),
    ({"othersWealth": {"transforms": [{"kind": "resolution", "mode": "bucket"}]}}, "othersWealth.transforms[0].max"),
    ({"commonsStock": {"noise": -0.1}}, "commonsStock.noise"),
    ({"commonsStock": {"noise": float("nan")}}, "commonsStock.noise"),
    ({"commonsStock": {"noise": float("inf")}}, "commonsStock.noise"),
    ({"commonsStock": {"noise": "0.1"}}, "commonsStock.noise"),
    ({"commonsStock": {"visible": 1}}, "commonsStock.visible"),
    ({"commonsStock": {"resolution": "coarse"}}, "commonsStock.resolution"),
    ({"commonsStock": {"resolution": []}}, "commonsStock.resolution"),
    ({"commonsStock": {"resolution": ["exact", "exact"]}}, "commonsStock.resolution"),
    ({"commonsStock": {"resolution": "bucket", "buckets": 1}}, "commonsStock.buckets"),
    ({"commonsStock": {"resolution": "bucket", "buckets": 2.5}}, "commonsStock.buckets"),
    ({"commonsStock": {"buckets": 4}}, "commonsStock.buckets"),
    ({"commonsStock": {"resolution": "bucket", "edges": [0.5, 0.4]}}, "commonsStock.edges"),
    ({"commonsStock": {"resolution": "bucket", "edges": [0.0, 0.4]}}, "commonsStock.edges"),
    ({"commonsStock": {"resolution": "bucket", "edges": [1 / 3, 2 / 3]}}, "commonsStock.edges"),
    ({"commonsStock": {"resolution": "bucket", "buckets": 3, "edges": [0.4]}}, "commonsStock.edges"),
    ({"commonsStock": {"resolution": "bucket", "edges": [0.4, "x"]}}, "commonsStock.edges[1]"),
    ({"commonsStock": {"resolution": "sign"}}, "commonsStock.reference"),
    ({"commonsStock": {"resolution": "sign", "reference": "last"}}, "commonsStock.reference"),
    ({"commonsStock": {"resolution": "sign", "reference": "true", "deadband": -1}}, "commonsStock.deadband"),
    ({"commonsStock": {"min": 100}}, "commonsStock.min"),
    ({"commonsStock": {"max": 0}}, "commonsStock.max"),
    ({"commonsStock": {"transforms": {"kind": "clamp", "min": 0}}}, "commonsStock.transforms"),
    ({"commonsStock": {"transforms": ["clamp"]}}, "commonsStock.transforms[0]"),
    ({"commonsStock": {"transforms": [{"kind": "clamp"}]}}, "commonsStock.transforms[0]"),
    ({"commonsStock": {"transforms": [{"kind": "clamp", "min": 2, "max": 1}]}}, "commonsStock.transforms[0].min"),
    ({"commonsStock": {"transforms": [{"kind": "clamp", "minimum": 2}]}}, "commonsStock.transforms[0].minimum"),
    ({"commonsStock": {"transforms": [{"kind": "gaussian_noise"}]}}, "commonsStock.transforms[0].std_fraction"),
    ({"commonsStock": {"transforms": [{"kind": "gaussian_noise", "std_fraction": 0.1, "stdFraction": 0.2}]}},
     "commonsStock.transforms[0].stdFraction"),
    ({"commonsStock": {"visibel": True}}, "commonsStock.visibel"),
    ({"commonsStock": {"visible": False, "noise": -1}}, "commonsStock.noise"),
    ({"commonsStock": True}, "commonsStock"),
    ({"commonStock": {}}, "commonStock"),
    ({"capitalStock": {"visible": True}}, "capitalStock"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("configuration", "path"), BAD, ids=[f"{number}-{path}" for number, (_, path) in enumerate(BAD)]
)
def test_the_path_of_what_is_wrong_is_named(configuration, path):
    with pytest.raises(ConfigurationError) as error:
        make(configuration)
    assert error.value.field == f"observability.{path}"
    assert str(error.value).startswith(f"observability.{path} = ") and "\n" not in str(error.value)


def test_errors_suggest_the_nearest_name():
    for configuration, nearest in (
        ({"commonStock": {}}, "'commonsStock'"),
        ({"commonsStock": {"visibel": True}}, "'visible'"),
        ({"commonsStock": {"transforms": [{"kind": "gausian_noise"}]}}, "'gaussian_noise'"),
        ({"commonsStock": {"resolution": "buckets"}}, "'bucket'"),
    ):
        with pytest.raises(ConfigurationError, match=f"did you mean {nearest}"):
            make(configuration)


def test_more_than_full_noise_is_allowed_with_a_warning():
    with pytest.warns(UserWarning, match=r"observability\.commonsStock\.noise = 1\.5"):
        make({"commonsStock": {"noise": 1.5}})


def test_a_configuration_must_be_a_table_and_variables_must_make_sense():
    with pytest.raises(ConfigurationError, match=r"^observability = "):
        make(["commonsStock"])
    with pytest.raises(ConfigurationError, match="variables"):
        compile_pipeline([*VARIABLES, VARIABLES[0]], {}, 2)
    with pytest.raises(ConfigurationError, match=r"variable stock\.low"):
        Variable("stock", "scalar", 1, 1, True, "")
    with pytest.raises(ConfigurationError, match=r"variable stock\.shape"):
        Variable("stock", "vector", 0, 1, True, "")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="num_observers"):
        make({}, 0)


def test_true_values_are_checked_by_name_and_shape():
    pipeline = make({})
    good = values()
    for wrong, field in (
        ({name: value for name, value in good.items() if name != "commonsStock"}, "values.commonsStock"),
        (good | {"weather": good["commonsStock"]}, "values.weather"),
        (good | {"commonsStock": good["ownWealth"]}, "values.commonsStock"),
    ):
        with pytest.raises(ConfigurationError) as error:
            pipeline.apply(pipeline.default_params(), {}, wrong, key=None)  # type: ignore[arg-type]
        assert error.value.field == field


@pytest.mark.parametrize(("changes", "field"), [
    ({"kind": "Gain"}, "kind"),
    ({"kind": "clamp"}, "kind"),
    ({"schema": {"gain": 3}}, "schema.gain"),
    ({"schema": {"kind": Number()}}, "schema.kind"),
    ({"in_kind": "text"}, "in_kind"),
    ({"out_kind": "text"}, "out_kind"),
    ({"apply": None}, "apply"),
    ({"in_kind": "code", "memory": "true"}, "memory"),
])  # fmt: skip
def test_malformed_kinds_are_not_registered(changes, field):
    good = {"kind": "half", "schema": {}, "in_kind": "number", "out_kind": "number", "apply": lambda v, p, c: v}
    with pytest.raises(ConfigurationError) as error:
        register(**(good | changes))
    assert error.value.field == field
