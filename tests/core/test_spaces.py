import copy
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import world_key
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete


@pytree_dataclass
class View:
    place: jax.Array
    seen: jax.Array
    note: jax.Array | None


def draw(space):
    return jax.jit(space.sample)(world_key(1))


def view_space() -> Composite:
    return Composite(View, {"place": Box(0, 7, (2,), np.int32), "seen": Boolean((2, 3)), "note": None})


def every_space() -> list:
    return [
        Box(-1.5, 2.5, (4,), np.float32),
        Box(0, np.inf, (4,)),
        Box(-np.inf, 3.0, (4,)),
        Box(-np.inf, np.inf, (4,)),
        Box(-(2**31), 2**31 - 1, (4,), np.int32),
        Box(0, 2**32 - 1, (4,), np.uint32),
        Box(-128, 127, (4,), np.int8),
        Discrete(3, (4,), names=("left", "stay", "right")),
        Discrete(3, (), low=-1, dtype=np.int8),
        Boolean((4,)),
        view_space(),
        Composite(None, {"b": Boolean((4,)), "inner": Composite(None, {"a": Box(0, 1, ())})}),
    ]


@pytest.mark.parametrize("space", every_space(), ids=lambda space: space.describe())
def test_samples_are_members_and_spaces_are_values(space):
    sample = jax.jit(space.sample)(world_key(5))
    assert bool(space.contains(sample))
    assert bool(space.contains(jax.device_get(sample)))
    twin = copy.deepcopy(space)
    assert twin == space and hash(twin) == hash(space)
    assert json.loads(json.dumps(space.to_dict(), allow_nan=False))["kind"]


def test_contains_is_traced():
    space = Discrete(3, (2,), low=-1)
    inside = jax.jit(jax.vmap(space.contains))(jnp.asarray([[-1, 2], [0, 3], [-2, 0]], jnp.int32))
    assert inside.tolist() == [True, False, False]


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(3, np.float32),  # shape
        np.zeros(2, np.int32),  # dtype
        np.asarray([0.0, 1.01], np.float32),
        np.asarray([0.0, np.nan], np.float32),
        0.5,  # not an array
        None,
    ],
)
def test_box_refuses_without_raising(wrong):
    verdict = Box(0, 1, (2,)).contains(wrong)
    assert isinstance(verdict, jax.Array) and not bool(verdict)


def test_bounds_are_judged_in_the_dtype():
    assert bool(Box(0.0, 0.1, (1,)).contains(np.asarray([0.1], np.float32)))  # float32(0.1) exceeds 0.1


def test_composite_refuses_another_structure_and_names_the_leaf():
    space = view_space()
    good = draw(space)
    assert good.note is None
    bad = View(place=good.place + jnp.asarray(8, jnp.int32), seen=good.seen, note=None)
    assert [path for path, _, holds in space.membership(bad, "observation") if not holds] == ["observation.place"]
    assert not bool(space.contains({"place": good.place, "seen": good.seen, "note": None}))
    assert not bool(space.contains(View(place=good.place, seen=good.seen, note=good.place)))


def test_integer_samples_reach_both_bounds_and_nothing_else():
    values = np.asarray(draw(Box(-2, 3, (600,), np.int8)))
    assert sorted(set(values.tolist())) == [-2, -1, 0, 1, 2, 3]
    counts = np.bincount(values + 2)
    assert counts.min() > 60  # 100 expected
    assert set(np.asarray(draw(Discrete(2, (100,), low=-1))).tolist()) == {-1, 0, 1}
    wide = np.asarray(draw(Box(-(2**31), 2**31 - 1, (600,), np.int32))).astype(np.float64)
    assert abs(wide.mean()) < 2**31 * 0.1 and wide.min() < -1.9e9 and wide.max() > 1.9e9


def test_float_samples_fill_the_interval():
    values = np.asarray(draw(Box(-1.0, 3.0, (600,))))
    assert abs(values.mean() - 1.0) < 0.15 and values.min() < -0.9 and values.max() > 2.9


def test_samples_depend_on_field_name_and_position_only():
    short, long = Discrete(9, (3,)), Discrete(9, (5,))
    assert draw(short).tolist() == draw(long)[:3].tolist()
    one = draw(Composite(None, {"a": long, "b": long}))
    other = draw(Composite(None, {"b": long, "c": long}))
    assert one["b"].tolist() == other["b"].tolist() != one["a"].tolist()


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: Box(1, 0, ()), "low"),
        (lambda: Box(0, 1, 3), "shape"),
        (lambda: Box(0, 1, (), bool), "dtype"),
        (lambda: Box(0, 300, (), np.uint8), "high"),
        (lambda: Box(0.5, 2, (), np.int32), "low"),
        (lambda: Discrete(0), "num_categories"),
        (lambda: Discrete(2, low=-2), "low"),
        (lambda: Discrete(2, low=-1, dtype=np.uint8), "dtype"),
        (lambda: Discrete(300, dtype=np.uint8), "dtype"),
        (lambda: Discrete(2, names=("a",)), "names"),
        (lambda: Composite(View, {"place": Boolean()}), "spaces"),
    ],
)
def test_impossible_spaces_name_the_field(build, field):
    with pytest.raises(ConfigurationError) as caught:
        build()
    assert caught.value.field == field
