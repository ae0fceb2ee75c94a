"""The importer of the original maps: on a made-up Melting Pot always, on the real one where it is installed."""

import importlib.util
import sys
from pathlib import Path

import pytest

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.grid.maps import ORIGINAL_VARIANTS, original_map
from tests.grid.maps.table import FACTS, check_facts

INSTALLED = importlib.util.find_spec("meltingpot") is not None

# As an original configuration is written: imports that cannot be met here, constants, names of constants.
HARVEST = '''
import dmlab2d_that_nobody_has
ASCII_MAP = """
WWWWWW
WP AQW
WI A W
WWWWWW
"""
CHAR_PREFAB_MAP = {
    "P": {"type": "all", "list": ["floor", "spawn_point"]},
    "Q": {"type": "all", "list": ["floor", "inside_spawn_point"]},
    " ": "floor",
    "W": "wall",
    "A": {"type": "all", "list": ["grass", "apple"]},
    "I": {"type": "all", "list": ["floor", "hidden_role_based_punishment_tile"]},
}
NUMBERS = dmlab2d_that_nobody_has.zeros(3)
'''
MATRIX = '''
_resource_names = ["resource_class1", "resource_class2", "resource_class3"]
ASCII_MAP = """
WWWWW
Wnr W
Wpsax
WWWWW
"""
CHAR_PREFAB_MAP = {
    "a": {"type": "choice", "list": _resource_names},
    "r": _resource_names[0],
    "p": _resource_names[1],
    "s": _resource_names[2],
    "n": "spawn_point",
    "W": "wall",
}
'''


@pytest.fixture
def melting_pot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where to write configurations; importing the package would fail, as it does without TensorFlow."""
    folder = tmp_path / "meltingpot" / "configs" / "substrates"
    folder.mkdir(parents=True)
    (tmp_path / "meltingpot" / "__init__.py").write_text("raise ImportError('no TensorFlow here')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_a_harvest_map_in_our_symbols(melting_pot: Path) -> None:
    (melting_pot / "commons_harvest__partnership.py").write_text(HARVEST)
    assert original_map("commons_harvest__partnership") == "######\n#S.AI#\n#..A.#\n######"
    assert "meltingpot" not in sys.modules


def test_a_matrix_map_in_our_symbols(melting_pot: Path) -> None:
    """Three classes, a choice of them, and characters without an entry, which are open floor."""
    (melting_pot / "pure_coordination_in_the_matrix__repeated.py").write_text(MATRIX)
    assert original_map("pure_coordination_in_the_matrix__repeated") == "#####\n#S1.#\n#23?.\n#####"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (HARVEST.replace('"grass", "apple"', '"grass", "pear"'), "'A' in commons_harvest__open = 'pear': no symbol"),
        (HARVEST.replace('"all", "list": ["grass"', '"choice", "list": ["grass"'), "only a choice of resources"),
        (HARVEST.replace("ASCII_MAP", "TEXT"), "does not state ASCII_MAP: use dm-meltingpot 2.4.1"),
        ("def broken(", "use dm-meltingpot 2.4.1"),
        (None, "use dm-meltingpot 2.4.1"),
    ],
)
def test_another_version_of_the_file_is_refused(melting_pot: Path, source: str | None, message: str) -> None:
    if source is not None:
        (melting_pot / "commons_harvest__open.py").write_text(source)
    with pytest.raises(ConfigurationError, match=message):
        original_map("commons_harvest__open")


@pytest.mark.parametrize("name", ["commons_harvest_open", "coins", "clean_up"])
def test_an_unknown_variant_is_refused_whether_or_not_the_package_is_there(name: str) -> None:
    with pytest.raises(ConfigurationError, match="use an original variant that has a map") as raised:
        original_map(name)
    assert raised.value.field == "variant"


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'dm-meltingpot': docs/grid_parity\.md .* make parity") as raised:
        original_map("commons_harvest__open")
    assert "jaxworld[" not in str(raised.value)


def facts_name(variant: str) -> str:
    """The row of the table for an original variant."""
    substrate, kind = variant.split("__")
    if substrate == "commons_harvest":
        return f"commons_harvest_{kind}"
    if kind == "one_shot":
        return "matrix_one_shot"
    two_classes = ("bach_or_stravinsky", "chicken", "prisoners_dilemma")
    game = substrate.removesuffix("_in_the_matrix")
    classes = "stag_hunt" if game == "stag_hunt" else "two" if game in two_classes else "three"
    return f"matrix_{kind}_{classes}"


@pytest.mark.skipif(not INSTALLED, reason="dm-meltingpot is not installed")
@pytest.mark.parametrize("variant", ORIGINAL_VARIANTS)
def test_the_real_maps_have_the_published_sizes_and_counts(variant: str) -> None:
    check_facts(original_map(variant).splitlines(), FACTS[facts_name(variant)])
