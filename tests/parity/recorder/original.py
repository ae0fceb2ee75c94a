"""Runs the rules of Melting Pot on layouts of ours, and reads out the exact state they keep.

Needs dmlab2d and the files of dm-meltingpot in the interpreter that runs it, and neither JAX nor TensorFlow; see
docs/grid_parity.md for how to install them.
"""

import atexit
import copy
import importlib.util
import random
import shutil
import sys
import tempfile
import types
from pathlib import Path

import numpy as np


def _find_melting_pot():
    """Registers the package without running its `__init__`, which would import TensorFlow."""
    spec = importlib.util.find_spec("meltingpot")
    if spec is None:
        raise SystemExit("dm-meltingpot is not installed in this interpreter; see docs/grid_parity.md")
    package = types.ModuleType("meltingpot")
    package.__path__ = list(spec.submodule_search_locations)
    package.__spec__ = spec
    sys.modules["meltingpot"] = package
    return Path(package.__path__[0])


_MELTING_POT = _find_melting_pot()

import dmlab2d  # noqa: E402
from meltingpot.configs import substrates  # noqa: E402
from meltingpot.utils.substrates import builder  # noqa: E402

ORIENTATIONS = "NESW"
# Our legend of layouts, by what the original puts on a cell.
SYMBOLS = {
    "wall": "#",
    "apple": "A",
    "coin": ".",
    "inside_spawn_point": "I",
    "spawn_point": "S",
    "resource_class1": "1",
    "resource_class2": "2",
    "resource_class3": "3",
}
# Settings take no dot as a name.
_FLOOR = "_"


