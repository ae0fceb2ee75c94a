"""Kinds of third parties: registered from Python, from a folder, from an entry point."""

import importlib.metadata

import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import ConfigurationError
from jaxworld.observe import (
    Choice,
    Flag,
    Number,
    Numbers,
    Whole,
    describe,
    load_entry_points,
    load_plugin_folder,
    register,
    registered_kinds,
    registry,
    to_records,
)
from tests.observe.family import compiled, make, observe, values


@pytest.fixture(autouse=True)
def fresh_registry(monkeypatch):
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))


def gain(value, parameters, context):
    return value * parameters["gain"]


def test_a_kind_of_ones_own_is_a_traced_step_of_the_pipeline():
    register("gain", {"gain": Number(0, 10, default=2)}, "number", "number", gain, summary="amplified")
    pipeline = make({"commonsStock": {"transforms": [{"kind": "gain", "gain": 3}, {"kind": "clamp", "max": 150}]}})
    params = pipeline.default_params()
    assert params["commonsStock"].transforms[0]["gain"] == np.float32(3)
    assert pipeline.parameter_ranges("o.")["o.commonsStock.transforms[0].gain"] == (0.0, 10.0)
    assert observe(pipeline)["commonsStock"].value.tolist() == [150] * 4
    assert observe(make({"commonsStock": {"transforms": [{"kind": "gain"}]}}))["commonsStock"].value[0] == 140
    assert "amplified (gain 3.0)" in describe(pipeline)
    with pytest.raises(ConfigurationError) as error:
        make({"commonsStock": {"transforms": [{"kind": "gain", "gain": 11}]}})
    assert error.value.field == "observability.commonsStock.transforms[0].gain"


def test_codes_can_be_made_and_changed_and_every_field_type_arrives():
    def parity(value, parameters, context):
        made = (value / parameters["steps"][0]).astype(jnp.int32) % np.int32(parameters["modulus"])
        return jnp.where(context.bits()[0] < np.uint32(0), np.int32(-1), made)

    def swap(value, parameters, context):
        assert parameters["how"] == "up" and parameters["loud"] is False
        return jnp.where(value < np.int32(0), value, np.int32(1) - value)

    register("parity", {"modulus": Whole(2, 9, default=2), "steps": Numbers(0, 100, required=True)}, "number", "code",
             parity, labels=("even", "odd"))  # fmt: skip
    register("swap", {"how": Choice(("up", "down"), default="up"), "loud": Flag()}, "code", "code", swap)
    entries = [{"kind": "parity", "steps": [10.0]}, {"kind": "swap"}]
    one, two = (make({"commonsStock": {"transforms": entries[:count]}}) for count in (1, 2))
    seen, swapped = observe(one), observe(two)
    assert seen["commonsStock"].kind == "code" and seen["commonsStock"].code[0] == 1
    assert swapped["commonsStock"].code[0] == 0 and swapped["commonsStock"].value[0] == 0
    assert to_records(one, seen)[0]["commonsStock"] == "odd" and to_records(two, swapped)[0]["commonsStock"] == 0
    with pytest.raises(ConfigurationError, match="numbers"):
        make({"commonsStock": {"transforms": entries[1:]}})


def test_memory_gives_the_last_incoming_value_and_context_gives_draws():
    def change(value, parameters, context):
        return jnp.where(context.has_previous, value - context.previous, np.float32(0)) + context.high

    register("change", {}, "number", "number", change, memory="observed")
    register("dice", {}, "number", "number", lambda v, p, c: v + jnp.floor(c.normal()), override=False)
    pipeline = make(
        {"commonsStock": {"transforms": [{"kind": "change"}]}, "ownWealth": {"transforms": [{"kind": "dice"}]}}
    )
    run, memory = compiled(pipeline), pipeline.init_memory()
    got = []
    for tick, stock in enumerate((10.0, 30.0, 25.0)):
        delivered, memory = run(pipeline.default_params(), memory, values(stock=stock), tick)
        got.append(delivered["commonsStock"].value[0].item())
    assert got == [100, 120, 95]
    assert len(set((delivered["ownWealth"].value - values()["ownWealth"]).tolist())) > 1


def test_a_compiled_pipeline_keeps_the_kinds_it_was_built_with():
    register("gain", {"gain": Number(default=2)}, "number", "number", gain)
    pipeline = make({"commonsStock": {"transforms": [{"kind": "gain"}]}})
    with pytest.raises(ConfigurationError, match="already registered"):
        register("gain", {"gain": Number(default=2)}, "number", "number", gain)
    register("gain", {"gain": Number(default=2)}, "number", "number", lambda v, p, c: -v, override=True)
    assert observe(pipeline)["commonsStock"].value[0] == 140
    assert observe(make({"commonsStock": {"transforms": [{"kind": "gain"}]}}))["commonsStock"].value[0] == -70
    assert hash(pipeline) == hash(pipeline)


PLUGIN = """
from jaxworld.observe import register, registered_kinds
register({name!r}, {{}}, "number", "number", lambda value, parameters, context: value + {shift}.0)
"""


def test_a_folder_of_plugins_is_loaded_when_asked_and_in_order(tmp_path):
    (tmp_path / "b.py").write_text(PLUGIN.format(name="second", shift=2) + "assert 'first' in registered_kinds()\n")
    (tmp_path / "a.py").write_text(PLUGIN.format(name="first", shift=1))
    (tmp_path / "_draft.py").write_text("raise RuntimeError")
    (tmp_path / "notes.txt").write_text("not a plugin")
    with pytest.raises(ConfigurationError, match="unknown kind"):
        make({"commonsStock": {"transforms": [{"kind": "first"}]}})
    assert load_plugin_folder(tmp_path) == ["first", "second"]
    both = make({"commonsStock": {"transforms": [{"kind": "first"}, {"kind": "second"}]}})
    assert observe(both)["commonsStock"].value[0] == 73
    (tmp_path / "c.py").write_text("1 / 0")
    with pytest.raises(ConfigurationError, match=r"plugins\.a\.py .*already registered"):
        load_plugin_folder(tmp_path)
    (tmp_path / "a.py").unlink(), (tmp_path / "b.py").unlink()
    with pytest.raises(ConfigurationError, match=r"plugins\.c\.py .*ZeroDivisionError"):
        load_plugin_folder(tmp_path)
    with pytest.raises(ConfigurationError, match="no such folder"):
        load_plugin_folder(tmp_path / "nowhere")


def test_entry_points_are_loaded_when_asked_and_in_order(monkeypatch):
    order = []

    class Entry:
        def __init__(self, name, action):
            self.name, self.value, self.action = name, f"module:{name}", action

        def load(self):
            return self.action

    def plugin(name):
        def act():
            order.append(name)
            register(name, {}, "number", "number", lambda value, parameters, context: value)

        return act

    found = [Entry("z_last", plugin("late")), Entry("a_first", plugin("early"))]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found if group == "jaxworld.observe" else [])
    assert load_entry_points() == ["early", "late"] and order == ["early", "late"]
    assert {"early", "late", "clamp", "gaussian_noise", "resolution"} <= set(registered_kinds())
    found[:] = [Entry("broken", lambda: 1 / 0)]
    with pytest.raises(ConfigurationError, match=r"plugins\.broken"):
        load_entry_points()
