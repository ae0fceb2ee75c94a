"""Registered dataclasses: what belongs to their structure, and that types do."""

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import pytree_dataclass, replace, static_field


@pytree_dataclass
class Lamp:
    level: jax.Array
    name: str = static_field(default="")


@pytree_dataclass
class Well:
    level: jax.Array
    name: str = static_field(default="")


@pytree_dataclass
class Empty:
    pass


@pytree_dataclass
class Void:
    pass


def test_structures_of_different_types_differ_whatever_their_fields():
    structure = jax.tree.structure
    assert structure(Empty()) != structure(Void())
    assert structure(Lamp(level=1)) != structure(Well(level=1))
    assert structure({"a": Lamp(level=None)}) != structure({"a": Well(level=None)})


def test_a_program_is_compiled_for_each_type():
    traced = []

    @jax.jit
    def kind(tree):
        traced.append(type(tree))
        return jnp.zeros(())

    # Many pairs: where types were left out of the comparison, one program in a hundred or so was taken for another.
    made = [pytree_dataclass(type(f"Kind{number}", (), {"__annotations__": {}})) for number in range(150)]
    for cls in made:
        kind(cls())
    assert traced == made


def test_static_fields_are_structure_and_others_are_leaves():
    lamp = Lamp(level=jnp.ones(3), name="a")
    leaves, structure = jax.tree.flatten(lamp)
    assert len(leaves) == 1
    assert structure != jax.tree.structure(replace(lamp, name="b"))
    assert structure == jax.tree.structure(replace(lamp, level=jnp.zeros(2)))
    again = jax.tree.map(lambda leaf: leaf + 1, lamp)
    assert (again.name, list(again.level)) == ("a", [2, 2, 2])
    assert [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(lamp)] == [".level"]