def _levels_with_probe():
    """A private copy of the levels in which the probe stands before the original's `api_factory`."""
    root = Path(tempfile.mkdtemp(prefix="parity_"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    levels = root / "meltingpot" / "lua"
    shutil.copytree(_MELTING_POT / "lua", levels)
    modules = levels / "modules"
    (modules / "api_factory.lua").rename(modules / "api_factory_original.lua")
    shutil.copy(Path(__file__).with_name("probe.lua"), modules / "api_factory.lua")
    return root


def _prefabs_of_symbols(char_prefabs):
    """Our symbols, each with the prefabs that the original would put on such a cell."""
    table = {}
    for prefabs in char_prefabs.values():
        table.setdefault(_symbol(prefabs), prefabs)
    return {_FLOOR if symbol == "." else symbol: prefabs for symbol, prefabs in table.items()}


def _symbol(prefabs):
    if isinstance(prefabs, str):
        return SYMBOLS.get(prefabs, ".")
    if prefabs["type"] == "choice":
        return "?"
    known = [SYMBOLS[name] for name in prefabs["list"] if name in SYMBOLS]
    return known[0] if known else "."


def _endless(settings):
    settings.maxEpisodeLengthFrames = 10**9
    for component in settings.simulation.scene["components"]:
        if "EpisodeEnding" in component["component"]:
            component["kwargs"]["minimumFramesPerEpisode"] = 10**9


def _replace(settings, constants):
    """Sets constants of the rules, by the name they have in the settings of components."""
    for prefab in settings.simulation.prefabs.values():
        for component in prefab["components"]:
            for name in constants.keys() & component.get("kwargs", {}).keys():
                component["kwargs"][name] = constants[name]


def _settings(variant, build_seed, layout, endless, constants):
    """The settings of a variant, and its layout in our legend.

    Some variants draw their map and colours from Python's global generator while they are built.
    """
    before = random.getstate()
    random.seed(build_seed)
    try:
        config = substrates.get_config(variant)
        roles = tuple(config.default_player_roles)
        settings = config.lab2d_settings_builder(roles=roles, config=config)
    finally:
        random.setstate(before)
    settings = builder.config_dict.ConfigDict(copy.deepcopy(settings)).unlock()
    prefabs = _prefabs_of_symbols(dict(settings.simulation.charPrefabMap))
    if layout is None:
        layout = _own_legend(settings.simulation)
    else:
        settings.simulation.map = layout.replace(".", _FLOOR) + "\n"
        settings.simulation.charPrefabMap = prefabs
    if endless:
        _endless(settings)
    _replace(settings, constants or {})
    builder.apply_prefab_overrides(settings, None)
    builder.maybe_build_and_add_avatar_objects(settings)
    return config, roles, settings, layout


def _own_legend(simulation):
    """The original's own layout in our legend; what it leaves empty is floor where the family has no other."""
    symbols = {char: _symbol(prefabs) for char, prefabs in dict(simulation.charPrefabMap).items()}
    empty = " " if "coin" in simulation.prefabs else "."
    rows = simulation.map.strip("\n").split("\n")
    width = max(map(len, rows))
    return "\n".join("".join(symbols.get(char, empty) for char in row.ljust(width)) for row in rows)


class Original:
    """One episode at a time of a variant of Melting Pot, with everything that its rules keep.

    Args:
        variant: The name in Melting Pot.
        layout: A layout in our legend, rows separated by newlines; None for the original's own.
        seed: The seed of the environment; the k-th reset uses `seed + k`, as the original's builder does.
        build_seed: The seed of what is drawn while the variant is built.
        endless: Whether episodes never end.
        constants: Values by name that replace those of the sites' rules, so that a short trace shows more of them.
    """

    def __init__(self, variant, layout=None, *, seed=1, build_seed=0, endless=True, constants=None):
        config, self.roles, settings, self.layout = _settings(variant, build_seed, layout, endless, constants)
        settings.levelName = str(Path(settings.levelDirectory) / settings.levelName)
        settings.levelDirectory = str(_levels_with_probe())
        self.variant = variant
        self.settings = settings
        self.num_players = len(self.roles)
        self._actions = config.action_set
        self.num_actions = len(self._actions)
        self._flat_settings = builder.parse_python_settings_for_dmlab2d(settings)
        self._next_seed = seed

    def reset(self):
        """Starts the next episode."""
        seed = self._next_seed % 2**32
        self._next_seed += 1
        self._env = dmlab2d.Lab2d(builder._DMLAB2D_ROOT, dict(self._flat_settings, env_seed=str(seed)))
        self._env.start(0, seed=int(np.random.RandomState(seed).randint(0, 2**31)))
        self._slots = {name: i for i, name in enumerate(self._env.action_discrete_names())}
        self.sprites = self.property("sprites")
        self.layers = self.property("layers")
        rows = [line.split("\t") for line in self.property("objects")]
        self.objects = [(name, kind, int(player), states.split("|")) for name, kind, player, states in rows]
        self.row_of = {name: row for row, (name, *_) in enumerate(self.objects)}
        self.ended = False

    def property(self, name):
        return self._env.read_property(f"probe.{name}").split("\n")

    def step(self, actions):
        """Every player acts; `actions` are indices into the variant's action table."""
        values = np.zeros(len(self._slots), np.int32)
        for player, action in enumerate(actions, start=1):
            for part, amount in self._actions[int(action)].items():
                values[self._slots[f"{player}.{part}"]] = amount
        self._env.act_discrete(values)
        status, _ = self._env.advance()
        self.ended = status != dmlab2d.RUNNING

    def observe(self, name):
        value = self._env.observation(name)
        return value.decode() if isinstance(value, bytes) else np.array(value)

    def each(self, name):
        """One observation of every player, stacked."""
        return np.stack([self.observe(f"{player}.{name}") for player in range(1, self.num_players + 1)])

    def has(self, name):
        return f"1.{name}" in self._env.observation_names()

    def events(self):
        """What the last frame announced, as (name, {key: value})."""
        announced = []
        for name, items in self._env.events():
            values = [item.decode() if isinstance(item, bytes) else np.asarray(item).tolist() for item in items]
            if values[:1] == ["dict"]:
                announced.append((name, dict(zip(values[1::2], values[2::2], strict=True))))
        return announced

    def log(self):
        """What the last frame drew: ("u", updater, object) or ("r", function, value), in order."""
        text = self.observe("PROBE.LOG")
        return [tuple(line.split(" ")) for line in text.split("\n")] if text else []

    def edit(self, *commands):
        """Carries out commands of the probe while no updater runs."""
        for command in commands:
            self._env.write_property("probe.command", command)
        self._env.write_property("probe.command", "flush")
