import os
import subprocess
import sys

import pytest

import jaxworld
from jaxworld.core import registry
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.random_walk import RandomWalk


@pytest.fixture(autouse=True)
def private_registry(monkeypatch):
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))


def needs_size(*, size, colour="red"):
    return {"size": size, "colour": colour}


def test_make_builds_equal_worlds_and_remembers_how():
    world = jaxworld.make("core/random_walk", num_walkers=3)
    assert world == RandomWalk(num_walkers=3) and world != RandomWalk(num_walkers=4)
    assert world.made_as == ("core/random_walk", {"num_walkers": 3})


def test_listing_is_sorted_with_summaries():
    jaxworld.register("zoo/b", needs_size, summary="second")
    jaxworld.register("zoo/a", needs_size, summary="first")
    names = list(jaxworld.registered())
    assert names == sorted(names)
    assert jaxworld.registered()["zoo/a"] == "first"


def test_lazy_factories_are_imported_on_use_only():
    jaxworld.register("zoo/lazy", "a_module_that_does_not_exist:thing")
    with pytest.raises(ModuleNotFoundError):
        jaxworld.make("zoo/lazy")


@pytest.mark.parametrize("name", ["walk", "Core/walk", "core/walk-2", "a/b/c", "/b", "a/"])
def test_malformed_names_are_refused(name):
    with pytest.raises(ConfigurationError, match="family/variant"):
        jaxworld.register(name, needs_size)


@pytest.mark.parametrize("factory", ["module", "module:", ":attribute", "a:b:c"])
def test_malformed_strings_are_refused(factory):
    with pytest.raises(ConfigurationError, match="module:attribute"):
        jaxworld.register("zoo/string", factory)


def test_a_name_belongs_to_one_factory():
    jaxworld.register("zoo/one", needs_size)
    jaxworld.register("zoo/one", needs_size)
    with pytest.raises(ConfigurationError, match="another factory"):
        jaxworld.register("zoo/one", RandomWalk)


def test_unknown_names_list_the_nearest():
    with pytest.raises(ConfigurationError, match="core/random_walk"):
        jaxworld.make("core/randomwalk")


def test_unknown_and_missing_keywords_are_named():
    jaxworld.register("zoo/size", needs_size)
    with pytest.raises(ConfigurationError, match=r"^color = 'blue'.*'colour'"):
        jaxworld.make("zoo/size", size=1, color="blue")
    with pytest.raises(ConfigurationError, match=r"^size = None"):
        jaxworld.make("zoo/size")
    jaxworld.register("zoo/open", lambda **keywords: keywords)
    assert jaxworld.make("zoo/open", anything=1) == {"anything": 1}


def test_importing_starts_no_backend():
    # With a platform that does not exist, the first JAX array would raise.
    environment = {**os.environ, "JAX_PLATFORMS": "no_such_platform"}
    code = "import jaxworld, jaxworld.core.random_walk; print(jaxworld.__version__)"
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    assert child.stdout.strip() == jaxworld.__version__
